/** The recordings that paths name: files, acquisitions that are folders, and folders of them as the page lists them. */
import { UnsupportedFormat } from "../readers/errors.ts";
import type { Sessions } from "../session/sessions.ts";
import {
  compareRecordings,
  findOwnRecording,
  MOST_FOLDERS,
  selectRecordings,
} from "../static/measure/folder_recordings.ts";
import { makeOpenOrder } from "./shell.ts";

/** The recordings of a path, and what of it is left out, in words. */
export interface NamedRecordings {
  readonly paths: readonly string[];
  readonly notes: readonly string[];
}

/**
 * The recordings of a path. A folder that is not an acquisition is a list of its recordings, or else of those in folders of their
 * own names, as Prairie View writes them; sorted by name. Throws like a listing.
 */
export async function findRecordings(sessions: Sessions, path: string): Promise<NamedRecordings> {
  const order = makeOpenOrder({ path, scene: null, channelIndices: null });
  const isFolder = await Deno.stat(order.path).then(({ isDirectory }) => isDirectory, () => false);
  if (!isFolder || await isAcquisition(sessions, path)) return { paths: [path], notes: [] };
  const { signal } = order;
  const listing = await sessions.opener.list(order.path, signal);
  const { warnings, truncated } = listing;
  let found = selectRecordings(listing);
  const folders = listing.entries.filter(({ kind }) => kind === "folder");
  let skipped = folders.length;
  if (found.length === 0) {
    for (const folder of folders.slice(0, MOST_FOLDERS)) {
      const own = await sessions.opener.list(folder.path, signal).then(findOwnRecording, () => null);
      if (own !== null) found = [...found, own];
    }
    skipped -= found.length;
  }
  const notes = [
    `${path}: ${formatNounCount(found.length, "recording")}`,
    ...skipped > 0
      ? [`${path}: ${formatNounCount(skipped, "folder")} skipped; name them to measure theirs`]
      : [],
    ...truncated ? [`${path}: the list is cut; it has more recordings`] : [],
    ...warnings.map((warning) => `${path}: ${warning}`),
  ];
  return { paths: found.toSorted(compareRecordings).map((recording) => recording.path), notes };
}

/** Whether a folder is one acquisition; one that is damaged is one, too. */
async function isAcquisition(sessions: Sessions, path: string): Promise<boolean> {
  try {
    await sessions.opener.describe(makeOpenOrder({ path, scene: null, channelIndices: null }));
    return true;
  } catch (error) {
    return !(error instanceof UnsupportedFormat);
  }
}

/** Such as `1 recording` and `2 recordings`. */
export const formatNounCount = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
