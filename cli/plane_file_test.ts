import assert from "node:assert/strict";
import type { SampleType } from "../readers/reader.ts";
import { type PlaneFormat, writePlaneFile } from "./plane_file.ts";

async function written(
  samples: number[],
  columns: number,
  sampleType: SampleType,
  format: PlaneFormat,
  count: number | null = null,
) {
  const bytes = new Uint8Array(new Float32Array(samples).buffer);
  async function* parts() {
    // Two parts, as a plane comes in several.
    yield await Promise.resolve(bytes.subarray(0, 4));
    yield bytes.subarray(4);
  }
  const plane = { count, rows: samples.length / columns / (count ?? 1), columns, sampleType, parts };
  const file: number[] = [];
  for await (const part of writePlaneFile(plane, format)) file.push(...part);
  return Uint8Array.from(file);
}

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);

Deno.test("writes the NEP 1 header before the samples in npy", async () => {
  const file = await written([1, 2, 3, 4, 5, 6], 3, "uint8", "npy");
  assert.equal(latin1(file.subarray(0, 8)), "\x93NUMPY\x01\x00");
  const length = new DataView(file.buffer).getUint16(8, true);
  assert.equal((10 + length) % 64, 0);
  assert.match(
    latin1(file.subarray(10, 10 + length)),
    /^\{'descr': '<f4', 'fortran_order': False, 'shape': \(2, 3\), \} *\n$/,
  );
  assert.deepEqual([...new Float32Array(file.slice(10 + length).buffer)], [1, 2, 3, 4, 5, 6]);
});

Deno.test("consecutive planes are an npy array of three axes", async () => {
  const file = await written([1, 2, 3, 4, 5, 6], 3, "uint8", "npy", 2);
  assert.match(latin1(file), /'shape': \(2, 1, 3\), \}/);
});

Deno.test("keeps unsigned samples in pgm, with the maximum as white", async () => {
  assert.equal(latin1(await written([0, 7, 250, 3], 2, "uint16", "pgm")), "P5\n2 2\n250\n\x00\x07\xfa\x03");
  // Above 255 two bytes a sample, the higher first (pgm(5)): 300 = 0x012c.
  assert.equal(latin1(await written([0, 300], 2, "uint16", "pgm")), "P5\n2 1\n300\n\x00\x00\x01\x2c");
  // The format takes no greatest value of 0.
  assert.equal(latin1(await written([0, 0], 1, "bool", "pgm")), "P5\n1 2\n1\n\x00\x00");
});

Deno.test("scales other samples to 65536 levels in pgm", async () => {
  // 65535 levels over 2: -1 is 0, 1 is 65535 = 0xffff, 0 is 32767.5, rounded up to 0x8000.
  const file = await written([-1, 0, 1, NaN, Infinity, -Infinity], 6, "float32", "pgm");
  assert.equal(
    latin1(file),
    "P5\n# 0 is -1, 65535 is 1\n6 1\n65535\n\x00\x00\x80\x00\xff\xff\x00\x00\xff\xff\x00\x00",
  );
  assert.equal(
    latin1(await written([NaN, NaN], 2, "float32", "pgm")),
    "P5\n# 0 is 0, 65535 is 0\n2 1\n65535\n\x00\x00\x00\x00",
  );
  assert.equal(
    latin1(await written([5, 5], 2, "int32", "pgm")),
    "P5\n# 0 is 5, 65535 is 5\n2 1\n65535\n\x00\x00\x00\x00",
  );
});
