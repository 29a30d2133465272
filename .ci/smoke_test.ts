import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "./packages/release.ts";
import { run } from "../tests/child_process.ts";
import { programTest } from "../tests/programs.ts";

/** Runs the script with a program that this shell text is; gives its code and what it said. */
async function smoke(bash: string, shell: string): Promise<{ code: number; out: string; error: string }> {
  const program = await Deno.makeTempFile({ prefix: "smoke_" });
  try {
    await Deno.writeTextFile(program, `#!/bin/sh\n${shell}\n`);
    await Deno.chmod(program, 0o755);
    const args = [join(ROOT, ".ci/smoke.sh"), program, join(ROOT, "examples/line_scan.oir")];
    const { code, stdout, stderr } = await run(bash, { args, cwd: ROOT });
    const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
    return { code, out, error };
  } finally {
    await Deno.remove(program);
  }
}

programTest(["bash", "curl"], {
  name: "the smoke test only needs a shell",
  ignore: Deno.build.os === "windows",
  fn: ([bash], t) => smokeTests(bash!, t),
});

async function smokeTests(bash: string, t: Deno.TestContext): Promise<void> {
  const server = `'${Deno.execPath()}' run -q -P --no-prompt '${ROOT}main.ts' "$@"`;
  await t.step("the server passes", async () => {
    const { code, out, error } = await smoke(bash, `exec ${server}`);
    assert.equal(code, 0, error);
    assert.match(out, /It starts, answers and ends\n$/);
  });
  const broken: [string, string, RegExp][] = [
    ["a library that is missing", "echo 'GLIBC_2.99 not found' >&2; exit 1", /GLIBC_2\.99/],
    ["no plane", `[ "$1" = plane ] || exec ${server}`, /plane wrote nothing/],
    [
      "a server that ends at once",
      `[ "$1" = --port ] && { echo 'no permission' >&2; exit 1; }; exec ${server}`,
      /no permission/,
    ],
  ];
  for (const [name, shell, message] of broken) {
    await t.step(name, async () => {
      const { code, error } = await smoke(bash, shell);
      assert.notEqual(code, 0);
      assert.match(error, message);
    });
  }
}
