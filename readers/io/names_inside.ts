/** File names inside documents, which lead only to the folder of their document and below. */
import { join } from "node:path";

const partsOf = (name: string): string[] => name.trim().replaceAll("\\", "/").split("/");

/** The last part of a name from any system; `""` where it cannot name a file. */
export function lastNameOf(name: string): string {
  const last = partsOf(name).at(-1)!.replace(/^[A-Za-z]:/, "");
  return last === "." || last === ".." || last.includes("\0") ? "" : last;
}

/** True for a name with `..`, a drive, a UNC prefix or an absolute path. */
export const leavesFolder = (name: string): boolean =>
  /^\s*(?:[\\/]|[A-Za-z]:)/.test(name) || partsOf(name).includes("..");

/**
 * Possible paths of a file that a document names, likelier first: as written, then beside the document by the last part of its
 * name. For a name that leaves the folder only the latter counts, so no answer reveals what exists elsewhere.
 */
export function placesOf(folder: string, name: string): string[] {
  const last = lastNameOf(name);
  if (last === "") return [];
  const beside = join(folder, last);
  const written = join(folder, ...partsOf(name));
  return leavesFolder(name) || written === beside ? [beside] : [written, beside];
}
