/**
 * The directory of subblocks. Dimensions are stored in columns, since a slide scan has hundreds of thousands of subblocks. A
 * subblock is an array over some dimensions, each with a start and a size; its `M` and `S` are indices, not axes of the array. If
 * the file ends before the directory, after an interrupted recording or a truncated copy, a walk over the subblocks replaces it.
 */
import { DecodeFailed, quoted } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import {
  type FileHeader,
  ID,
  longAt,
  requireSegment,
  SEGMENT_HEAD,
  textAt,
  walkSegments,
} from "./segment.ts";

/** Largest number of subblocks, 80 bytes outside the heap each: 1000 time points, 500 focus planes and 2 channels of a light sheet. */
export const MAX_SUBBLOCKS = 1 << 20;

/** Largest number of dimensions of a subblock; twelve exist. */
const MAX_DIMENSIONS = 40;

const MAX_EXTENT = 1 << 30;

/** Bytes of an entry before its dimensions. */
export const ENTRY_BYTES = 32;

/** Bytes per dimension of an entry. */
export const DIMENSION_BYTES = 20;

/** Stands for the index along `M` or `S` of a subblock without it. */
export const NO_INDEX: number = -1;

/** A subblock as its entry describes it, without its dimensions. */
export interface Subblock {
  readonly pixelType: number;
  /** Offset of the subblock in its file. */
  readonly position: number;
  /** Part of a split document that contains the subblock; 0 for the first or only file. */
  readonly part: number;
  readonly compression: number;
  /** Declared pyramid type; 0 is full resolution. */
  readonly pyramid: number;
  /** Letters of its axes, fastest first. */
  readonly order: string;
  /** True if any axis is stored in another size. */
  readonly scaled: boolean;
}

/** First index, number of indices and number of stored samples of each subblock along a dimension. */
type DimensionColumn = Readonly<Record<"start" | "size" | "stored", Int32Array>>;

/** `DV`, the schema of entries with a list of dimensions. */
const SCHEMA = 0x4456;

/**
 * Columns and rows, focus, channel, time, rotation, scene, illumination, block, mosaic tile, phase, view: all that ZEN writes.
 */
const DIMENSIONS: ReadonlySet<string> = new Set("XYZCTRSIBMHV");

/** Letter, first index, number of indices and number of stored samples of the dimensions of an entry, fastest first. */
function readDimensions(view: DataView, what: () => string): [string, number, number, number][] {
  const found: [string, number, number, number][] = [];
  for (let at = ENTRY_BYTES; at < view.byteLength; at += DIMENSION_BYTES) {
    const letter = view.getUint8(at + 1) === 0 ? String.fromCharCode(view.getUint8(at)) : textAt(view, at, 4);
    const [start, size] = [view.getInt32(at + 4, true), view.getInt32(at + 8, true)];
    const stored = view.getInt32(at + 16, true) || size;
    // Any other name is damage, which would move the subblock to index 0 of a dimension.
    if (!DIMENSIONS.has(letter)) {
      throw new DecodeFailed(
        `${what()} has the dimension ${quoted(letter)}, not one of ${[...DIMENSIONS].join(", ")}`,
      );
    }
    if (found.some(([other]) => other === letter)) {
      throw new DecodeFailed(`${what()} has two dimensions ${letter}`);
    }
    if (Math.min(size, stored) < 1 || Math.max(size, stored) > MAX_EXTENT) {
      throw new DecodeFailed(`${what()} has size ${size} along ${letter}, stored as ${stored}`);
    }
    found.push([letter, start, size, stored]);
  }
  if (!found.some(([letter]) => letter === "X")) throw new DecodeFailed(`${what()} has no dimension X`);
  return found;
}

/** All subblocks of a document. */
export class SubblockTable {
  readonly subblocks: Subblock[] = [];
  readonly #capacity: number;
  readonly #columns = new Map<string, DimensionColumn>();
  /** Equal texts are kept once. */
  readonly #orders = new Map<string, string>();

  /** Creates an empty table. @param capacity number of subblocks @throws {DecodeFailed} more than {@linkcode MAX_SUBBLOCKS} */
  constructor(capacity: number) {
    if (capacity > MAX_SUBBLOCKS) {
      throw new DecodeFailed(`it has ${capacity} subblocks, more than ${MAX_SUBBLOCKS}`);
    }
    this.#capacity = capacity;
  }

  get letters(): string[] {
    return [...this.#columns.keys()];
  }

  /** Estimated memory of the table. */
  get bytes(): number {
    return this.#capacity * (120 + 12 * this.#columns.size);
  }

  /** First index along a dimension. For an absent dimension 0, or {@linkcode NO_INDEX} for `M` and `S`. */
  start(letter: string, i: number): number {
    return this.#columns.get(letter)?.start[i] ?? defaultStart(letter);
  }

  size(letter: string, i: number): number {
    return this.#columns.get(letter)?.size[i] ?? 1;
  }

  /** Number of stored samples along a dimension; an overview has fewer samples than indices. */
  stored(letter: string, i: number): number {
    return this.#columns.get(letter)?.stored[i] ?? 1;
  }

  /**
   * Adds the subblock of an entry and returns the length of the entry; 0 if the bytes end inside it.
   *
   * @param own what replaces position and part
   * @throws {DecodeFailed} another schema, or impossible dimensions
   */
  add(bytes: DataView, what: () => string, own?: Pick<Subblock, "position" | "part">): number {
    if (bytes.byteLength < ENTRY_BYTES) return 0;
    if (bytes.getUint16(0) !== SCHEMA) {
      throw new DecodeFailed(`${what()} has the schema ${JSON.stringify(textAt(bytes, 0, 2))}, not "DV"`);
    }
    const count = bytes.getInt32(28, true);
    if (count < 1 || count > MAX_DIMENSIONS) {
      throw new DecodeFailed(`${what()} has ${count} dimensions, not 1 to ${MAX_DIMENSIONS}`);
    }
    const length = ENTRY_BYTES + DIMENSION_BYTES * count;
    if (bytes.byteLength < length) return 0;
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    const dimensions = readDimensions(view, what);
    const axes = dimensions.filter(([letter]) => !isIndexLetter(letter));
    const order = axes.map(([letter]) => letter).join("");
    const i = this.subblocks.push({
      pixelType: view.getInt32(2, true),
      position: own?.position ?? longAt(view, 6),
      part: own?.part ?? view.getInt32(14, true),
      compression: view.getInt32(18, true),
      pyramid: view.getUint8(22),
      order: this.#orders.getOrInsert(order, order),
      scaled: axes.some(([, , size, stored]) => stored !== size),
    }) - 1;
    for (const [letter, start, size, stored] of dimensions) {
      const column = this.#columns.getOrInsertComputed(letter, () => ({
        start: new Int32Array(this.#capacity).fill(defaultStart(letter)),
        size: new Int32Array(this.#capacity).fill(1),
        stored: new Int32Array(this.#capacity).fill(1),
      }));
      column.start[i] = start;
      column.size[i] = size;
      column.stored[i] = stored;
    }
    return length;
  }
}

const isIndexLetter = (letter: string) => letter === "M" || letter === "S";

const defaultStart = (letter: string) => isIndexLetter(letter) ? NO_INDEX : 0;

/** Bytes of the directory before its entries, and of a subblock before the copy of its entry. */
const [DIRECTORY_HEAD, SUBBLOCK_HEAD] = [128, 16];

const LARGEST_ENTRY = ENTRY_BYTES + MAX_DIMENSIONS * DIMENSION_BYTES;

/** The subblocks of a document. */
export interface SubblockDirectory {
  readonly table: SubblockTable;
  /** False if subblocks may be lost: the directory is missing and the file is truncated. */
  readonly complete: boolean;
  /** How the missing directory was replaced, or `null`. */
  readonly lost: string | null;
}

/** Reads the directory; if the file ends before it, walks over the subblocks. @throws {DecodeFailed} damaged, or too many subblocks */
export function readDirectory(file: ByteSource, header: FileHeader): SubblockDirectory {
  const { directory } = header;
  if (directory === 0) return walkSubblocks(file, header, "the file has none");
  if (directory >= file.size) return walkSubblocks(file, header, `the file ends before it, at ${file.size}`);
  return { table: listSubblocks(file, directory), complete: true, lost: null };
}

function listSubblocks(file: ByteSource, position: number): SubblockTable {
  const { data, used } = requireSegment(file, position, ID.directory, "the directory");
  const count = new DataView(file.read(data, 4, "the directory").buffer).getInt32(0, true);
  file.require(data, used, "the directory");
  const bytes = used - DIRECTORY_HEAD;
  if (count < 0 || count * (ENTRY_BYTES + DIMENSION_BYTES) > bytes) {
    throw new DecodeFailed(`the directory at ${position} states ${count} entries in ${bytes} bytes`);
  }
  const table = new SubblockTable(count);
  let at = data + DIRECTORY_HEAD;
  const end = at + bytes;
  while (table.subblocks.length < count) {
    const window = file.read(at, Math.min(MAX_READ_STEP, end - at), "the directory");
    let [taken, added] = [0, 1];
    while (table.subblocks.length < count && added !== 0) {
      const view = new DataView(window.buffer, taken, Math.min(window.length - taken, LARGEST_ENTRY));
      added = table.add(view, () => `entry ${table.subblocks.length} of the directory`);
      taken += added;
    }
    if (taken === 0) {
      throw new DecodeFailed(`the directory ends inside entry ${table.subblocks.length} of ${count}`);
    }
    at += taken;
  }
  return table;
}

/** Reads the copy of its entry in each subblock. @throws {DecodeFailed} a copy is damaged */
function walkSubblocks(file: ByteSource, header: FileHeader, why: string): SubblockDirectory {
  const subblocks: number[] = [];
  let [used, allocated] = [header.end, header.end];
  for (const segment of walkSegments(file, header.end)) {
    used = segment.data + segment.used;
    allocated = segment.data + segment.allocated;
    if (segment.id === ID.subblock) subblocks.push(segment.offset);
  }
  const table = new SubblockTable(subblocks.length);
  for (const position of subblocks) {
    const start = position + SEGMENT_HEAD + SUBBLOCK_HEAD;
    const length = Math.min(LARGEST_ENTRY, file.size - start);
    if (length <= 0) break;
    const view = new DataView(file.read(start, length, "subblock").buffer);
    if (table.add(view, () => `subblock at ${position}`, { position, part: header.part }) === 0) break;
  }
  return {
    table,
    // The last segment reaches the end of the file, and the file is as long as its header requires.
    complete: used <= file.size && allocated > file.size - SEGMENT_HEAD &&
      Math.max(header.directory, header.metadata, header.attachments) < file.size,
    lost: `The subblock directory is missing (${why}); a search found ${table.subblocks.length} subblocks`,
  };
}
