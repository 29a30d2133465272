import assert from "node:assert/strict";
import { borrowScratch, SampleArray, swapBytes } from "./to_float32.ts";

/** How a `DataView` reads each type that has vectors. */
const READ = {
  uint8: (view: DataView, at: number) => view.getUint8(at),
  uint16: (view: DataView, at: number, littleEndian: boolean) => view.getUint16(at, littleEndian),
  int16: (view: DataView, at: number, littleEndian: boolean) => view.getInt16(at, littleEndian),
  float32: (view: DataView, at: number, littleEndian: boolean) => view.getFloat32(at, littleEndian),
} as const;

const WIDTH = { uint8: 1, uint16: 2, int16: 2, float32: 4 } as const;

Deno.test("converts runs of any length and offset in both byte orders, in place or elsewhere", () => {
  let state = 7;
  // Of the lowest bits, which repeat after a few numbers, types and counts would always meet in the same pairs.
  const below = (end: number) => ((state = Math.imul(state, 1103515245) + 12345 >>> 0) >>> 12) % end;
  // Blocks have 16 384 samples, vectors up to 16, and 256 samples are enough to be copied to the vectors.
  const counts = [0, 1, 7, 8, 9, 15, 16, 17, 255, 256, 257, 1000, 16_383, 16_384, 16_385, 40_000];
  for (let round = 0; round < 600; round += 1) {
    const type = (["uint8", "uint16", "int16", "float32"] as const)[below(4)]!;
    const littleEndian = below(2) === 0;
    const [count, from, step] = [counts[below(counts.length)]!, below(5), 1 + below(3)];
    const width = WIDTH[type];
    const length = (from + count * step) * width;
    const offset = below(200);
    const bytes = below(2) === 0
      ? borrowScratch(length + offset).subarray(offset)
      : new Uint8Array(offset + length).subarray(offset);
    for (let i = 0; i < length; i += 1) bytes[i] = below(256);
    const view = new DataView(bytes.slice().buffer);
    const expected = Array.from(
      { length: count },
      (_, i) => READ[type](view, (from + i * step) * width, littleEndian),
    );
    const plane = new Float32Array(count + 2).fill(-1);
    new SampleArray({ bytes, sampleType: type, littleEndian }).convert({ from, step, count }, plane, 1);
    // As numbers: one NaN may have other bits than another.
    assert.deepEqual([...plane], [-1, ...expected, -1], `${type} ${count} x ${step} + ${from}`);
  }
});

Deno.test("reverses bytes within their words and nowhere else", () => {
  const rest = 4 * 16_384 + 72;
  for (const memory of [borrowScratch, (length: number) => new Uint8Array(length)]) {
    for (const width of [2, 4, 8]) {
      for (const length of [0, ...Array.from({ length: 9 }, (_, i) => 8 * (i + 1)), 4, 68, rest]) {
        const words = length - length % width;
        const all = memory(words + 16);
        all.forEach((_, i) => all[i] = i);
        swapBytes(all.subarray(8, 8 + words), width);
        const expected = all.map((_, i) =>
          i < 8 || i >= 8 + words ? i : i - i % width + width - 1 - i % width
        );
        assert.deepEqual(all, expected, `${words} of ${width}`);
      }
    }
  }
});
