/** Which chunks hold some planes, and their decoding into them. */
import { DecodeFailed } from "../errors.ts";
import type { Division } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { ArrayLayout } from "./array_layout.ts";
import { ChunkDecoder } from "./chunk_decoder.ts";
import { encodedBound } from "./encoded_size.ts";
import { combinations } from "./grid.ts";
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

/** Channels and rows of encoded chunks, or of the inner ones of shards; `undefined` where the chunks are raw. */
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

/** True where chunks are samples and nothing else. */
export const isStoredAsIs = ({ chain }: ArrayLayout): boolean =>
  chain.serializer.kind !== "sharding" && chain.byteCodecs.length === 0 && chain.valueCodecs.length === 0;

function range(start: number, end: number): number[] {
  const count = Math.max(0, end - start);
  if (count > MAX_CHUNKS) {
    throw new DecodeFailed(`${count} chunks along one axis are more than ${MAX_CHUNKS}`);
  }
  return Array.from({ length: count }, (_, n) => start + n);
}

/** Where the chunks of some planes are stored. */
export interface StoredPlanes {
  /** Holds the chunks. */
  readonly store: Store;
  /** The array that is cut into chunks. */
  readonly array: ArrayLayout;
  /** Which planes are wanted. */
  readonly selection: PlaneSelection;
}

/**
 * Reads the wanted chunks one after the other; each is open only while it is decoded. Codecs run
 * synchronously: the asynchronous zstd of the runtime ends the process on damaged input, and is slower.
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
      store.requireNames?.();
      sink.fill(box);
      continue;
    }
    const { source, name } = chunk;
    try {
      await decoder.decode(array.chain, { source, name, axes, origin: box.map(({ from }) => from) });
    } finally {
      source.close();
    }
  }
}

function openChunk(
  store: Store,
  array: ArrayLayout,
  position: readonly number[],
): { name: string; source: StoredValue } | null {
  for (const name of array.chunkKeys(position)) {
    const source = store.open(name, Number.MAX_SAFE_INTEGER, encodedBound(array.chain));
    if (source !== null) return { name, source };
  }
  return null;
}
