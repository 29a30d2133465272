/** The container of LIF and LOF files: texts, and blocks of samples. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, quoted } from "../errors.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { addWarning, warnIf, type Warning, warning } from "../warning.ts";

/** Largest number of blocks in a file, some 150 bytes of memory each; a plate with 20 fields per well has 30,000. */
export const MAX_BLOCKS = 200_000;

/** The first text of a LOF file. */
export const OBJECT_FILE = "LMS_Object_File";

const UTF16 = new TextDecoder("utf-16le");

const MAGIC = 0x70;
const FIELD = 0x2a;

/** Bytes before the characters of a text: magic, bytes that follow, field mark, number of characters. */
const TEXT_HEAD = 13;

/** Most bytes before the samples of a block, which end with its name; `MemBlock_` and a number are usual. */
const MAX_BLOCK_HEAD = 534;

/** Offsets in a LOF file: after the text follow two versions with marks, then a mark, a size and the samples. */
const OBJECT_VERSIONS = TEXT_HEAD + 2 * OBJECT_FILE.length;
const OBJECT_DATA = OBJECT_VERSIONS + 19;

/** The samples of one image. */
export interface MemoryBlock {
  readonly offset: number;
  readonly size: number;
  /** Number of bytes inside the file. */
  readonly stored: number;
}

/** A text in the file. */
export interface StoredText {
  readonly offset: number;
  /** Number of UTF-16 code units. */
  readonly characters: number;
  readonly end: number;
}

/** Locates the text at `offset`. @throws {DecodeFailed} it has no mark, or exceeds the file or the limit */
export function locateText(file: ByteSource, offset: number, what: string): StoredText {
  const head = new DataView(file.read(offset, TEXT_HEAD, what).buffer);
  if (head.getUint32(0, true) !== MAGIC || head.getUint8(8) !== FIELD) {
    throw new DecodeFailed(`${what} at ${offset} does not start like a Leica text`);
  }
  const characters = head.getUint32(9, true);
  if (characters > MAX_XML_BYTES) {
    throw new DecodeFailed(`${what} has ${characters} characters, more than ${MAX_XML_BYTES}`);
  }
  const first = offset + TEXT_HEAD;
  file.require(first, 2 * characters, what);
  return { offset: first, characters, end: first + 2 * characters };
}

/** Reads a text without the NULs at its end. */
export function readStoredText(file: ByteSource, { offset, characters }: StoredText, what: string): string {
  const text = UTF16.decode(file.read(offset, 2 * characters, what));
  // A regular expression would take quadratic time for many NULs.
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  return text.slice(0, end);
}

/** Lists the blocks by name, including empty ones, up to the first damaged one. @throws {DecodeFailed} too many blocks */
export function listBlocks(
  file: ByteSource,
  start: number,
  stop: StopFlag,
): { readonly blocks: ReadonlyMap<string, MemoryBlock>; readonly warnings: readonly Warning[] } {
  const blocks = new Map<string, MemoryBlock>();
  const warnings: Warning[] = [];
  let at = start;
  while (at < file.size) {
    stop.check();
    const head = readBlockHead(file, at);
    if (head === null) {
      const text = `The list of blocks ends at ${at} of ${file.size} bytes, where no block starts`;
      warnings.push(warning("file_damaged", text));
      break;
    }
    const { name, offset, size } = head;
    if (blocks.has(name)) {
      const text = `Several blocks are named ${quoted(name)}; the last one counts`;
      addWarning(warnings, warning("content_left_out", text));
    }
    blocks.set(name, { offset, size, stored: Math.min(size, file.size - offset) });
    if (blocks.size > MAX_BLOCKS) throw new DecodeFailed(`it has more than ${MAX_BLOCKS} blocks`);
    at = offset + size;
  }
  const text = `The file is truncated: its last block ends at ${at}, the file at ${file.size}`;
  return { blocks, warnings: [...warnings, ...warnIf(at > file.size, "file_damaged", text)] };
}

/** Name, first byte and size of the block at `at`, or `null`. A mark follows the size, which has 4 bytes in version 1. */
function readBlockHead(
  file: ByteSource,
  at: number,
): Omit<MemoryBlock, "stored"> & { readonly name: string } | null {
  const bytes = file.read(at, Math.min(MAX_BLOCK_HEAD, file.size - at), "the head of a block");
  const view = new DataView(bytes.buffer);
  const isWide = bytes[17] === FIELD;
  const length = isWide ? 22 : 18;
  const isHead = bytes.length >= length && view.getUint32(0, true) === MAGIC && bytes[8] === FIELD;
  if (!isHead || !isWide && bytes[13] !== FIELD) return null;
  const size = isWide ? readLong(view, 9) : view.getUint32(9, true);
  const end = length + 2 * view.getUint32(length - 4, true);
  if (end > bytes.length) return null;
  const name = UTF16.decode(bytes.subarray(length, end)).replace(/\0+$/, "");
  return { name, offset: at + end, size };
}

const readLong = (view: DataView, at: number) => Number(view.getBigUint64(at, true));

/** The block of a LOF file; the XML follows it. @throws {DecodeFailed} its marks or its size are wrong */
export function findObjectBlock(file: ByteSource): MemoryBlock {
  const what = "the head of the object";
  const view = new DataView(file.read(OBJECT_VERSIONS, OBJECT_DATA - OBJECT_VERSIONS, what).buffer);
  if ([0, 5, 10].some((at) => view.getUint8(at) !== FIELD)) {
    throw new DecodeFailed(`${what} at ${OBJECT_VERSIONS} does not start like one`);
  }
  const size = readLong(view, 11);
  file.require(OBJECT_DATA, size, "the samples of the object");
  return { offset: OBJECT_DATA, size, stored: size };
}
