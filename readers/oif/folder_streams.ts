/** The files of an OIF: its settings and the folder beside them. */
import { basename, join } from "node:path";
import { ByteSection, type ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, NoImage, quoted, Unreadable } from "../errors.ts";
import type { FileAccess } from "../io/random_access.ts";
import { type Warning, warning } from "../warning.ts";
import { folderOf, settingsOf } from "./folder_names.ts";
import { calledBy, NAME_BYTES, type NamedStreams } from "./named_streams.ts";

/** Names of a settings file; any other text leads to an acquisition only from inside its folder. */
const SETTINGS = /\.oif$/i;

/** Files that warnings name. */
const MAX_NAMED = 3;

/**
 * Opens the settings at a path, or those of the acquisition that the file at this path is a part of.
 *
 * @throws {DecodeFailed} the folder is missing
 * @throws {NoImage} a part of an acquisition whose settings are missing
 */
export function folderStreams(path: string, files: FileAccess): NamedStreams {
  const main = settingsOf(path, files) ?? path;
  const folder = folderOf(main, files);
  if (folder === null) {
    if (SETTINGS.test(main)) {
      throw new DecodeFailed(`the folder ${quoted(`${basename(main)}.files`)} is not beside it`);
    }
    throw new NoImage("it is a settings text beside no folder of planes: open the .oif of its acquisition");
  }
  const settings = files.open(main);
  const names = files.list(folder);
  const stored = new Map(names.map((name) => [name.toLowerCase(), name]));
  let fileSize = settings.size;
  const warnings: Warning[] = [];
  for (const name of names) {
    try {
      fileSize += files.sizeOf(join(folder, name)) ?? 0;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      if (warnings.length < MAX_NAMED) {
        warnings.push(warning("file_unreadable", `The size of the files lacks one: ${error.message}`));
      }
    }
  }
  return {
    settings: new ByteSection(settings, 0, settings.size, calledBy(basename(main))),
    names,
    fileSize,
    paths: () => [settings.path, ...names.map((name) => join(folder, name))],
    warnings,
    indexBytes: names.length * NAME_BYTES,
    open(name: string): ByteSource | null {
      const found = stored.get(name.toLowerCase());
      const file = found === undefined ? null : files.openNeighbour(join(folder, found));
      return file && new ByteSection(file, 0, file.size, calledBy(name));
    },
  };
}
