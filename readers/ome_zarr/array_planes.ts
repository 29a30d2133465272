/** The chunks that hold some planes, the memory that decoding them takes, and the decoding. */
import { DecodeFailed } from "../errors.ts";
import { type Division, NO_WORKING_MEMORY, type WorkingMemory } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { ArrayLayout } from "./array_layout.ts";
import { ChunkDecoder, combinations, encodedBound } from "./chunk_decoder.ts";
import type { CodecChain } from "./codec_chain.ts";
import { type PlaneSelection, PlaneSink } from "./plane_sink.ts";
import type { Store, StoredValue } from "./store.ts";

/** Chunks of one load: a plane of 32768 x 32768 in chunks of 32 x 32. */
const MAX_CHUNKS = 1 << 20;

/** Positions of the wanted chunks along each axis of the grid. @throws {DecodeFailed} too many chunks */
export function wantedChunks(array: ArrayLayout, selection: PlaneSelection): number[][] {
  const { rowAxis, columnAxis, channelAxis, rows, columns, channels, fixed } = selection;
  const along = array.chunkShape.map((size, axis) => {
    if (axis === rowAxis) return range(Math.floor(rows.start / size), Math.ceil(rows.end / size));
    if (axis === columnAxis) return range(0, Math.ceil(columns / size));
    if (axis === channelAxis) return [...new Set(channels.map((channel) => Math.floor(channel / size)))];
    return [Math.floor(fixed[axis]! / size)];
  });
  const count = along.reduce((product, positions) => product * positions.length, 1);
  if (count > MAX_CHUNKS) {
    throw new DecodeFailed(
      `the planes lie in ${count} chunks of array "${array.path}", more than ${MAX_CHUNKS}`,
    );
  }
  return along;
}

/** Channels and rows of encoded (inner) chunks; `undefined` for raw ones. */
export function divisionOf(
  { chain }: ArrayLayout,
  { rowAxis, channelAxis }: PlaneSelection,
): Division | undefined {
  let [row, channel] = [
    chain.axes.indexOf(rowAxis),
    channelAxis === null ? -1 : chain.axes.indexOf(channelAxis),
  ];
  while (chain.serializer.kind === "sharding" && chain.byteCodecs.length === 0) {
    chain = chain.serializer.inner;
    row = chain.axes.indexOf(row);
    channel = chain.axes.indexOf(channel);
  }
  if (chain.byteCodecs.length === 0) return undefined;
  return { channels: chain.shape[channel] ?? 1, rows: chain.shape[row]! };
}

/** True for chunks of raw samples. */
export const isStoredAsIs = ({ chain }: ArrayLayout): boolean =>
  chain.serializer.kind !== "sharding" && chain.byteCodecs.length === 0 && chain.valueCodecs.length === 0;

function range(start: number, end: number): number[] {
  const count = Math.max(0, end - start);
  if (count > MAX_CHUNKS) {
    throw new DecodeFailed(`${count} chunks along one axis are more than ${MAX_CHUNKS}`);
  }
  return Array.from({ length: count }, (_, n) => start + n);
}

/** Planes of an array in a store. */
export interface StoredPlanes {
  /** Holds the chunks. */
  readonly store: Store;
  /** The array that is cut into chunks. */
  readonly array: ArrayLayout;
  /** The wanted planes. */
  readonly selection: PlaneSelection;
}

/** Memory for decoding the largest chunk, beside the planes. */
export function workingMemory({ store, array, selection }: StoredPlanes): WorkingMemory {
  const { rowAxis, columnAxis, fixed } = selection;
  // Rows of raw chunks are read into a small buffer.
  const inRows = columnAxis === fixed.length - 1 && rowAxis === fixed.length - 2;
  const bytes = workingBytes(array.chain, store.holdsWhole, inRows);
  return bytes === 0 ? NO_WORKING_MEMORY : { bytes, endsWithWorker: false };
}

/** @param held whether the stored bytes are in memory, as in a deflated ZIP entry */
function workingBytes(chain: CodecChain, held: boolean, inRows: boolean): number {
  const { serializer, byteCodecs, valueCodecs, axes, arrayType, shape } = chain;
  const stored = held ? encodedBound(chain) : 0;
  const inOrder = inRows && axes.every((axis, i) => axis === i);
  if (serializer.kind === "sharding") {
    const decoded = byteCodecs.length > 0 ? 2 * encodedBound(chain) : 0;
    return stored + decoded + 2 * serializer.indexSize +
      workingBytes(serializer.inner, held || decoded > 0, inOrder);
  }
  if (byteCodecs.length + valueCodecs.length === 0) return stored + (inOrder && !held ? 0 : serializer.size);
  const steps = byteCodecs.length > 0 ? encodedBound(chain) + 2 * serializer.size : serializer.size;
  const samples = shape.reduce((product, n) => product * n, 1);
  return stored + steps + (valueCodecs.length > 0 ? 2 * samples * SAMPLE_BYTES[arrayType] : 0);
}

/**
 * Decodes the wanted chunks in turn. Codecs run synchronously: the asynchronous zstd of the runtime ends the process on damaged
 * input.
 *
 * @throws {DecodeFailed} naming the chunk
 */
export async function decodePlanes(
  { store, array, selection }: StoredPlanes,
  planes: readonly Float32Array[],
  stop: StopFlag,
): Promise<void> {
  const sink = new PlaneSink(selection, planes, array.fill, array.path);
  const decoder = new ChunkDecoder(sink, stop);
  const axes = [...array.shape.keys()];
  for (const position of combinations(wantedChunks(array, selection))) {
    stop.check();
    const box = array.chunkShape.map((size, axis) => ({ from: position[axis]! * size, size }));
    const chunk = openChunk(store, array, position);
    if (chunk === null) {
      sink.fill(box);
      continue;
    }
    const { source, name } = chunk;
    try {
      await decoder.decode(array.chain, { source, name, axes, origin: box.map(({ from }) => from) });
    } finally {
      source.close?.();
    }
  }
}

function openChunk(
  store: Store,
  array: ArrayLayout,
  position: readonly number[],
): { name: string; source: StoredValue } | null {
  for (const name of array.chunkKeys(position)) {
    const source = store.open(name, encodedBound(array.chain));
    if (source !== null) return { name, source };
  }
  return null;
}
