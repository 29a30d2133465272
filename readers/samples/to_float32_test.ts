import assert from "node:assert/strict";
import { scratchBytes } from "../io/scratch.ts";
import { convertSamples, newPlane, SAMPLE_BYTES, SampleArray } from "./to_float32.ts";

Deno.test("every type in both byte orders", () => {
  const cases = [
    ["uint8", (v: DataView, at: number, x: number) => v.setUint8(at, x), 1, [0, 255]],
    ["int8", (v: DataView, at: number, x: number) => v.setInt8(at, x), 1, [-128, 127]],
    ["uint16", (v: DataView, at: number, x: number, le: boolean) => v.setUint16(at, x, le), 2, [1, 65535]],
    ["int16", (v: DataView, at: number, x: number, le: boolean) => v.setInt16(at, x, le), 2, [-2, 32767]],
    ["uint32", (v: DataView, at: number, x: number, le: boolean) => v.setUint32(at, x, le), 4, [
      3,
      4294967040,
    ]],
    ["int32", (v: DataView, at: number, x: number, le: boolean) => v.setInt32(at, x, le), 4, [-5, 65537]],
    ["float16", (v: DataView, at: number, x: number, le: boolean) => v.setFloat16(at, x, le), 2, [
      -1.5,
      65504,
    ]],
    ["float32", (v: DataView, at: number, x: number, le: boolean) => v.setFloat32(at, x, le), 4, [
      0.5,
      -1e30,
    ]],
    ["float64", (v: DataView, at: number, x: number, le: boolean) => v.setFloat64(at, x, le), 8, [0.25, -3]],
  ] as const;
  for (const [type, put, width, values] of cases) {
    for (const littleEndian of [true, false]) {
      for (const offset of [0, 1, 8]) {
        const bytes = new Uint8Array(new ArrayBuffer(offset + width * 2), offset);
        const view = new DataView(bytes.buffer, offset);
        values.forEach((value, i) => put(view, i * width, value, littleEndian));
        const plane = new Float32Array(4);
        convertSamples({ bytes, sampleType: type, littleEndian }, plane, 1);
        assert.deepEqual([...plane], [0, ...values.map(Math.fround), 0], `${type} ${littleEndian} ${offset}`);
      }
    }
  }
});

/** Two pixels of three samples (1, 2, 3) and (4, 5, 6) with the highest byte of each first, and the 64-bit ones signed. */
const INTERLEAVED = [
  ["uint8", [1, 2, 3, 4, 5, 6]],
  ["int16", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6]],
  ["float32", [
    ...[0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0x40, 0x40, 0, 0],
    ...[0x40, 0x80, 0, 0, 0x40, 0xa0, 0, 0, 0x40, 0xc0, 0, 0],
  ]],
  ["int64", [1, 2, 3, 4, 5, 6].flatMap((value) => [0, 0, 0, 0, 0, 0, 0, value])],
] as const;

Deno.test("each of some interleaved samples is taken out, in both byte orders", () => {
  for (const [sampleType, bigEndian] of INTERLEAVED) {
    const width = bigEndian.length / 6;
    const reversed = bigEndian.map((_, i) => bigEndian[i - i % width + width - 1 - i % width]!);
    for (const littleEndian of [false, true]) {
      for (const offset of [0, 1]) {
        const bytes = new Uint8Array(offset + bigEndian.length).subarray(offset);
        bytes.set(littleEndian ? reversed : bigEndian);
        const samples = new SampleArray({ bytes, sampleType, littleEndian });
        const plane = new Float32Array(8);
        for (const [from, at] of [[2, 0], [0, 2], [1, 4]] as const) {
          samples.convert({ from, step: 3, count: 2 }, plane, at);
        }
        samples.convert({ from: 4, step: 1, count: 2 }, plane, 6);
        assert.deepEqual([...plane], [3, 6, 1, 4, 2, 5, 5, 6], `${sampleType} ${littleEndian} ${offset}`);
      }
    }
  }
});

Deno.test("a run that reaches beyond the samples or the plane is refused, and one that ends with them is not", () => {
  for (const bytes of [new Uint8Array(2000), scratchBytes(2000)]) {
    for (const sampleType of ["uint16", "bool", "int64", "float16"] as const) {
      const held = 2000 / SAMPLE_BYTES[sampleType];
      const samples = new SampleArray({ bytes, sampleType, littleEndian: true });
      const plane = new Float32Array(held);
      samples.convert({ from: 0, step: 1, count: held }, plane, 0);
      samples.convert({ from: 1, step: 2, count: held / 2 }, plane, held / 2);
      samples.convert({ from: held, step: 1, count: 0 }, plane, 0);
      assert.throws(() => samples.convert({ from: 1, step: 1, count: held }, plane, 0), RangeError);
      assert.throws(() => samples.convert({ from: 2, step: 2, count: held / 2 }, plane, 0), RangeError);
      assert.throws(() => samples.convert({ from: 0, step: 1, count: held }, plane, 1), RangeError);
    }
  }
});

Deno.test("a plane in used memory is cleared where asked, and takes no buffer that is too small", () => {
  const [small, large] = [new Float32Array(3).fill(7), new Float32Array(9).fill(7)];
  const buffers = [small.buffer, large.buffer];
  const plane = newPlane(4, buffers);
  assert.equal(plane.buffer, large.buffer);
  assert.deepEqual([...plane], [0, 0, 0, 0]);
  assert.deepEqual(buffers, [small.buffer]);
  assert.deepEqual([...newPlane(3, buffers, false)], [7, 7, 7]);
  assert.deepEqual([...newPlane(2, [])], [0, 0]);
});
