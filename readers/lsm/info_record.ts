/**
 * CZ_LSMINFO (34412): what Zeiss writes beside the tags of the first page. Little-endian; a field exists where the
 * declared size of the record reaches behind it. Offsets below 8 stand for a part that is absent.
 */
import { DecodeFailed } from "../errors.ts";
import { MAX_PLANES } from "../tiff/bounds.ts";
import type { Directory } from "../tiff/directory.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";

/** First four bytes of the record, of older and of newer programs. */
const MAGIC_NUMBERS = new Set([0x0300494c, 0x0400494c]);

/** The record reaches at least behind the scan type; the oldest known one has 152 bytes. */
const LEAST_BYTES = 96;

/** Bytes of which something is known. */
const KNOWN_BYTES = 380;

/** Sizes of the acquisition as the record declares them; 1 where it has no such field. */
export interface DeclaredSizes {
  /** Columns. */
  readonly X: number;
  /** Rows of an image of `X` and `Y`. */
  readonly Y: number;
  /** Focus planes. */
  readonly Z: number;
  /** Channels. */
  readonly C: number;
  /** Time points, or lines of a line scan. */
  readonly T: number;
  /** Positions. */
  readonly P: number;
  /** Tiles of a mosaic. */
  readonly M: number;
}

/** Offsets of drawing lists by name, in the order of the record. */
const OVERLAYS = {
  VectorOverlay: 96,
  Roi: 140,
  BleachRoi: 144,
  MeanOfRoisOverlay: 184,
  TopoIsolineOverlay: 188,
  TopoProfileOverlay: 192,
  LinescanOverlay: 196,
} as const;

/** Axes of structured illumination behind the tiles of a mosaic. */
const RESERVED = ["rotations", "phases", "illuminations"] as const;

/** The fields that are used. */
export interface InfoRecord {
  /** Where it lies and how long it is. */
  readonly at: number;
  /** Bytes: as many as record and tag agree on, or else those that are known. */
  readonly length: number;
  /** Sizes along all axes. */
  readonly sizes: DeclaredSizes;
  /** Axes of structured illumination that are longer than 1. */
  readonly further: readonly { readonly name: string; readonly size: number }[];
  /** Metres; what is not positive is unknown. */
  readonly voxel: { readonly x: number; readonly y: number; readonly z: number };
  /** What was scanned. */
  readonly scanType: number;
  /** Seconds from one time point to the next; 0 where unknown. */
  readonly timeInterval: number;
  /** Offsets of colours and names, of the description of the scan, of time stamps and of events; 0 where absent. */
  readonly offsets: {
    readonly channelColors: number;
    readonly scanInformation: number;
    readonly timeStamps: number;
    readonly eventList: number;
  };
  /** Offsets of the drawing lists that are there, by name. */
  readonly overlays: readonly { readonly name: string; readonly offset: number }[];
}

/** Reads the record of the first page. @throws {DecodeFailed} it is none, does not lie in the file, or makes no sense */
export function readInfoRecord(tiff: TiffFile, first: Directory): InfoRecord {
  const name = tagName(TAG.CZ_LSMINFO);
  const entry = first.entry(TAG.CZ_LSMINFO);
  if (entry === undefined) throw new DecodeFailed(`${name} is missing or of an unknown type`);
  const { at } = entry;
  const head = tiff.window.view(at, 8, name);
  const magic = head.getUint32(0, true);
  if (!MAGIC_NUMBERS.has(magic)) {
    throw new DecodeFailed(
      `${name} at ${at} starts with 0x${magic.toString(16)}, as no record of Zeiss does`,
    );
  }
  const length = head.getInt32(4, true);
  if (length < LEAST_BYTES) {
    throw new DecodeFailed(`${name} at ${at} has ${length} bytes, ${LEAST_BYTES} are needed`);
  }
  const known = Math.min(length, KNOWN_BYTES);
  const view = new DataView(tiff.file.read(at, known, name).buffer);
  return { at, length: length === entry.count ? length : known, ...fieldsOf(view) };
}

function fieldsOf(view: DataView): Omit<InfoRecord, "at" | "length"> {
  const reaches = (at: number, bytes: number) => at + bytes <= view.byteLength;
  const count = (at: number) => reaches(at, 4) ? view.getInt32(at, true) : 0;
  const offset = (at: number) => {
    const value = reaches(at, 4) ? view.getUint32(at, true) : 0;
    return value < 8 ? 0 : value;
  };
  const real = (at: number) => reaches(at, 8) ? view.getFloat64(at, true) : 0;
  return {
    sizes: sizesOf(count),
    further: RESERVED.map((name, i) => ({ name, size: count(272 + i * 4) })).filter(({ size }) => size > 1),
    voxel: { x: real(40), y: real(48), z: real(56) },
    scanType: view.getUint16(88, true),
    timeInterval: real(112),
    offsets: {
      channelColors: offset(108),
      scanInformation: offset(124),
      timeStamps: offset(132),
      eventList: offset(136),
    },
    overlays: Object.entries(OVERLAYS).map(([name, at]) => ({ name, offset: offset(at) }))
      .filter(({ offset }) => offset > 0),
  };
}

/** @throws {DecodeFailed} a size is below 1, or they make too many planes */
function sizesOf(count: (at: number) => number): DeclaredSizes {
  const sizes = {
    X: count(8),
    Y: count(12),
    Z: count(16),
    C: count(20),
    T: count(24),
    // Absent, or 0 by some programs.
    P: Math.max(1, count(264)),
    M: Math.max(1, count(268)),
  };
  for (const [letter, size] of Object.entries(sizes)) {
    if (size < 1) throw new DecodeFailed(`${tagName(TAG.CZ_LSMINFO)} declares ${size} along ${letter}`);
  }
  const planes = sizes.M * sizes.P * sizes.T * sizes.Z;
  if (planes > MAX_PLANES) {
    throw new DecodeFailed(`${tagName(TAG.CZ_LSMINFO)} declares ${planes} planes, more than ${MAX_PLANES}`);
  }
  return sizes;
}
