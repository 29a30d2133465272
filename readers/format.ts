/** How the content of each format is told, in the `format.ts` of its folder, before its reader is loaded. */
import type { ByteSource } from "./io/byte_source.ts";
import type { FormatName } from "./format_names.ts";
import type { FileAccess } from "./io/random_access.ts";
import type { ReadScenes } from "./reader.ts";

/** Bytes at the start of a file that are enough for every format to be told. */
export const HEAD_BYTES = 64;

/** What formats of every container tell. */
export interface FormatBase extends FormatName {
  /** Extensions of relatives that are not read, lower case; {@linkcode explains} tells what to open instead. */
  readonly relatives?: readonly string[];
  /** For relatives that no extension tells: whether a file is one, by its name. */
  isRelative?(name: string): boolean;
  /** What the markers hold, for messages. */
  readonly content?: string;
  /** True where many programs use the extensions, so that content which is not recognised is of no known format. */
  readonly sharesExtensions?: boolean;
  /**
   * For content of another kind in a file that is named like this format or a relative of it: what it is and what to
   * open instead, in one clause that starts with "it is", or `null`.
   */
  explains?(head: Uint8Array, name: string): string | null;
  /** Loads the reader; a literal import, so that `deno compile` embeds it. */
  load(): Promise<{ scenes: ReadScenes }>;
}

/** A format whose images are opened by the path of a file. */
export interface FileFormat extends FormatBase {
  /** An image is a file, perhaps with others beside it. */
  readonly container: "file";
  /** True when the first bytes of a file (at most {@linkcode HEAD_BYTES}) are of this format. */
  recognises(head: Uint8Array): boolean;
  /**
   * For a dialect of a container that is a format of its own: whether a recognised file is of it. Then it is of this
   * format whatever its extension, and else it never is.
   *
   * @param head its first bytes
   */
  isDialect?(file: ByteSource, head: Uint8Array): boolean;
  /**
   * For a container that several formats use: whether a recognised file with none of the format's extensions is of
   * this format. Without it the first bytes decide.
   */
  confirms?(file: ByteSource): boolean;
  /** Whether a file, whatever its content, is a part of an acquisition of this format, which is opened in its place. */
  claims?(path: string, files: FileAccess): boolean;
}

/** A format whose images are directories. */
export interface DirectoryFormat extends FormatBase {
  /** An image is the directory of a store. */
  readonly container: "directory";
  /** Files of which one at least lies in each such directory; a path to one of them means its directory. */
  readonly markers: readonly string[];
}

/** One format. */
export type Format = FileFormat | DirectoryFormat;

/** True when `head` starts with these bytes. */
export const startsWith = (head: Uint8Array, ...bytes: number[]): boolean =>
  bytes.every((byte, i) => head[i] === byte);
