/**
 * The container: a header of 96 bytes, blocks without gaps, and an index of their offsets. Since blocks are adjacent,
 * they are read one after the other; the index only shows where they must end.
 */
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { StopFlag } from "../io/stop_flag.ts";

const SIGNATURE = "OLYMPUSRAWFORMAT";

/** Largest number of blocks in a file; a file of 1 GB in strips of 11 264 bytes has 200,000. */
export const MAX_BLOCKS = 4_000_000;

const HEADER_BYTES = 96;
const BLOCK_HEAD_BYTES = 8;
const INDEX_MARKER = 0xffff_ffff;

/** Kinds of blocks to read; kind 2 is the thumbnail and 5 a separator. */
export const KIND = { documents: 0, frame: 1, tag: 3, pixels: 4 } as const;

/** One block. */
export interface Block {
  /** Offset of its payload. */
  readonly offset: number;
  /** One of {@linkcode KIND}, or an unknown kind. */
  readonly kind: number;
  /** Declared number of payload bytes. */
  readonly length: number;
  /** Number of payload bytes in the file; fewer than `length` in the last block of a truncated file. */
  readonly stored: number;
}

/** The header, with values that fit the file. */
export interface ContainerHeader {
  /** End of the data, which stale bytes may follow. */
  readonly end: number;
  /** Offset of the index; `null` if it does not lie in the data. */
  readonly indexOffset: number | null;
  /** True if the file is shorter than when it was closed. */
  readonly truncated: boolean;
}

/** Reads the header. @throws {DecodeFailed} fewer than 96 bytes, or another signature */
export function readHeader(file: ByteSource): ContainerHeader {
  if (file.size < HEADER_BYTES) {
    throw new DecodeFailed(`the header is truncated: ${file.size} of ${HEADER_BYTES} bytes are stored`);
  }
  const bytes = file.read(0, HEADER_BYTES, "the header");
  if ([...SIGNATURE].some((letter, i) => bytes[i] !== letter.charCodeAt(0))) {
    throw new DecodeFailed(`the signature is not ${SIGNATURE}`);
  }
  const view = new DataView(bytes.buffer);
  // Offsets near 2^64 are inexact, but far larger than any file.
  const declared = Number(view.getBigUint64(32, true));
  const indexOffset = Number(view.getBigUint64(40, true));
  const end = declared >= indexOffset + 4 && declared <= file.size ? declared : file.size;
  return {
    end,
    indexOffset: indexOffset >= HEADER_BYTES && indexOffset + 4 <= end ? indexOffset : null,
    truncated: declared > file.size,
  };
}

/** Number of bytes per read, which includes the head of a pixel block and the tag before it. */
const WINDOW_BYTES = 256;

/** Reads the blocks of a file one after the other. */
export class BlockWalk {
  readonly damage = new Damage();
  readonly #file: ByteSource;
  readonly #header: ContainerHeader;
  readonly #stop: StopFlag;
  #window = new Uint8Array(WINDOW_BYTES);
  #windowLength = 0;
  #windowOffset = 0;

  constructor(file: ByteSource, header: ContainerHeader, stop: StopFlag) {
    this.#file = file;
    this.#header = header;
    this.#stop = stop;
  }

  /** Bytes of a small structure in the block yielded last, valid until the next call. */
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

  /** Yields the blocks in file order. @throws {DecodeFailed} more than {@linkcode MAX_BLOCKS} blocks */
  *blocks(): Generator<Block> {
    const { end, indexOffset, truncated } = this.#header;
    let at = HEADER_BYTES;
    for (let count = 1; at + BLOCK_HEAD_BYTES <= end; count += 1) {
      this.#stop.check();
      const head = this.peek(at, BLOCK_HEAD_BYTES);
      const view = new DataView(head.buffer, head.byteOffset, BLOCK_HEAD_BYTES);
      const [length, kind] = [view.getUint32(0, true), view.getUint32(4, true)];
      if (length === INDEX_MARKER) break;
      if (count > MAX_BLOCKS) throw new DecodeFailed(`the file has more than ${MAX_BLOCKS} blocks`);
      const offset = at + BLOCK_HEAD_BYTES;
      const stored = Math.min(length, end - offset);
      if (stored < length) {
        const text = `block at ${at} + ${BLOCK_HEAD_BYTES + length} ends after the data (${end} bytes)`;
        this.damage.add(text, true);
      }
      yield { offset, kind, length, stored };
      if (stored < length) return;
      at = offset + length;
    }
    const isIndex = end - at >= 4 && this.peek(at, 4).every((byte) => byte === 0xff);
    if (indexOffset !== null && at !== indexOffset && !truncated) {
      this.damage.add(`the blocks end at ${at}, not at the index at ${indexOffset}`);
    } else if (at < end && !isIndex) {
      this.damage.add(`${end - at} bytes at ${at} are too few for a block`, true);
    }
  }
}

/** Damage of a file, of which only the first part is described. */
export class Damage {
  /** The first damage as a clause, or `null`. */
  text: string | null = null;
  /** True if the data end too early, as after an interrupted recording, and have no other damage. */
  onlyAtEnd = true;

  /** Adds damage. @param what one clause with the offset: `pixels at 96 lack a tag` */
  add(what: string, atEnd = false): void {
    this.text ??= what;
    this.onlyAtEnd &&= atEnd;
  }
}
