/**
 * What a reader gives: an {@linkcode Acquisition}, known from the metadata alone, and from it a
 * {@linkcode PlanePlan}, whose byte ranges were checked before the first sample is read.
 */
import type { DocumentList } from "./io/document_list.ts";
import type { FileAccess } from "./io/random_access.ts";
import type { Warning } from "./warning.ts";

/** Sample type in the file, without byte order. A packed width names the next wider type (12 bit: `uint16`). */
export type SampleType =
  | "bool"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "float16"
  | "float32"
  | "float64";

/** Letters of the axes, in the order in which they are always served. `L` is spectral. */
export const AXIS_ORDER = ["T", "L", "C", "Z", "Y", "X"] as const;

/** One letter of {@linkcode AXIS_ORDER}. */
export type AxisLetter = (typeof AXIS_ORDER)[number];

/** One axis with its calibration. */
export interface Axis {
  /** Letter of the axis. */
  readonly name: AxisLetter;
  /** Samples along the axis. */
  readonly size: number;
  /** Physical step per sample in `unit`; 1 without calibration. */
  readonly step: number;
  /** `um`, `seconds`, `Pixels` without calibration, any other unit as the file writes it. */
  readonly unit: string;
}

/** One channel of the file, loaded or not. */
export interface Channel {
  /** Position among the channels of the file, from 0. */
  readonly index: number;
  /** Served name, by `channels.ts`. */
  readonly name: string;
  /** Sample type in the file. */
  readonly sampleType: SampleType;
  /** Rows of each of its planes. */
  readonly rows: number;
  /** Columns of each of its planes. */
  readonly columns: number;
  /** Colour in which the file shows it, `#rrggbb` in lower case, or `null`. */
  readonly color: string | null;
}

/** Which plane of each channel is wanted, by index from 0 along the axes of the acquisition. */
export interface Position {
  /** Time point. */
  readonly t: number;
  /** Focus plane. */
  readonly z: number;
  /** Spectral plane. */
  readonly l: number;
}

/** Index 0 of every axis. */
export const FIRST_POSITION: Position = { t: 0, z: 0, l: 0 };

/** Memory that decoding takes beside the planes that it fills. */
export interface WorkingMemory {
  /** Most bytes at once: stored and decoded bytes of a strip, tile or chunk, and what the decoder itself needs. */
  readonly bytes: number;
  /** True for a decoder whose memory never shrinks and cannot be dropped: it is given back when its worker ends. */
  readonly endsWithWorker: boolean;
}

/** Decoding that takes no more than a buffer of {@linkcode MAX_READ_STEP} or so. */
export const NO_WORKING_MEMORY: WorkingMemory = { bytes: 0, endsWithWorker: false };

/** What two decodes need that run one after the other in one worker. */
export function largerMemory(a: WorkingMemory, b: WorkingMemory): WorkingMemory {
  return { bytes: Math.max(a.bytes, b.bytes), endsWithWorker: a.endsWithWorker || b.endsWithWorker };
}

/** Some rows of a plane, `end` excluded. */
export interface RowRange {
  /** First row. */
  readonly start: number;
  /** Row behind the last. */
  readonly end: number;
}

/**
 * How planes whose samples are compressed can be divided among several workers. Of a plan with a division, any rows between two
 * cuts can be planned alone, and `filled` are these rows.
 */
export interface Division {
  /** Channels that are compressed together: those whose indices give the same quotient by this number. */
  readonly channels: number;
  /** Rows that are compressed together; each multiple of this number is a cut. */
  readonly rows: number;
}

/** How to fill the wanted planes; every byte range in it has been checked against its file. */
export interface PlanePlan {
  /** Rows of each plane. */
  readonly rows: number;
  /** Columns of each plane. */
  readonly columns: number;
  /** The rows that `decode` fills: the wanted ones, or more where they cannot be decoded alone; all by default. */
  readonly filled?: RowRange;
  /** What the user should know, such as a scan that was interrupted. */
  readonly warnings: readonly Warning[];
  /** Given where several workers gain by dividing the planes. */
  readonly division?: Division | undefined;
  /** Memory beside the planes while they are decoded; {@linkcode NO_WORKING_MEMORY} by default. */
  readonly working?: WorkingMemory;
  /** True where `decode` puts no sample together from what stood in a plane before: each one is written, or `decode` fails. */
  readonly overwrites?: boolean;
  /**
   * Fills one float32 plane per wanted channel, row-major, `columns` samples for each of the filled rows, in the order
   * in which the channels were asked for. The planes arrive zeroed but where the plan `overwrites` them, and a zero never
   * stands for a missing byte.
   *
   * @throws {DecodeFailed} a strip, tile, chunk or block cannot be decoded
   * @throws {Stopped}
   */
  decode(planes: readonly Float32Array[]): Promise<void>;
}

/** Reference (overview) image of a line scan. */
export interface Reference {
  /** Calibrated `Y` and `X`. */
  readonly axes: readonly [Axis, Axis];
  /** All channels of the reference image. */
  readonly channels: readonly Channel[];
  /** `[x0, y0, x1, y1]` in pixels of the reference plane, start to end. */
  readonly lineRoi: readonly [number, number, number, number] | null;
  /** Path that the laser travelled, in pixels of the reference plane. */
  readonly scanPath: { readonly x: readonly number[]; readonly y: readonly number[] } | null;
  /** Plan for all its channels. @throws {DecodeFailed} */
  plan(): Promise<PlanePlan>;
}

/** How a line scan was made; each value is `null` where the file does not say. */
export interface LineScan {
  /** Seconds from the start of a line to that of the next one. */
  readonly secondsPerLine: number | null;
  /** Seconds that the laser stays on a pixel. */
  readonly secondsPerPixel: number | null;
  /** Whether every second line was scanned backwards. */
  readonly bidirectional: boolean | null;
}

/** One opened acquisition: everything but its samples. */
export interface Acquisition {
  /** Axes of the whole array of the scene, in {@linkcode AXIS_ORDER}; those of length 1 left out but `Y`, `X`. */
  readonly axes: readonly Axis[];
  /** All channels of the file, samples (RGB) included. */
  readonly channels: readonly Channel[];
  /** `YYYYMMDD` as the microscope wrote it, or `""`. */
  readonly date: string;
  /** `HH:MM:SS` as the microscope wrote it, or `""`. */
  readonly time: string;
  /** Bytes of all files of the acquisition; `null` for a directory store. */
  readonly fileSize: number | null;
  /** Reference image, or `null` when there is none. */
  readonly reference: Reference | null;
  /** Given where the rows of a plane are lines in time. */
  readonly lineScan?: LineScan | null;
  /** What the user should know although the metadata could be read. */
  readonly warnings: readonly Warning[];
  /**
   * Seconds of each time point from the first, by `timesFrom` of `metadata/time_stamps.ts`: one for each index along `T`,
   * or for each row of a line scan; `null` without time stamps.
   */
  readonly times: readonly number[] | null;
  /** Bytes that stay in memory while it is kept open, such as the offsets of all pages: an estimate from above. */
  readonly indexBytes?: number;
  /**
   * Tells from the directory or the list of files whether a plane is stored; given where planes within the sizes may be missing.
   *
   * @param channel index of a channel
   */
  holds?(channel: number, position: Position): boolean;
  /**
   * Paths of the files that identify the content: all of them, or the documents and a chunk of a store; the opened file by default.
   * They are the same whichever of them was opened, and for each scene.
   */
  files?(): readonly string[];
  /**
   * Reads the metadata documents of the file into a list, as they are and in their order.
   *
   * @throws {DecodeFailed} one is damaged, or they do not fit
   */
  documents(list: DocumentList): void;
  /**
   * Plan for the planes of some channels. The caller has checked that the indices and the position exist and that the
   * channels have one shape.
   *
   * @param rows those that are wanted, within the plane; all by default. The plan may fill more
   * @throws {PlaneNotFound} the file declares the plane and does not hold it
   * @throws {DecodeFailed} a plane is incomplete or does not fit its file
   */
  plan(channels: readonly number[], position: Position, rows?: RowRange): Promise<PlanePlan>;
}

/** What a reader is given to open. */
export interface Source {
  /** Resolved absolute path of a file, or of the directory of a store. */
  readonly path: string;
  /** The file system, limited to the roots; the reader opens its files through it. */
  readonly files: FileAccess;
}

/** One scene, as the list of all scenes tells of it. */
export interface SceneEntry {
  /** As the file says, or `null`. */
  readonly name: string | null;
  /** Length by axis as in {@linkcode Acquisition.axes}; empty where it costs more than the directory of the file. */
  readonly sizes: Readonly<Partial<Record<AxisLetter, number>>>;
}

/** The scenes of a file or set of files: series, positions, images. One of them decides axes, channels and reference. */
export interface Scenes {
  /** How many there are, 1 at least. Scenes that are declared and hold no samples are left out. */
  readonly count: number;
  /** Index of the one that the opened file belongs to. */
  readonly own: number;
  /** What the user should know, such as the names of scenes that are left out. */
  readonly warnings: readonly Warning[];
  /** The first of them, at most `most`. */
  entries(most: number): readonly SceneEntry[];
  /**
   * Opens one, whose index the caller has checked.
   *
   * @throws {DecodeFailed | UnsupportedFormat | Stopped}
   */
  open(scene: number): Promise<Acquisition>;
}

/** Length by axis. */
export const sizesOf = (axes: readonly Axis[]): SceneEntry["sizes"] =>
  Object.fromEntries(axes.map(({ name, size }) => [name, size]));

/** The scenes of a file that holds one, which has no name of its own. */
export const oneScene = (acquisition: Acquisition): Scenes => ({
  count: 1,
  own: 0,
  warnings: [],
  entries: () => [{ name: null, sizes: sizesOf(acquisition.axes) }],
  open: () => Promise.resolve(acquisition),
});

/**
 * Reads what scenes there are. The files stay open until the caller closes `source.files`.
 *
 * @throws {DecodeFailed | UnsupportedFormat | Stopped}
 */
export type ReadScenes = (source: Source) => Promise<Scenes>;
