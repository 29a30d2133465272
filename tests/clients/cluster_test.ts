/** The commands of docs/clusters.md, run as they stand on two recordings and two workers. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ROOT } from "../binary/server_process.ts";
import { run } from "../child_process.ts";
import { programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

/** The code blocks of a language on the page. */
function blocks(language: string): string[] {
  const page = Deno.readTextFileSync(join(ROOT, "docs/clusters.md"));
  return [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, code = ""]) => code);
}

programTest(["sh", "python3"], {
  name: "exports archives and computes them on a cluster of two workers",
  modules: ["zarr", "dask.array", "dask.distributed"],
  ignore: Deno.build.os === "windows",
  async fn([sh, python]) {
    using temporary = temporaryFolder();
    const folder = temporary.path;
    Deno.mkdirSync(join(folder, "recordings"));
    for (const name of ["a.oir", "b.oir"]) {
      Deno.copyFileSync(join(ROOT, "examples/line_scan.oir"), join(folder, "recordings", name));
    }
    const program = [FROM_SOURCE.program, ...FROM_SOURCE.args].map((word) => `'${word}'`).join(" ");
    const path = join(folder, "acq-server");
    Deno.writeTextFileSync(path, `#!/bin/sh\nexec ${program} "$@"\n`);
    Deno.chmodSync(path, 0o755);
    const env = { PATH: `${folder}:${Deno.env.get("PATH")}` };
    const [shell = ""] = blocks("sh");
    const exported = await run(sh!, { args: ["-c", shell], cwd: folder, env });
    assert.ok(exported.success, new TextDecoder().decode(exported.stderr));
    const script = blocks("python").find((code) => code.includes("dask.distributed"))!;
    Deno.writeTextFileSync(join(folder, "compute.py"), script);
    const computed = await run(python!, { args: ["compute.py"], cwd: folder, env });
    const lines = new TextDecoder().decode(computed.stdout).trim().split("\n");
    assert.ok(computed.success, new TextDecoder().decode(computed.stderr));
    const means = lines.map((line) => line.split(" "));
    assert.deepEqual(means.map(([name]) => name), ["archives/a.oir.zip", "archives/b.oir.zip"]);
    assert.equal(means[0]![1], means[1]![1]);
    assert.ok(Number(means[0]![1]) > 0);
  },
});
