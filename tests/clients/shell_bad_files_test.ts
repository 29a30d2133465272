/** Commands that get files which cannot be read, or do not end, among others: they name them and go on. */
import { deepEqual, equal, match } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { FROM_SOURCE, ROOT } from "../binary/server_process.ts";
import { tableOf } from "../browser/saved_table.ts";
import { run } from "../child_process.ts";
import { FIXTURES } from "../fixtures/expected.ts";
import { structuresIn } from "../fixtures/hdf5_structures.ts";
import { temporaryFolder } from "../temporary_files.ts";

const WITHOUT_END = fileURLToPath(new URL("shell_without_end.ts", import.meta.url));

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Writes two good recordings, and others that come between them in the order of names. */
function writeAmong(folder: string, others: Readonly<Record<string, Uint8Array>>): string[] {
  const scan = Deno.readFileSync(join(ROOT, "examples", "line_scan.oir"));
  const files = { "a.oir": scan, ...others, "z.oir": scan };
  return Object.entries(files).map(([name, bytes]) => {
    Deno.writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  });
}

/** HDF5 files that are bad in several ways, with what is said of each. */
function badFiles(): Readonly<Record<string, readonly [bytes: Uint8Array, said: RegExp]>> {
  const series = Deno.readFileSync(join(FIXTURES, "hdf5", "lines.nwb"));
  const root = structuresIn(series).find(({ kind }) => kind === "TREE")!;
  const units = Deno.readFileSync(join(FIXTURES, "hdf5", "units.mesc"));
  const padded = Deno.readFileSync(join(FIXTURES, "hdf5", "padded.ims"));
  const loop = series.slice();
  // The first child of the root's tree, behind its head of 24 bytes and a key, is the tree.
  new DataView(loop.buffer).setBigUint64(root.at + 32, BigInt(root.at), true);
  return {
    "cut.nwb": [series.subarray(0, 9000), /has 9000 of the \d+ bytes that it states/],
    "loop.nwb": [loop, /damaged|belongs to/],
    "lost.mesc": [units.slice().fill(0, 96, 112), /damaged/],
    "zeros.ims": [new Uint8Array(padded.length), /the content is not Imaris/],
  };
}

Deno.test("info, measure and export name bad HDF5 files in a folder, and go on", async () => {
  using temporary = temporaryFolder();
  const bad = badFiles();
  const paths = writeAmong(
    temporary.path,
    Object.fromEntries(Object.entries(bad).map(([name, [bytes]]) => [name, bytes])),
  );
  const shell = (args: readonly string[]) =>
    run(FROM_SOURCE.program, { args: [...FROM_SOURCE.args, ...args], cwd: ROOT });

  const info = await shell(["info", ...paths]);
  equal(info.code, 1);
  const lines = text(info.stdout).trimEnd().split("\n").map((line) => JSON.parse(line));
  deepEqual(lines.map(({ ok }) => ok), [true, false, false, false, false, true]);
  for (const [i, [, said]] of Object.values(bad).entries()) match(lines[i + 1].message, said);

  const measure = await shell(["measure", temporary.path]);
  equal(measure.code, 1);
  match(text(measure.stderr), /2 of 6 recordings measured/);
  const { head, rows } = tableOf(text(measure.stdout)).all;
  const failures = new Map(rows.map((row) => [row[0]!, row[head.indexOf("Failure")] ?? ""]));
  equal(failures.size, 6);
  for (const [name, [, said]] of Object.entries(bad)) match(failures.get(name)!, said);
  for (const name of ["a.oir", "z.oir"]) equal(failures.get(name), "");

  const archive = await shell(["export", "--quiet", ...paths]);
  equal(archive.code, 1);
  const warned = text(archive.stderr).trimEnd().split("\n");
  equal(warned.length, 4, text(archive.stderr));
  for (const [i, name] of Object.keys(bad).entries()) {
    match(warned[i]!, new RegExp(`^warning: .*"${name}".*; it is left out$`));
  }
});

Deno.test("info, measure and export stop a file that does not end, lose one worker to it, and go on", async () => {
  using temporary = temporaryFolder();
  const lines = Deno.readFileSync(join(FIXTURES, "hdf5", "lines.nwb"));
  const paths = writeAmong(temporary.path, { "never.nwb": lines, "other.nwb": lines });
  const shell = async (args: readonly string[]) => {
    const ended = await run(Deno.execPath(), {
      args: ["run", "--quiet", "-A", WITHOUT_END, ...args],
      cwd: ROOT,
    });
    equal(text(ended.stderr).match(/a question without an answer/g)?.length, 1, "workers that are lost");
    return ended;
  };
  const stopped = /^Opening ".*never\.nwb" took longer than 3 s and was stopped$/;
  const limit = "--load-timeout=3s";

  const info = await shell(["info", limit, ...paths]);
  equal(info.code, 1);
  const told = text(info.stdout).trimEnd().split("\n").map((line) => JSON.parse(line));
  deepEqual(told.map(({ ok, error }) => ok || error), [true, "load_timeout", true, true]);
  match(told[1].message, stopped);

  const measure = await shell(["measure", limit, temporary.path]);
  equal(measure.code, 1, text(measure.stderr));
  const { head, rows } = tableOf(text(measure.stdout)).all;
  const failures = rows.map((row) => [row[0]!, row[head.indexOf("Failure")] ?? ""] as const);
  const failed = failures.filter(([, failure]) => failure !== "");
  // Images are not line scans; that two workers are lost would be another reason.
  match(failed.find(([name]) => name === "never.nwb")![1], stopped);
  for (const [, failure] of failed) match(failure, /was stopped$|^Not a line scan/);
  for (const name of ["a.oir", "z.oir"]) deepEqual(failures.find(([own]) => own === name), [name, ""]);

  const archive = await shell(["export", "--quiet", limit, ...paths]);
  equal(archive.code, 1, text(archive.stderr));
  match(
    text(archive.stderr),
    /^warning: Opening ".*never\.nwb" took longer than 3 s and was stopped; it is left out$/m,
  );
});

/** Copies the packages of a cache of Deno without one of them, by hard links where the file system allows. */
function copyPackagesWithout(name: string, from: string, to: string): void {
  Deno.mkdirSync(to, { recursive: true });
  for (const entry of Deno.readDirSync(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name === name) continue;
    if (entry.isDirectory) copyPackagesWithout(name, source, target);
    else {
      try {
        Deno.linkSync(source, target);
      } catch {
        Deno.copyFileSync(source, target);
      }
    }
  }
}

Deno.test("without internet, a file whose decoder was never fetched names the package", async () => {
  using temporary = temporaryFolder();
  const info = await run(Deno.execPath(), { args: ["info", "--json"] });
  const cache = temporary.at("cache");
  copyPackagesWithout("jpegxr", join(JSON.parse(text(info.stdout)).denoDir, "npm"), join(cache, "npm"));
  const { code, stderr } = await run(FROM_SOURCE.program, {
    args: [...FROM_SOURCE.args, "plane", join(FIXTURES, "czi", "jpegxr_gray8.czi")],
    cwd: ROOT,
    env: { DENO_DIR: cache, HTTPS_PROXY: "http://127.0.0.1:9" },
  });
  equal(code, 1);
  const said = 'it needs "jpegxr@0.3.0", which was not fetched yet; open it once with internet access';
  equal(text(stderr).trim().split("\n").at(-1), `decode_failed: Cannot read "jpegxr_gray8.czi": ${said}`);
});
