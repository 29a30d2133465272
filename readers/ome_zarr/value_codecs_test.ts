import { deepEqual, throws } from "node:assert/strict";
import type { SampleType } from "../reader.ts";
import { type CodecMetadata, readCodecChain } from "./codec_chain.ts";
import { decodeScaled, decodeValues } from "./value_codecs.ts";

/** Two samples of `sampleType` from what is stored, little-endian. */
async function decoded(sampleType: SampleType, codecs: readonly CodecMetadata[], stored: ArrayBufferView) {
  const bytes: CodecMetadata = { name: "bytes", configuration: { endian: "little" } };
  const chain = readCodecChain([...codecs, bytes], { shape: [2], sampleType, what: "the array" });
  const { serializer } = chain;
  if (serializer.kind !== "bytes") throw new Error("the chunk is a shard");
  const { buffer, byteOffset, byteLength } = stored;
  return await decodeValues(chain, new Uint8Array(buffer, byteOffset, byteLength), serializer, "c/0");
}

Deno.test("applies each codec to the sample type that the previous codecs leave", async () => {
  // In the order of encoding. Decoded is x / scale + offset, in the type of the samples, and cast back.
  const scaleOffset = { name: "scale_offset", configuration: { scale: 2, offset: 3 } };
  const cast = { name: "cast_value", configuration: { data_type: "int64" } };
  const { bytes, sampleType } = await decoded("float64", [cast, scaleOffset], BigInt64Array.of(8n, -6n));
  deepEqual([sampleType, ...new Float64Array(bytes.slice().buffer)], ["float64", 7, 0]);
  const other = await decoded("float64", [scaleOffset, cast], BigInt64Array.of(9n, -6n));
  deepEqual([...new Float64Array(other.bytes.slice().buffer)], [7.5, 0]);
});

const ARRAYS = { uint8: Uint8Array, uint16: Uint16Array, int16: Int16Array, int32: Int32Array };
const FLOATS = { float16: Float16Array, float32: Float32Array, float64: Float64Array };
const TYPES = { ...ARRAYS, ...FLOATS, int64: BigInt64Array };

/** Decoded by `numcodecs.FixedScaleOffset(offset, scale, dtype, astype).decode` (numcodecs 0.16, NumPy 2.4). */
const DECODED: [SampleType, keyof typeof TYPES, number, number, (number | bigint)[], number[]][] = [
  ["float32", "float32", 3, 5.5, [1, -7.25, 1e10, 0.1], [
    5.833333492279053,
    3.0833332538604736,
    3333333248,
    5.5333333015441895,
  ]],
  ["float16", "float16", 3, 5.5, [1, -7.25, 100.5, 0.1], [5.83203125, 3.083984375, 39, 5.53515625]],
  ["float32", "float64", 0.1, 5.3, [1, -7.25, 0.1], [
    15.300000190734863,
    -67.19999694824219,
    6.300000190734863,
  ]],
  ["uint8", "float32", 3, 0.7, [1, 255, 77], [1.0333333015441895, 85.69999694824219, 26.366666793823242]],
  ["int16", "float32", 0.1, -3, [-7, 32767], [-73, 327667]],
  ["uint16", "float64", 7, 0.1, [1, 65535], [0.24285714285714285, 9362.242857142857]],
  ["int32", "int16", 3, 0.5, [-7, 7, 98300], [-1, 2, 32767]],
  ["float64", "uint8", 3, 0.1, [7, 700], [2, 233]],
  ["uint16", "int64", 0.001, 1, [65535], [65535001]],
  ["int64", "float64", 3, 1, [9007199254740993n], [3002399751580331.5]],
];

const scaled = (type: string, target: keyof typeof TYPES, values: unknown[], scale = 1, offset = 0) => {
  const stored = new TYPES[type as "uint8"](values as number[]);
  return Array.from(decodeScaled(stored, { scale, offset }, target), Number);
};

Deno.test("fixedscaleoffset decodes as numcodecs does", () => {
  for (const [type, target, scale, offset, values, expected] of DECODED) {
    deepEqual(scaled(type, target, values, scale, offset), expected, `${type} to ${target}`);
  }
});

Deno.test("fixedscaleoffset rejects samples that do not fit their type", () => {
  deepEqual(scaled("float64", "uint8", [255.9]), [255]);
  for (const value of [256, -1, NaN, Infinity]) {
    throws(() => scaled("float64", "uint8", [value]), /does not fit uint8/);
  }
  // Two's complement of n bits: -(2 ** (n - 1)) to 2 ** (n - 1) - 1.
  for (const [type, bits] of [["int16", 16], ["int32", 32]] as const) {
    const edge = 2 ** (bits - 1);
    deepEqual(scaled("float64", type, [-edge, edge - 1]), [-edge, edge - 1]);
    for (const value of [-edge - 1, edge]) {
      throws(() => scaled("float64", type, [value]), /sample 0 of -?\d+ does not fit/);
    }
  }
});
