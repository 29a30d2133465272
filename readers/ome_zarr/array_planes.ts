/**
 * The chunks of some planes: which they are, the memory for decoding them, and the decoding itself. Every
 * length is checked against the metadata.
 */
import type { Room } from "../codecs/compressed_stream.ts";
import { DecodeFailed, ReaderError } from "../errors.ts";
import { ByteSection, type ByteSource, DecodedBytes } from "../io/byte_source.ts";
import { borrowScratch, SAMPLE_BYTES } from "../samples/to_float32.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Division, NO_WORKING_MEMORY, type WorkingMemory } from "../reader.ts";
import type { ArrayLayout } from "./array_layout.ts";
import { boundLoosely, type ByteCodec } from "./byte_codecs.ts";
import { type CodecChain, MAX_CHUNK_BYTES, type Sharding } from "./codec_chain.ts";
import { type PlacedSpan, type PlaneSelection, PlaneSink } from "./plane_sink.ts";
import type { Store, StoredValue } from "./hierarchy.ts";
import { decodeValues } from "./value_codecs.ts";

/** Largest number of chunks per load: a plane of 32768 x 32768 in chunks of 32 x 32. */
const MAX_CHUNKS = 1 << 20;

/** Positions of the wanted chunks, along each axis of the grid. @throws {DecodeFailed} too many chunks */
export function listWantedChunks(array: ArrayLayout, selection: PlaneSelection): number[][] {
  const { rowAxis, columnAxis, channelAxis, rows, columns, channels, fixed } = selection;
  const along = array.chunkShape.map((size, axis) => {
    if (axis === rowAxis) return listRange(Math.floor(rows.start / size), Math.ceil(rows.end / size));
    if (axis === columnAxis) return listRange(0, Math.ceil(columns / size));
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

/** Channels and rows per encoded (inner) chunk; `undefined` for raw chunks. */
export function divideByChunks(
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

function listRange(start: number, end: number): number[] {
  const count = Math.max(0, end - start);
  if (count > MAX_CHUNKS) {
    throw new DecodeFailed(`${count} chunks along one axis are more than ${MAX_CHUNKS}`);
  }
  return Array.from({ length: count }, (_, n) => start + n);
}

/** Planes of an array in a store. */
export interface StoredPlanes {
  readonly store: Store;
  readonly array: ArrayLayout;
  readonly selection: PlaneSelection;
}

/** Memory for decoding the largest chunk, besides the planes. */
export function estimateWorkingMemory({ store, array, selection }: StoredPlanes): WorkingMemory {
  const { rowAxis, columnAxis, fixed } = selection;
  // Rows of raw chunks are read into a small buffer.
  const inRows = columnAxis === fixed.length - 1 && rowAxis === fixed.length - 2;
  const bytes = estimateWorkingBytes(array.chain, store.holdsWhole, inRows);
  return bytes === 0 ? NO_WORKING_MEMORY : { bytes, endsWithWorker: false };
}

/** @param held whether the stored bytes are held in memory, as for a deflated ZIP entry */
function estimateWorkingBytes(chain: CodecChain, held: boolean, inRows: boolean): number {
  const { serializer, byteCodecs, valueCodecs, axes, arrayType, shape } = chain;
  const stored = held ? boundEncoded(chain) : 0;
  const inOrder = inRows && axes.every((axis, i) => axis === i);
  if (serializer.kind === "sharding") {
    const decoded = byteCodecs.length > 0 ? 2 * boundEncoded(chain) : 0;
    return stored + decoded + 2 * serializer.indexSize +
      estimateWorkingBytes(serializer.inner, held || decoded > 0, inOrder);
  }
  if (byteCodecs.length + valueCodecs.length === 0) return stored + (inOrder && !held ? 0 : serializer.size);
  const steps = byteCodecs.length > 0 ? boundEncoded(chain) + 2 * serializer.size : serializer.size;
  const samples = shape.reduce((product, n) => product * n, 1);
  return stored + steps + (valueCodecs.length > 0 ? 2 * samples * SAMPLE_BYTES[arrayType] : 0);
}

/**
 * Decodes the wanted chunks one after the other. Codecs run synchronously: the runtime's asynchronous zstd ends the process on
 * damaged input.
 *
 * @throws {DecodeFailed} with the name of the chunk
 */
export async function decodeChunks(
  { store, array, selection }: StoredPlanes,
  planes: readonly Float32Array[],
  stop: StopFlag,
): Promise<void> {
  const sink = new PlaneSink(selection, planes, array.fill, array.path);
  const decoder = new ChunkDecoder(sink, stop);
  const axes = [...array.shape.keys()];
  for (const position of walkCombinations(listWantedChunks(array, selection))) {
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

/** Notes the marks of the files of at most `most` wanted chunks. @returns their number */
export function noteChunks({ store, array, selection }: StoredPlanes, most: number, stop: StopFlag): number {
  let noted = 0;
  for (const position of walkCombinations(listWantedChunks(array, selection))) {
    if (noted >= most) break;
    stop.check();
    for (const name of array.chunkKeys(position)) store.note?.(name);
    noted += 1;
  }
  return noted;
}

function openChunk(
  store: Store,
  array: ArrayLayout,
  position: readonly number[],
): { name: string; source: StoredValue } | null {
  for (const name of array.chunkKeys(position)) {
    const source = store.open(name, boundEncoded(array.chain));
    if (source !== null) return { name, source };
  }
  store.requireKeys?.(array.path, (key) => isChunkKey(array, key));
  return null;
}

/** Whether a key is that of a chunk in the grid of an array. */
function isChunkKey({ path, shape, chunkShape, chunkKeys }: ArrayLayout, key: string): boolean {
  const position = [...key.slice(path === "" ? 0 : path.length + 1).matchAll(/\d+/g)].map(([digits]) =>
    Number(digits)
  );
  return position.length === shape.length &&
    position.every((at, axis) => at * chunkShape[axis]! < shape[axis]!) && chunkKeys(position).includes(key);
}

/** Bytes of headers and checksums that codecs may add to an inner chunk. */
const INNER_OVERHEAD = 1024;

/** Largest encoded chunk in bytes. */
const MAX_ENCODED_BYTES = MAX_CHUNK_BYTES + (MAX_CHUNK_BYTES >> 3);

/** Largest encoded form of one chunk, or of one shard without gaps, in bytes. */
function boundEncoded({ serializer, shape, arrayType }: CodecChain): number {
  if (serializer.kind === "bytes") return Math.min(boundLoosely(serializer.size), MAX_ENCODED_BYTES);
  const samples = multiplySizes(shape) * SAMPLE_BYTES[arrayType];
  const bytes = samples + serializer.indexSize + INNER_OVERHEAD * multiplySizes(serializer.grid);
  return Math.min(boundLoosely(bytes), MAX_ENCODED_BYTES);
}

const multiplySizes = (sizes: readonly number[]) => sizes.reduce((all, size) => all * size, 1);

/** All combinations of one position per axis, the last axis fastest. */
function* walkCombinations(along: readonly (readonly number[])[]): Generator<number[]> {
  const [first, ...rest] = along;
  if (first === undefined) return yield [];
  for (const position of first) for (const others of walkCombinations(rest)) yield [position, ...others];
}

/** A stored chunk with its name in messages and its position. */
interface EncodedChunk {
  readonly source: ByteSource;
  readonly name: string;
  /** The array's axis for each axis of the chunk before its codecs. */
  readonly axes: readonly number[];
  /** Index of its first sample along each axis of the array. */
  readonly origin: readonly number[];
}

/** Decodes chunks into a sink. */
class ChunkDecoder {
  readonly #sink: PlaneSink;
  readonly #stop: StopFlag;
  /** Buffer of the decoded chunk. It is reused, since new memory is first cleared. */
  #kept = new Uint8Array(0);

  constructor(sink: PlaneSink, stop: StopFlag) {
    this.#sink = sink;
    this.#stop = stop;
  }

  /** @throws {DecodeFailed} with the name of the chunk */
  async decode(chain: CodecChain, chunk: EncodedChunk): Promise<void> {
    this.#stop.check();
    const { source, name } = chunk;
    const { serializer, shape } = chain;
    const axes = chain.axes.map((axis) => chunk.axes[axis]!);
    if (serializer.kind === "sharding") {
      let shard = source;
      if (chain.byteCodecs.length > 0) {
        const bytes = decodeBytes(chain.byteCodecs, source, { size: boundEncoded(chain), name });
        shard = new DecodedBytes(bytes, `shard "${name}"`);
      }
      return await this.#decodeShard(serializer, { ...chunk, source: shard, axes });
    }
    const box = placeBox(chunk.origin, axes, shape);
    const { sampleType, littleEndian } = serializer;
    requireStored(source, name);
    if (chain.byteCodecs.length === 0 && chain.valueCodecs.length === 0 && !source.asWhole) {
      requireSize(source.size, serializer.size, name);
      const bytesAt = (offset: number, length: number) => {
        const bytes = borrowScratch(length);
        source.readInto(offset, bytes, `chunk "${name}"`);
        return bytes;
      };
      return this.#sink.put({ box, sampleType, littleEndian, bytesAt });
    }
    const bytes = decodeBytes(chain.byteCodecs, source, { size: serializer.size, name, room: this.#room });
    requireSize(bytes.length, serializer.size, name);
    const decoded = chain.valueCodecs.length > 0
      ? { ...await decodeValues(chain, bytes, serializer, name), littleEndian: true }
      : { bytes, sampleType, littleEndian };
    const bytesAt = (offset: number, length: number) => decoded.bytes.subarray(offset, offset + length);
    this.#sink.put({ box, ...decoded, bytesAt });
  }

  readonly #room: Room = (length) => {
    if (this.#kept.length !== length) this.#kept = new Uint8Array(length);
    return this.#kept;
  };

  async #decodeShard(sharding: Sharding, shard: EncodedChunk): Promise<void> {
    const { innerShape, grid } = sharding;
    const { axes, origin, name } = shard;
    const index = readShardIndex(sharding, shard);
    for (const position of walkCombinations(this.#listWantedInner(sharding, shard))) {
      this.#stop.check();
      const first = origin.slice();
      for (const [i, axis] of axes.entries()) {
        first[axis] = origin[axis]! + position[i]! * innerShape[i]!;
      }
      const place = `(${position.join(", ")})`;
      const entry = position.reduce((number, n, i) => number * grid[i]! + n, 0);
      const source = readInnerChunk(shard, index(entry), place);
      if (source === null) this.#sink.fill(placeBox(first, axes, innerShape));
      else await this.decode(sharding.inner, { source, name: `${name} ${place}`, axes, origin: first });
    }
  }

  /** Positions of the wanted inner chunks along each axis, which skips most of a shard with many time points at once. */
  #listWantedInner({ innerShape, grid }: Sharding, { axes, origin }: EncodedChunk): number[][] {
    return axes.map((axis, i) => {
      const size = innerShape[i]!;
      const isWanted = (n: number) => this.#sink.wants(axis, { from: origin[axis]! + n * size, size });
      return [...Array(grid[i]!).keys()].filter(isWanted);
    });
  }
}

/** The box of samples in C order of their axes; `axes` are the array's axes for them. */
function placeBox(
  origin: readonly number[],
  axes: readonly number[],
  shape: readonly number[],
): PlacedSpan[] {
  const box = origin.map((from) => ({ from, size: 1, stride: 1 }));
  let stride = 1;
  for (let i = axes.length - 1; i >= 0; i -= 1) {
    const [axis, size] = [axes[i]!, shape[i]!];
    box[axis] = { from: origin[axis]!, size, stride };
    stride *= size;
  }
  return box;
}

function requireStored({ size }: ByteSource, name: string): void {
  if (size === 0) throw new DecodeFailed(`chunk "${name}" is empty`);
}

function requireSize(size: number, needed: number, name: string): void {
  if (size !== needed) throw new DecodeFailed(`chunk "${name}" has ${size} bytes instead of ${needed}`);
}

/** Decodes at most `size` bytes of the chunk `name`, into `room` if given. */
function decodeBytes(
  codecs: readonly ByteCodec[],
  value: ByteSource,
  { size, name, room }: { readonly size: number; readonly name: string; readonly room?: Room },
): Uint8Array {
  requireStored(value, name);
  if (codecs.length === 0) requireSize(value.size, size, name);
  const most = Math.min(boundLoosely(size), MAX_ENCODED_BYTES);
  if (value.size > most) throw new DecodeFailed(`chunk "${name}" has ${value.size} bytes, more than ${most}`);
  let bytes: Uint8Array = value.read(0, value.size, `chunk "${name}"`);
  const steps: { codec: ByteCodec; maxBytes: number }[] = [];
  let maxBytes = size;
  for (const codec of codecs) {
    steps.push({ codec, maxBytes });
    maxBytes = codec.encodedLength?.(maxBytes) ?? boundLoosely(maxBytes);
  }
  for (const { codec, maxBytes } of steps.reverse()) {
    const last = codec === codecs[0];
    bytes = runStep(name, codec.name, () => codec.decode(bytes, maxBytes, last ? room : undefined));
  }
  return bytes;
}

/** Runs one decoding step; adds the chunk and the codec to its errors. */
function runStep<T>(chunk: string, codec: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    if (cause instanceof ReaderError && !(cause instanceof DecodeFailed)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DecodeFailed(`chunk "${chunk}" cannot be decoded by "${codec}": ${reason}`, { cause });
  }
}

/** Offset and length that mark an absent inner chunk (sharding codec, "Binary shard format"). */
const ABSENT = 0xffffffffffffffffn;

/** Reads the index of a shard: the offset and length of each inner chunk, the last axis fastest. */
function readShardIndex(
  sharding: Sharding,
  { source, name }: EncodedChunk,
): (entry: number) => readonly [offset: bigint, length: bigint] {
  const { indexSize, indexLittleEndian: littleEndian } = sharding;
  if (source.size < indexSize) {
    throw new DecodeFailed(`shard "${name}" has ${source.size} bytes, but its index takes ${indexSize}`);
  }
  const at = sharding.indexAtStart ? 0 : source.size - indexSize;
  let index: Uint8Array = source.read(at, indexSize, `the index of shard "${name}"`);
  for (const codec of sharding.indexCodecs.toReversed()) {
    index = runStep(name, codec.name, () => codec.decode(index, indexSize));
  }
  const numbers = new DataView(index.buffer, index.byteOffset, index.byteLength);
  return (entry) => [
    numbers.getBigUint64(16 * entry, littleEndian),
    numbers.getBigUint64(16 * entry + 8, littleEndian),
  ];
}

/** The bytes of an inner chunk; `null` if it is absent. */
function readInnerChunk(
  { source, name }: EncodedChunk,
  [offset, length]: readonly [bigint, bigint],
  place: string,
): ByteSource | null {
  if (offset === ABSENT && length === ABSENT) return null;
  const part = `inner chunk ${place} of shard "${name}"`;
  if (offset + length > BigInt(source.size)) {
    throw new DecodeFailed(`${part} at ${offset} + ${length} ends after the shard (${source.size} bytes)`);
  }
  return new ByteSection(source, Number(offset), Number(length), part);
}
