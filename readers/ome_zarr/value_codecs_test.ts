import { deepEqual } from "node:assert/strict";
import type { SampleType } from "../reader.ts";
import { codecChain, type CodecMetadata } from "./codec_chain.ts";
import { decodeValues } from "./value_codecs.ts";

/** Two samples of `sampleType` from what is stored, little-endian. */
async function decoded(sampleType: SampleType, codecs: readonly CodecMetadata[], stored: ArrayBufferView) {
  const bytes: CodecMetadata = { name: "bytes", configuration: { endian: "little" } };
  const chain = codecChain([...codecs, bytes], { shape: [2], sampleType, what: "the array", nesting: 0 });
  const { serializer } = chain;
  if (serializer.kind !== "bytes") throw new Error("the chunk is a shard");
  const { buffer, byteOffset, byteLength } = stored;
  return await decodeValues(chain, new Uint8Array(buffer, byteOffset, byteLength), serializer, "c/0");
}

Deno.test("each codec works on samples of the type that the ones before it leave", async () => {
  // In the order of encoding. Decoded is x / scale + offset, in the type of the samples, and cast back.
  const scaleOffset = { name: "scale_offset", configuration: { scale: 2, offset: 3 } };
  const cast = { name: "cast_value", configuration: { data_type: "int64" } };
  const { bytes, sampleType } = await decoded("float64", [cast, scaleOffset], BigInt64Array.of(8n, -6n));
  deepEqual([sampleType, ...new Float64Array(bytes.slice().buffer)], ["float64", 7, 0]);
  const other = await decoded("float64", [scaleOffset, cast], BigInt64Array.of(9n, -6n));
  deepEqual([...new Float64Array(other.bytes.slice().buffer)], [7.5, 0]);
});
