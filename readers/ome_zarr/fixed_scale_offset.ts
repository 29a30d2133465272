/**
 * `fixedscaleoffset` of numcodecs: samples were stored as `(sample - offset) * scale`, rounded. Undone as NumPy does it:
 * integers in float64, floats in their own type, each step rounded, and integers cut towards zero at the end.
 */
import type { SampleType } from "../reader.ts";
import type { CodecConfiguration } from "./byte_codecs.ts";

/** Samples of one type, in an array that is read or one that takes them. */
export interface TypedSamples<Values> {
  /** Type of the samples. */
  readonly sampleType: SampleType;
  /** One number each. */
  readonly values: Values;
}

const ROUND: Partial<Record<SampleType, (value: number) => number>> = {
  float16: Math.f16round,
  float32: Math.fround,
};

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

/**
 * Decodes samples into `target`.
 *
 * @param configuration numbers `scale` and `offset`
 * @throws {Error} a sample does not fit its type, of which NumPy does not say what it becomes
 */
export function decodeScaled(
  stored: TypedSamples<ArrayLike<number | bigint>>,
  { scale, offset }: CodecConfiguration,
  { sampleType, values: target }: TypedSamples<{ [index: number]: number | bigint }>,
): void {
  const round = ROUND[stored.sampleType] ?? ((value: number) => value);
  const [divisor, summand] = [round(Number(scale)), round(Number(offset))];
  const range = RANGES[sampleType];
  const wide = sampleType === "int64" || sampleType === "uint64";
  for (let i = 0; i < stored.values.length; i += 1) {
    const value = round(round(Number(stored.values[i]) / divisor) + summand);
    if (!range) {
      target[i] = value;
      continue;
    }
    const whole = Math.trunc(value);
    if (!(whole >= range[0] && whole <= range[1])) {
      throw new Error(`sample ${i} is ${value}, no ${sampleType}`);
    }
    target[i] = wide ? BigInt(whole) : whole;
  }
}
