/**
 * How much code an open with one plane runs through in a worker: the files in which a function ran, by V8's coverage, the lines of
 * these files, and the lines that ran. A developer reads them to follow the way.
 */
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPlane } from "./engine.ts";
import type { BenchRow } from "./report.ts";
import * as files from "./sample_files.ts";
import { withFolder } from "./setting.ts";
import { writePages } from "./tiff_pages.ts";
import { writtenByPython } from "./python.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SHAPE = { columns: 256, rows: 256, channels: 2 };

/** The files that are opened. */
const OPENED: Readonly<Record<string, (folder: string) => string | null | Promise<string | null>>> = {
  "TIFF, raw": (folder) => {
    writePages(join(folder, "a.tif"), [files.pageOf(SHAPE)]);
    return join(folder, "a.tif");
  },
  "CZI, raw": (folder) => {
    files.writeCziFile(join(folder, "a.czi"), SHAPE);
    return join(folder, "a.czi");
  },
  "ND2, raw": (folder) => {
    files.writeNd2(join(folder, "a.nd2"), SHAPE);
    return join(folder, "a.nd2");
  },
  "LIF, raw": (folder) => {
    files.writeLif(join(folder, "a.lif"), SHAPE);
    return join(folder, "a.lif");
  },
  "OIR, raw": (folder) => {
    files.writeOirScan(join(folder, "a.oir"), SHAPE);
    return join(folder, "a.oir");
  },
  "OME-Zarr, zstd": (folder) =>
    writtenByPython({ do: "write_zarr", codec: "zstd", path: join(folder, "a.zarr") }),
};

/** Runs this file as a process that opens a file, and reads its coverage. */
export async function run(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, write] of Object.entries(OPENED)) {
    await withFolder(async (folder) => {
      const path = await write(folder);
      if (path === null) return console.error(`Left out: ${name}; Python cannot write it`);
      const profile = join(folder, "profile");
      await deno("run", "-A", "--no-check", `--coverage=${profile}`, fileURLToPath(import.meta.url), path);
      const report = await deno("coverage", "--lcov", profile);
      rows.push({ group: "files and lines of an open with a plane", name, reach: reachOf(report) });
    });
  }
  return rows;
}

async function deno(...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Counts what ran in a report in the format of lcov. Top-level code does not count, which runs in each imported file. */
function reachOf(report: string): NonNullable<BenchRow["reach"]> {
  const reach = { files: 0, lines: 0, ran: 0 };
  for (const file of report.split("end_of_record")) {
    const path = relative(ROOT, /^SF:(.*)$/m.exec(file)?.[1] ?? "");
    if (!/^(readers|schemas|session)\//.test(path) || !/^FNDA:[1-9]/m.test(file)) continue;
    reach.files += 1;
    reach.lines += Deno.readTextFileSync(join(ROOT, path)).split("\n").length - 1;
    reach.ran += file.match(/^DA:\d+,[1-9]/gm)?.length ?? 0;
  }
  return reach;
}

if (import.meta.main) await loadPlane(Deno.args[0]!, {});
