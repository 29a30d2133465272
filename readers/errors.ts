/** Failures of opening and reading an acquisition, as classes tagged with their codes. */
import type { ErrorCode } from "../schemas/served.ts";

/** Longest quotation of a foreign text in a message. */
const MAX_QUOTED = 300;

/** A value in quotes, shortened if it is long. */
export function quoted(text: string): string {
  return `"${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}"`;
}

/** A failure with a code of the contract. */
export abstract class CodedError extends Error {
  abstract readonly tag: ErrorCode;

  /** `message` is one sentence without a full stop. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Base of all reader errors. */
export abstract class ReaderError extends CodedError {}

/** A class of errors with a fixed tag. */
export type TaggedError<Base extends Error, Options, Tag extends string> = new (
  message: string,
  options?: Options,
) => Base & { readonly tag: Tag };

/** Makes a base class with a tag. */
export function makeTaggedClass<Base extends Error, Options, Tag extends string>(
  base: abstract new (message: string, options?: Options) => Base,
  tag: Tag,
): TaggedError<Base, Options, Tag> {
  // TypeScript cannot extend a class of a generic type.
  const Plain = base as unknown as new (...parts: unknown[]) => Error;
  return class extends Plain {
    readonly tag = tag;
  } as unknown as TaggedError<Base, Options, Tag>;
}

/** Nothing exists at the path, or the server may not read it. */
export class PathNotFound extends makeTaggedClass(ReaderError, "path_not_found") {}

/** The path, as written or with links resolved, lies outside every root. */
export class PathNotAllowed extends makeTaggedClass(ReaderError, "path_not_allowed") {}

/** Neither extension nor content is known, or the path leads to something other than a file or an image store. */
export class UnsupportedFormat extends makeTaggedClass(ReaderError, "unsupported_format") {}

/**
 * A file of an accepted kind is damaged, truncated or uses a feature that the reader does not know.
 * Readers give the reason (`block at 81920 + 4096 ends after the file (83000 bytes)`); `open_acquisition.ts` prepends
 * `Cannot read "x.oir": `.
 */
export class DecodeFailed extends makeTaggedClass(ReaderError, "decode_failed") {}

/**
 * The system cannot list, open or read a file or folder that may exist. Clients see a {@linkcode DecodeFailed}. Readers continue
 * with a warning only if nothing but names, steps or documents are lost.
 */
export class Unreadable extends makeTaggedClass(ReaderError, "decode_failed") {}

/** True for a failure that becomes a warning if only names, steps or documents are lost. */
export const isLoss = (error: unknown): error is DecodeFailed | Unreadable =>
  error instanceof DecodeFailed || error instanceof Unreadable;

/** The result of `read`, or `otherwise` if it throws {@linkcode DecodeFailed}. */
export function unlessDamaged<T, U>(read: () => T, otherwise: U): T | U {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeFailed) return otherwise;
    throw error;
  }
}

/** Recognised content without images. Depending on the name, `choose_format.ts` reports it as damaged or unsupported. */
export class NoImage extends DecodeFailed {}

/** The reason for a warning, with a parser's `line:column:` in words. */
export function reasonOf({ message }: DecodeFailed | Unreadable): string {
  return message.replace(/: (\d+):(\d+): /, " at line $1, column $2: ");
}

/** The selected channels differ in shape. */
export class InvalidChannelIndices extends makeTaggedClass(ReaderError, "invalid_channel_indices") {}

/** A channel index at or above the channel count of the file. */
export class ChannelOutOfRange extends makeTaggedClass(ReaderError, "channel_out_of_range") {}

/** A scene index at or above the scene count of the file. */
export class SceneOutOfRange extends makeTaggedClass(ReaderError, "scene_out_of_range") {}

/** An index outside its axis. */
export class PositionOutOfRange extends makeTaggedClass(ReaderError, "position_out_of_range") {}

/** A plane within the declared sizes that is not in the file, for example after an interrupted recording. */
export class PlaneNotFound extends makeTaggedClass(ReaderError, "plane_not_found") {}

/** A file of the acquisition was replaced or written to. */
export class AcquisitionChanged extends makeTaggedClass(ReaderError, "acquisition_changed") {}

/** The work was stopped from outside: the load timed out, the client left, or the server is stopping. */
export class Stopped extends makeTaggedClass(ReaderError, "shutting_down") {
  /** The message is constant; the caller that stopped the work knows why. */
  constructor() {
    super("The decode was stopped");
  }
}

const CLASSES: readonly (new (message: string) => ReaderError)[] = [
  ...[
    PathNotFound,
    PathNotAllowed,
    UnsupportedFormat,
    DecodeFailed,
    InvalidChannelIndices,
    ChannelOutOfRange,
  ],
  ...[SceneOutOfRange, PositionOutOfRange, PlaneNotFound, AcquisitionChanged, Stopped],
];
const BY_TAG = new Map(CLASSES.map((One) => [new One("").tag, One]));

/** A failure as a worker's message; `tag` is `null` for a bug in the program. */
export interface WireError {
  readonly tag: ErrorCode | null;
  /** One sentence without a full stop. */
  readonly message: string;
  readonly stack: string;
}

/** Converts a thrown value to a message. */
export function toWire(error: unknown): WireError {
  const stack = error instanceof Error ? error.stack ?? "" : "";
  if (error instanceof ReaderError) return { tag: error.tag, message: error.message, stack };
  return { tag: null, message: error instanceof Error ? error.message : String(error), stack };
}

/** Restores the error: a {@linkcode ReaderError}, or an `Error` for a bug in the program. */
export function fromWire(wire: WireError): Error {
  const error = new (wire.tag === null ? Error : BY_TAG.get(wire.tag) ?? Error)(wire.message);
  error.stack = wire.stack;
  return error;
}
