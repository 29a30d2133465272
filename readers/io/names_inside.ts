/** File names that stand inside documents: they lead to the folder of their document and below it, and nowhere else. */
import { join } from "node:path";

const partsOf = (name: string): string[] => name.trim().replaceAll("\\", "/").split("/");

/** The last part of a name as any system writes it; `""` where that is no name of a file. */
export function lastNameOf(name: string): string {
  const last = partsOf(name).at(-1)!.replace(/^[A-Za-z]:/, "");
  return last === "." || last === ".." || last.includes("\0") ? "" : last;
}

/** True for a name with `..`, a drive, a UNC prefix or an absolute path: its place says nothing, or may lie outside the folder. */
export const leavesFolder = (name: string): boolean =>
  /^\s*(?:[\\/]|[A-Za-z]:)/.test(name) || partsOf(name).includes("..");

/**
 * Where the file may lie that a document names, the likelier place first: as written below the folder of the document, and beside
 * the document by the last part of its name. Of a name that leaves the folder only that last part counts, so that an answer
 * never tells what exists elsewhere.
 *
 * @returns none for a name of no file
 */
export function placesOf(folder: string, name: string): string[] {
  const last = lastNameOf(name);
  if (last === "") return [];
  const beside = join(folder, last);
  const written = join(folder, ...partsOf(name));
  return leavesFolder(name) || written === beside ? [beside] : [written, beside];
}
