/** File names written in documents. They can lead only to the document's folder and below. */
import { join } from "node:path";

const partsOf = (name: string): string[] => name.trim().replaceAll("\\", "/").split("/");

/** The last part of a file name of any system; `""` if it cannot name a file. */
export function lastNameOf(name: string): string {
  const last = partsOf(name).at(-1)!.replace(/^[A-Za-z]:/, "");
  return last === "." || last === ".." || last.includes("\0") ? "" : last;
}

/** True for a name that leads out of the folder: with `..`, a drive, a UNC prefix or an absolute path. */
export const leavesFolder = (name: string): boolean =>
  /^\s*(?:[\\/]|[A-Za-z]:)/.test(name) || partsOf(name).includes("..");

/**
 * Possible paths of a file that a document names, the likelier one first: the name as written, then its last part beside the
 * document. A name that leaves the folder has only the latter, so that no answer reveals what exists elsewhere.
 */
export function placesOf(folder: string, name: string): string[] {
  const last = lastNameOf(name);
  if (last === "") return [];
  const beside = join(folder, last);
  const written = join(folder, ...partsOf(name));
  return leavesFolder(name) || written === beside ? [beside] : [written, beside];
}
