import assert from "node:assert/strict";
import {
  allocatePlane,
  borrowScratch,
  convertInt64,
  convertSamples,
  convertUint64,
  SAMPLE_BYTES,
  SampleArray,
} from "./to_float32.ts";

function words(value: bigint): [number, number] {
  const bits = BigInt.asUintN(64, value);
  return [Number(bits & 0xffff_ffffn), Number(bits >> 32n)];
}

Deno.test("64-bit integers round once, to nearest even", () => {
  // float32 has 24 significant bits: between 2^60 and 2^61 its values are 2^37 apart.
  const step = 1n << 37n;
  const base = 1n << 60n;
  const cases: [bigint, bigint][] = [
    [base, base],
    [base + step / 2n, base], // a tie goes to the even neighbour
    [base + step / 2n + 1n, base + step], // one more rounds up; a double would have dropped the 1
    [base + step + step / 2n, base + 2n * step], // a tie above an odd neighbour
    [base + step + step / 2n - 1n, base + step],
    [(1n << 64n) - 1n, 1n << 64n],
    [(1n << 53n) + 1n, 1n << 53n],
  ];
  for (const [stored, expected] of cases) {
    assert.equal(convertUint64(...words(stored)), Number(expected), `${stored}`);
    if (stored < 1n << 63n) {
      assert.equal(convertInt64(...words(-stored)), -Number(expected), `-${stored}`);
    }
  }
  assert.equal(convertInt64(...words(-(1n << 63n))), -(2 ** 63));
  assert.equal(convertInt64(...words(-1n)), -1);
  assert.equal(convertInt64(...words(-(1n << 32n))), -(2 ** 32));
});

Deno.test("every type in both byte orders", () => {
  const cases = [
    ["uint8", "setUint8", [0, 255]],
    ["int8", "setInt8", [-128, 127]],
    ["uint16", "setUint16", [1, 65535]],
    ["int16", "setInt16", [-2, 32767]],
    ["uint32", "setUint32", [3, 4294967040]],
    ["int32", "setInt32", [-5, 65537]],
    ["float16", "setFloat16", [-1.5, 65504]],
    ["float32", "setFloat32", [0.5, -1e30]],
    ["float64", "setFloat64", [0.25, -3]],
  ] as const;
  for (const [type, put, values] of cases) {
    const width = SAMPLE_BYTES[type];
    for (const littleEndian of [true, false]) {
      for (const offset of [0, 1, 8]) {
        const bytes = new Uint8Array(new ArrayBuffer(offset + width * 2), offset);
        const view = new DataView(bytes.buffer, offset);
        values.forEach((value, i) => view[put](i * width, value, littleEndian));
        const plane = new Float32Array(4);
        convertSamples({ bytes, sampleType: type, littleEndian }, plane, 1);
        assert.deepEqual([...plane], [0, ...values.map(Math.fround), 0], `${type} ${littleEndian} ${offset}`);
      }
    }
  }
});

Deno.test("float64 beyond float32 becomes infinity, NaN stays, bool is 0 and 1", () => {
  const plane = new Float32Array(4);
  const bytes = new Uint8Array(Float64Array.of(1e300, -1e300, NaN, 1e-300).buffer);
  convertSamples({ bytes, sampleType: "float64", littleEndian: true }, plane, 0);
  assert.deepEqual([...plane], [Infinity, -Infinity, NaN, 0]);
  const truths = Uint8Array.of(0, 1, 255, 0);
  convertSamples({ bytes: truths, sampleType: "bool", littleEndian: true }, plane, 0);
  assert.deepEqual([...plane], [0, 1, 1, 0]);
  new SampleArray({ bytes: truths, sampleType: "bool", littleEndian: true })
    .convert({ from: 0, step: 2, count: 2 }, plane, 1);
  assert.deepEqual([...plane], [0, 0, 1, 0]);
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

Deno.test("extracts each interleaved sample in both byte orders", () => {
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

Deno.test("extracts every second interleaved sample, also from a truncated last pair", () => {
  const stored = [7, 65535, 256, 1, 40000, 3, 9];
  for (const [from, count] of [[0, 4], [1, 3], [2, 3], [3, 2], [6, 1], [0, 0]] as const) {
    // At a multiple of four bytes and between two of them.
    for (const offset of [0, 2]) {
      const bytes = new Uint8Array(new ArrayBuffer(offset + 14), offset);
      stored.forEach((value, i) => new DataView(bytes.buffer, offset).setUint16(2 * i, value, true));
      const plane = new Float32Array(6).fill(-1);
      const samples = new SampleArray({ bytes, sampleType: "uint16", littleEndian: true });
      samples.convert({ from, step: 2, count }, plane, 1);
      const expected = [-1, ...stored.slice(from).filter((_, i) => i % 2 === 0).slice(0, count)];
      assert.deepEqual([...plane], [...expected, ...new Array(6 - expected.length).fill(-1)]);
    }
  }
});

Deno.test("rejects a run beyond the samples or the plane, and accepts one that ends with them", () => {
  for (const bytes of [new Uint8Array(2000), borrowScratch(2000)]) {
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

Deno.test("clears a plane in reused memory if asked, and rejects a buffer that is too small", () => {
  const [small, large] = [new Float32Array(3).fill(7), new Float32Array(9).fill(7)];
  const buffers = [small.buffer, large.buffer];
  const plane = allocatePlane(4, buffers);
  assert.equal(plane.buffer, large.buffer);
  assert.deepEqual([...plane], [0, 0, 0, 0]);
  assert.deepEqual(buffers, [small.buffer]);
  assert.deepEqual([...allocatePlane(3, buffers, false)], [7, 7, 7]);
  assert.deepEqual([...allocatePlane(2, [])], [0, 0]);
});

const MIB = 1 << 20;

Deno.test("shares the memory of the converter for reads of up to 1 MiB only", () => {
  const shared = borrowScratch(1).buffer;
  for (const length of [0, 1, 4096, MIB]) {
    const bytes = borrowScratch(length);
    assert.equal(bytes.length, length);
    assert.equal(bytes.buffer, shared);
    assert.equal(bytes.byteOffset % 16, 0);
  }
  const long = borrowScratch(3 * MIB);
  assert.equal(long.length, 3 * MIB);
  assert.notEqual(long.buffer, shared);
  assert.equal(borrowScratch(MIB + 1).buffer, long.buffer);
  borrowScratch(1);
  assert.notEqual(borrowScratch(MIB + 1).buffer, long.buffer, "a usual read frees the long buffer");
});
