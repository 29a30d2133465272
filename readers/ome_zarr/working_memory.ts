/** What decoding a chunk takes beside the planes, from the metadata of the array. */
import { NO_WORKING_MEMORY, type WorkingMemory } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { ArrayLayout } from "./array_layout.ts";
import type { CodecChain } from "./codec_chain.ts";
import { encodedBound } from "./encoded_size.ts";
import type { PlaneSelection } from "./plane_sink.ts";
import type { Store } from "./store.ts";

/** Memory for the largest chunk, one at a time. */
export function workingMemory(
  store: Store,
  { chain }: ArrayLayout,
  selection: PlaneSelection,
): WorkingMemory {
  const { rowAxis, columnAxis, fixed } = selection;
  // Rows of such chunks are read one after the other into a small buffer.
  const inRows = columnAxis === fixed.length - 1 && rowAxis === fixed.length - 2;
  const bytes = bytesOf(chain, store.holdsWhole === true, inRows);
  return bytes === 0 ? NO_WORKING_MEMORY : { bytes, endsWithWorker: false };
}

/** @param whole whether the stored bytes are held already, as those of a deflated ZIP entry are */
function bytesOf(chain: CodecChain, whole: boolean, inRows: boolean): number {
  const { serializer, byteCodecs, valueCodecs, axes, arrayType, shape } = chain;
  const held = whole ? encodedBound(chain) : 0;
  const inOrder = inRows && axes.every((axis, i) => axis === i);
  if (serializer.kind === "sharding") {
    const decoded = byteCodecs.length > 0 ? 2 * encodedBound(chain) : 0;
    return held + decoded + 2 * serializer.indexSize +
      bytesOf(serializer.inner, whole || decoded > 0, inOrder);
  }
  if (byteCodecs.length + valueCodecs.length === 0) return held + (inOrder && !whole ? 0 : serializer.size);
  const steps = byteCodecs.length > 0 ? encodedBound(chain) + 2 * serializer.size : serializer.size;
  const samples = shape.reduce((product, n) => product * n, 1);
  return held + steps + (valueCodecs.length > 0 ? 2 * samples * SAMPLE_BYTES[arrayType] : 0);
}
