/** Element-wise codecs: `delta`, `scale_offset` and `cast_value` by zarrita, and `fixedscaleoffset` of numcodecs. */
import { DecodeFailed } from "../errors.ts";
import type { SampleType } from "../reader.ts";
import { isSampleType, SAMPLE_BYTES, swapBytes } from "../samples/to_float32.ts";
import { type CodecConfiguration, plainName } from "./byte_codecs.ts";
import type { BytesSerializer, CodecChain } from "./codec_chain.ts";
import { numpyType } from "./sample_types.ts";

const ARRAYS = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float16: Float16Array,
  float32: Float32Array,
  float64: Float64Array,
};

type NumberType = keyof typeof ARRAYS;

type NumberArray = InstanceType<typeof ARRAYS[NumberType]>;

/** A chunk as zarrita hands it around. */
interface NumberChunk {
  readonly data: NumberArray;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
}

interface ValueCodec {
  decode(chunk: NumberChunk): NumberChunk;
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
  chain: CodecChain,
  bytes: Uint8Array,
  serializer: BytesSerializer,
  name: string,
): Promise<{ bytes: Uint8Array; sampleType: SampleType }> {
  const { registry } = await import("zarrita");
  const samples = bytes.slice();
  if (!serializer.littleEndian) swapBytes(samples, SAMPLE_BYTES[serializer.sampleType]);
  let codecName = "";
  try {
    let meta: CodecInput = {
      dataType: chain.arrayType,
      shape: [...chain.shape],
      codecs: [],
      fillValue: null,
    };
    const codecs: { name: string; codec: ValueCodec }[] = [];
    for (const { name, configuration } of chain.valueCodecs) {
      codecName = name;
      const plain = plainName(name);
      if (plain === "fixedscaleoffset") {
        codecs.push({ name, codec: fixedScaleOffset(configuration, numberType(meta.dataType)) });
        const stored = configuration["astype"] ?? configuration["dtype"];
        meta = { ...meta, dataType: isSampleType(stored) ? stored : numpyType(stored, name).type };
        continue;
      }
      const entry = await (registry.get(plain) ?? registry.get(`numcodecs.${plain}`))?.();
      if (!entry) throw new Error("the codec is unknown");
      const codec = entry.fromConfig(configuration, meta as never) as unknown as ValueCodec;
      codecs.push({ name, codec });
      meta = codec.getEncodedMeta?.(meta) ?? meta;
    }
    const stride = strides(chain.shape);
    const stored = ARRAYS[numberType(serializer.sampleType)];
    const data = new stored(samples.buffer, samples.byteOffset, samples.length / stored.BYTES_PER_ELEMENT);
    let chunk: NumberChunk = { data, shape: chain.shape, stride };
    for (const { name, codec } of codecs.toReversed()) {
      codecName = name;
      chunk = codec.decode(chunk);
    }
    const { buffer, byteOffset, byteLength } = chunk.data;
    const expected = bytes.length / SAMPLE_BYTES[serializer.sampleType] * SAMPLE_BYTES[chain.arrayType];
    if (byteLength !== expected) throw new Error(`${byteLength} bytes instead of ${expected}`);
    return { bytes: new Uint8Array(buffer, byteOffset, byteLength), sampleType: chain.arrayType };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DecodeFailed(`chunk "${name}" cannot be decoded by "${codecName}": ${reason}`, { cause });
  }
}

function fixedScaleOffset(configuration: CodecConfiguration, target: NumberType): ValueCodec {
  return {
    decode(chunk) {
      const data = new ARRAYS[target](chunk.data.length);
      decodeScaled(chunk.data, configuration, { sampleType: target, values: data });
      return { ...chunk, data };
    },
  };
}

const isNumberType = (name: string): name is NumberType => Object.hasOwn(ARRAYS, name);

function numberType(name: string): NumberType {
  if (!isNumberType(name)) throw new Error("the codec does not take Booleans");
  return name;
}

/** Distance between neighbours along each axis in C order, in samples. */
function strides(shape: readonly number[]): number[] {
  let step = 1;
  return shape.toReversed().map((size) => {
    const stride = step;
    step *= size;
    return stride;
  }).reverse();
}

/** Smallest and largest integer of the types, as doubles hold them. */
const RANGES: Partial<Record<SampleType, readonly [number, number]>> = {
  uint8: [0, 255],
  uint16: [0, 65_535],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 64 - 2 ** 11],
  int8: [-128, 127],
  int16: [-32_768, 32_767],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63 - 2 ** 10],
};

/** Decoded samples of one type. */
export interface TypedSamples {
  /** Type of the samples. */
  readonly sampleType: SampleType;
  /** Array that takes them. */
  readonly values: { [index: number]: number | bigint };
}

/**
 * Undoes `fixedscaleoffset`, which stores `(sample - offset) * scale` rounded, as NumPy does: integers in float64,
 * floats in their own type, each step rounded, and integers cut towards zero at the end.
 *
 * @param configuration numbers `scale` and `offset`
 * @throws {Error} a sample does not fit its type, for which NumPy defines no result
 */
export function decodeScaled(
  stored: ArrayLike<number | bigint>,
  { scale, offset }: CodecConfiguration,
  { sampleType, values: target }: TypedSamples,
): void {
  const round = stored instanceof Float16Array
    ? Math.f16round
    : stored instanceof Float32Array
    ? Math.fround
    : Number;
  const [divisor, summand] = [round(Number(scale)), round(Number(offset))];
  const range = RANGES[sampleType];
  const wide = sampleType === "int64" || sampleType === "uint64";
  for (let i = 0; i < stored.length; i += 1) {
    const value = round(round(Number(stored[i]) / divisor) + summand);
    if (!range) {
      target[i] = value;
      continue;
    }
    const whole = Math.trunc(value);
    if (!(whole >= range[0] && whole <= range[1])) {
      throw new Error(`sample ${i} of ${value} does not fit ${sampleType}`);
    }
    target[i] = wide ? BigInt(whole) : whole;
  }
}
