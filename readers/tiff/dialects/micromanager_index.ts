/**
 * The index map of a Micro-Manager stack, its summary, and what its pages say of themselves: which plane lies where.
 *
 *   byte  8   54773648, offset of the index map: 3453623, number of entries, then per plane five LONG: channel,
 *             slice, frame, position, offset of its directory
 *   byte 32   2355492, length of the summary, summary as JSON at byte 40
 */
import { DecodeFailed } from "../../errors.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../../metadata/json.ts";
import { MAX_DIRECTORIES, MAX_VENDOR_BYTES } from "../bounds.ts";
import type { Directory } from "../directory.ts";
import { TAG } from "../tags.ts";
import { decodeText } from "../text.ts";
import type { TiffFile } from "../tiff_file.ts";

const INDEX_MAP_HEADER = 54_773_648;
const INDEX_MAP = 3_453_623;
const SUMMARY_HEADER = 2_355_492;

/** Bytes of one entry of the index map. */
const ENTRY_BYTES = 20;

/** One plane and where its directory lies. */
export interface IndexEntry {
  /** Channel, from 0. */
  readonly channel: number;
  /** Focus plane, from 0. */
  readonly slice: number;
  /** Time point, from 0. */
  readonly frame: number;
  /** Number of the position, from 0. */
  readonly position: number;
  /** Offset of the directory. */
  readonly offset: number;
}

/** Numbers of one entry in {@linkcode PlaneIndex}. */
const ENTRY_NUMBERS = 5;

/** Entries of one file, 40 bytes each. */
export class PlaneIndex implements Iterable<IndexEntry> {
  readonly #numbers: Float64Array;
  #length = 0;
  #repeats: boolean | null = null;

  /** No entries yet, at most `most`. */
  constructor(most: number) {
    this.#numbers = new Float64Array(most * ENTRY_NUMBERS);
  }

  /** The index of these entries. */
  static of(entries: readonly IndexEntry[]): PlaneIndex {
    const index = new PlaneIndex(entries.length);
    for (const entry of entries) index.add(entry);
    return index;
  }

  /** Adds one behind the others. */
  add({ channel, slice, frame, position, offset }: IndexEntry): void {
    this.#numbers.set([channel, slice, frame, position, offset], this.#length * ENTRY_NUMBERS);
    this.#length += 1;
  }

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  /** Whether two entries name one directory. */
  get repeatsOffset(): boolean {
    this.#repeats ??= this.#findRepeat();
    return this.#repeats;
  }

  #findRepeat(): boolean {
    const offsets = Float64Array.from({ length: this.#length }, (_, i) => this.at(i).offset).sort();
    return offsets.some((offset, i) => i > 0 && offset === offsets[i - 1]);
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#numbers.byteLength;
  }

  /** Entry number `i`. */
  at(i: number): IndexEntry {
    const number = (n: number) => this.#numbers[i * ENTRY_NUMBERS + n]!;
    return { channel: number(0), slice: number(1), frame: number(2), position: number(3), offset: number(4) };
  }

  /** All of them, in the order of the file. */
  *[Symbol.iterator](): Generator<IndexEntry> {
    for (let i = 0; i < this.#length; i += 1) yield this.at(i);
  }
}

/** True for a file with an index map or a summary. */
export function hasHeader(tiff: TiffFile): boolean {
  if (tiff.file.size < 40) return false;
  const head = tiff.window.view(8, 32, "the Micro-Manager header");
  const little = tiff.encoding.littleEndian;
  return head.getUint32(0, little) === INDEX_MAP_HEADER || head.getUint32(24, little) === SUMMARY_HEADER;
}

/** True for a file with a summary. */
export function hasSummary(tiff: TiffFile): boolean {
  const head = tiff.window.view(32, 8, "the Micro-Manager header");
  return head.getUint32(0, tiff.encoding.littleEndian) === SUMMARY_HEADER;
}

/** The summary of an acquisition. */
export type Summary = JsonObject;

/**
 * The summary as it stands in the file.
 *
 * @param most bytes that are read
 * @throws {DecodeFailed} there is none, or it is longer
 */
export function summaryText(tiff: TiffFile, most: number): string {
  const { offset, length } = summaryPlace(tiff);
  if (length > most) {
    throw new DecodeFailed(`the Micro-Manager summary has ${length} bytes, more than ${most}`);
  }
  return decodeText(tiff.file.read(offset, length, "the Micro-Manager summary"));
}

/** Where the summary is announced: in an `_MMStack`, in NDTiff of version 2, in NDTiff of version 3. */
const SUMMARY_PLACES = [32, 16, 20];

function summaryPlace({ window, encoding: { littleEndian } }: TiffFile) {
  for (const at of SUMMARY_PLACES) {
    const head = window.view(at, 8, "the Micro-Manager header");
    const length = head.getUint32(4, littleEndian);
    if (head.getUint32(0, littleEndian) === SUMMARY_HEADER && length <= MAX_VENDOR_BYTES) {
      return { offset: at + 8, length };
    }
  }
  throw new DecodeFailed("the header does not announce it");
}

/** The summary. @throws {DecodeFailed} it is damaged */
export function readSummary(tiff: TiffFile): Summary {
  const { offset, length } = summaryPlace(tiff);
  const summary = parseJsonText(summaryText(tiff, MAX_VENDOR_BYTES), `the document at ${offset}`);
  tiff.structures.claim(8, offset + length, "the Micro-Manager header");
  if (!isJsonObject(summary)) throw new DecodeFailed(`the document at ${offset} is no object`);
  return summary;
}

/** The index map. @throws {DecodeFailed} it is damaged, or the acquisition ended before it was written */
export function readIndexMap(tiff: TiffFile): PlaneIndex {
  const little = tiff.encoding.littleEndian;
  const head = tiff.window.view(8, 8, "the Micro-Manager header");
  const offset = head.getUint32(4, little);
  if (head.getUint32(0, little) !== INDEX_MAP_HEADER || offset === 0) {
    throw new DecodeFailed("the header at 8 does not say where it is");
  }
  const start = tiff.window.view(offset, 8, "the index map");
  const count = start.getUint32(4, little);
  if (start.getUint32(0, little) !== INDEX_MAP) throw new DecodeFailed(`there is none at ${offset}`);
  if (count > MAX_DIRECTORIES) {
    throw new DecodeFailed(`it has ${count} entries at ${offset}, more than ${MAX_DIRECTORIES}`);
  }
  const view = new DataView(tiff.file.read(offset + 8, count * ENTRY_BYTES, "the index map").buffer);
  tiff.structures.claim(offset, offset + 8 + view.byteLength, "the index map");
  const entries = new PlaneIndex(count);
  for (let at = 0; at < view.byteLength; at += ENTRY_BYTES) {
    const word = (i: number) => view.getUint32(at + i * 4, little);
    // Unused entries at the end are zero; no directory lies at 0.
    if (word(4) === 0) continue;
    entries.add({ channel: word(0), slice: word(1), frame: word(2), position: word(3), offset: word(4) });
  }
  if (entries.length === 0) throw new DecodeFailed(`it is empty at ${offset}`);
  // Their lengths are not known, so that samples over the start of one are told.
  for (const entry of entries) tiff.structures.addDirectory(entry.offset, entry.offset + 2);
  return entries;
}

/** What the pages say of themselves; `null` where one says nothing. */
export function pageIndices(tiff: TiffFile): PlaneIndex | null {
  const entries: (IndexEntry | null)[] = [];
  tiff.walk((directory) => entries.push(indexOf(directory)));
  return entries.every((entry) => entry !== null) ? PlaneIndex.of(entries) : null;
}

/** What a page says of itself, or `null`. */
export function indexOf(directory: Directory): IndexEntry | null {
  const { ChannelIndex, SliceIndex, FrameIndex, PositionIndex } = planeMetadata(directory);
  const position = PositionIndex ?? 0;
  if (!isIndex(ChannelIndex) || !isIndex(SliceIndex) || !isIndex(FrameIndex) || !isIndex(position)) {
    return null;
  }
  return { channel: ChannelIndex, slice: SliceIndex, frame: FrameIndex, position, offset: directory.offset };
}

const isIndex = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Tag 51123 of a page; nothing where it is damaged. */
export function planeMetadata(directory: Directory): Summary {
  const text = directory.note(TAG.MicroManagerMetadata, MAX_VENDOR_BYTES);
  if (text === "") return {};
  try {
    const parsed = parseJsonText(text, "the metadata of the plane");
    return isJsonObject(parsed) ? parsed : {};
  } catch (error) {
    if (error instanceof DecodeFailed) return {};
    throw error;
  }
}
