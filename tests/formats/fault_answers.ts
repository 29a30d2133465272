/** What clients see of an acquisition, and whether they may see it while calls of the file system fail. */
import { isDeepStrictEqual } from "node:util";
import { PathNotFound, ReaderError } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { sizesOf } from "../../readers/reader.ts";
import type { Run } from "../file_faults.ts";
import { loadHere, openHere } from "../load_here.ts";
import { hashAt, hashOf, positionsOf } from "../planes.ts";

/** All that clients can see, and the warnings apart. */
export async function answer(path: string, roots: readonly string[]) {
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

export type Answer = Awaited<ReturnType<typeof answer>>;

/** Why an answer under a fault must not be given, or `null`. */
export function objection(
  { result, failed }: Pick<Run<Answer>, "result" | "failed">,
  sound: Answer,
  code: string,
): string | null {
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
