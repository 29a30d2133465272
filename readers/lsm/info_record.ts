/**
 * CZ_LSMINFO (34412), the record of Zeiss in the first page. Little-endian; a field exists if the declared size of the record
 * includes it. Offsets below 8 stand for an absent part.
 */
import { DecodeFailed } from "../errors.ts";
import { MAX_PLANES } from "../tiff/bounds.ts";
import type { Directory } from "../tiff/directory.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";

/** First four bytes of the record, of older and of newer programs. */
const MAGIC_NUMBERS = new Set([0x0300494c, 0x0400494c]);

/** A record includes at least the scan type; the oldest known one has 152 bytes. */
const LEAST_BYTES = 96;

/** Bytes with known fields. */
const KNOWN_BYTES = 380;

/** Declared sizes of the acquisition; 1 without a field. */
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

/** Axes of structured illumination, after the tiles of a mosaic. */
const RESERVED = ["rotations", "phases", "illuminations"] as const;

/** The fields that are used. */
export interface InfoRecord {
  /** Sizes along all axes. */
  readonly sizes: DeclaredSizes;
  /** Axes of structured illumination that are longer than 1. */
  readonly further: readonly { readonly name: string; readonly size: number }[];
  /** Metres; unknown if not positive. */
  readonly voxel: { readonly x: number; readonly y: number; readonly z: number };
  /** Kind of scan. */
  readonly scanType: number;
  /** Seconds from one time point to the next; 0 if unknown. */
  readonly timeInterval: number;
  /** Offsets of colours and names, of the scan information, of time stamps and of events; 0 if absent. */
  readonly offsets: {
    readonly channelColors: number;
    readonly scanInformation: number;
    readonly timeStamps: number;
    readonly eventList: number;
  };
  /** Offsets of existing lists of drawings, by name. */
  readonly overlays: readonly { readonly name: string; readonly offset: number }[];
}

/** Reads the record of the first page. @throws {DecodeFailed} it is missing or damaged, or lies outside the file */
export function readInfoRecord(tiff: TiffFile, first: Directory): InfoRecord {
  const name = tagName(TAG.CZ_LSMINFO);
  const entry = first.entry(TAG.CZ_LSMINFO);
  if (entry === undefined) throw new DecodeFailed(`${name} is missing or of an unknown type`);
  const { at } = entry;
  const head = tiff.window.view(at, 8, name);
  const magic = head.getUint32(0, true);
  if (!MAGIC_NUMBERS.has(magic)) {
    throw new DecodeFailed(`${name} at ${at} starts with the unknown 0x${magic.toString(16)}`);
  }
  const length = head.getInt32(4, true);
  if (length < LEAST_BYTES) {
    throw new DecodeFailed(`${name} at ${at} has ${length} bytes instead of at least ${LEAST_BYTES}`);
  }
  return fieldsOf(new DataView(tiff.file.read(at, Math.min(length, KNOWN_BYTES), name).buffer));
}

function fieldsOf(view: DataView): InfoRecord {
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

/** Reads the sizes. @throws {DecodeFailed} a size is below 1, or there are too many planes */
function sizesOf(count: (at: number) => number): DeclaredSizes {
  const sizes = {
    X: count(8),
    Y: count(12),
    Z: count(16),
    C: count(20),
    T: count(24),
    // Some programs write 0.
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
