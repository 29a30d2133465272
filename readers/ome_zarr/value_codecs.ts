/** Element-wise codecs: `delta`, `scale_offset` and `cast_value` by zarrita, and `fixedscaleoffset` of numcodecs. */
import { DecodeFailed } from "../errors.ts";
import type { SampleType } from "../reader.ts";
import { ARRAYS, isSampleType, SAMPLE_BYTES, swapBytes } from "../samples/to_float32.ts";
import { type CodecConfiguration, dropNumcodecs } from "./byte_codecs.ts";
import type { BytesSerializer, CodecChain } from "./codec_chain.ts";
import { parseNumpyType } from "./sample_types.ts";

/** A sample type other than `bool`. */
export type NumberType = Exclude<SampleType, "bool">;

/** Samples of such a type. */
export type NumberArray = InstanceType<(typeof ARRAYS)[NumberType]>;

/** A codec of zarrita, whose chunks carry their layout. */
interface ZarritaCodec {
  decode(chunk: { readonly data: NumberArray; readonly shape: number[]; readonly stride: number[] }): {
    readonly data: NumberArray;
  };
  getEncodedMeta?(meta: CodecInput): CodecInput;
}

interface CodecInput {
  readonly dataType: string;
  readonly shape: number[];
  readonly codecs: never[];
  readonly fillValue: null;
}

/**
 * Undoes the element-wise codecs of a chunk.
 *
 * @param bytes all samples as stored
 * @returns the samples in little-endian order and their type, which is that of the array
 * @throws {DecodeFailed} a configuration that zarrita refuses, or values that do not fit their type
 */
export async function decodeValues(
  { arrayType, shape: chunkShape, valueCodecs }: CodecChain,
  bytes: Uint8Array,
  { sampleType, littleEndian }: BytesSerializer,
  name: string,
): Promise<{ bytes: Uint8Array; sampleType: SampleType }> {
  const { registry } = await import("zarrita");
  const samples = bytes.slice();
  if (!littleEndian) swapBytes(samples, SAMPLE_BYTES[sampleType]);
  const shape = [...chunkShape];
  // Distance between neighbours along each axis in C order, in samples.
  const stride = shape.map((_, axis) => shape.slice(axis + 1).reduce((step, size) => step * size, 1));
  let running = "";
  try {
    let meta: CodecInput = { dataType: arrayType, shape, codecs: [], fillValue: null };
    const steps: { readonly codec: string; decode(data: NumberArray): NumberArray }[] = [];
    for (const { name: codec, configuration } of valueCodecs) {
      running = codec;
      const plain = dropNumcodecs(codec);
      if (plain === "fixedscaleoffset") {
        const type = findNumberType(meta.dataType);
        steps.push({ codec, decode: (data) => decodeScaled(data, configuration, type) });
        const stored = configuration["astype"] ?? configuration["dtype"];
        meta = { ...meta, dataType: isSampleType(stored) ? stored : parseNumpyType(stored, codec).type };
        continue;
      }
      const entry = await (registry.get(plain) ?? registry.get(`numcodecs.${plain}`))?.();
      if (!entry) throw new Error("the codec is unknown");
      const made = entry.fromConfig(configuration, meta as never) as unknown as ZarritaCodec;
      steps.push({ codec, decode: (data) => made.decode({ data, shape, stride }).data });
      meta = made.getEncodedMeta?.(meta) ?? meta;
    }
    const Stored = ARRAYS[findNumberType(sampleType)];
    let data: NumberArray = new Stored(samples.buffer, 0, samples.length / Stored.BYTES_PER_ELEMENT);
    for (const { codec, decode } of steps.toReversed()) {
      running = codec;
      data = decode(data);
    }
    const expected = bytes.length / SAMPLE_BYTES[sampleType] * SAMPLE_BYTES[arrayType];
    if (data.byteLength !== expected) throw new Error(`${data.byteLength} bytes instead of ${expected}`);
    return { bytes: new Uint8Array(data.buffer, data.byteOffset, expected), sampleType: arrayType };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DecodeFailed(`chunk "${name}" cannot be decoded by "${running}": ${reason}`, { cause });
  }
}

function findNumberType(name: string): NumberType {
  if (isSampleType(name) && name !== "bool") return name;
  throw new Error("the codec does not take Booleans");
}

/**
 * Undoes `fixedscaleoffset`, which stores `(sample - offset) * scale` rounded, as NumPy does: integers in float64,
 * floats in their own type, each step rounded, and integers cut towards zero at the end.
 *
 * @param configuration numbers `scale` and `offset`
 * @param type of the decoded samples
 * @throws {Error} a sample does not fit its type, for which NumPy defines no result
 */
export function decodeScaled(
  stored: ArrayLike<number | bigint>,
  { scale, offset }: CodecConfiguration,
  type: NumberType,
): NumberArray {
  const decoded = new ARRAYS[type](stored.length);
  const round = stored instanceof Float16Array
    ? Math.f16round
    : stored instanceof Float32Array
    ? Math.fround
    : Number;
  const [divisor, summand] = [round(Number(scale)), round(Number(offset))];
  const isFloat = type.startsWith("float");
  const isLong = type === "int64" || type === "uint64";
  for (let i = 0; i < stored.length; i += 1) {
    const value = round(round(Number(stored[i]) / divisor) + summand);
    const whole = isFloat ? value : Math.trunc(value);
    if (!isLong) decoded[i] = whole;
    else if (Number.isFinite(whole)) decoded[i] = BigInt(whole);
    // Integers that do not fit wrap around.
    if (!isFloat && Number(decoded[i]) !== whole) {
      throw new Error(`sample ${i} of ${value} does not fit ${type}`);
    }
  }
  return decoded;
}
