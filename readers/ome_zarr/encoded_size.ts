/** How many bytes the encoded forms of chunks and shards may have, so that no damaged size makes a reader allocate more. */
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { type CodecChain, MAX_CHUNK_BYTES } from "./codec_chain.ts";

/** Encoded chunks may be a little longer than decoded ones: headers, incompressible data, checksums. */
export const MAX_ENCODED_BYTES: number = MAX_CHUNK_BYTES + (MAX_CHUNK_BYTES >> 3);

/** What headers and checksums of some codecs may add to an inner chunk. */
const INNER_OVERHEAD = 1024;

/** Most bytes that a compressor makes of so many: incompressible data grow a little. */
export const looseBound = (bytes: number): number => bytes + (bytes >> 3) + 65_536;

/** Largest encoded form of one chunk, or of one shard without gaps. */
export function encodedBound({ serializer, shape, arrayType }: CodecChain): number {
  if (serializer.kind === "bytes") return Math.min(looseBound(serializer.size), MAX_ENCODED_BYTES);
  const samples = shape.reduce((product, n) => product * n, 1);
  const chunks = serializer.grid.reduce((product, n) => product * n, 1);
  const bytes = samples * SAMPLE_BYTES[arrayType] + serializer.indexSize + INNER_OVERHEAD * chunks;
  return Math.min(Math.ceil(bytes * 1.125) + 65_536, MAX_ENCODED_BYTES);
}
