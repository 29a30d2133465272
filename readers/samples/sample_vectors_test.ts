import assert from "node:assert/strict";
import { scratchBytes } from "../io/scratch.ts";
import { convertByVectors, SampleArray, swapByVectors } from "./to_float32.ts";

/** How a `DataView` reads each type that has vectors. */
const READ = {
  uint8: (view: DataView, at: number) => view.getUint8(at),
  uint16: (view: DataView, at: number, littleEndian: boolean) => view.getUint16(at, littleEndian),
  int16: (view: DataView, at: number, littleEndian: boolean) => view.getInt16(at, littleEndian),
  float32: (view: DataView, at: number, littleEndian: boolean) => view.getFloat32(at, littleEndian),
} as const;

const WIDTH = { uint8: 1, uint16: 2, int16: 2, float32: 4 } as const;

Deno.test("runs of any length, from any place on, in both byte orders, read there or elsewhere", () => {
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
      ? scratchBytes(length + offset).subarray(offset)
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

Deno.test("what has no vectors is left alone", () => {
  const target = new Float32Array(300);
  const run = { from: 0, step: 1, count: 300 };
  const here = scratchBytes(3000).fill(1);
  for (const sampleType of ["bool", "int8", "uint32", "float16", "float32", "float64"] as const) {
    assert.equal(convertByVectors({ bytes: here, sampleType }, run, target, 0), false, sampleType);
  }
  assert.equal(
    convertByVectors({ bytes: here, sampleType: "uint16" }, { ...run, step: 3 }, target, 0),
    false,
  );
  assert.equal(convertByVectors({ bytes: here, sampleType: "int16" }, { ...run, step: 2 }, target, 0), false);
  const few = { bytes: new Uint8Array(510).fill(1), sampleType: "uint16" } as const;
  assert.equal(convertByVectors(few, { ...run, count: 255 }, target, 0), false);
  assert(target.every((sample) => sample === 0));
  const elsewhere = Uint8Array.of(1, 2, 3, 4);
  assert.equal(swapByVectors(elsewhere, 2), false);
  assert.equal(swapByVectors(here.subarray(0, 16), 8), false);
  assert.deepEqual([...elsewhere], [1, 2, 3, 4]);
});

Deno.test("bytes are reversed within their words and nowhere else", () => {
  for (const width of [2, 4]) {
    for (let length = 0; length <= 72; length += width) {
      const all = scratchBytes(96);
      all.forEach((_, i) => all[i] = i);
      assert.equal(swapByVectors(all.subarray(8, 8 + length), width), true);
      const expected = all.map((_, i) =>
        i < 8 || i >= 8 + length ? i : i - i % width + width - 1 - i % width
      );
      assert.deepEqual([...all], [...expected], `${length} of ${width}`);
    }
  }
});
