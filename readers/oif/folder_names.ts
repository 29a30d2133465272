/** How an OIF names its folder and the files in it, by which a part of an acquisition leads to the whole. */
import { basename, dirname, join } from "node:path";
import type { FileAccess } from "../io/random_access.ts";

/** `NAME.oif.files`, the folder beside `NAME.oif`. */
const FOLDER = /\.oif\.files$/i;

/** What is added to the name of the settings for that of their folder. */
const FOLDER_END = ".files";

/** A plane or a reference image as FluoView names them: other images in the folder are somebody else's. */
const PLANE = /^s_(?:[a-z]\d{3,})+(?:-r\d{3,})?\.tif$/i;

/** The entry of a folder that is called so but for its case, or `null`. */
function entryOf(folder: string, name: string, files: FileAccess): string | null {
  const path = join(folder, name);
  if (files.kind(path) !== null) return path;
  const lower = name.toLowerCase();
  const found = files.list(folder).find((entry) => entry.toLowerCase() === lower);
  return found === undefined ? null : join(folder, found);
}

/** The settings of the acquisition in whose folder a file lies, or `null` where it lies in none or they are missing. */
export function settingsOf(path: string, files: FileAccess): string | null {
  const folder = dirname(path);
  if (!FOLDER.test(folder)) return null;
  const settings = entryOf(dirname(folder), basename(folder).slice(0, -FOLDER_END.length), files);
  return settings !== null && files.kind(settings) === "file" ? settings : null;
}

/** The folder of an acquisition by the path of its settings, or `null` where it is missing. */
export function folderOf(settings: string, files: FileAccess): string | null {
  const folder = entryOf(dirname(settings), basename(settings) + FOLDER_END, files);
  return folder !== null && files.kind(folder) === "directory" ? folder : null;
}

/** True for an image that is a part of an acquisition and not one of its own. */
export const isPartOfOif = (path: string, files: FileAccess): boolean =>
  PLANE.test(basename(path)) && settingsOf(path, files) !== null;
