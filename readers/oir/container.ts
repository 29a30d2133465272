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

/** Longest chunk name in bytes; usual names have about 50. */
const MAX_NAME_BYTES = 1024;

const HEADER_BYTES = 96;
const BLOCK_HEAD_BYTES = 8;
const TAG_FIXED_BYTES = 12;
const INDEX_MARKER = 0xffff_ffff;

/** Number of bytes per read, which includes the head of a pixel block and the tag before it. */
const WINDOW_BYTES = 256;

/** Kinds of blocks to read; kind 2 is the thumbnail and 5 a separator. */
const KIND = { documents: 0, frame: 1, tag: 3, pixels: 4 } as const;

/** The place of a block's payload. */
export interface DocumentBlock {
  readonly offset: number;
  readonly length: number;
}

/** Pixels with their tag. `length` counts the stored bytes: fewer than declared in the last block of a truncated file. */
export interface PixelBlock extends DocumentBlock {
  readonly kind: "pixels";
  readonly name: string;
  readonly planeOffset: number;
  readonly tagAt: number;
}

/** A block with content. */
export type OirBlock = DocumentBlock & { readonly kind: "documents" | "frame" } | PixelBlock;

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
export function readOirHeader(file: ByteSource): ContainerHeader {
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

/** Yields the blocks in file order, and adds what is damaged. @throws {DecodeFailed} more than {@linkcode MAX_BLOCKS} blocks */
export function* walkBlocks(
  file: ByteSource,
  { end, indexOffset, truncated }: ContainerHeader,
  damage: Damage,
  stop: StopFlag,
): Generator<OirBlock> {
  let window = new Uint8Array(0);
  let windowAt = 0;
  const peek = (offset: number, length: number) => {
    if (offset < windowAt || offset + length > windowAt + window.length) {
      window = file.read(offset, Math.max(length, Math.min(WINDOW_BYTES, file.size - offset)), "block");
      windowAt = offset;
    }
    return new DataView(window.buffer, offset - windowAt, length);
  };
  let tag: Tag | null = null;
  let at = HEADER_BYTES;
  for (let count = 1; at + BLOCK_HEAD_BYTES <= end; count += 1) {
    stop.check();
    const head = peek(at, BLOCK_HEAD_BYTES);
    const [length, kind] = [head.getUint32(0, true), head.getUint32(4, true)];
    if (length === INDEX_MARKER) break;
    if (count > MAX_BLOCKS) throw new DecodeFailed(`the file has more than ${MAX_BLOCKS} blocks`);
    const offset = at + BLOCK_HEAD_BYTES;
    const stored = Math.min(length, end - offset);
    const isWhole = stored === length;
    if (!isWhole) {
      damage.add(`block at ${at} + ${BLOCK_HEAD_BYTES + length} ends after the data (${end} bytes)`, true);
    }
    if (kind === KIND.pixels) {
      if (tag === null) damage.add(`pixels at ${offset} lack a tag`);
      else if (length !== tag.length) {
        damage.add(`pixels at ${offset} have ${length} bytes, but their tag states ${tag.length}`);
      } else yield { ...tag, kind: "pixels", offset, length: stored };
      tag = null;
    } else {
      if (tag) damage.add(`tag at ${tag.tagAt} is not followed by pixels`);
      tag = kind === KIND.tag && isWhole ? readTag(offset, length, peek, damage) : null;
      if (isWhole && kind === KIND.frame) yield { kind: "frame", offset, length };
      if (isWhole && kind === KIND.documents && length > 0) yield { kind: "documents", offset, length };
    }
    if (!isWhole) return;
    at = offset + length;
  }
  const isIndex = end - at >= 4 && peek(at, 4).getUint32(0) === INDEX_MARKER;
  if (indexOffset !== null && at !== indexOffset && !truncated) {
    damage.add(`the blocks end at ${at}, not at the index at ${indexOffset}`);
  } else if (at < end && !isIndex) {
    damage.add(`${end - at} bytes at ${at} are too few for a block`, true);
  }
  if (tag) damage.add(`tag at ${tag.tagAt} is not followed by pixels`);
}

type Tag = Pick<PixelBlock, "name" | "planeOffset" | "tagAt" | "length">;

function readTag(
  tagAt: number,
  bytes: number,
  peek: (offset: number, length: number) => DataView,
  damage: Damage,
): Tag | null {
  const lost = (what: string) => {
    damage.add(`tag at ${tagAt} has ${what}`);
    return null;
  };
  if (bytes < TAG_FIXED_BYTES || bytes > TAG_FIXED_BYTES + MAX_NAME_BYTES) return lost(`${bytes} bytes`);
  const view = peek(tagAt, bytes);
  const nameLength = view.getUint32(8, true);
  if (nameLength > bytes - TAG_FIXED_BYTES) return lost(`a name of ${nameLength} bytes in ${bytes}`);
  let name = "";
  for (let i = 0; i < nameLength; i += 1) name += String.fromCharCode(view.getUint8(TAG_FIXED_BYTES + i));
  if (/[^ -~]/.test(name)) return lost("a name that is not printable");
  return { name, planeOffset: view.getUint32(0, true), length: view.getUint32(4, true), tagAt };
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
