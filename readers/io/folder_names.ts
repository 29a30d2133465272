/** Facts about folders that decide how their names are read. */
import { DecodeFailed } from "../errors.ts";
import { MAX_FOLDER_ENTRIES } from "./limits.ts";
import { isAppleDouble } from "./names.ts";

/** Bytes of a folder, as `stat` reports them, from which on it may hold thousands of entries: its names have ten bytes or more. */
const LARGE_FOLDER_BYTES = 128 << 10;

/** Whether a path is that of a folder; false for one inside an archive. */
export function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** Whether a folder may hold thousands of entries, or the system does not tell. */
export function isLarge(folder: string): boolean {
  try {
    const { size } = Deno.statSync(folder);
    return size === 0 || size > LARGE_FOLDER_BYTES;
  } catch {
    return false;
  }
}

/** Adds a name unless it is that of an AppleDouble file. @throws {DecodeFailed} more names than {@linkcode MAX_FOLDER_ENTRIES} */
export function addName(names: string[], name: string, folder: string): void {
  if (isAppleDouble(name)) return;
  if (names.push(name) > MAX_FOLDER_ENTRIES) {
    throw new DecodeFailed(`folder "${folder}" holds more than ${MAX_FOLDER_ENTRIES} entries`);
  }
}
