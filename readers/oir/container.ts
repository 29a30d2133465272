/**
 * The container: a header of 96 bytes, blocks without gaps, and an index of their offsets. Blocks that the index omits, and
 * all blocks where it is unusable, are found by walking from block to block.
 */
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { StopFlag } from "../io/stop_flag.ts";

/** First bytes of every file, continuation files included. */
const SIGNATURE = "OLYMPUSRAWFORMAT";

/** Blocks of one file; a file of 1 GB in strips of 11 264 bytes has 200,000. */
export const MAX_BLOCKS = 4_000_000;

const HEADER_BYTES = 96;
const BLOCK_HEAD_BYTES = 8;
const INDEX_MARKER = 0xffff_ffff;
const HIGHEST_KIND = 5;

/** Kinds of blocks that are read; 2 is the thumbnail and 5 a separator. */
export const KIND = { documents: 0, frame: 1, tag: 3, pixels: 4 } as const;

/** One block. */
export interface Block {
  /** Offset of its payload. */
  readonly offset: number;
  /** One of {@linkcode KIND}, or an unknown kind. */
  readonly kind: number;
  /** Declared bytes of payload. */
  readonly length: number;
  /** Bytes of payload that are in the file; fewer than `length` in the last block of a truncated file. */
  readonly stored: number;
}

/** The header, as far as it fits the file. */
export interface ContainerHeader {
  /** End of the data; stale bytes may follow it. */
  readonly end: number;
  /** Offset of the index marker, or `null` when the index does not lie in the data. */
  readonly indexOffset: number | null;
  /** The file is shorter than when it was closed. */
  readonly truncated: boolean;
}

/**
 * Reads the header.
 *
 * @throws {DecodeFailed} fewer than 96 bytes, or another signature
 */
export function readHeader(file: ByteSource): ContainerHeader {
  if (file.size < HEADER_BYTES) {
    throw new DecodeFailed(`the header is truncated: ${file.size} of ${HEADER_BYTES} bytes are stored`);
  }
  const bytes = file.read(0, HEADER_BYTES, "the header");
  if (!isOir(bytes)) throw new DecodeFailed(`the signature is not ${SIGNATURE}`);
  const view = new DataView(bytes.buffer);
  // Offsets near 2^64 lose precision but stay far above any file size.
  const declared = Number(view.getBigUint64(32, true));
  const indexOffset = Number(view.getBigUint64(40, true));
  // Where the two disagree the whole file is searched: a walk ends at the marker of the index.
  const end = declared >= indexOffset + 4 && declared <= file.size ? declared : file.size;
  return {
    end,
    indexOffset: indexOffset >= HEADER_BYTES && indexOffset + 4 <= end ? indexOffset : null,
    truncated: declared > file.size,
  };
}

/** True when `head` starts with the signature. */
function isOir(head: Uint8Array): boolean {
  return [...SIGNATURE].every((letter, i) => head[i] === letter.charCodeAt(0));
}

/** Blocks of a file and their damage. */
export interface BlockSource {
  /** Yields the blocks in file order. @throws {DecodeFailed} more than {@linkcode MAX_BLOCKS} */
  blocks(): Generator<Block>;
  /** Bytes of a small structure of the block that was just yielded; they hold until the next call. */
  peek(offset: number, length: number): Uint8Array;
  /** Filled while blocks are yielded. */
  readonly damage: Damage;
}

/**
 * Offsets of the blocks in the index, ascending, or why it is unusable.
 *
 * @throws {DecodeFailed} more than {@linkcode MAX_BLOCKS} entries
 */
export function readIndex(file: ByteSource, header: ContainerHeader): readonly number[] | string {
  const { indexOffset, end } = header;
  if (indexOffset === null) return "its offset lies outside the file";
  const head = file.read(indexOffset, 4, "the block index");
  if (new DataView(head.buffer).getUint32(0, true) !== INDEX_MARKER) {
    return `its marker at ${indexOffset} is missing`;
  }
  const count = Math.floor((end - indexOffset - 4) / 8);
  if (count > MAX_BLOCKS) throw tooManyBlocks();
  const bytes = file.read(indexOffset + 4, count * 8, "the block index");
  const view = new DataView(bytes.buffer);
  const entries = [HEADER_BYTES];
  for (let i = 0; i < count; i += 1) {
    const entry = Number(view.getBigUint64(i * 8, true));
    if (entry === HEADER_BYTES && i === 0) continue;
    if (entry === 0 && bytes.subarray(i * 8).every((byte) => byte === 0)) break;
    if (entry <= entries.at(-1)! || entry >= indexOffset) return `entry ${i} states ${entry}`;
    entries.push(entry);
  }
  return entries;
}

/**
 * Blocks by the index: each runs up to the next entry, and further blocks in between are found by walking.
 *
 * @param entries those of {@linkcode readIndex}
 */
export function indexedBlocks(
  file: ByteSource,
  header: ContainerHeader,
  entries: readonly number[],
  stop: StopFlag,
): BlockSource {
  return new BlockChain(
    file,
    { starts: entries, limit: header.indexOffset ?? header.end, indexed: true },
    stop,
  );
}

/** Blocks by walking from the first to the index marker or the end of the data. */
export function walkedBlocks(file: ByteSource, header: ContainerHeader, stop: StopFlag): BlockSource {
  return new BlockChain(file, { starts: [HEADER_BYTES], limit: header.end, indexed: false }, stop);
}

const tooManyBlocks = () => new DecodeFailed(`the file has more than ${MAX_BLOCKS} blocks`);

/** A read that fetches the head of a pixel block together with the tag before it. */
const WINDOW_BYTES = 256;

/** Starts of blocks, and the end of the last one. */
interface BlockPlaces {
  readonly starts: readonly number[];
  readonly limit: number;
  /** True where the index lists every block; else the blocks after each start are walked. */
  readonly indexed: boolean;
}

class BlockChain implements BlockSource {
  readonly damage = new Damage();
  readonly #file: ByteSource;
  readonly #places: BlockPlaces;
  readonly #stop: StopFlag;
  #window = new Uint8Array(WINDOW_BYTES);
  #windowLength = 0;
  #windowOffset = 0;
  #count = 0;

  constructor(file: ByteSource, places: BlockPlaces, stop: StopFlag) {
    this.#file = file;
    this.#places = places;
    this.#stop = stop;
  }

  peek(offset: number, length: number): Uint8Array {
    let at = offset - this.#windowOffset;
    if (at < 0 || at + length > this.#windowLength) {
      if (length > this.#window.length) this.#window = new Uint8Array(length);
      this.#windowLength = Math.max(length, Math.min(this.#window.length, this.#file.size - offset));
      this.#windowOffset = offset;
      at = 0;
      this.#file.readInto(offset, this.#window.subarray(0, this.#windowLength), "block");
    }
    return this.#window.subarray(at, at + length);
  }

  *blocks(): Generator<Block> {
    const { starts, limit } = this.#places;
    for (const [i, start] of starts.entries()) {
      yield* this.#segment(start, starts[i + 1] ?? limit);
    }
  }

  *#segment(start: number, limit: number): Generator<Block> {
    let at = start;
    while (at + BLOCK_HEAD_BYTES <= limit) {
      this.#stop.check();
      const head = this.peek(at, BLOCK_HEAD_BYTES);
      const view = new DataView(head.buffer, head.byteOffset, BLOCK_HEAD_BYTES);
      const [length, kind] = [view.getUint32(0, true), view.getUint32(4, true)];
      if (length === INDEX_MARKER && !this.#places.indexed) return;
      // A listed block of an unknown kind is skipped by its length; a walked one means that the chain is lost.
      if (kind > HIGHEST_KIND && !(this.#places.indexed && at === start)) {
        this.damage.add(`block at ${at} is of unknown kind ${kind}`);
        return;
      }
      if ((this.#count += 1) > MAX_BLOCKS) throw tooManyBlocks();
      const offset = at + BLOCK_HEAD_BYTES;
      if (offset + length > limit) {
        const place = `block at ${at} + ${BLOCK_HEAD_BYTES + length}`;
        if (this.#places.indexed) this.damage.add(`${place} runs into the next one at ${limit}`);
        else this.damage.addEnd(`${place} ends after the data (${limit} bytes)`);
        yield { offset, kind, length, stored: this.#places.indexed ? 0 : limit - offset };
        return;
      }
      yield { offset, kind, length, stored: length };
      at = offset + length;
    }
    if (at < limit && !this.#endsInMarker(at, limit)) {
      const what = `${limit - at} bytes at ${at} are too few for a block`;
      if (this.#places.indexed) this.damage.add(what);
      else this.damage.addEnd(what);
    }
  }

  #endsInMarker(at: number, limit: number): boolean {
    if (this.#places.indexed || limit - at < 4) return false;
    return this.peek(at, 4).every((byte) => byte === 0xff);
  }
}

/** Damaged parts of a file, of which the first is described. */
export class Damage {
  #first: string | null = null;
  #onlyAtEnd = true;

  /** Adds damage. @param what one clause with the offset: `block at 96 + 30 runs into the next one at 120` */
  add(what: string): void {
    this.#first ??= what;
    this.#onlyAtEnd = false;
  }

  /** Notes that the data end too early, as those of an interrupted recording do. */
  addEnd(what: string): void {
    this.#first ??= what;
  }

  /** True when nothing was noted. */
  get none(): boolean {
    return this.#first === null;
  }

  /** True when nothing was noted but an early end. */
  get onlyAtEnd(): boolean {
    return this.#onlyAtEnd;
  }

  /** The first in one clause, or `null`. */
  get text(): string | null {
    return this.#first;
  }
}
