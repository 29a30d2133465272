/**
 * The commands of docs/clusters.md, run as they stand on two recordings, whose names a shell could take for commands, and two
 * workers. In place of Slurm, a program runs the jobs of an array one after the other.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ROOT } from "../binary/server_process.ts";
import { tableOf } from "../browser/saved_table.ts";
import { run } from "../child_process.ts";
import { programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

const PAGE = Deno.readTextFileSync(join(ROOT, "docs/clusters.md"));
const ignore = Deno.build.os === "windows";

/** Names in the order of the page's lists. */
const NAMES = ["$(touch pwned) `touch pwned`.oir", 'it\'s "a"; cell  2.oir'];

/** The code block of the page that holds a text. */
function block(text: string): string {
  const found = [...PAGE.matchAll(/```\w+\n([^]*?)```/g)].map(([, code = ""]) => code)
    .find((code) => code.includes(text));
  assert(found !== undefined, `docs/clusters.md has no code with ${text}`);
  return found;
}

/** A folder with recordings, settings, and the program `acq-server` in the folder `bin`. */
function clusterFolder() {
  const temporary = temporaryFolder();
  const { path: folder } = temporary;
  for (const name of ["recordings", "bin"]) Deno.mkdirSync(join(folder, name));
  for (const name of NAMES) {
    Deno.copyFileSync(join(ROOT, "examples/line_scan.oir"), join(folder, "recordings", name));
  }
  Deno.writeTextFileSync(join(folder, "settings.json"), '{ "channel": 0 }');
  const program = [FROM_SOURCE.program, ...FROM_SOURCE.args].map((word) => `'${word}'`).join(" ");
  const put = (name: string, text: string) => {
    Deno.writeTextFileSync(join(folder, "bin", name), text);
    Deno.chmodSync(join(folder, "bin", name), 0o755);
  };
  put("acq-server", `#!/bin/sh\nexec ${program} "$@"\n`);
  put(
    "sbatch",
    '#!/bin/sh\nfor job in $(seq 1 "${1#--array=1-}"); do SLURM_ARRAY_TASK_ID=$job sh "$2" || exit; done\n',
  );
  const env = { PATH: `${join(folder, "bin")}:${Deno.env.get("PATH")}` };
  return {
    put: (name: string, text: string) => Deno.writeTextFileSync(join(folder, name), text),
    read: (name: string) => Deno.readTextFileSync(join(folder, name)),
    /** What a program writes. @throws {Error} it fails, or a name was run as a command */
    async run(program: string, ...args: string[]): Promise<string> {
      const { success, stdout, stderr } = await run(program, { args, cwd: folder, env });
      assert(success, new TextDecoder().decode(stderr));
      assert(![...Deno.readDirSync(folder)].some(({ name }) => name === "pwned"));
      return new TextDecoder().decode(stdout).trim();
    },
    namesIn: (name: string) => [...Deno.readDirSync(join(folder, name))].map(({ name }) => name).sort(),
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}

/** Recordings and median velocities of a table. */
function mediansIn(table: string): string[][] {
  const { all } = tableOf(table.replaceAll(/\r?\n/g, "\r\n"));
  const cell = (row: string[], name: string) => row[all.head.indexOf(name)]!;
  return all.rows.map((row) => [
    cell(row, "Recording"),
    Number(cell(row, "Median velocity (um/s)")).toFixed(3),
  ]);
}

// The median of the sample, as tests/clients/guide_test.ts has it, too.
const MEDIANS = NAMES.map((name) => [name, "297.982"]);

programTest(["sh"], {
  name: "array jobs measure and export recordings of any name",
  ignore,
  async fn([sh]) {
    using folder = clusterFolder();
    folder.put("measure.sh", block("acq-server measure -q"));
    await folder.run(sh!, "-c", block("sbatch"));
    for (const name of NAMES) {
      const [row] = mediansIn(
        folder.read(`tables/${name}.csv`).repeat(1) + folder.read(`tables/${name}.csv`).split("\r\n")[1],
      );
      assert.deepEqual(row, [name, "297.982"]);
    }
    const xargs = block("xargs -0");
    await folder.run(sh!, "-c", xargs);
    const archives = NAMES.map((name) => `${name}.zip`);
    assert.deepEqual(folder.namesIn("archives"), archives);
    await folder.run(sh!, "-c", "rm archives/*");
    folder.put("export.sh", block('acq-server export -q "$file"'));
    await folder.run(sh!, "-c", block("sbatch").replace("measure.sh", "export.sh"));
    assert.deepEqual(folder.namesIn("archives"), archives);
    await folder.run(sh!, "-c", "acq-server validate archives/*.zip");
  },
});

programTest(["sh", "python3"], {
  name: "pandas joins the tables of jobs",
  modules: ["pandas"],
  ignore,
  async fn([sh, python]) {
    using folder = clusterFolder();
    folder.put("measure.sh", block("acq-server measure -q"));
    await folder.run(sh!, "-c", block("sbatch"));
    folder.put("join.py", block("pandas.read_csv(path)"));
    await folder.run(python!, "join.py");
    assert.deepEqual(mediansIn(folder.read("table.csv")), MEDIANS);
  },
});

programTest(["python3"], {
  name: "measures recordings on a cluster of two workers into one table",
  modules: ["pandas", "dask.distributed"],
  ignore,
  async fn([python]) {
    using folder = clusterFolder();
    folder.put("measure.py", block("client.map(measure"));
    await folder.run(python!, "measure.py");
    assert.deepEqual(mediansIn(folder.read("table.csv")), MEDIANS);
  },
});

programTest(["sh", "python3"], {
  name: "exports archives and computes them on a cluster of two workers",
  modules: ["zarr", "dask.array", "dask.distributed"],
  ignore,
  async fn([sh, python]) {
    using folder = clusterFolder();
    await folder.run(sh!, "-c", block("xargs -0"));
    folder.put("compute.py", block("dask.array.from_zarr"));
    const lines = (await folder.run(python!, "compute.py")).split("\n");
    assert.deepEqual(
      lines.map((line) => line.replace(/ [\d.]+$/, "")),
      NAMES.map((name) => `archives/${name}.zip`),
    );
    const [first, second] = lines.map((line) => line.split(" ").at(-1));
    assert.equal(first, second);
    assert(Number(first) > 0);
  },
});
