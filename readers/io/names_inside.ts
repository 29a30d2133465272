/** File names inside documents, which lead only to the folder of their document and below. */
import { join } from "node:path";

const partsOf = (name: string): string[] => name.trim().replaceAll("\\", "/").split("/");

/** The last part of a name as any system writes it; `""` where it cannot name a file. */
export function lastNameOf(name: string): string {
  const last = partsOf(name).at(-1)!.replace(/^[A-Za-z]:/, "");
  return last === "." || last === ".." || last.includes("\0") ? "" : last;
}

/** True for a name with `..`, a drive, a UNC prefix or an absolute path. */
export const leavesFolder = (name: string): boolean =>
  /^\s*(?:[\\/]|[A-Za-z]:)/.test(name) || partsOf(name).includes("..");

/**
 * Places of a file that a document names, likelier first: as written below the folder of the document, then beside the document by
 * the last part of its name. If the name leaves the folder, only the last part counts, so that no answer reveals what exists
 * elsewhere. Empty where the name cannot be that of a file.
 */
export function placesOf(folder: string, name: string): string[] {
  const last = lastNameOf(name);
  if (last === "") return [];
  const beside = join(folder, last);
  const written = join(folder, ...partsOf(name));
  return leavesFolder(name) || written === beside ? [beside] : [written, beside];
}
