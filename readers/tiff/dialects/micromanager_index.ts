/**
 * The index map of a Micro-Manager stack, its summary, the metadata of its pages, and the planes in all files of an acquisition.
 * The other files are continuations, numbered from `_1` on, or belong to other positions.
 *
 *   byte  8   54773648, offset of the index map: 3453623, number of entries, then per plane five LONG: channel,
 *             slice, frame, position, offset of its directory
 *   byte 32   2355492, length of the summary, summary as JSON at byte 40
 */
import { DecodeFailed, PlaneNotFound, unlessDamaged } from "../../errors.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../../metadata/json.ts";
import { type Warning, warning } from "../../warning.ts";
import type { Directory } from "../directory.ts";
import { INDEX_MAP_MARK, MICRO_MANAGER, numberAt, SUMMARY_MARK } from "../marks.ts";
import type { PageLayout } from "../page.ts";
import { MAX_PLANES, type Opened, type PlaneIndex, type PlaneSource, type StackSizes } from "../stack.ts";
import { planePage } from "../stored_planes.ts";
import { MAX_VENDOR_BYTES, TAG } from "../tags.ts";
import { decodeText } from "../text.ts";
import { MAX_DIRECTORIES, readOther, type RecentFiles, type TiffFile } from "../tiff_file.ts";
import { basename, dirname, join } from "node:path";

const INDEX_MAP = 3_453_623;

/** Bytes per entry of the index map. */
const ENTRY_BYTES = 20;

/** Indices of one plane, each from 0, and the offset of its directory. */
export type IndexEntry = Readonly<Record<"channel" | "slice" | "frame" | "position" | "offset", number>>;

/** Offsets of the summary's mark: in an `_MMStack`, in NDTiff version 2, in NDTiff version 3. */
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
export function readIndexMap(tiff: TiffFile): IndexEntry[] {
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
  const entries = Array.from({ length: count }, (_, i): IndexEntry => {
    const word = (n: number) => view.getUint32(i * ENTRY_BYTES + 4 * n, little);
    return { channel: word(0), slice: word(1), frame: word(2), position: word(3), offset: word(4) };
  });
  // Unused entries at the end are zero, and no directory lies at 0.
  const used = entries.slice(0, entries.findLastIndex(({ offset }) => offset !== 0) + 1);
  if (used.length === 0) throw new DecodeFailed(`it is empty at ${offset}`);
  return used;
}

/** The planes according to the metadata of the pages; `null` if a page does not state its indices. */
export function pageIndices(tiff: TiffFile): IndexEntry[] | null {
  const entries: (IndexEntry | null)[] = [];
  tiff.walk((directory) => entries.push(indexOf(directory)));
  return entries.every((entry) => entry !== null) ? entries : null;
}

/** The plane whose indices a page states, or `null`. */
function indexOf(directory: Directory): IndexEntry | null {
  const { ChannelIndex, SliceIndex, FrameIndex, PositionIndex = 0 } = planeMetadata(directory);
  const [channel, slice, frame, position] = [ChannelIndex, SliceIndex, FrameIndex, PositionIndex ?? 0];
  return isIndex(channel) && isIndex(slice) && isIndex(frame) && isIndex(position)
    ? { channel, slice, frame, position, offset: directory.offset }
    : null;
}

const isIndex = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** The metadata of a page (tag 51123); empty if they are damaged. */
export function planeMetadata(directory: Directory): JsonObject {
  const text = directory.note(TAG.MicroManagerMetadata, MAX_VENDOR_BYTES);
  const parsed = text === ""
    ? null
    : unlessDamaged(() => parseJsonText(text, "the metadata of the plane"), null);
  return isJsonObject(parsed) ? parsed : {};
}

/**
 * Finds the other files of an acquisition: same folder, same name up to `_MMStack`.
 *
 * @param several whether each position may have its own file, with a name between `_MMStack` and the number
 * @returns the names, and the first missing continuation: a gap, or the one after the last
 */
export function partNames(
  { path, files }: Opened,
  several: boolean,
): { readonly others: readonly string[]; readonly missing: string | null } {
  const name = basename(path);
  const [, stem, ending] = /^(.*?_MMStack[^.]*?)(?:_\d+)?(\.ome\.tiff?)$/i.exec(name) ?? [];
  if (stem === undefined) return { others: [], missing: null };
  const [acquisition = stem] = MICRO_MANAGER.exec(stem) ?? [];
  const numbers = new Set<number>();
  const others: string[] = [];
  for (const other of files.list(dirname(path))) {
    const part = other.startsWith(stem) ? /^(?:_(\d+))?\.ome\.tiff?$/i.exec(other.slice(stem.length)) : null;
    if (part) numbers.add(Number(part[1] ?? 0));
    const isPosition = several && other.startsWith(acquisition) &&
      /^[^.]*\.ome\.tiff?$/i.test(other.slice(acquisition.length));
    if ((part || isPosition) && other !== name) others.push(other);
  }
  let first = 0;
  while (numbers.has(first)) first += 1;
  return { others, missing: `${stem}${first === 0 ? "" : `_${first}`}${ending}` };
}

/** A file of the acquisition and its index map. */
export interface IndexedFile {
  readonly path: string;
  /** Entries of its index map, for all positions. */
  readonly index: readonly IndexEntry[];
}

/** Reads the index maps of the other files. */
export function openParts(
  { path, files }: Opened,
  names: readonly string[],
): { readonly files: readonly IndexedFile[]; readonly bytes: number; readonly warnings: readonly Warning[] } {
  const found: IndexedFile[] = [];
  const warnings: Warning[] = [];
  let bytes = 0;
  for (const name of names) {
    const other = join(dirname(path), name);
    const read = readOther(files, other, (tiff) => ({ index: readIndexMap(tiff), size: tiff.file.size }));
    if (typeof read === "string") {
      warnings.push(warning("file_unreadable", `"${name}" of this acquisition is left out: ${read}`));
    } else {
      found.push({ path: other, index: read.index });
      bytes += read.size;
    }
  }
  return { files: found, bytes, warnings };
}

/** Largest number of positions in an acquisition: a plate of 1,536 wells with fifty fields each is below it. */
const MAX_POSITIONS = 100_000;

/** Sizes of each position with planes: declared, or larger if its planes need it. @throws {DecodeFailed} too many positions */
export function positionSizes(
  files: readonly IndexedFile[],
  declared: StackSizes,
): Map<number, StackSizes> {
  const found = new Map<number, { T: number; C: number; Z: number }>();
  for (const { index } of files) {
    for (const entry of index) {
      const sizes = found.getOrInsertComputed(entry.position, () => ({ ...declared }));
      if (found.size > MAX_POSITIONS) {
        throw new DecodeFailed(`the index map has more than ${MAX_POSITIONS} positions`);
      }
      sizes.T = Math.max(sizes.T, entry.frame + 1);
      sizes.C = Math.max(sizes.C, entry.channel + 1);
      sizes.Z = Math.max(sizes.Z, entry.slice + 1);
    }
  }
  return found;
}

/** The planes of one position. If two entries name the same plane, the last one counts. */
export class PositionPlanes {
  readonly #sizes: StackSizes;
  readonly #missing: string | null;
  /** Location of each plane, by plane number. */
  readonly #places = new Map<number, { readonly path: string; readonly offset: number }>();

  /**
   * Collects the planes from all files.
   *
   * @param missing the first missing file of the acquisition, or `null`
   * @throws {DecodeFailed} too many planes are declared
   */
  constructor(files: readonly IndexedFile[], position: number, sizes: StackSizes, missing: string | null) {
    const { T, C, Z } = sizes;
    if (T * C * Z > MAX_PLANES) {
      throw new DecodeFailed(`the acquisition declares ${T} x ${C} x ${Z} planes, more than ${MAX_PLANES}`);
    }
    this.#sizes = sizes;
    this.#missing = missing;
    for (const { path, index } of files) {
      for (const { channel, slice, frame, position: own, offset } of index) {
        if (own === position) this.#places.set(this.#key(frame, channel, slice), { path, offset });
      }
    }
  }

  /** Warnings about declared planes that are in no file. */
  get warnings(): Warning[] {
    const { T, C, Z } = this.#sizes;
    if (this.count === T * C * Z) return [];
    const text = `The acquisition declares ${T * C * Z} planes, but ${this.count} are there${this.#gone}`;
    return [warning("planes_missing", text)];
  }

  /** Clause about the missing file, for messages. */
  get #gone(): string {
    return this.#missing === null ? "" : `; "${this.#missing}" is missing`;
  }

  #key(t: number, channel: number, z: number): number {
    return (t * this.#sizes.C + channel) * this.#sizes.Z + z;
  }

  /** Number of stored planes. */
  get count(): number {
    return this.#places.size;
  }

  /** Whether a plane is stored. */
  holds({ t, channel, z }: PlaneIndex): boolean {
    return this.#places.has(this.#key(t, channel, z));
  }

  /** The directory of the first plane, or `undefined`. @throws {DecodeFailed} it is damaged */
  first(pool: RecentFiles<TiffFile>): Directory | undefined {
    const [place] = this.#places.values();
    return place && pool.get(place.path).directoryAt(place.offset);
  }

  /**
   * The plane at an index.
   *
   * @throws {PlaneNotFound} no index map contains it
   * @throws {DecodeFailed} its directory is damaged
   */
  plane(pool: RecentFiles<TiffFile>, layout: PageLayout, { t, channel, z }: PlaneIndex): PlaneSource {
    const place = this.#places.get(this.#key(t, channel, z));
    const what = `the plane T=${t} C=${channel} Z=${z}`;
    if (!place) throw new PlaneNotFound(`${what} is in no index map of this acquisition${this.#gone}`);
    const tiff = pool.get(place.path);
    return { tiff, page: planePage(tiff.directoryAt(place.offset, what), layout, what) };
  }
}
