/**
 * Decodes one chunk (or the wanted inner chunks of one shard) and hands its samples on, with their place in the
 * array. Every length is checked against what the metadata say.
 */
import { ByteSection, type ByteSource, DecodedBytes } from "../byte_source.ts";
import { DecodeFailed, ReaderError } from "../errors.ts";
import type { SampleType } from "../reader.ts";
import type { StopFlag } from "../stop_flag.ts";
import type { ByteCodec } from "./byte_codecs.ts";
import type { CodecChain, Sharding } from "./codec_chain.ts";
import { encodedBound, looseBound, MAX_ENCODED_BYTES } from "./encoded_size.ts";
import { decodeValues } from "./value_codecs.ts";

/** A box of the array; axes in the order of the array. */
export interface Box {
  readonly origin: readonly number[];
  readonly shape: readonly number[];
}

/** Decoded samples of a box. */
export interface Samples extends Box {
  readonly bytes: Uint8Array;
  readonly sampleType: SampleType;
  readonly littleEndian: boolean;
  /** Distance of neighbours along each axis, in samples. */
  readonly strides: readonly number[];
}

/** Samples of a box that have not been read yet. */
export interface StoredSamples extends Omit<Samples, "bytes"> {
  /** Fills `target` from byte `offset` of the box on. */
  read(offset: number, target: Uint8Array): void;
}

/** Who wants the samples. */
export interface SampleSink {
  wants(box: Box): boolean;
  /** Takes the samples; their bytes may be changed. */
  put(samples: Samples): void;
  /** Takes samples that are stored as they are, by reading those that it wants; `false` when it needs all of them. */
  putStored(samples: StoredSamples): boolean;
  /** Tells of a box that has no chunk. @throws {DecodeFailed} the array defines no fill value */
  fill(box: Box): void;
}

/**
 * Decodes a chunk.
 *
 * @param axes for each axis of the chunk as the chain sees it, the axis of the array
 * @param origin of the chunk in the array, in axes of the array
 * @param name of the chunk in messages
 * @throws {DecodeFailed} naming the chunk
 */
export async function decodeChunk(
  chain: CodecChain,
  value: ByteSource,
  axes: readonly number[],
  origin: readonly number[],
  name: string,
  sink: SampleSink,
  stop: StopFlag,
): Promise<void> {
  stop.check();
  const storedAxes = chain.axes.map((axis) => axes[axis]!);
  const { serializer } = chain;
  if (serializer.kind === "sharding") {
    const shard = chain.byteCodecs.length === 0 ? value : wholeShard(chain, value, name);
    return await decodeShard(serializer, shard, storedAxes, origin, name, sink, stop);
  }
  const shape = chain.shape;
  const box = { origin, shape: new Array<number>(shape.length), strides: new Array<number>(shape.length) };
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    box.shape[storedAxes[axis]!] = shape[axis]!;
    box.strides[storedAxes[axis]!] = stride;
    stride *= shape[axis]!;
  }
  let { sampleType, littleEndian } = serializer;
  requireStored(value, name);
  if (chain.byteCodecs.length === 0 && chain.valueCodecs.length === 0 && !value.asWhole) {
    requireSize(value.size, serializer.size, name);
    const read = (offset: number, target: Uint8Array) => value.readInto(offset, target, `chunk "${name}"`);
    if (sink.putStored({ ...box, sampleType, littleEndian, read })) return;
  }
  let bytes = decodeBytes(chain.byteCodecs, value, serializer.size, name);
  requireSize(bytes.length, serializer.size, name);
  if (chain.valueCodecs.length > 0) {
    ({ bytes, sampleType } = await decodeValues(chain, bytes, serializer, name));
    littleEndian = true;
  }
  sink.put({ ...box, bytes, sampleType, littleEndian });
}

function requireStored({ size }: ByteSource, name: string): void {
  if (size === 0) throw new DecodeFailed(`chunk "${name}" is empty`);
}

function requireSize(size: number, needed: number, name: string): void {
  if (size !== needed) throw new DecodeFailed(`chunk "${name}" has ${size} bytes, ${needed} are needed`);
}

/** A shard under bytes-to-bytes codecs has to be decoded as a whole. */
function wholeShard(chain: CodecChain, value: ByteSource, name: string): ByteSource {
  const bytes = decodeBytes(chain.byteCodecs, value, encodedBound(chain), name);
  return new DecodedBytes(bytes, `shard "${name}"`);
}

function decodeBytes(
  codecs: readonly ByteCodec[],
  value: ByteSource,
  size: number,
  name: string,
): Uint8Array {
  requireStored(value, name);
  if (codecs.length === 0) requireSize(value.size, size, name);
  const most = Math.min(looseBound(size), MAX_ENCODED_BYTES);
  if (value.size > most) throw new DecodeFailed(`chunk "${name}" has ${value.size} bytes, more than ${most}`);
  let bytes: Uint8Array = value.read(0, value.size, `chunk "${name}"`);
  for (let i = codecs.length - 1; i >= 0; i -= 1) {
    const codec = codecs[i]!;
    const encodedSize = codecs.slice(0, i).reduce(
      (length, c) => c.encodedLength?.(length) ?? looseBound(length),
      size,
    );
    bytes = runStep(name, codec.name, () => codec.decode(bytes, encodedSize));
  }
  return bytes;
}

/** What a codec throws names the chunk. */
function runStep<T>(chunk: string, codec: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    if (cause instanceof ReaderError && !(cause instanceof DecodeFailed)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DecodeFailed(`chunk "${chunk}" cannot be decoded by "${codec}": ${reason}`, { cause });
  }
}

/** Offset and length of an inner chunk that does not exist (sharding codec, "Binary shard format"). */
const ABSENT = 0xffffffffffffffffn;

async function decodeShard(
  sharding: Sharding,
  shard: ByteSource,
  axes: readonly number[],
  origin: readonly number[],
  name: string,
  sink: SampleSink,
  stop: StopFlag,
): Promise<void> {
  const { grid, innerShape, indexSize } = sharding;
  if (shard.size < indexSize) {
    throw new DecodeFailed(`shard "${name}" has ${shard.size} bytes, its index alone ${indexSize}`);
  }
  const at = sharding.indexAtStart ? 0 : shard.size - indexSize;
  let index: Uint8Array = shard.read(at, indexSize, `the index of shard "${name}"`);
  for (const codec of sharding.indexCodecs.toReversed()) {
    index = runStep(name, codec.name, () => codec.decode(index, indexSize));
  }
  const numbers = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const position = new Array<number>(grid.length).fill(0);
  const entries = grid.reduce((product, n) => product * n, 1);
  for (let entry = 0; entry < entries; entry += 1) {
    if ((entry & 0xfff) === 0) stop.check();
    const box = { origin: [...origin], shape: new Array<number>(origin.length) };
    for (const [i, axis] of axes.entries()) {
      box.origin[axis]! += position[i]! * innerShape[i]!;
      box.shape[axis] = innerShape[i]!;
    }
    if (sink.wants(box)) {
      const offset = numbers.getBigUint64(16 * entry, sharding.indexLittleEndian);
      const length = numbers.getBigUint64(16 * entry + 8, sharding.indexLittleEndian);
      if (offset === ABSENT && length === ABSENT) sink.fill(box);
      else {
        const part = partOf(shard, offset, length, name, position);
        await decodeChunk(
          sharding.inner,
          part,
          axes,
          box.origin,
          `${name} (${position.join(", ")})`,
          sink,
          stop,
        );
      }
    }
    for (let axis = grid.length - 1; axis >= 0; axis -= 1) {
      position[axis]! += 1;
      if (position[axis]! < grid[axis]!) break;
      position[axis] = 0;
    }
  }
}

function partOf(
  shard: ByteSource,
  offset: bigint,
  length: bigint,
  name: string,
  position: readonly number[],
): ByteSource {
  const part = `inner chunk (${position.join(", ")}) of shard "${name}"`;
  if (offset + length > BigInt(shard.size)) {
    throw new DecodeFailed(
      `${part} at ${offset} + ${length} ends after the shard (${shard.size} bytes)`,
    );
  }
  return new ByteSection(shard, Number(offset), Number(length), part);
}
