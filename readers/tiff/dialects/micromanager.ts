/**
 * Micro-Manager image stacks (`_MMStack`): a header behind the TIFF header, in the byte order of the file.
 *
 *   byte  8   54773648, offset of the index map: 3453623, number of entries, then per plane five LONG: channel,
 *             slice, frame, position, offset of its directory
 *   byte 32   2355492, length of the summary, summary as JSON at byte 40
 *
 * So a plane is found without walking the chain of directories. Where the index map is damaged, or was not yet written
 * when the acquisition ended, planes are found by what each page says of itself (tag 51123). Large acquisitions go on
 * in files with the same name and `_1`, `_2`; the first position that the opened file holds is served.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../../json.ts";
import { MAX_DIRECTORIES, MAX_PLANES, MAX_VENDOR_BYTES } from "../bounds.ts";
import type { Directory } from "../directory.ts";
import { isOmeXml, parseOme, readImage } from "../ome_xml.ts";
import { readPage } from "../page.ts";
import { calibrationsOf } from "../../axes.ts";
import { firstMoment, momentOf, UNDATED } from "../../moment.ts";
import { noted, type Opened, tagMoment } from "../opened.ts";
import { planePage } from "../stored_planes.ts";
import type { Stack } from "../stack.ts";
import { TAG, tagName } from "../tags.ts";
import { decodeText, upToNul } from "../text.ts";
import { TiffFile } from "../tiff_file.ts";

const INDEX_MAP_HEADER = 54_773_648;
const INDEX_MAP = 3_453_623;
const SUMMARY_HEADER = 2_355_492;

/** Bytes of one entry of the index map. */
const ENTRY_BYTES = 20;

interface Plane {
  readonly tiff: TiffFile;
  readonly entry: IndexEntry;
}

/** The planes of one position that the index maps of all files name. */
class PlaneMap {
  readonly #position: number;
  readonly #planes = new Map<string, Plane>();
  /** As the summary declares them, or as large as the planes need. */
  readonly sizes: { T: number; C: number; Z: number };
  readonly warnings: string[] = [];
  #twice = false;

  constructor(position: number, sizes: { T: number; C: number; Z: number }) {
    this.#position = position;
    this.sizes = sizes;
  }

  add(tiff: TiffFile, entries: readonly IndexEntry[]): void {
    this.#twice ||= new Set(entries.map(({ offset }) => offset)).size < entries.length;
    for (const entry of entries) if (entry.position === this.#position) this.#addPlane({ tiff, entry });
  }

  #addPlane(plane: Plane): void {
    const { channel, slice, frame } = plane.entry;
    if (Math.max(channel, slice, frame) >= MAX_DIRECTORIES) {
      this.warnings.push(
        `The index map of Micro-Manager has a plane T=${frame} C=${channel} Z=${slice}, which is left out`,
      );
      return;
    }
    const key = `${frame},${channel},${slice}`;
    this.#twice ||= this.#planes.has(key);
    this.#planes.set(key, plane);
    this.sizes.T = Math.max(this.sizes.T, frame + 1);
    this.sizes.C = Math.max(this.sizes.C, channel + 1);
    this.sizes.Z = Math.max(this.sizes.Z, slice + 1);
  }

  get(t: number, channel: number, z: number): Plane | undefined {
    return this.#planes.get(`${t},${channel},${z}`);
  }

  /** Planes that the sizes declare. */
  get declared(): number {
    return this.sizes.T * this.sizes.C * this.sizes.Z;
  }

  /** Warnings once all files are added. @throws {DecodeFailed} more planes are declared than are served */
  judge(missing: string | null): string[] {
    const { T, C, Z } = this.sizes;
    if (this.declared > MAX_PLANES) {
      throw new DecodeFailed(`the summary declares ${T} x ${C} x ${Z} planes, more than ${MAX_PLANES}`);
    }
    const warnings = [...this.warnings];
    if (this.#twice) {
      warnings.push("The index map of Micro-Manager has two entries for one plane or one directory");
    }
    if (this.#planes.size < this.declared) {
      const gone = missing ? `; "${missing}" is missing` : "";
      warnings.push(
        `The acquisition declares ${this.declared} planes, but ${this.#planes.size} are there${gone}`,
      );
    }
    return warnings;
  }
}

/** The stack of a Micro-Manager file, or `null`. */
export function openMicroManager(opened: Opened): Stack | null {
  const { tiff, first } = opened;
  if (!hasHeader(tiff)) return null;
  const summary = noted(opened, "The summary of Micro-Manager", () => readSummary(tiff)) ?? {};
  const own = noted(opened, "The index map of Micro-Manager", () => readIndexMap(tiff)) ?? pageIndices(tiff);
  if (own === null) return null;
  const layout = readPage(first);
  const map = new PlaneMap(
    own.reduce((least, entry) => Math.min(least, entry.position), Infinity),
    { T: declared(summary.Frames), C: declared(summary.Channels), Z: declared(summary.Slices) },
  );
  map.add(tiff, own);
  const set = setOf(opened);
  const complete = own.length >= map.declared * declared(summary.Positions);
  const fileSize = tiff.file.size + (complete ? 0 : addParts(opened, set, map));
  const warnings = map.judge(set.missing);
  return {
    sizes: map.sizes,
    layout,
    ...describe(opened, summary, map.sizes.Z),
    fileSize,
    warnings,
    plane: ({ t, z, channel }) => {
      const plane = map.get(t, channel, z);
      const what = `the plane T=${t} C=${channel} Z=${z}`;
      if (!plane) {
        const where = set.missing ? `; "${set.missing}" is missing` : "";
        throw new PlaneNotFound(`${what} is in no index map of this acquisition${where}`);
      }
      const directory = plane.tiff.directoryAt(plane.entry.offset, what);
      const page = planePage(directory, layout, what);
      return { tiff: plane.tiff, page, run: null, warnings: contradictions(plane.entry, directory, what) };
    },
  };
}

function hasHeader(tiff: TiffFile): boolean {
  if (tiff.file.size < 40) return false;
  const head = tiff.window.view(8, 32, "the Micro-Manager header");
  const little = tiff.encoding.littleEndian;
  return head.getUint32(0, little) === INDEX_MAP_HEADER || head.getUint32(24, little) === SUMMARY_HEADER;
}

/** Adds the planes of the other files; gives the bytes of these files. */
function addParts(opened: Opened, { others }: PartNames, map: PlaneMap): number {
  let bytes = 0;
  for (const name of others) {
    const other = openPart(opened, name);
    if (typeof other === "string") {
      map.warnings.push(`"${name}" of this acquisition is left out: ${other}`);
    } else {
      map.add(other.tiff, other.entries);
      bytes += other.tiff.file.size;
    }
  }
  return bytes;
}

/** A warning where a page says of itself that it is another plane than the index map says. */
function contradictions(entry: IndexEntry, directory: Directory, what: string): string[] {
  const own = indexOf(directory);
  const same = own === null ||
    (["frame", "channel", "slice", "position"] as const).every((axis) => own[axis] === entry[axis]);
  return same
    ? []
    : [`The page of ${what} says of itself that it is T=${own.frame} C=${own.channel} Z=${own.slice}`];
}

type Summary = JsonObject;

/** @throws {DecodeFailed} it is damaged */
function readSummary(tiff: TiffFile): Summary {
  const head = tiff.window.view(32, 8, "the Micro-Manager header");
  const little = tiff.encoding.littleEndian;
  const length = head.getUint32(4, little);
  if (head.getUint32(0, little) !== SUMMARY_HEADER || length > MAX_VENDOR_BYTES) {
    throw new DecodeFailed("the header at 32 does not announce it");
  }
  const text = decodeText(tiff.file.read(40, length, "the Micro-Manager summary"));
  const summary = parseJsonText(text, "the document at 40");
  tiff.structures.claim(8, 40 + length, "the Micro-Manager header");
  if (!isJsonObject(summary)) throw new DecodeFailed("the document at 40 is no object");
  return summary;
}

interface IndexEntry {
  readonly channel: number;
  readonly slice: number;
  readonly frame: number;
  readonly position: number;
  readonly offset: number;
}

/** @throws {DecodeFailed} it is damaged, or the acquisition ended before it was written */
function readIndexMap(tiff: TiffFile): IndexEntry[] {
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
  const entries: IndexEntry[] = [];
  for (let at = 0; at < view.byteLength; at += ENTRY_BYTES) {
    const word = (i: number) => view.getUint32(at + i * 4, little);
    // Unused entries at the end are zero; no directory lies at 0.
    if (word(4) === 0) continue;
    entries.push({ channel: word(0), slice: word(1), frame: word(2), position: word(3), offset: word(4) });
  }
  if (entries.length === 0) throw new DecodeFailed(`it is empty at ${offset}`);
  // Their lengths are not known, so that samples over the start of one are told.
  for (const entry of entries) tiff.structures.addDirectory(entry.offset, entry.offset + 2);
  return entries;
}

/** What the pages say of themselves; `null` where one says nothing. */
function pageIndices(tiff: TiffFile): IndexEntry[] | null {
  const entries: (IndexEntry | null)[] = [];
  tiff.walk((directory) => entries.push(indexOf(directory)));
  return entries.every((entry) => entry !== null) ? entries : null;
}

/** What a page says of itself, or `null`. */
function indexOf(directory: Directory): IndexEntry | null {
  const { ChannelIndex, SliceIndex, FrameIndex, PositionIndex } = planeMetadata(directory);
  const position = PositionIndex ?? 0;
  if (!isIndex(ChannelIndex) || !isIndex(SliceIndex) || !isIndex(FrameIndex) || !isIndex(position)) {
    return null;
  }
  return { channel: ChannelIndex, slice: SliceIndex, frame: FrameIndex, position, offset: directory.offset };
}

const isIndex = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** A length of the summary; 1 where it is none. */
function declared(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : 1;
}

/** The other files of an acquisition: same name up to `_MMStack`, same folder, numbered from `_1` on. */
interface PartNames {
  readonly others: readonly string[];
  /** The first that is not there while one with a higher number is, or the one that would follow the last. */
  readonly missing: string | null;
}

function setOf({ path, files }: Opened): PartNames {
  const name = basename(path);
  const [, stem, ending] = /^(.*?_MMStack[^.]*?)(?:_\d+)?(\.ome\.tiff?)$/i.exec(name) ?? [];
  if (stem === undefined) return { others: [], missing: null };
  const numbers = new Set<number>();
  const others: string[] = [];
  for (const other of files.list(dirname(path))) {
    const part = other.startsWith(stem) ? /^(?:_(\d+))?\.ome\.tiff?$/i.exec(other.slice(stem.length)) : null;
    if (!part) continue;
    numbers.add(Number(part[1] ?? 0));
    if (other !== name) others.push(other);
  }
  let first = 0;
  while (numbers.has(first)) first += 1;
  return { others, missing: `${stem}${first === 0 ? "" : `_${first}`}${ending}` };
}

/** A continuation file with its planes, or why there is none. */
function openPart(
  { path, files }: Opened,
  name: string,
): { tiff: TiffFile; entries: readonly IndexEntry[] } | string {
  const file = files.openNeighbour(join(dirname(path), name));
  if (file === null) return "it cannot be opened";
  try {
    const tiff = new TiffFile(file, files);
    return { tiff, entries: readIndexMap(tiff) };
  } catch (error) {
    if (error instanceof DecodeFailed) return error.message;
    throw error;
  }
}

/**
 * A stack of pages with what Micro-Manager wrote to the first of them (tag 51123), for acquisitions of one file per
 * plane and for those that ended before the index map was written.
 */
export function withPlaneMetadata(stack: Stack, first: Directory): Stack {
  if (!first.has(TAG.MicroManagerMetadata)) return stack;
  const plane = planeMetadata(first);
  const pixel = typeof plane.PixelSizeUm === "number" ? plane.PixelSizeUm : null;
  const name = typeof plane.Channel === "string" ? plane.Channel : null;
  const time = typeof plane.Time === "string" ? plane.Time : "";
  const damaged = Object.keys(plane).length > 0
    ? []
    : [`The metadata of Micro-Manager in ${tagName(TAG.MicroManagerMetadata)} cannot be read`];
  return {
    ...stack,
    warnings: [...stack.warnings, ...damaged],
    calibrations: { ...stack.calibrations, ...calibrationsOf({ X: [pixel, "um"], Y: [pixel, "um"] }) },
    names: stack.sizes.C === 1 ? [name] : stack.names,
    moment: firstMoment(momentOf(time), stack.moment),
  };
}

type Described = Pick<Stack, "calibrations" | "names" | "moment">;

/** Metadata of the summary, of the OME-XML that newer versions write, and of the first plane. */
function describe(opened: Opened, summary: Summary, slices: number): Described {
  const { first } = opened;
  const number = (value: unknown) => typeof value === "number" ? value : null;
  const plane = planeMetadata(first);
  const pixel = number(summary.PixelSize_um) || number(plane.PixelSizeUm);
  const interval = number(summary.Interval_ms) || number(summary.WaitInterval);
  const ome = omeCalibrations(opened);
  const names = Array.isArray(summary.ChNames) ? summary.ChNames : [];
  const written = [summary.StartTime, summary.Time, plane.Time].filter((text) => typeof text === "string");
  return {
    calibrations: {
      ...calibrationsOf({
        X: [pixel, "um"],
        Y: [pixel, "um"],
        Z: [slices > 1 ? Math.abs(number(summary["z-step_um"]) ?? 0) : null, "um"],
        T: [interval, "ms"],
      }),
      ...ome,
    },
    names: names.map((name) => typeof name === "string" ? name : null),
    moment: firstMoment(...written.map(momentOf), tagMoment(first), UNDATED),
  };
}

/** Tag 51123 of a page; nothing where it is damaged. */
function planeMetadata(directory: Directory): Summary {
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

/** The summary is enough to read the planes, so damaged OME-XML only costs its calibration. */
function omeCalibrations(opened: Opened): Stack["calibrations"] {
  const text = opened.descriptions.find(isOmeXml);
  if (text === undefined) return {};
  return noted(opened, "The calibration in OME-XML", () => {
    const [image] = parseOme(upToNul(text), "the document").images;
    return image ? readImage(image).calibrations : {};
  }) ?? {};
}
