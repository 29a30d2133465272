/** Streams of `node:zlib`, of which nothing may be left over. */
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { DecodeFailed } from "../errors.ts";
import { requireWholeFrames } from "./zstd_frames.ts";

/** What `node:zlib` gives for the option `info`; `bytesWritten` counts the input that was taken. */
interface WithInfo {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number; info: true }) => unknown;

/** Decoders by the names of their codecs. */
const STREAMS = {
  zstd: zstdDecompressSync,
  gzip: gunzipSync,
  zlib: inflateSync,
  brotli: brotliDecompressSync,
} as const satisfies Record<string, Decompress>;

/**
 * Decodes one stream.
 *
 * @param maxBytes largest decoded length that is acceptable
 * @throws {DecodeFailed} bytes are left over
 * @throws {Error} the stream is damaged, cut off, or decodes to more
 */
export function decodeStream(name: keyof typeof STREAMS, bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (name === "zstd") requireWholeFrames(bytes);
  const decompress: Decompress = STREAMS[name];
  const { buffer, engine } = decompress(bytes, { maxOutputLength: maxBytes, info: true }) as WithInfo;
  if (engine.bytesWritten !== bytes.length) {
    throw new DecodeFailed(`${bytes.length - engine.bytesWritten} of ${bytes.length} bytes are left over`);
  }
  // Not as a Buffer: its `slice` would share the memory.
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
