/** The files of an acquisition by name: those in the folder of an OIF, or the streams of an OIB. */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, NoImage, quoted, unlessDamaged } from "../errors.ts";
import type { FileGrouping } from "../format.ts";
import { ByteSection, type ByteSource } from "../io/byte_source.ts";
import { findNamedFile, StoredNames } from "../io/names.ts";
import type { FileAccess } from "../io/file_access.ts";
import { listed, unlessLost, warnIf, type Warning } from "../warning.ts";
import { CompoundFile } from "./compound_file.ts";
import { OifSettings } from "./settings.ts";

/** Named files. Names are found as in {@linkcode StoredNames}, and never lead elsewhere. */
export interface NamedStreams {
  readonly settings: ByteSource;
  /** Names of all other files, as stored, ordered by code unit. */
  readonly names: readonly string[];
  /** Bytes of all files but `strangers`. */
  fileSize(strangers: ReadonlySet<string>): number;
  /** Paths of all files but `strangers`; absent if they are in the opened file. */
  readonly paths?: (strangers: ReadonlySet<string>) => readonly string[];
  readonly warnings: readonly Warning[];
  readonly indexBytes: number;
  /** Opens a file; `null` if it is missing. @throws {DecodeFailed | Unreadable} */
  open(name: string): ByteSource | null;
}

/** Memory per name in a list and in a map. */
const NAME_BYTES = 200;

/** The end of `NAME.oif.files`, the folder beside `NAME.oif`. */
const FOLDER_END = ".files";

/** Path of the settings of the acquisition whose folder contains a file, or `null`. */
function findSettings(path: string, files: FileAccess): string | null {
  const folder = dirname(path);
  const name = findSettingsName(basename(folder));
  const settings = name === null ? null : findNamedFile(files, dirname(folder), name);
  return settings !== null && files.kind(settings) === "file" ? settings : null;
}

/** True for an image in the folder of an acquisition. */
export const isPartOfOif = (path: string, files: FileAccess): boolean =>
  isPlaneName(basename(path)) && findSettings(path, files) !== null;

/** Name of the settings file for a folder of planes, or `null`. */
const findSettingsName = (folder: string): string | null => /^(.*\.oif)\.files$/is.exec(folder)?.[1] ?? null;

/** True for the name of a plane or reference image. */
const isPlaneName = (name: string): boolean => /^s_(?:[a-z]\d{3,})+(?:-r\d{3,})?\.tif$/i.test(name);

/** A settings file and the planes in its folder, by name. */
export const GROUPING: FileGrouping = {
  setOf: (name, { folder }) => isPlaneName(name) ? findSettingsName(folder) : null,
  ownerOf(folder, beside) {
    const settings = findSettingsName(folder);
    return settings && beside.find(settings);
  },
};

/**
 * The files of an OIF. `path` is that of its settings, or of a file in its folder.
 *
 * @throws {DecodeFailed} the folder is missing
 * @throws {NoImage} the path is not part of an acquisition
 */
export function openFolderStreams(path: string, files: FileAccess): NamedStreams {
  const main = findSettings(path, files) ?? path;
  const folder = findNamedFile(files, dirname(main), basename(main) + FOLDER_END);
  if (folder === null || files.kind(folder) !== "directory") {
    if (/\.oif$/i.test(main)) {
      throw new DecodeFailed(`the folder ${quoted(`${basename(main)}.files`)} is not beside it`);
    }
    throw new NoImage("it is a settings text without a folder of planes: open the .oif of its acquisition");
  }
  const settings = files.open(main);
  const names = files.list(folder);
  const stored = new StoredNames(names);
  const warnings: Warning[] = [];
  const sizes = new Map(names.map((name) => {
    const size = () => files.sizeOf(join(folder, name));
    return [name, unlessLost(warnings, `The size of ${quoted(name)}`, size) ?? 0];
  }));
  return {
    settings: new ByteSection(settings, 0, settings.size, `"${basename(main)}"`),
    names,
    fileSize: (strangers) =>
      sizes.entries().reduce((sum, [name, size]) => strangers.has(name) ? sum : sum + size, settings.size),
    paths: (strangers) => [
      settings.path,
      ...names.filter((name) => !strangers.has(name)).map((name) => join(folder, name)),
    ],
    warnings,
    indexBytes: names.length * NAME_BYTES,
    open(name) {
      const found = stored.find(name);
      const file = found === null ? null : files.openNeighbour(join(folder, found));
      return file && new ByteSection(file, 0, file.size, `"${name}"`);
    },
  };
}

/** The stream of an OIB that maps neutral stream names to file names. */
const INFO = "OibInfo.txt";
const SECTION = "OibSaveInfo";

/**
 * The streams of an OIB.
 *
 * @throws {NoImage} another program wrote the compound file
 * @throws {DecodeFailed} it is damaged, or compressed, which no known file is
 */
export function openOibStreams(file: ByteSource): NamedStreams {
  const compound = new CompoundFile(file);
  const source = compound.open(INFO, `"${INFO}"`);
  if (source === null) throw new NoImage(`it is a compound file without "${INFO}", not one of FluoView`);
  const info = OifSettings.read(source);
  const compression = info.text(SECTION, "Compression") ?? "None";
  if (compression.toLowerCase() !== "none") {
    throw new DecodeFailed(`compressed streams (${quoted(compression)}) are not supported`);
  }
  const main = info.text(SECTION, "MainFileName") ?? "";
  const settings = compound.open(main, `"${takeLastPart(info.text(SECTION, main) ?? main)}"`);
  if (settings === null) throw new DecodeFailed(`the stream ${quoted(main)} of the main settings is missing`);
  /** Stored streams by file name. */
  const streams = new Map<string, string>();
  const present = new Set(compound.names);
  const missing: string[] = [];
  for (const [stream, value] of info.sections.find(({ name }) => name === SECTION)?.values ?? []) {
    if (!/^Stream\d+$/i.test(stream) || stream === main) continue;
    const name = takeLastPart(value);
    if (present.has(stream)) streams.set(name, stream);
    else missing.push(quoted(name));
  }
  const text = `Files that "${INFO}" names are missing: ${listed(missing)}`;
  const stored = new StoredNames(streams.keys());
  return {
    settings,
    names: [...streams.keys()].sort(),
    fileSize: () => file.size,
    warnings: [...compound.warnings, ...info.warnings, ...warnIf(missing.length > 0, "file_missing", text)],
    indexBytes: compound.indexBytes + streams.size * 2 * NAME_BYTES,
    open(name) {
      const found = stored.find(name);
      return found === null ? null : compound.open(streams.get(found)!, `"${found}"`);
    },
  };
}

/** True for a compound file written by FluoView. */
export const isOib = (file: ByteSource): boolean =>
  unlessDamaged(() => new CompoundFile(file).open(INFO, INFO) !== null, false);

/** The file name without its storage and without the marks of some exports (`GST...=`). */
export function takeLastPart(value: string): string {
  const name = value.slice(Math.max(value.lastIndexOf("/"), value.lastIndexOf("\\")) + 1);
  const [start, end] = [name.indexOf("GST"), name.lastIndexOf("=")];
  return start >= 0 && end > start ? name.slice(0, start) + name.slice(end + 1) : name;
}
