/** A format: its names, how it is recognised, and where its reader is. `formats.ts` lists all. */
import type { ByteSource } from "./io/byte_source.ts";
import type { FileAccess } from "./io/file_access.ts";
import type { ReadScenes } from "./reader.ts";

/** Names and extensions of a format. */
export interface FormatName {
  /** `source.format` in the API. */
  readonly name: string;
  /** Name in file dialogs and messages. */
  readonly title: string;
  /** Extensions in lower case with the leading dot; the longest that fits counts. */
  readonly extensions: readonly string[];
  /** Those of its extensions that may be a whole name, without the leading dot. */
  readonly bareExtensions?: readonly string[];
  /** True if a path may continue into a file with one of the extensions, to a part of its content. */
  readonly holdsPaths?: boolean;
  readonly namesFolders?: boolean;
  /** Files that mark a directory as one image, some in a folder of it; a path to one of them means its directory. */
  readonly markers?: readonly string[];
  /** True if a path to a marker means the marker itself. */
  readonly opensMarker?: boolean;
  /** Directory below the opened one in which markers also count. */
  readonly markedFolder?: string;
}

/** Number of bytes at the start of a file that suffice to recognise every format. */
export const HEAD_BYTES = 64;

/** Properties of every format. */
export interface FormatBase extends FormatName {
  /** Lower-case extensions of related files that are not read; {@linkcode explains} says what to open instead. */
  readonly relatives?: readonly string[];
  isRelative?(name: string): Promise<boolean>;
  /** What the markers stand for, in messages. */
  readonly content?: string;
  /** True if many programs use the extensions: unrecognised content then counts as unknown rather than damaged. */
  readonly sharesExtensions?: boolean;
  /** For a file related to this format by name only: a clause "it is ..." that says what to open instead, or `null`. */
  explains?(head: Uint8Array, name: string): string | null | Promise<string | null>;
  /** Loads the reader; a literal import, so that `deno compile` embeds it. */
  load(): Promise<{ scenes: ReadScenes }>;
}

/** The names in a folder, for finding the parts of one acquisition. */
export interface FolderNames {
  readonly folder: string;
  /** The stored name of the file with this name, found as in `io/names.ts`, or `null`. */
  find(name: string): string | null;
  /** Files whose names end with `ending`, ignoring case. @param ending in lower case */
  ending(ending: string): readonly string[];
}

/** Which files of a folder form one acquisition: by their names and, where these do not suffice, by their headers. */
export interface FileGrouping {
  /**
   * A key that all files of one acquisition share: the name of the acquisition's main file, if there is one, else any text. `null`
   * for a name of no acquisition.
   */
  setOf(name: string, beside: FolderNames): string | null;
  /** The file that a folder of this name belongs to; `null` for any other folder. */
  ownerOf?(folder: string, beside: FolderNames): string | null;
  /** True if a single file is never an acquisition by itself. */
  readonly needsParts?: boolean;
  /** True for a name that an acquisition of its own may have, too: the header decides whether the file is a part of another one. */
  mayBeOwn?(name: string): boolean;
  /**
   * Whether the file at `path` is a part of the file at `main`, by the test that opening uses. Without it, the acquisition at `main`
   * is opened and asked for its files.
   *
   * @throws {DecodeFailed | Unreadable} one of them cannot be read
   */
  isPartOf?(path: string, main: string, files: FileAccess): boolean;
  /** Number of files that {@linkcode isPartOf} looks into, 1 by default. */
  readonly looks?: number;
}

/** A format whose images are opened by the path of a file. */
export interface FileFormat extends FormatBase {
  readonly container: "file";
  /** True when the first bytes of a file, at most {@linkcode HEAD_BYTES}, belong to this format. */
  recognises(head: Uint8Array): boolean;
  /** For a format that may begin behind other bytes: whether it does; asked only if the first bytes are of no known format. */
  beginsLater?(file: ByteSource): boolean | Promise<boolean>;
  /** For a dialect that is a format of its own: recognises a file regardless of its extension. */
  isDialect?(file: ByteSource): Promise<boolean>;
  /** For a container of several formats: recognises a file whose extension belongs to none; by default the first bytes decide. */
  confirms?(file: ByteSource): boolean | Promise<boolean>;
  /** True for a file that is part of an acquisition of this format, whatever its content. The acquisition is opened instead. */
  claims?(path: string, files: FileAccess): boolean | Promise<boolean>;
  /** For a format with several files: how they are grouped, loaded when a folder is listed. */
  grouping?(): Promise<FileGrouping>;
}

/** A format whose images are directories. */
export interface DirectoryFormat extends FormatBase {
  readonly container: "directory";
  /** A directory holds at least one of these files; a path to one of them means its directory. */
  readonly markers: readonly string[];
  /** True for an image directory without a marker. */
  marksFolder?(folder: string, files: FileAccess): Promise<boolean>;
}

/** One format. */
export type Format = FileFormat | DirectoryFormat;
