/** Finds the browser of the tests: Chromium has several names, and machines of continuous integration have Chrome. */
import { statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/**
 * Path of the browser: what `CHROME` names and nothing else, or the first known name in a folder of `PATH`.
 *
 * @returns `null` without one
 */
export function findChromium({ CHROME, PATH = "" }: { CHROME?: string; PATH?: string }): string | null {
  const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  if (CHROME) return isFile(CHROME) ? CHROME : null;
  const folders = PATH.split(delimiter).filter(isAbsolute);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isFile) ?? null;
}
