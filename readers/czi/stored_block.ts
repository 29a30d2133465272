/** Blocks with their bytes: where they are in the file, and how they are decoded. */
import type { ByteSource } from "../io/byte_source.ts";
import { joinBytes } from "../codecs/shuffle.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { largerMemory, NO_WORKING_MEMORY, type WorkingMemory } from "../reader.ts";
import { scratchBytes } from "../io/scratch.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import { type Block, isPlain, rowPixels, type StoredPixels } from "./block.ts";
import { checkPicture, extentOf, segmentOf, type Storage, type StoredPicture } from "./compression.ts";
import { type PixelType, pixelTypeOf } from "./pixel_type.ts";
import { readMask, readSubblock, type Subblock } from "./subblock.ts";
import { placeOf, type SubblockTable } from "./subblock_table.ts";

/** A block of a plane with its bytes. */
export interface StoredBlock {
  /** The block. */
  readonly block: Block;
  /** Type of its pixels. */
  readonly pixel: PixelType;
  /** File that holds it. */
  readonly file: ByteSource;
  /** Where it is in the file. */
  readonly subblock: Subblock;
  /** How its samples are stored. */
  readonly storage: Storage;
  /** Its rows in the file: all, or the first ones of a truncated line scan. */
  readonly rows: number;
  /** Name in messages. */
  readonly what: string;
}

/** The document that holds a block. */
export interface BlockHost {
  /** All subblocks. */
  readonly table: SubblockTable;
  /** The storage of a compression code. @throws {DecodeFailed} it is unsupported */
  storage(code: number, what: string): Promise<Storage>;
  /** Takes a warning. */
  warn(warning: Warning): void;
}

/** Least bytes of a subblock. */
const LEAST_SUBBLOCK = 32 + 256;

/**
 * Finds the bytes of a block.
 *
 * @param mayBeCut whether rows may be missing at the end of the file, as in a line scan
 * @returns `null` if the subblock was deleted, or a line scan was cut before it
 * @throws {DecodeFailed} the bytes lie outside the file, are too few, or use an unsupported compression
 */
export async function findBlock(
  host: BlockHost,
  block: Block,
  { file, mayBeCut }: { readonly file: ByteSource; readonly mayBeCut: boolean },
): Promise<StoredBlock | null> {
  const facts = host.table.facts(block.entry);
  const what = placeOf(facts);
  const pixel = pixelTypeOf(facts.pixelType);
  if (mayBeCut && facts.position >= 0 && facts.position + LEAST_SUBBLOCK > file.size) return null;
  const subblock = readSubblock(file, facts.position, what);
  if (subblock === null) return null;
  const needed = block.pixels * pixel.bytes;
  // Some writers leave pixels raw whatever the code says; a stream may also happen to have their length.
  const raw = subblock.dataSize === needed && !startsAsStream(file, subblock, facts.compression, what);
  const storage = await host.storage(raw ? 0 : facts.compression, what);
  if (storage.doubtful) {
    host.warn(
      warning(
        "samples_doubtful",
        `Subblocks have compression ${facts.compression} (raw data of the system), read as pixels`,
      ),
    );
  }
  const { codec } = storage;
  if (codec === null && subblock.dataSize > needed) {
    host.warn(
      warning(
        "metadata_disagree",
        `The ${what} stores ${subblock.dataSize} bytes, but its pixels take ${needed}; the rest is not served`,
      ),
    );
  }
  const found = { block, pixel, file, subblock, storage, what };
  if (codec === null) return { ...found, rows: rawRows(found, needed, mayBeCut) };
  if (mayBeCut && subblock.data + subblock.dataSize > file.size) return { ...found, rows: 0 };
  file.require(subblock.data, subblock.dataSize, what);
  checkPicture(pictureOf(found), codec, what);
  return { ...found, rows: block.height };
}

/** Starts of the streams of a compression code, after a header of 0, 1 or 3 bytes. */
const STREAM_STARTS: Readonly<Record<number, RegExp>> = {
  1: /^ffd8ff/,
  4: /^4949bc/,
  5: /^28b52ffd/,
  6: /^(?:01|0301..)28b52ffd/,
};

function startsAsStream(file: ByteSource, { data, dataSize }: Subblock, code: number, what: string): boolean {
  const start = STREAM_STARTS[code];
  if (start === undefined || data + dataSize > file.size) return false;
  return start.test(file.read(data, Math.min(dataSize, 8), what).toHex());
}

/** Raw rows in the file. @throws {DecodeFailed} some are missing that must not be */
function rawRows(
  { block, pixel, file, subblock, what }: Omit<StoredBlock, "rows">,
  needed: number,
  mayBeCut: boolean,
): number {
  const { data, dataSize } = subblock;
  const stored = Math.max(0, Math.min(dataSize, file.size - data));
  if (stored >= needed) return block.height;
  if (mayBeCut && isPlain(block)) {
    const rows = Math.floor(
      (Math.floor(stored / pixel.bytes) - block.first - block.width) / Math.max(1, block.rowStep),
    ) + 1;
    return Math.min(Math.max(rows, 0), block.height);
  }
  if (dataSize < needed) {
    throw new DecodeFailed(`${what} holds ${dataSize} bytes, but its pixels need ${needed}`);
  }
  file.require(data, needed, what);
  return block.height;
}

function pictureOf({ block, pixel, subblock }: Omit<StoredBlock, "rows">): StoredPicture {
  const { storedWidth: width, pixels } = block;
  return { width, rows: pixels / width, pixel, stored: subblock.dataSize };
}

/** Memory that painting a block takes in addition to the planes. */
export function workingMemory(stored: StoredBlock): WorkingMemory {
  const { block, pixel, storage: { codec }, subblock } = stored;
  const mask = { bytes: subblock.blobSize + subblock.metadataSize, endsWithWorker: false };
  if (codec) {
    const bytes = codec.workingBytes(extentOf(pictureOf(stored)));
    return { bytes: bytes + mask.bytes, endsWithWorker: codec.endsWithWorker ?? false };
  }
  const row = rowPixels(block) * pixel.bytes + 8 * block.width;
  const needed = row > MAX_READ_STEP ? { bytes: row, endsWithWorker: false } : NO_WORKING_MEMORY;
  return subblock.blobSize > 0 ? largerMemory(needed, mask) : needed;
}

/** Opens the pixels of a block, decoding compressed ones. @throws {DecodeFailed | Stopped} */
export async function openPixels(stored: StoredBlock, stop: StopFlag): Promise<StoredPixels> {
  const { pixel, file, subblock, storage: { codec, isSplit }, what } = stored;
  const mask = subblock.blobSize > 0 ? readMask(file, subblock, what) : null;
  if (codec === null) {
    return {
      pixel,
      mask,
      bytes(first, count) {
        const bytes = scratchBytes(count * pixel.bytes);
        file.readInto(subblock.data + first * pixel.bytes, bytes, what);
        return bytes;
      },
    };
  }
  const input = file.read(subblock.data, subblock.dataSize, what);
  const segment = segmentOf(pictureOf(stored), input, { what, stop });
  const decoded = await codec.decode(input, segment);
  if (isSplit(input)) {
    const split = decoded.subarray(0, segment.bytes);
    return {
      pixel,
      mask,
      bytes(first, count) {
        const bytes = scratchBytes(count * pixel.bytes);
        joinBytes(split, first * pixel.samples, bytes, 2);
        return bytes;
      },
    };
  }
  // Typed views need an aligned start.
  const aligned = decoded.byteOffset % 8 === 0 ? decoded : decoded.slice();
  return {
    pixel,
    mask,
    bytes: (first, count) => aligned.subarray(first * pixel.bytes, (first + count) * pixel.bytes),
  };
}
