/** A block with its bytes: where they lie, how they are decoded, what is doubtful about them. */
import type { ByteSource } from "../io/byte_source.ts";
import type { Codec } from "../codecs/segment.ts";
import { joinBytes } from "../codecs/shuffle.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { largerMemory, NO_WORKING_MEMORY, type WorkingMemory } from "../reader.ts";
import { scratchBytes } from "../io/scratch.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import { type Block, isPlain, rowPixels } from "./block.ts";
import { checkPicture, extentOf, segmentOf, type Storage, type StoredPicture } from "./compression.ts";
import { placeOf } from "./directory.ts";
import type { StoredPixels } from "./paint.ts";
import { type PixelType, pixelTypeOf } from "./pixel_type.ts";
import { readMask, readSubblock, type Subblock } from "./subblock.ts";
import { type Entry, isIndex, NO_INDEX, type SubblockTable } from "./subblock_table.ts";

/** A block of a plane and how to get at its pixels. */
export interface StoredBlock {
  /** Where it lies in the plane. */
  readonly block: Block;
  /** What its pixels are. */
  readonly pixel: PixelType;
  /** File that holds it. */
  readonly file: ByteSource;
  /** Where in the file. */
  readonly subblock: Subblock;
  /** `null` for pixels as they are. */
  readonly codec: Codec | null;
  /** Whether colours stand as blue, green, red. */
  readonly blueFirst: boolean;
  /** Whether the codec gives all low bytes of samples before their high bytes. */
  readonly isSplit: Storage["isSplit"];
  /** Rows of the block whose bytes the file has: all, or of a line scan that was cut the first ones. */
  readonly rows: number;
  /** Names it in messages. */
  readonly what: string;
}

/** What a block needs of the document that holds it. */
export interface BlockHost {
  /** All subblocks. */
  readonly table: SubblockTable;
  /** How samples of a compression code are stored. @throws {DecodeFailed} it is not read */
  storage(code: number, what: string): Promise<Storage>;
  /** Takes what is doubtful. */
  warn(warning: Warning): void;
}

/** The file that holds a block, and whether its last rows may be missing. */
export interface BlockSource {
  /** The file. */
  readonly file: ByteSource;
  /** True for a line scan, which is served as far as it goes. */
  readonly mayBeCut: boolean;
}

/**
 * Finds the bytes of a block.
 *
 * @returns `null` where the subblock was deleted
 * @throws {DecodeFailed} they do not lie in the file, are too few, or are stored in a way that is not read
 */
export async function findBlock(
  host: BlockHost,
  block: Block,
  { file, mayBeCut }: BlockSource,
): Promise<StoredBlock | null> {
  const { table } = host;
  const facts = table.facts(block.entry);
  const what = placeOf(facts);
  const pixel = pixelTypeOf(facts.pixelType);
  if (mayBeCut && facts.position >= 0 && facts.position + LEAST_SUBBLOCK > file.size) {
    return null;
  }
  const head = readSubblock(file, facts.position, what);
  if (head === null) return null;
  const { subblock, entry } = head;
  compareEntries(host, block.entry, entry, what);
  const needed = block.pixels * pixel.bytes;
  // A writer may have left pixels as they are whatever it says; a stream may also just have their length.
  const asTheyAre = subblock.dataSize === needed && !startsAsStream(file, subblock, facts.compression, what);
  const storage = await host.storage(asTheyAre ? 0 : facts.compression, what);
  if (storage.doubtful) {
    host.warn(
      warning(
        "samples_doubtful",
        `Subblocks have compression ${facts.compression} (raw data of the system), read as pixels`,
      ),
    );
  }
  const { codec, blueFirst, isSplit } = storage;
  if (codec === null && subblock.dataSize > needed) {
    host.warn(
      warning(
        "metadata_disagree",
        `The ${what} stores ${subblock.dataSize} bytes, but its pixels have ${needed}; the rest is not served`,
      ),
    );
  }
  const found = { block, pixel, file, subblock, codec, blueFirst, isSplit, what };
  if (codec === null) return { ...found, rows: rawRows(found, needed, mayBeCut) };
  const cut = subblock.data + subblock.dataSize > file.size;
  if (cut && mayBeCut) return { ...found, rows: 0 };
  file.require(subblock.data, subblock.dataSize, what);
  checkPicture(pictureOf(found), codec, what);
  return { ...found, rows: block.height };
}

/** How streams of a compression start, behind a header of 0, 1 or 3 bytes. */
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

/** Bytes without which nothing of a subblock can be read. */
const LEAST_SUBBLOCK = 32 + 256;

/** Rows of raw pixels that the file has. @throws {DecodeFailed} not all, where it has to have them */
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
    throw new DecodeFailed(`${what} holds ${dataSize} bytes, ${needed} are needed for its pixels`);
  }
  file.require(data, needed, what);
  return block.height;
}

/** The directory counts; that the subblock says something else of its pixels is worth a word. */
function compareEntries({ table, warn }: BlockHost, i: number, entry: Entry | null, what: string): void {
  if (entry === null) return warn(warning("metadata_missing", `The ${what} does not describe its pixels`));
  const facts = table.facts(i);
  const axes = entry.dimensions.filter(({ letter }) => !isIndex(letter));
  const index = (wanted: string) =>
    entry.dimensions.find(({ letter }) => letter === wanted)?.start ?? NO_INDEX;
  const same = ["M", "S"].every((letter) => index(letter) === table.start(letter, i)) &&
    entry.pixelType === facts.pixelType && entry.compression === facts.compression &&
    axes.map(({ letter }) => letter).join("") === table.order(i) &&
    axes.every(({ letter, size, stored, start }) =>
      size === table.size(letter, i) && stored === table.stored(letter, i) &&
      (letter === "X" || letter === "Y" || start === table.start(letter, i))
    );
  if (!same) {
    warn(
      warning(
        "metadata_disagree",
        `The ${what} describes its pixels differently from the directory, which counts`,
      ),
    );
  }
}

function pictureOf({ block, pixel, subblock }: Omit<StoredBlock, "rows">): StoredPicture {
  const { storedWidth: width, pixels } = block;
  return { width, rows: pixels / width, pixel, stored: subblock.dataSize };
}

/** What painting a block takes beside the planes. */
export function workingMemory(stored: StoredBlock): WorkingMemory {
  const { block, pixel, codec, subblock } = stored;
  const mask = { bytes: subblock.blobSize + subblock.metadataSize, endsWithWorker: false };
  if (codec) {
    const bytes = codec.workingBytes(extentOf(pictureOf(stored)));
    return { bytes: bytes + mask.bytes, endsWithWorker: codec.endsWithWorker ?? false };
  }
  const row = rowPixels(block) * pixel.bytes + 8 * block.width;
  const needed = row > MAX_READ_STEP ? { bytes: row, endsWithWorker: false } : NO_WORKING_MEMORY;
  return subblock.blobSize > 0 ? largerMemory(needed, mask) : needed;
}

/** The pixels of a block, decoded where they are compressed. @throws {DecodeFailed | Stopped} */
export async function openPixels(stored: StoredBlock, stop: StopFlag): Promise<StoredPixels> {
  const { pixel, file, subblock, codec, what } = stored;
  const mask = subblock.blobSize > 0 ? readMask(file, subblock, what) : null;
  if (codec === null) {
    return {
      pixel,
      mask,
      bytes(first, count) {
        const offset = subblock.data + first * pixel.bytes;
        const bytes = scratchBytes(count * pixel.bytes);
        file.readInto(offset, bytes, what);
        return bytes;
      },
    };
  }
  const input = file.read(subblock.data, subblock.dataSize, what);
  const segment = segmentOf(pictureOf(stored), input, { what, stop });
  const decoded = await codec.decode(input, segment);
  if (stored.isSplit(input)) {
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
