/**
 * Files beside the opened one that cannot be read, in every format that has them. Where a call of the file system fails once, the
 * answer is that without the fault, a refusal, or carries a warning that names the file. Links out of the roots reveal nothing.
 */
import { deepEqual, notDeepEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { PathNotFound, ReaderError } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { sizesOf } from "../../readers/reader.ts";
import { CALLS, type Run, withFault } from "../file_faults.ts";
import { collection, FIXTURES, SETS } from "../fixtures/sets.ts";
import { loadHere, openHere } from "../load_here.ts";
import { NO_LINKS } from "../no_links.ts";
import { hashAt, hashOf, positionsOf } from "../planes.ts";
import { copy, inFolder } from "../temporary_files.ts";

const CODES = ["EIO", "EMFILE", "ESTALE", "EACCES"];

/** All that clients can see, and the warnings apart. */
async function answer(path: string, roots: readonly string[]) {
  const { summary: { warnings, ...summary }, planes, referencePlanes } = await loadHere(path, { roots });
  const served: Record<string, string> = {};
  // The load has the first planes; the last ones represent all others.
  const last = [...positionsOf(sizesOf(summary.axes))].slice(-summary.channels.length);
  if (!last[0]!.startsWith("0,0,0,")) {
    await openHere(
      path,
      async (acquisition) => {
        for (const at of last) {
          served[at] = await hashAt(acquisition, at).catch((error) => {
            if (error instanceof ReaderError) return error.tag;
            throw error;
          });
        }
      },
      null,
      new FileAccess(roots),
    );
  }
  return {
    warnings: warnings.map(({ text }) => text),
    summary,
    served,
    planes: [...planes, ...referencePlanes].map(hashOf),
  };
}

type Answer = Awaited<ReturnType<typeof answer>>;

/** Why an answer under a fault must not be given, or `null`. */
function objection({ result, failed }: Run<Answer>, sound: Answer, code: string): string | null {
  if ("error" in result) {
    const { error } = result;
    if (error instanceof ReaderError && error.tag === "decode_failed") return null;
    return error instanceof PathNotFound && code === "EACCES" ? null : `threw ${error}`;
  }
  const { warnings, served, ...others } = result.value;
  const { warnings: known, served: planes, ...same } = sound;
  // A plane of which the decode fails is refused by itself.
  const lost = Object.keys(planes).filter((at) =>
    served[at] !== planes[at] && served[at] !== "decode_failed"
  );
  if (lost.length === 0 && isDeepStrictEqual(others, same)) return null;
  const added = warnings.filter((text) => !known.includes(text)).join("; ");
  return failed !== null && added.includes(failed) ? null : `differs and warns only "${added}"`;
}

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
      const codes = CODES.filter((code) => from !== collection || code !== "EACCES");
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
