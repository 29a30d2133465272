/** Element-wise codecs (`delta`, `scale_offset`, `cast_value`, decoded by zarrita; `fixedscaleoffset`). */
import { DecodeFailed } from "../errors.ts";
import type { SampleType } from "../reader.ts";
import { SAMPLE_BYTES, swapBytes } from "../to_float32.ts";
import type { CodecConfiguration } from "./byte_codecs.ts";
import type { BytesSerializer, CodecChain } from "./codec_chain.ts";
import { isSampleType, numpyType } from "./sample_types.ts";
import { decodeScaled, type Target } from "./fixed_scale_offset.ts";

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

interface NumberChunk {
  readonly data: ArrayBufferView<ArrayBuffer> & { readonly length: number };
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
 * @throws {DecodeFailed} a configuration that zarrita refuses, or values that do not fit
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
      const plain = name.replace(/^numcodecs\./, "");
      if (plain === "fixedscaleoffset") {
        codecs.push({ name, codec: fixedScaleOffset(configuration, meta.dataType as SampleType) });
        const stored = (configuration["astype"] ?? configuration["dtype"]) as string;
        meta = { ...meta, dataType: isSampleType(stored) ? stored : numpyType(stored, name).type };
        continue;
      }
      const entry = await (registry.get(plain) ?? registry.get(`numcodecs.${plain}`))!();
      const codec = entry.fromConfig(configuration, meta as never) as unknown as ValueCodec;
      codecs.push({ name, codec });
      meta = codec.getEncodedMeta?.(meta) ?? meta;
    }
    const stride = strides(chain.shape);
    let chunk: NumberChunk = { data: typed(samples, serializer.sampleType), shape: chain.shape, stride };
    for (const { name, codec } of codecs.toReversed()) {
      codecName = name;
      chunk = codec.decode(chunk);
    }
    const { buffer, byteOffset, byteLength } = chunk.data;
    const expected = bytes.length / SAMPLE_BYTES[serializer.sampleType] * SAMPLE_BYTES[chain.arrayType];
    if (byteLength !== expected) throw new Error(`${byteLength} bytes, ${expected} are needed`);
    return { bytes: new Uint8Array(buffer, byteOffset, byteLength), sampleType: chain.arrayType };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DecodeFailed(`chunk "${name}" cannot be decoded by "${codecName}": ${reason}`, { cause });
  }
}

function fixedScaleOffset(configuration: CodecConfiguration, targetType: SampleType): ValueCodec {
  return {
    decode(chunk) {
      const target = new ARRAYS[targetType as Exclude<SampleType, "bool">](chunk.data.length);
      const stored = chunk.data as unknown as ArrayLike<number>;
      decodeScaled(stored, typeOfArray(chunk.data), configuration, targetType, target as Target);
      return { ...chunk, data: target };
    },
  };
}

const typeOfArray = (data: unknown): SampleType =>
  (Object.keys(ARRAYS) as (keyof typeof ARRAYS)[]).find((type) => data instanceof ARRAYS[type])!;

function typed(bytes: Uint8Array<ArrayBuffer>, type: SampleType) {
  if (type === "bool") throw new Error("the codec does not take truth values");
  return new ARRAYS[type](bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length / SAMPLE_BYTES[type]);
}

function strides(shape: readonly number[]): number[] {
  const result = new Array<number>(shape.length);
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    result[axis] = step;
    step *= shape[axis]!;
  }
  return result;
}
