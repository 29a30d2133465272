/** Compressed streams that the runtime decodes, with bounded output. Truncated ones are refused, some of which the runtime accepts. */
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { decodeFrames } from "../io/runtime_internals.ts";
import { measureFrames } from "./zstd_frames.ts";

interface Options {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
  readonly finishFlush?: number;
  readonly info: true;
}

type Decompress = (input: Uint8Array, options: Options) => unknown;

/** What `node:zlib` gives for the option `info`, which its types do not know; `bytesWritten` counts the input taken. */
interface WithInfo {
  readonly buffer: Uint8Array<ArrayBuffer>;
  readonly engine: { readonly bytesWritten: number };
}

const DECODERS: Readonly<Record<Exclude<StreamKind, "zstd">, Decompress>> = {
  /** RFC 1950: deflate with a header and a checksum. */
  zlib: inflateSync,
  /** RFC 1951, without any checksum. */
  deflate: inflateRawSync,
  gzip: gunzipSync,
  brotli: brotliDecompressSync,
};

/** Name of a kind of stream. */
export type StreamKind = "zlib" | "deflate" | "gzip" | "zstd" | "brotli";

/** Returns memory of at least `length` bytes with arbitrary content. */
export type Room = (length: number) => Uint8Array;

/** Memory of its own for each result. */
export const newRoom = (length: number): Uint8Array => new Uint8Array(length);

/** A decoded stream. */
export interface Unpacked {
  /** What it decodes to. */
  readonly bytes: Uint8Array;
  /** Bytes of the input that follow the stream. */
  readonly rest: number;
}

/** A stream that ends before it is complete. */
export class StreamEndsEarly extends Error {
  /** Bytes that it decodes to up to there; `null` where they were not decoded. */
  readonly decoded: number | null;

  /** Takes the length of the stream, and of what it decodes to. */
  constructor(length: number, decoded: number | null, options?: ErrorOptions) {
    super(`the stream of ${length} bytes ends early`, options);
    this.decoded = decoded;
  }
}

/** A stream that decodes to more bytes than are acceptable. */
export class StreamTooLong extends Error {}

/**
 * Smallest and largest piece in which output is collected: the minimum of the runtime, and a limit to the memory that is
 * allocated before a byte is decoded.
 */
const MIN_PIECE = 64;
const MAX_PIECE = 16 << 20;

const pieceFor = (bytes: number) => Math.min(Math.max(bytes, MIN_PIECE), MAX_PIECE);

/**
 * Decodes the stream at the start of some bytes.
 *
 * @param maxBytes largest decoded length that is acceptable
 * @param room gives the bytes that zstd fills; the others make their own
 * @throws {StreamTooLong} it decodes to more
 * @throws {StreamEndsEarly} it is not whole
 * @throws {Error} it is damaged
 */
export function unpack(
  kind: StreamKind,
  input: Uint8Array,
  maxBytes: number,
  room: Room = newRoom,
): Unpacked {
  if (kind === "zstd") return unpackFrames(input, maxBytes, room);
  // One piece takes the whole output, where pieces of 16 KiB, the default, would be joined; of one that is full the runtime
  // makes another, so that it has a byte more.
  const options: Options = {
    maxOutputLength: Math.max(maxBytes, 1),
    chunkSize: pieceFor(maxBytes + 1),
    info: true,
  };
  const decoded = (changed: Partial<Options> = {}): Unpacked => {
    const { buffer, engine } = DECODERS[kind](input, { ...options, ...changed }) as WithInfo;
    // Not as a Buffer: its `slice` would share the memory.
    const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    return { bytes, rest: input.length - engine.bytesWritten };
  };
  try {
    return decoded();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLong(maxBytes, { cause });
    if (code !== "Z_BUF_ERROR") throw cause;
    const { bytes } = decoded({ finishFlush: flushOf(kind) });
    throw new StreamEndsEarly(input.length, bytes.length, { cause });
  }
}

function unpackFrames(input: Uint8Array, maxBytes: number, room: Room): Unpacked {
  const { end, mostBytes, contentBytes } = measureFrames(input);
  if (end > input.length) throw new StreamEndsEarly(input.length, null);
  if (end === 0) throw new Error("no zstd frame begins there");
  const most = contentBytes ?? mostBytes;
  if (most > mostBytes) throw new Error(`its blocks cannot hold the ${most} bytes that it declares`);
  if (contentBytes !== null && contentBytes > maxBytes) throw tooLong(maxBytes);
  const length = Math.min(maxBytes, most);
  const target = room(length).subarray(0, length);
  // With room for the content a frame needs no window.
  const bytes = decodeFrames(input.subarray(0, end), target, contentBytes !== null);
  if (bytes > length) throw tooLong(maxBytes);
  if (contentBytes !== null && bytes !== contentBytes) {
    throw new Error(`it decodes to ${bytes} bytes and declares ${contentBytes}`);
  }
  return { bytes: target.subarray(0, bytes), rest: input.length - end };
}

const tooLong = (maxBytes: number, options?: ErrorOptions) =>
  new StreamTooLong(`it decodes to more than ${maxBytes} bytes`, options);

/**
 * Decodes bytes that are one stream and nothing else.
 *
 * @param maxBytes largest decoded length that is acceptable
 * @param room as of {@linkcode unpack}
 * @throws {Error} as {@linkcode unpack}, or because bytes are left over
 */
export function unpackAll(kind: StreamKind, input: Uint8Array, maxBytes: number, room?: Room): Uint8Array {
  const { bytes, rest } = unpack(kind, input, maxBytes, room);
  if (rest !== 0) throw new Error(`${rest} of ${input.length} bytes are left over`);
  return bytes;
}

/** The flush mode that takes the end of the input for the end of the stream. */
const flushOf = (kind: StreamKind) =>
  kind === "brotli" ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
