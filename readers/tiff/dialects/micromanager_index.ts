/**
 * The index map of a Micro-Manager stack, its summary, and the metadata of its pages.
 *
 *   byte  8   54773648, offset of the index map: 3453623, number of entries, then per plane five LONG: channel,
 *             slice, frame, position, offset of its directory
 *   byte 32   2355492, length of the summary, summary as JSON at byte 40
 */
import { DecodeFailed, unlessDamaged } from "../../errors.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../../metadata/json.ts";
import { MAX_DIRECTORIES, MAX_VENDOR_BYTES } from "../bounds.ts";
import type { Directory } from "../directory.ts";
import { TAG } from "../tags.ts";
import { decodeText } from "../text.ts";
import type { TiffFile } from "../tiff_file.ts";
import { INDEX_MAP_MARK, numberAt, SUMMARY_MARK } from "./marks.ts";

const INDEX_MAP = 3_453_623;

/** Bytes of one entry of the index map. */
const ENTRY_BYTES = 20;

/** One plane and the place of its directory. */
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

  /** Takes channel, slice, frame, position and offset of each entry. */
  constructor(numbers: Float64Array) {
    this.#numbers = numbers;
  }

  /** How many there are. */
  get length(): number {
    return this.#numbers.length / ENTRY_NUMBERS;
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

  /** All entries in the order of the file. */
  *[Symbol.iterator](): Generator<IndexEntry> {
    for (let i = 0; i < this.length; i += 1) yield this.at(i);
  }
}

/** Bytes where the summary is announced: in an `_MMStack`, in NDTiff of version 2, in NDTiff of version 3. */
const SUMMARY_PLACES = [32, 16, 20];

/** The summary as stored. @throws {DecodeFailed} it is missing, or longer than `most` bytes */
export function summaryText(tiff: TiffFile, most: number): string {
  const at = SUMMARY_PLACES.find((place) => numberAt(tiff, place) === SUMMARY_MARK);
  if (at === undefined) throw new DecodeFailed("the header does not announce it");
  const length = numberAt(tiff, at + 4) ?? 0;
  if (length > most) throw new DecodeFailed(`it has ${length} bytes, more than ${most}`);
  return decodeText(tiff.file.read(at + 8, length, "the summary"));
}

/** The summary. @throws {DecodeFailed} it is damaged */
export function readSummary(tiff: TiffFile): JsonObject {
  const summary = parseJsonText(summaryText(tiff, MAX_VENDOR_BYTES), "the summary");
  if (!isJsonObject(summary)) throw new DecodeFailed("it is not a JSON object");
  return summary;
}

/** The index map. @throws {DecodeFailed} it is damaged, or the acquisition ended before it was written */
export function readIndexMap(tiff: TiffFile): PlaneIndex {
  const offset = numberAt(tiff, 12) ?? 0;
  if (numberAt(tiff, 8) !== INDEX_MAP_MARK || offset === 0) {
    throw new DecodeFailed("the header at 8 does not say where it is");
  }
  const little = tiff.encoding.littleEndian;
  const start = tiff.window.view(offset, 8, "the index map");
  const count = start.getUint32(4, little);
  if (start.getUint32(0, little) !== INDEX_MAP) throw new DecodeFailed(`it is not at ${offset}`);
  if (count > MAX_DIRECTORIES) {
    throw new DecodeFailed(`it has ${count} entries at ${offset}, more than ${MAX_DIRECTORIES}`);
  }
  const view = new DataView(tiff.file.read(offset + 8, count * ENTRY_BYTES, "the index map").buffer);
  const numbers = Float64Array.from(
    { length: count * ENTRY_NUMBERS },
    (_, i) => view.getUint32(4 * i, little),
  );
  // Unused entries at the end are zero; no directory lies at 0.
  let used = count;
  while (used > 0 && numbers[used * ENTRY_NUMBERS - 1] === 0) used -= 1;
  if (used === 0) throw new DecodeFailed(`it is empty at ${offset}`);
  return new PlaneIndex(numbers.subarray(0, used * ENTRY_NUMBERS));
}

/** The planes by the metadata of the pages; `null` where a page does not say which plane it is. */
export function pageIndices(tiff: TiffFile): PlaneIndex | null {
  const numbers: number[] = [];
  let isComplete = true;
  tiff.walk((directory) => {
    const entry = indexOf(directory);
    isComplete &&= entry !== null;
    if (entry) numbers.push(entry.channel, entry.slice, entry.frame, entry.position, entry.offset);
  });
  return isComplete ? new PlaneIndex(Float64Array.from(numbers)) : null;
}

/** The plane that a page says it is, or `null`. */
function indexOf(directory: Directory): IndexEntry | null {
  const { ChannelIndex, SliceIndex, FrameIndex, PositionIndex = 0 } = planeMetadata(directory);
  const [channel, slice, frame, position] = [ChannelIndex, SliceIndex, FrameIndex, PositionIndex ?? 0];
  return isIndex(channel) && isIndex(slice) && isIndex(frame) && isIndex(position)
    ? { channel, slice, frame, position, offset: directory.offset }
    : null;
}

const isIndex = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Tag 51123 of a page; empty where it is damaged. */
export function planeMetadata(directory: Directory): JsonObject {
  const text = directory.note(TAG.MicroManagerMetadata, MAX_VENDOR_BYTES);
  const parsed = text === ""
    ? null
    : unlessDamaged(() => parseJsonText(text, "the metadata of the plane"), null);
  return isJsonObject(parsed) ? parsed : {};
}
