/** The files of one acquisition by name, wherever they lie: in a folder, or as streams of a compound file. */
import type { ByteSource } from "../io/byte_source.ts";
import type { Warning } from "../warning.ts";

/** Named runs of bytes. Names are compared without case and never lead out of where they lie. */
export interface NamedStreams {
  /** The main settings. */
  readonly settings: ByteSource;
  /** Names of all others, as stored, in order of code units. */
  readonly names: readonly string[];
  /** Bytes of all of them together. */
  readonly fileSize: number;
  /** Paths of all of them where they are files; else they lie in the opened file. */
  readonly paths?: () => readonly string[];
  /** What is missing or ambiguous among them. */
  readonly warnings: readonly Warning[];
  /** Memory that they take while they are kept, from above. */
  readonly indexBytes: number;
  /**
   * Opens one; `null` when it is not there.
   *
   * @throws {DecodeFailed} where it lies is damaged
   * @throws {Unreadable}
   */
  open(name: string): ByteSource | null;
}

/** Memory of a name in a list and in a map. */
export const NAME_BYTES = 200;

/** How messages call the bytes of a name. */
export const calledBy = (name: string): string => `"${name}"`;
