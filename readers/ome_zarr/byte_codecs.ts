/**
 * Bytes-to-bytes codecs of Zarr 3 and numcodecs by name (`zstd`, `numcodecs.zstd` or the `id` of Zarr 2). The caller bounds the
 * decoded length.
 */
import { crc32 as zlibCrc32 } from "node:zlib";
import { DecodeFailed } from "../errors.ts";
import { decodeBlosc } from "../codecs/blosc.ts";
import { type Room, type StreamKind, unpackAll } from "../codecs/compressed_stream.ts";
import { decodeLz4 } from "../codecs/lz.ts";
import { unshuffleBytes } from "../codecs/shuffle.ts";

/** Configuration of one codec as the metadata give it. */
export type CodecConfiguration = Readonly<Record<string, unknown>>;

/** One decoding step. */
export interface ByteCodec {
  readonly name: string;
  /** Encoded length of a decoded length; absent where variable. */
  readonly encodedLength?: (decoded: number) => number;
  /**
   * Decodes some bytes.
   *
   * @param maxBytes largest acceptable decoded length
   * @param room allocates the result
   * @throws {DecodeFailed | Error} the bytes are damaged
   */
  decode(bytes: Uint8Array, maxBytes: number, room?: Room): Uint8Array;
}

type MakeByteCodec = (configuration: CodecConfiguration, sampleBytes: number) => Omit<ByteCodec, "name">;

const makeStreamCodec = (kind: StreamKind): MakeByteCodec => () => ({
  decode: (bytes, maxBytes, room) => unpackAll(kind, bytes, maxBytes, room),
});

/** A checksum of four little-endian bytes, at the end unless `location` says `start`. */
const makeChecksumCodec =
  (name: string, checksum: (bytes: Uint8Array) => number, place: string): MakeByteCodec => (c) => ({
    encodedLength: (decoded) => decoded + 4,
    decode(bytes) {
      if (bytes.length < 4) throw new DecodeFailed(`${bytes.length} bytes are too few for a checksum`);
      const atStart = (c["location"] ?? place) === "start";
      const data = atStart ? bytes.subarray(4) : bytes.subarray(0, -4);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const stored = view.getUint32(atStart ? 0 : data.length, true);
      const computed = checksum(data);
      if (stored !== computed) {
        throw new DecodeFailed(
          `the ${name} checksum is ${formatHex(computed)} instead of ${formatHex(stored)}`,
        );
      }
      return data;
    },
  });

/** The table of the Castagnoli polynomial (RFC 3720). */
const CRC32C = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

function computeCrc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i += 1) crc = (crc >>> 8) ^ CRC32C[(crc ^ bytes[i]!) & 255]!;
  return ~crc >>> 0;
}

const formatHex = (value: number) => value.toString(16).padStart(8, "0");

const CODECS = new Map(Object.entries<MakeByteCodec>({
  blosc: () => ({ decode: decodeBlosc }),
  zstd: makeStreamCodec("zstd"),
  gzip: makeStreamCodec("gzip"),
  zlib: makeStreamCodec("zlib"),
  brotli: makeStreamCodec("brotli"),
  lz4: () => ({ decode: decodeSizedLz4 }),
  crc32c: makeChecksumCodec("CRC-32C", computeCrc32c, "end"),
  crc32: makeChecksumCodec("CRC-32", zlibCrc32, "start"),
  shuffle: (configuration, sampleBytes) => ({
    encodedLength: (decoded) => decoded,
    decode(bytes) {
      const width = configuration["elementsize"] ?? sampleBytes;
      if (typeof width !== "number" || !Number.isInteger(width) || width < 1 || width > 255) {
        throw new DecodeFailed(`the shuffle codec has an element size of ${JSON.stringify(width)}`);
      }
      if (bytes.length % width !== 0) {
        throw new DecodeFailed(`${bytes.length} bytes are not a multiple of ${width}`);
      }
      const target = new Uint8Array(bytes.length);
      unshuffleBytes(bytes, target, width);
      return target;
    },
  }),
}));

/** Decodes `lz4` of numcodecs: the decoded length as little-endian int32, then one block. */
function decodeSizedLz4(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length < 4) throw new DecodeFailed(`${bytes.length} bytes are too few for LZ4`);
  const size = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  // One byte of a block stands for at most 255.
  const most = Math.min(maxBytes, 255 * bytes.length);
  if (size > most) throw new DecodeFailed(`the LZ4 header declares ${size} bytes, more than ${most}`);
  const target = new Uint8Array(size);
  decodeLz4(bytes.subarray(4), target);
  return target;
}

/** The name of a codec without `numcodecs.` before it. */
export const dropNumcodecs = (name: string): string => name.replace(/^numcodecs\./, "");

/** The codec of a name, with or without `numcodecs.` before it; `null` for an unknown one. */
export function findByteCodec(
  name: string,
  configuration: CodecConfiguration,
  sampleBytes: number,
): ByteCodec | null {
  const make = CODECS.get(dropNumcodecs(name));
  return make ? { name, ...make(configuration, sampleBytes) } : null;
}

/** Largest encoded form of `bytes` bytes: incompressible data grow a little. */
export const boundLoosely = (bytes: number): number => bytes + (bytes >> 3) + 65_536;
