/**
 * Conversion of stored samples to float32: round-to-nearest-even in one step from the stored value; overflow
 * becomes infinity, NaN stays NaN.
 */
import type { SampleType } from "./reader.ts";

/** Bytes of one stored sample. */
export const SAMPLE_BYTES: Record<SampleType, number> = {
  bool: 1,
  uint8: 1,
  uint16: 2,
  uint32: 4,
  uint64: 8,
  int8: 1,
  int16: 2,
  int32: 4,
  int64: 8,
  float16: 2,
  float32: 4,
  float64: 8,
};

/**
 * Converts stored samples and writes them into a plane.
 *
 * @param bytes `count` samples, packed; big-endian ones are swapped in place, so the array must be scratch
 * @param sampleType how to read them; `bool` as 0 and 1 for a byte of 0 and any other
 * @param littleEndian byte order of `bytes`
 * @param target float32 plane
 * @param at index in `target` of the first sample
 */
export function convertSamples(
  bytes: Uint8Array,
  sampleType: SampleType,
  littleEndian: boolean,
  target: Float32Array,
  at: number,
): void {
  const width = SAMPLE_BYTES[sampleType];
  const count = bytes.length / width;
  if (!littleEndian && width > 1) swapBytes(bytes, width);
  // Typed views need an aligned start.
  const aligned = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  const { buffer, byteOffset: from } = aligned;
  switch (sampleType) {
    case "bool":
      for (let i = 0; i < count; i += 1) target[at + i] = aligned[i] === 0 ? 0 : 1;
      return;
    case "uint8":
      return target.set(aligned, at);
    case "int8":
      return target.set(new Int8Array(buffer, from, count), at);
    case "uint16":
      return target.set(new Uint16Array(buffer, from, count), at);
    case "int16":
      return target.set(new Int16Array(buffer, from, count), at);
    case "uint32":
      return target.set(new Uint32Array(buffer, from, count), at);
    case "int32":
      return target.set(new Int32Array(buffer, from, count), at);
    case "float16":
      return target.set(new Float16Array(buffer, from, count), at);
    case "float32":
      return target.set(new Float32Array(buffer, from, count), at);
    case "float64":
      return target.set(new Float64Array(buffer, from, count), at);
    case "uint64": {
      const words = new Uint32Array(buffer, from, count * 2);
      for (let i = 0; i < count; i += 1) target[at + i] = uint64ToFloat32(words[2 * i]!, words[2 * i + 1]!);
      return;
    }
    case "int64": {
      const words = new Uint32Array(buffer, from, count * 2);
      for (let i = 0; i < count; i += 1) target[at + i] = int64ToFloat32(words[2 * i]!, words[2 * i + 1]!);
      return;
    }
  }
}

/**
 * Nearest float32 of an unsigned 64-bit integer given as two 32-bit words. Going through a double would round
 * twice; from 2^53 on, the lowest 11 bits are folded into one sticky bit, which leaves 53 bits: the double is
 * exact and only the store into float32 rounds.
 */
export function uint64ToFloat32(low: number, high: number): number {
  if (high < 0x200000) return Math.fround(high * 0x1_0000_0000 + low);
  const kept = (low & ~0x7ff) >>> 0;
  const sticky = (low & 0x7ff) === 0 ? 0 : 0x800;
  return Math.fround(high * 0x1_0000_0000 + ((kept | sticky) >>> 0));
}

/** Nearest float32 of a signed 64-bit integer given as two 32-bit words. */
export function int64ToFloat32(low: number, high: number): number {
  if (high < 0x8000_0000) return uint64ToFloat32(low, high);
  const negatedLow = (~low + 1) >>> 0;
  const negatedHigh = (~high + (low === 0 ? 1 : 0)) >>> 0;
  return -uint64ToFloat32(negatedLow, negatedHigh);
}

/** Reverses the byte order of each `width`-byte word in place. */
export function swapBytes(bytes: Uint8Array, width: number): void {
  if (width === 2 && bytes.byteOffset % 2 === 0) {
    const words = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
    for (let i = 0; i < words.length; i += 1) {
      const w = words[i]!;
      words[i] = (w << 8) | (w >> 8);
    }
    return;
  }
  if (width === 4 && bytes.byteOffset % 4 === 0) {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    for (let i = 0; i < words.length; i += 1) {
      const w = words[i]!;
      words[i] = (w << 24) | ((w & 0xff00) << 8) | ((w >>> 8) & 0xff00) | (w >>> 24);
    }
    return;
  }
  for (let start = 0; start + width <= bytes.length; start += width) {
    for (let a = start, b = start + width - 1; a < b; a += 1, b -= 1) {
      const byte = bytes[a]!;
      bytes[a] = bytes[b]!;
      bytes[b] = byte;
    }
  }
}
