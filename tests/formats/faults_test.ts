/**
 * Files beside the opened one that cannot be read, in every format that has them. Where a call of the file system fails once, the
 * answer is that without the fault, a refusal, or carries a warning that names the file. Links out of the roots reveal nothing.
 */
import { deepEqual, notDeepEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ReaderError } from "../../readers/errors.ts";
import { run } from "../child_process.ts";
import { ROOT } from "../binary/server_process.ts";
import { CALLS, withFault } from "../file_faults.ts";
import { collection, FIXTURES, SETS } from "../fixtures/sets.ts";
import { NO_LINKS } from "../no_links.ts";
import { programTest } from "../programs.ts";
import { copy, inFolder, temporaryFolder } from "../temporary_files.ts";
import { type Answer, answer, objection } from "./fault_answers.ts";

const CODES = ["EIO", "EMFILE", "ESTALE", "EACCES"];

/** What clients see, or the refusal. */
const seen = (path: string, root: string): Promise<Answer | string> =>
  answer(path, [root]).catch((error) => {
    if (error instanceof ReaderError) return `${error.tag}: ${error.message}`;
    throw error;
  });

/** Paths of files and folders below a folder, outer ones first. */
function* entriesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    yield join(folder, name);
    if (isDirectory) yield* entriesBelow(join(folder, name));
  }
}

/**
 * Counts the neighbours of a file, and replaces each by a link out of the root. None is served, and files that exist outside look
 * like those that do not.
 */
async function checkLinks(path: string, root: string, outside: string): Promise<number> {
  const sound = await seen(path, root);
  let neighbours = 0;
  for (const entry of [...entriesBelow(root)].filter((entry) => !`${path}/`.startsWith(`${entry}/`))) {
    Deno.renameSync(entry, outside);
    if (!isDeepStrictEqual(await seen(path, root), sound)) {
      neighbours += 1;
      const answers = [];
      for (const target of [outside, `${outside}.none`]) {
        Deno.symlinkSync(target, entry);
        answers.push(await seen(path, root));
        Deno.removeSync(entry);
      }
      if (Deno.statSync(outside).isFile) deepEqual(answers[0], answers[1], entry);
      notDeepEqual(answers[0], sound, entry);
    }
    Deno.renameSync(outside, entry);
  }
  return neighbours;
}

for (const [name, from] of Object.entries(SETS)) {
  Deno.test(`${name}: does not take a failing call for a missing file`, () =>
    inFolder(async (_, folder) => {
      const path = typeof from === "string" ? join(FIXTURES, from) : join(folder, from(folder));
      const roots = [typeof from === "string" ? join(FIXTURES, from.split("/")[0]!) : folder];
      const { result, distinct } = await withFault(null, () => answer(path, roots));
      ok("value" in result, String("error" in result && result.error));
      const objections = new Set<string>();
      // A closed folder beside the image most often belongs to another account.
      // In a folder that may not be listed, only names as they are written count.
      const isOpen = from === collection || name.includes("spells");
      const codes = CODES.filter((code) => !isOpen || code !== "EACCES");
      for (const call of CALLS) {
        for (const [i, at] of distinct[call].entries()) {
          // Each call with one of them, each kind of call with all.
          const code = codes[i % codes.length]!;
          const run = await withFault({ call, at, code }, () => answer(path, roots));
          const reason = objection(run, result.value, code);
          if (reason !== null) objections.add(`${call} of "${run.failed}" (${code}, call ${at}) ${reason}`);
        }
      }
      deepEqual([...objections], []);
    }));

  Deno.test(
    `${name}: reveals nothing about a file linked from outside the roots`,
    { ignore: NO_LINKS },
    () =>
      inFolder(async (_, folder) => {
        const root = join(folder, "root");
        Deno.mkdirSync(root);
        const [format, ...names] = typeof from === "string" ? from.split("/") : ["", from(root)];
        if (typeof from === "string") copy(join(FIXTURES, format!), root);
        ok(await checkLinks(join(root, ...names), root, join(folder, "outside")) > 0);
      }),
  );
}

programTest(["gcc"], {
  name: "does not take a folder that the system fails to read for one with fewer entries",
  ignore: Deno.build.os !== "linux",
  fn: async ([gcc]) => {
    using temporary = temporaryFolder();
    const library = temporary.at("failing_readdir.so");
    const source = join(import.meta.dirname!, "failing_readdir.c");
    const built = await run(gcc!, { args: ["-shared", "-fPIC", "-o", library, source, "-ldl"] });
    ok(built.success, new TextDecoder().decode(built.stderr));
    const { code, stdout, stderr } = await run(Deno.execPath(), {
      args: ["run", "-q", "-A", join(import.meta.dirname!, "failing_readdir.ts")],
      env: { LD_PRELOAD: library },
      cwd: ROOT,
    });
    deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
    const { faults, objections } = JSON.parse(new TextDecoder().decode(stdout));
    deepEqual(objections, []);
    // Each of these lists a folder with three entries or more.
    const listing = [
      "an OIF",
      "channels of an Olympus set",
      "a stack of Micro-Manager",
      "an OME-TIFF companion that spells a name otherwise",
      "a part of a ScanImage acquisition",
    ];
    for (const name of listing) ok(faults[name] >= 4, name);
    ok(faults["an OME-Zarr image in a collection"] >= 6);
  },
});
