/**
 * CZ_LSMINFO (34412), the Zeiss record in the first page. Little-endian. A field exists if the declared size of the record
 * includes it. Offsets below 8 mean that a part is absent. Scan type and sizes determine what the rows of a page are, and along
 * which axes pages are counted.
 */
import { DecodeFailed } from "../errors.ts";
import type { Directory } from "../tiff/directory.ts";
import { MAX_PLANES } from "../tiff/stack.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";
import { warnIf, type Warning, warning } from "../warning.ts";

/** First four bytes of the record, from older and from newer programs. */
const MAGIC_NUMBERS = new Set([0x0300494c, 0x0400494c]);

/** Smallest record: it includes the scan type. The oldest known record has 152 bytes. */
const LEAST_BYTES = 96;

const KNOWN_BYTES = 380;

/** Positions in the record of the offsets of drawing lists, by name, in record order. */
const OVERLAYS = {
  VectorOverlay: 96,
  Roi: 140,
  BleachRoi: 144,
  MeanOfRoisOverlay: 184,
  TopoIsolineOverlay: 188,
  TopoProfileOverlay: 192,
  LinescanOverlay: 196,
} as const;

/** Positions in the record of the offsets of other parts. */
const PARTS = { channelColors: 108, scanInformation: 124, timeStamps: 132, eventList: 136 } as const;

/** Axes of structured illumination, after the tiles of a mosaic. */
const RESERVED = ["rotations", "phases", "illuminations"] as const;

/** The fields that the reader uses. */
export interface InfoRecord {
  /** Declared sizes; `T` counts the lines of a line scan, `P` positions and `M` tiles of a mosaic. */
  readonly sizes: Readonly<Record<"X" | "Y" | "Z" | "C" | "T" | "P" | "M", number>>;
  /** Axes of structured illumination that are longer than 1. */
  readonly further: readonly { readonly name: string; readonly size: number }[];
  /** Voxel size in metres; unknown if not positive. */
  readonly voxel: { readonly x: number; readonly y: number; readonly z: number };
  readonly scanType: number;
  /** Seconds between time points; 0 if unknown. */
  readonly timeInterval: number;
  /** Whether the record has the field of an offset; those of old programs are shorter. */
  holds(name: keyof InfoRecord["offsets"]): boolean;
  /** Offsets of parts; 0 if a part is absent. */
  readonly offsets: Readonly<
    Record<"channelColors" | "scanInformation" | "timeStamps" | "eventList", number>
  >;
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
  return readInfoFields(new DataView(tiff.file.read(at, Math.min(length, KNOWN_BYTES), name).buffer));
}

function readInfoFields(view: DataView): InfoRecord {
  const count = (at: number) => at + 4 <= view.byteLength ? view.getInt32(at, true) : 0;
  const offset = (at: number) => {
    const value = count(at) >>> 0;
    return value < 8 ? 0 : value;
  };
  const real = (at: number) => at + 8 <= view.byteLength ? view.getFloat64(at, true) : 0;
  return {
    sizes: readInfoSizes(count),
    further: RESERVED.map((name, i) => ({ name, size: count(272 + i * 4) })).filter(({ size }) => size > 1),
    voxel: { x: real(40), y: real(48), z: real(56) },
    scanType: view.getUint16(88, true),
    timeInterval: real(112),
    holds: (name) => PARTS[name] + 4 <= view.byteLength,
    offsets: {
      channelColors: offset(PARTS.channelColors),
      scanInformation: offset(PARTS.scanInformation),
      timeStamps: offset(PARTS.timeStamps),
      eventList: offset(PARTS.eventList),
    },
    overlays: Object.entries(OVERLAYS).map(([name, at]) => ({ name, offset: offset(at) }))
      .filter(({ offset }) => offset > 0),
  };
}

/** Reads the sizes. @throws {DecodeFailed} a size is below 1, or there are too many planes */
function readInfoSizes(count: (at: number) => number): InfoRecord["sizes"] {
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

/** Axis of the rows of a page, and axes along which pages are counted, by scan type. */
const SCAN_TYPES: Readonly<Record<number, readonly [rows: Dimensions["rows"], counted: string]>> = {
  0: ["Y", "Z"],
  1: ["Z", ""],
  2: ["T", ""],
  3: ["Y", "T"],
  4: ["Z", "T"],
  5: ["T", ""],
  6: ["Y", "TZ"],
  7: ["Y", "TZ"],
  8: ["Z", ""],
  9: ["Z", "T"],
  10: ["T", ""],
};

/** Sizes of the axes of the pages, which are ordered by tile (`M`), position (`P`), time and focus, the last one fastest. */
export interface Dimensions extends Readonly<Record<"T" | "Z" | "P" | "M", number>> {
  /** Axis of the rows: `Z` in sections, `T` in line scans. */
  readonly rows: "Y" | "Z" | "T";
  readonly warnings: readonly Warning[];
}

/** The dimensions by the record and the pages. @param held number of planes in the pages @throws {DecodeFailed} they disagree */
export function arrangeDimensions(
  { sizes, scanType, further }: InfoRecord,
  page: Readonly<{ width: number; height: number; samples: readonly unknown[] }>,
  held: number,
): Dimensions {
  const known = SCAN_TYPES[scanType];
  const [rows, counted] = known ?? ["Y", "TZ"];
  // The page of a line scan may have another number of lines.
  const declared = `${sizes.C} x ${sizes.X} x ${rows === "T" ? page.height : sizes[rows]}`;
  const found = `${page.samples.length} x ${page.width} x ${page.height}`;
  if (declared !== found) {
    const text = `${declared} channels, columns and rows, but the first page has ${found}`;
    throw new DecodeFailed(`${tagName(TAG.CZ_LSMINFO)} declares ${text}`);
  }
  const along = (letter: "T" | "Z", all: boolean) =>
    letter !== rows && (all || counted.includes(letter)) ? sizes[letter] : 1;
  const { P, M } = sizes;
  // Existing planes count even along an axis that the scan type does not have.
  const all = held >= M * P * along("T", true) * along("Z", true);
  const warnings = [
    ...warnIf(
      known === undefined,
      "axes_assumed",
      `The scan type ${scanType} is unknown; pages are read along time and focus`,
    ),
    ...warnIf(
      page.height !== sizes[rows],
      "metadata_disagree",
      `The record declares ${sizes[rows]} lines, but the page of the line scan has ${page.height}`,
    ),
    ...warnIf(rows === "Z", "axis_replaced", "The image has no Y axis: rows run along Z"),
    ...further.map(({ name, size }) =>
      warning("axis_reduced", `The file has ${size} ${name}; only the first is served`)
    ),
  ];
  return { rows, T: along("T", all), Z: along("Z", all), P, M, warnings };
}

/** The position of a plane in all channels; a scene is a tile or a position. */
export type PlaceOfPlane = Readonly<Record<"scene" | "t" | "z", number>>;

/** Number of a plane in the order of the pages. */
export const numberPlane = ({ T, Z }: Dimensions, { scene, t, z }: PlaceOfPlane): number =>
  (scene * T + t) * Z + z;

/** Numbers of the planes in the order of writing: by time, position, tile and focus. */
export function* orderAsWritten(dimensions: Dimensions): Generator<number> {
  const { M, P, T, Z } = dimensions;
  for (let t = 0; t < T; t += 1) {
    for (let p = 0; p < P; p += 1) {
      for (let m = 0; m < M; m += 1) {
        for (let z = 0; z < Z; z += 1) yield numberPlane(dimensions, { scene: m * P + p, t, z });
      }
    }
  }
}
