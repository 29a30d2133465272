/**
 * The codecs of an array: array-to-array steps, one serializer (`bytes` or `sharding_indexed`), then bytes-to-bytes steps
 * (Zarr 3 core, "Codecs").
 */
import { DecodeFailed } from "../errors.ts";
import { isJsonObject } from "../metadata/json.ts";
import type { SampleType } from "../reader.ts";
import { isSampleType, SAMPLE_BYTES } from "../samples/to_float32.ts";
import { type ByteCodec, type CodecConfiguration, dropNumcodecs, findByteCodec } from "./byte_codecs.ts";
import { parseNumpyType } from "./sample_types.ts";

/** A codec in the metadata. */
export interface CodecMetadata {
  readonly name: string;
  /** Fields, not validated. */
  readonly configuration: CodecConfiguration;
}

/** Largest decoded chunk in bytes. zarr-python and Blosc stop at 2 GiB; usual chunks have a few MiB. */
export const MAX_CHUNK_BYTES = 1 << 30;

/** Largest index of a shard in bytes: four million inner chunks. */
const MAX_INDEX_BYTES = 64 << 20;

/** Decodes the bytes of one chunk to samples. */
export interface CodecChain {
  /** Type of the samples after all steps. */
  readonly arrayType: SampleType;
  /** Shape of the chunk, in the stored order of its axes. */
  readonly shape: readonly number[];
  /** The array's axis (or the enclosing shard's) for each stored axis. */
  readonly axes: readonly number[];
  /** Element-wise codecs such as `delta`, in the order of the metadata. */
  readonly valueCodecs: readonly CodecMetadata[];
  readonly serializer: BytesSerializer | Sharding;
  /** Compressors and checksums, in the order of the metadata. */
  readonly byteCodecs: readonly ByteCodec[];
}

/** Plain samples in C order of the stored axes. */
export interface BytesSerializer {
  readonly kind: "bytes";
  readonly sampleType: SampleType;
  readonly littleEndian: boolean;
  /** Bytes per whole chunk. */
  readonly size: number;
}

/** Inner chunks, with an index of their offsets and lengths. */
export interface Sharding {
  readonly kind: "sharding";
  readonly inner: CodecChain;
  /** Shape of an inner chunk, along the stored axes of the shard. */
  readonly innerShape: readonly number[];
  readonly grid: readonly number[];
  /** Codecs of the index, all of fixed length. */
  readonly indexCodecs: readonly ByteCodec[];
  readonly indexLittleEndian: boolean;
  /** Size of the encoded index in bytes. */
  readonly indexSize: number;
  /** True if the index precedes the inner chunks. */
  readonly indexAtStart: boolean;
}

/** Element-wise codecs. zarrita decodes all of them except `fixedscaleoffset`. */
const VALUE_CODECS = ["delta", "scale_offset", "cast_value", "fixedscaleoffset"];
/** Codecs that round when encoding and do nothing when decoding. */
const ROUNDING_CODECS = ["bitround", "quantize"];

/** The chunk that a chain of codecs decodes. */
export interface ChunkSamples {
  readonly shape: readonly number[];
  /** Type of the samples after all steps. */
  readonly sampleType: SampleType;
  /** Name of the array in messages: `array "0"`. */
  readonly what: string;
}

/**
 * Reads the codecs of an array.
 *
 * @throws {DecodeFailed} an unknown codec, an invalid configuration, or a chunk above a limit
 */
export function readCodecChain(codecs: readonly CodecMetadata[], chunk: ChunkSamples): CodecChain {
  const { shape, sampleType, what } = chunk;
  let axes = [...shape.keys()];
  let stored: SampleType = sampleType;
  let serializer: BytesSerializer | Sharding | null = null;
  const valueCodecs: CodecMetadata[] = [];
  const byteCodecs: ByteCodec[] = [];
  const storedShape = () => axes.map((axis) => shape[axis]!);
  for (const codec of codecs) {
    const { name, configuration } = codec;
    const plain = dropNumcodecs(name);
    if (plain === "transpose") {
      const order = readTransposition(configuration["order"], shape.length, what);
      if (serializer || valueCodecs.some((c) => c.name.endsWith("delta"))) throw misplacedCodec(name, what);
      axes = order.map((axis) => axes[axis]!);
    } else if (ROUNDING_CODECS.includes(plain)) {
      const { astype, dtype } = configuration;
      if (serializer || (astype !== undefined && astype !== dtype)) throw misplacedCodec(name, what);
    } else if (VALUE_CODECS.includes(plain)) {
      if (serializer) throw misplacedCodec(name, what);
      stored = readStoredType(codec, plain, stored, what);
      valueCodecs.push(codec);
    } else if (plain === "bytes") {
      if (serializer) throw misplacedCodec(name, what);
      serializer = readBytesSerializer(configuration["endian"], storedShape(), stored, what);
    } else if (plain === "sharding_indexed") {
      const [before] = valueCodecs;
      if (serializer) throw misplacedCodec(name, what);
      if (before) throw misplacedCodec(before.name, what);
      serializer = readSharding(configuration, { ...chunk, shape: storedShape() });
    } else {
      const step = findByteCodec(name, configuration, SAMPLE_BYTES[stored]);
      if (!step) throw new DecodeFailed(`${what} uses the unknown codec "${name}"`);
      byteCodecs.push(step);
    }
  }
  if (!serializer) throw new DecodeFailed(`${what} has no codec that turns samples into bytes`);
  return { arrayType: sampleType, shape: storedShape(), axes, valueCodecs, serializer, byteCodecs };
}

const misplacedCodec = (name: string, what: string) =>
  new DecodeFailed(`${what} has the codec "${name}" at an unsupported place`);

function readBytesSerializer(
  endian: unknown,
  shape: readonly number[],
  sampleType: SampleType,
  what: string,
): BytesSerializer {
  if (endian !== undefined && endian !== null && endian !== "little" && endian !== "big") {
    throw new DecodeFailed(`${what} has the byte order ${JSON.stringify(endian)}`);
  }
  // Zarr 3, "bytes" codec: only one-byte types may omit `endian`.
  if ((endian === undefined || endian === null) && SAMPLE_BYTES[sampleType] > 1) {
    throw new DecodeFailed(`${what} states no byte order for ${sampleType}`);
  }
  const size = shape.reduce((product, n) => product * n, SAMPLE_BYTES[sampleType]);
  if (size > MAX_CHUNK_BYTES) {
    throw new DecodeFailed(`${what} has chunks of ${size} bytes, more than ${MAX_CHUNK_BYTES}`);
  }
  return { kind: "bytes", sampleType, littleEndian: endian !== "big", size };
}

function readTransposition(order: unknown, rank: number, what: string): number[] {
  if (order === "C") return Array.from({ length: rank }, (_, i) => i);
  if (order === "F") return Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const axes: number[] = Array.isArray(order) ? order : [];
  if (axes.length === rank && axes.toSorted((a, b) => a - b).every((axis, i) => axis === i)) return axes;
  throw new DecodeFailed(`${what} has the transposition ${JSON.stringify(order)} for ${rank} axes`);
}

function readStoredType(codec: CodecMetadata, plain: string, current: SampleType, what: string): SampleType {
  if (plain === "delta") {
    const { astype, dtype } = codec.configuration;
    if (astype !== undefined && astype !== dtype) {
      throw new DecodeFailed(`${what} uses "delta" with another stored type (${JSON.stringify(astype)})`);
    }
  }
  if (plain === "fixedscaleoffset") return readScaledType(codec, current, what);
  if (plain !== "cast_value") return current;
  const type = codec.configuration["data_type"];
  if (!isSampleType(type)) {
    throw new DecodeFailed(`${what} casts to the unknown type ${JSON.stringify(type)}`);
  }
  return type;
}

/** Type of the samples that `fixedscaleoffset` stores, named as in NumPy or in Zarr 3. */
function readScaledType(
  { name, configuration }: CodecMetadata,
  current: SampleType,
  what: string,
): SampleType {
  const { scale, offset, dtype, astype } = configuration;
  if (!Number.isFinite(scale) || scale === 0 || !Number.isFinite(offset)) {
    const [by, from] = [JSON.stringify(scale), JSON.stringify(offset)];
    throw new DecodeFailed(`${what} uses "${name}" with scale ${by} and offset ${from}`);
  }
  const typeOf = (written: unknown) => isSampleType(written) ? written : parseNumpyType(written, what).type;
  const stored = typeOf(astype ?? dtype);
  if (typeOf(dtype) !== current || current === "bool" || stored === "bool") {
    throw new DecodeFailed(
      `${what} uses "${name}" on ${JSON.stringify(dtype)}, but its samples are ${current}`,
    );
  }
  return stored;
}

const SHARDING_FIELDS = ["chunk_shape", "codecs", "index_codecs", "index_location"];

function readSharding(configuration: CodecConfiguration, shard: ChunkSamples): Sharding {
  const { shape, what } = shard;
  requireKnown(configuration, SHARDING_FIELDS, `the sharding of ${what}`);
  const { chunk_shape: written, index_location: location = "end" } = configuration;
  const innerShape = requireSizes(written, shape.length, `${what}: "chunk_shape" of the shards`);
  const grid = shape.map((n, axis) => n / innerShape[axis]!);
  if (!grid.every(Number.isInteger)) {
    const inner = innerShape.join(" x ");
    throw new DecodeFailed(`${what} has shards of ${shape.join(" x ")} that do not divide into ${inner}`);
  }
  const { byteCodecs: indexCodecs, ...index } = readCodecChain(
    requireCodecList(configuration["index_codecs"], `${what}: "index_codecs"`),
    { shape: [...grid, 2], sampleType: "uint64", what: `the shard index of ${what}` },
  );
  const plain = index.serializer;
  const indexSize = plain.kind === "bytes" ? computeFixedLength(indexCodecs, plain.size) : null;
  if (
    plain.kind !== "bytes" || indexSize === null || index.valueCodecs.length > 0 ||
    index.axes.some((axis, i) => axis !== i)
  ) {
    throw new DecodeFailed(`${what} has a shard index whose codecs have no fixed length`);
  }
  if (plain.size > MAX_INDEX_BYTES) {
    throw new DecodeFailed(`${what} has shard indexes of ${plain.size} bytes, more than ${MAX_INDEX_BYTES}`);
  }
  if (location !== "end" && location !== "start") {
    throw new DecodeFailed(`${what} has shard indexes at ${JSON.stringify(location)}`);
  }
  return {
    kind: "sharding",
    inner: readCodecChain(requireCodecList(configuration["codecs"], `${what}: "codecs" of the shards`), {
      ...shard,
      shape: innerShape,
    }),
    innerShape,
    grid,
    indexCodecs,
    indexLittleEndian: plain.littleEndian,
    indexSize,
    indexAtStart: location === "start",
  };
}

/** Encoded length of `size` bytes; `null` if it varies. */
function computeFixedLength(codecs: readonly ByteCodec[], size: number): number | null {
  let length = size;
  for (const { encodedLength } of codecs) {
    if (!encodedLength) return null;
    length = encodedLength(length);
  }
  return length;
}

/** Positive sizes, one per axis. @throws {DecodeFailed} */
export function requireSizes(value: unknown, rank: number, what: string): number[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  const valid = list.filter((n): n is number => typeof n === "number" && Number.isSafeInteger(n) && n > 0);
  if (list.length === rank && valid.length === rank) return valid;
  throw new DecodeFailed(`${what} is ${JSON.stringify(value)}, not ${rank} positive sizes`);
}

/** Refuses unknown fields of an object. @throws {DecodeFailed} with the name of the field */
export function requireKnown(value: unknown, known: readonly string[], what: string): void {
  for (const name of isJsonObject(value) ? Object.keys(value) : []) {
    if (!known.includes(name)) throw new DecodeFailed(`${what} has the unknown field "${name}"`);
  }
}

/** Fields of an extension point (Zarr 3 core, "Extension points"). */
export const EXTENSION_FIELDS = ["name", "configuration", "must_understand"];

/** Largest number of codecs in a list; real lists have fewer than ten. */
const MAX_CODECS = 32;

/** The codecs in a Zarr 3 list. @throws {DecodeFailed} */
export function requireCodecList(value: unknown, what: string): CodecMetadata[] {
  if (!Array.isArray(value) || value.length > MAX_CODECS) {
    throw new DecodeFailed(`${what} is not a list of at most ${MAX_CODECS} codecs`);
  }
  return value.map((entry) => {
    const name = typeof entry === "string" ? entry : entry?.name;
    if (typeof name !== "string") throw new DecodeFailed(`${what} has an entry without a name`);
    requireKnown(entry, EXTENSION_FIELDS, `${what}: "${name}"`);
    const configuration = typeof entry === "object" ? entry.configuration ?? {} : {};
    if (typeof configuration !== "object") {
      throw new DecodeFailed(`${what}: "${name}" has no configuration object`);
    }
    return { name, configuration };
  });
}
