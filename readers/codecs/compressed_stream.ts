/** Compressed streams that the runtime decodes, with bounded output. Truncated ones are refused, some of which the runtime accepts. */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { decodeFrames } from "../io/runtime_internals.ts";
import { measureFrames } from "./zstd_frames.ts";

/** Result of `node:zlib` with the option `info`, which its types lack; `bytesWritten` counts the input that was used. */
interface WithInfo {
  readonly buffer: Uint8Array<ArrayBuffer>;
  readonly engine: { readonly bytesWritten: number };
}

const DECODERS = {
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
export const allocateRoom = (length: number): Uint8Array => new Uint8Array(length);

/** A decoded stream. */
export interface Unpacked {
  /** What it decodes to. */
  readonly bytes: Uint8Array;
  /** Bytes of the input that follow the stream. */
  readonly rest: number;
}

/** A stream that decodes to more bytes than are acceptable. */
export class StreamTooLong extends Error {}

/**
 * Smallest and largest piece in which output is collected: the minimum of the runtime, and a limit to the memory that is
 * allocated before a byte is decoded.
 */
const MIN_PIECE = 64;
const MAX_PIECE = 16 << 20;

const choosePiece = (bytes: number) => Math.min(Math.max(bytes, MIN_PIECE), MAX_PIECE);

/**
 * Decodes the stream at the start of some bytes.
 *
 * @param maxBytes largest acceptable decoded length
 * @param room allocates the result of zstd; the others allocate their own
 * @throws {StreamTooLong} it decodes to more
 * @throws {Error} it is damaged or ends early
 */
export function unpack(
  kind: StreamKind,
  input: Uint8Array,
  maxBytes: number,
  room: Room = allocateRoom,
): Unpacked {
  if (kind === "zstd") return unpackFrames(input, maxBytes, room);
  // One piece takes the whole output, where pieces of 16 KiB, the default, would be joined; of one that is full the runtime
  // makes another, so that it has a byte more.
  const options = {
    maxOutputLength: Math.max(maxBytes, 1),
    chunkSize: choosePiece(maxBytes + 1),
    info: true,
  };
  try {
    const { buffer, engine } = DECODERS[kind](input, options) as unknown as WithInfo;
    // Not as a Buffer: its `slice` would share the memory.
    const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    return { bytes, rest: input.length - engine.bytesWritten };
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLong(maxBytes, { cause });
    throw code === "Z_BUF_ERROR" ? endsEarly(input, { cause }) : cause;
  }
}

function unpackFrames(input: Uint8Array, maxBytes: number, room: Room): Unpacked {
  const { end, mostBytes, contentBytes } = measureFrames(input);
  if (end > input.length) throw endsEarly(input);
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

const endsEarly = ({ length }: Uint8Array, options?: ErrorOptions) =>
  new Error(`the stream of ${length} bytes ends early`, options);

/**
 * Decodes bytes that are one stream and nothing else.
 *
 * @throws {Error} as {@linkcode unpack} does, or bytes are left over
 */
export function unpackAll(kind: StreamKind, input: Uint8Array, maxBytes: number, room?: Room): Uint8Array {
  const { bytes, rest } = unpack(kind, input, maxBytes, room);
  if (rest !== 0) throw new Error(`${rest} of ${input.length} bytes are left over`);
  return bytes;
}
