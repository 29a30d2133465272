/** Decodes one chunk, or the wanted inner chunks of one shard; every length is checked against the metadata. */
import { ByteSection, type ByteSource, DecodedBytes } from "../io/byte_source.ts";
import type { Room } from "../codecs/compressed_stream.ts";
import { DecodeFailed, ReaderError } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { scratchBytes } from "../io/scratch.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { type ByteCodec, looseBound } from "./byte_codecs.ts";
import { type CodecChain, MAX_CHUNK_BYTES, type Sharding } from "./codec_chain.ts";
import type { PlacedSpan, PlaneSink } from "./plane_sink.ts";
import { decodeValues } from "./value_codecs.ts";

/** Headers and checksums that some codecs add to an inner chunk. */
const INNER_OVERHEAD = 1024;

/** Largest encoded chunk. */
const MAX_ENCODED_BYTES = MAX_CHUNK_BYTES + (MAX_CHUNK_BYTES >> 3);

/** Largest encoded form of one chunk, or of one shard without gaps. */
export function encodedBound({ serializer, shape, arrayType }: CodecChain): number {
  if (serializer.kind === "bytes") return Math.min(looseBound(serializer.size), MAX_ENCODED_BYTES);
  const samples = product(shape) * SAMPLE_BYTES[arrayType];
  const bytes = samples + serializer.indexSize + INNER_OVERHEAD * product(serializer.grid);
  return Math.min(looseBound(bytes), MAX_ENCODED_BYTES);
}

const product = (sizes: readonly number[]) => sizes.reduce((all, size) => all * size, 1);

/** Every combination of one position along each axis, the last axis fastest. */
export function* combinations(along: readonly (readonly number[])[]): Generator<number[]> {
  const [first, ...rest] = along;
  if (first === undefined) return yield [];
  for (const position of first) for (const others of combinations(rest)) yield [position, ...others];
}

/** A stored chunk and its place. */
export interface EncodedChunk {
  /** Its stored bytes. */
  readonly source: ByteSource;
  /** Its name for messages. */
  readonly name: string;
  /** For each axis of the chunk before its codecs, the axis of the array. */
  readonly axes: readonly number[];
  /** Index of its first sample on each axis of the array. */
  readonly origin: readonly number[];
}

/** Decodes chunks, one after the other, for one sink. */
export class ChunkDecoder {
  readonly #sink: PlaneSink;
  readonly #stop: StopFlag;
  /** Decoded chunk; reused, since new memory is cleared first. */
  #kept = new Uint8Array(0);

  /** Decodes for a sink until `stop` is raised. */
  constructor(sink: PlaneSink, stop: StopFlag) {
    this.#sink = sink;
    this.#stop = stop;
  }

  /** Decodes a chunk. @throws {DecodeFailed} naming the chunk */
  async decode(chain: CodecChain, chunk: EncodedChunk): Promise<void> {
    this.#stop.check();
    const { source, name, origin } = chunk;
    const { serializer, shape } = chain;
    const axes = chain.axes.map((axis) => chunk.axes[axis]!);
    if (serializer.kind === "sharding") {
      const shard = chain.byteCodecs.length === 0 ? source : wholeShard(chain, source, name);
      return await this.#decodeShard(serializer, { ...chunk, source: shard, axes });
    }
    const box = placed(origin, axes, shape);
    const { sampleType, littleEndian } = serializer;
    requireStored(source, name);
    if (chain.byteCodecs.length === 0 && chain.valueCodecs.length === 0 && !source.asWhole) {
      requireSize(source.size, serializer.size, name);
      const bytesAt = (offset: number, length: number) => {
        const bytes = scratchBytes(length);
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
    const index = readIndex(sharding, shard);
    // By axis, to skip most inner chunks of a shard with many time points at once.
    const along = axes.map((axis, i) => {
      const size = innerShape[i]!;
      const isWanted = (n: number) => this.#sink.wants(axis, { from: origin[axis]! + n * size, size });
      return [...Array(grid[i]!).keys()].filter(isWanted);
    });
    for (const position of combinations(along)) {
      this.#stop.check();
      const first = origin.slice();
      for (const [i, axis] of axes.entries()) {
        first[axis] = origin[axis]! + position[i]! * innerShape[i]!;
      }
      const place = `(${position.join(", ")})`;
      const entry = position.reduce((number, n, i) => number * grid[i]! + n, 0);
      const source = innerChunk(shard, index(entry), place);
      if (source === null) this.#sink.fill(placed(first, axes, innerShape));
      else await this.decode(sharding.inner, { source, name: `${name} ${place}`, axes, origin: first });
    }
  }
}

/** The box of samples in C order of their axes; `axes` are the indices of these in the array. */
function placed(origin: readonly number[], axes: readonly number[], shape: readonly number[]): PlacedSpan[] {
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

/** Decodes a shard under bytes-to-bytes codecs as a whole. */
function wholeShard(chain: CodecChain, value: ByteSource, name: string): ByteSource {
  const bytes = decodeBytes(chain.byteCodecs, value, { size: encodedBound(chain), name });
  return new DecodedBytes(bytes, `shard "${name}"`);
}

/** The output of codecs: at most `size` bytes of the chunk `name`, in `room` if given. */
interface Wanted {
  readonly size: number;
  readonly name: string;
  readonly room?: Room;
}

function decodeBytes(codecs: readonly ByteCodec[], value: ByteSource, wanted: Wanted): Uint8Array {
  const { size, name, room } = wanted;
  requireStored(value, name);
  if (codecs.length === 0) requireSize(value.size, size, name);
  const most = Math.min(looseBound(size), MAX_ENCODED_BYTES);
  if (value.size > most) throw new DecodeFailed(`chunk "${name}" has ${value.size} bytes, more than ${most}`);
  let bytes: Uint8Array = value.read(0, value.size, `chunk "${name}"`);
  const steps: { codec: ByteCodec; maxBytes: number }[] = [];
  let maxBytes = size;
  for (const codec of codecs) {
    steps.push({ codec, maxBytes });
    maxBytes = codec.encodedLength?.(maxBytes) ?? looseBound(maxBytes);
  }
  for (const { codec, maxBytes } of steps.reverse()) {
    const last = codec === codecs[0];
    bytes = runStep(name, codec.name, () => codec.decode(bytes, maxBytes, last ? room : undefined));
  }
  return bytes;
}

/** Runs one decoding step; its errors name the chunk and the codec. */
function runStep<T>(chunk: string, codec: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    if (cause instanceof ReaderError && !(cause instanceof DecodeFailed)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DecodeFailed(`chunk "${chunk}" cannot be decoded by "${codec}": ${reason}`, { cause });
  }
}

/** Offset and length of an absent inner chunk (sharding codec, "Binary shard format"). */
const ABSENT = 0xffffffffffffffffn;

/** The place of an inner chunk in its shard. */
interface IndexEntry {
  readonly offset: bigint;
  readonly length: bigint;
}

/** Reads the index of a shard: the entry of each inner chunk by number, the last axis fastest. */
function readIndex(sharding: Sharding, { source, name }: EncodedChunk): (entry: number) => IndexEntry {
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
  return (entry) => ({
    offset: numbers.getBigUint64(16 * entry, littleEndian),
    length: numbers.getBigUint64(16 * entry + 8, littleEndian),
  });
}

/** The bytes of an inner chunk, or `null` if absent. */
function innerChunk(shard: EncodedChunk, { offset, length }: IndexEntry, place: string): ByteSource | null {
  if (offset === ABSENT && length === ABSENT) return null;
  const { source, name } = shard;
  const part = `inner chunk ${place} of shard "${name}"`;
  if (offset + length > BigInt(source.size)) {
    throw new DecodeFailed(`${part} at ${offset} + ${length} ends after the shard (${source.size} bytes)`);
  }
  return new ByteSection(source, Number(offset), Number(length), part);
}
