/**
 * The types of a reader: an {@linkcode Acquisition}, described by the metadata alone, and its {@linkcode PlanePlan}s, whose byte
 * ranges are checked before the first sample is read.
 */
import type { AnalysesDocument, ImageDocument, ReferenceImageDocument } from "../schemas/documents.ts";
import type { DocumentList } from "./io/document_list.ts";
import type { FileAccess } from "./io/file_access.ts";
import { warnIf, type Warning } from "./warning.ts";

/** Sample type in the file, without byte order. A packed width counts as the next wider type (12 bits: `uint16`). */
export type SampleType = "bool" | `${"uint" | "int"}${8 | 16 | 32 | 64}` | `float${16 | 32 | 64}`;

/** Letters of the axes, in the order in which they are served. `L` is the spectral axis. */
export const AXIS_ORDER = ["T", "L", "C", "Z", "Y", "X"] as const;

/** One letter of {@linkcode AXIS_ORDER}. */
export type AxisLetter = (typeof AXIS_ORDER)[number];

/** One axis with its calibration. */
export interface Axis {
  readonly name: AxisLetter;
  readonly size: number;
  /** Physical step per sample in `unit`; 1 without calibration. */
  readonly step: number;
  /** `um`, `seconds`, `Pixels` without calibration, any other unit as the file writes it. */
  readonly unit: string;
}

/** One channel of the file, loaded or not, with its served name. */
export interface Channel {
  /** Index among the channels of the file, from 0. */
  readonly index: number;
  readonly name: string;
  readonly sampleType: SampleType;
  /** Sample type that holds every served sample, where a conversion takes them out of the type in the file. */
  readonly servedType?: SampleType;
  /** Sample type in the file that an archive was made from, if it wrote a wider one. */
  readonly sourceType?: SampleType;
  readonly rows: number;
  readonly columns: number;
  /** Colour in which the file displays the channel, `#rrggbb` in lower case, or `null`. */
  readonly color: string | null;
}

/** Position of a plane, the same for each channel: indices from 0 along the axes of the acquisition. */
export interface Position {
  readonly t: number;
  readonly z: number;
  readonly l: number;
}

/** Index 0 of every axis. */
export const FIRST_POSITION: Position = { t: 0, z: 0, l: 0 };

/** Memory that decoding needs at once besides the planes: bytes of a strip, tile or chunk, and the decoder's own memory. */
export interface WorkingMemory {
  readonly bytes: number;
  /** True for a decoder whose memory is freed only when its worker ends. */
  readonly endsWithWorker: boolean;
}

/** Memory of a decoding that needs no more than a buffer of about {@linkcode MAX_READ_STEP}. */
export const NO_WORKING_MEMORY: WorkingMemory = { bytes: 0, endsWithWorker: false };

/** Memory for two decodings in sequence. */
export const largerMemory = (a: WorkingMemory, b: WorkingMemory): WorkingMemory => ({
  bytes: Math.max(a.bytes, b.bytes),
  endsWithWorker: a.endsWithWorker || b.endsWithWorker,
});

/** A range of rows of a plane, `end` excluded. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

/**
 * How workers can divide planes: numbers of consecutive channels and rows that are compressed together. Each multiple of the rows
 * is a cut; any rows between two cuts can be planned separately, and such a plan fills exactly these rows.
 */
export interface Division {
  readonly channels: number;
  readonly rows: number;
}

/** Memory for decoding several plans in sequence. */
export const workingOf = (plans: readonly PlanePlan[]): WorkingMemory =>
  plans.map(({ working }) => working ?? NO_WORKING_MEMORY).reduce(largerMemory, NO_WORKING_MEMORY);

/** How to fill the wanted planes; every byte range in the plan has been checked against its file. */
export interface PlanePlan {
  readonly rows: number;
  readonly columns: number;
  /** Rows that `decode` fills, at least the wanted ones; all rows by default. */
  readonly filled?: RowRange;
  readonly warnings: readonly Warning[];
  /** Present if dividing the planes among workers is faster. */
  readonly division?: Division | undefined;
  /** Memory needed besides the planes during decoding; {@linkcode NO_WORKING_MEMORY} by default. */
  readonly working?: WorkingMemory;
  /** True if `decode` writes every sample or fails, so that planes need not be cleared. */
  readonly overwrites?: boolean;
  /**
   * Notes the marks of at most `most` files that `decode` will open, and returns their number; present if planning looks at none of
   * them.
   */
  note?(most: number): number;
  /**
   * Fills one row-major float32 plane per wanted channel, `columns` samples for each of the filled rows. The planes arrive
   * zeroed unless the plan `overwrites` them. A zero never stands for a missing byte.
   *
   * @throws {DecodeFailed} a strip, tile, chunk or block cannot be decoded
   * @throws {Stopped}
   */
  decode(planes: readonly Float32Array[]): Promise<void>;
}

/** The rows of a plane plan. */
export type ServedLines = Required<Pick<PlanePlan, "rows" | "filled" | "warnings">>;

/**
 * The lines that all wanted channels have; an interrupted scan may have fewer in one channel than in another.
 *
 * @param stored number of complete lines of each wanted channel
 * @param wanted rows to fill; all by default
 */
export function servedLines(stored: readonly number[], planned: number, wanted?: RowRange): ServedLines {
  const rows = stored.reduce((fewest, own) => Math.min(fewest, own), Infinity);
  const text = `${rows} of ${planned} lines are stored in every requested channel`;
  return {
    rows,
    filled: { start: Math.min(wanted?.start ?? 0, rows), end: Math.min(wanted?.end ?? rows, rows) },
    warnings: warnIf(rows < planned, "lines_missing", text),
  };
}

/** Reference (overview) image of a line scan. */
export interface Reference {
  /** Calibrated `Y` and `X`. */
  readonly axes: readonly [Axis, Axis];
  readonly channels: readonly Channel[];
  /** `[x0, y0, x1, y1]` in pixels of the reference plane, start to end. */
  readonly lineRoi: readonly [number, number, number, number] | null;
  /** Points of the scan path, in pixels of the reference plane. */
  readonly scanPath: { readonly x: readonly number[]; readonly y: readonly number[] } | null;
  /** Plans all channels of the image. @throws {DecodeFailed} */
  plan(): Promise<PlanePlan>;
}

/** Facts of a line scan, `null` if unknown. A line lasts from its start to the start of the next. */
export interface LineScan {
  readonly secondsPerLine: number | null;
  readonly secondsPerPixel: number | null;
  /** Whether every second line was scanned backwards. */
  readonly bidirectional: boolean | null;
}

/** The time stamps of a file. */
export interface TimeStamps {
  /** In seconds, from any origin, as the file has them: they may repeat, fall, or lack values (`NaN`). */
  readonly seconds: ArrayLike<number>;
  /** True if the reader read only the first stamps, to limit its work. */
  readonly isPart?: boolean;
  /** Ascending numbers that the file gives its time points, where some between them are missing. */
  readonly numbers?: readonly number[];
}

/** A member of a collection, as the open response names it. */
export interface MemberName {
  readonly id: string;
  readonly name: string;
  readonly member: {
    readonly id: string;
    readonly name: string;
    /** Whether the member was accepted; `null` without an image document. */
    readonly accepted: boolean | null;
  };
}

/** What a collection holds about one of its images; `null` for a document that it lacks. An export keeps it. */
export interface MemberContent {
  readonly image: ImageDocument | null;
  readonly analyses: AnalysesDocument | null;
  readonly reference: ReferenceImageDocument | null;
  /** Warnings that name what the collection holds besides. */
  readonly unkept: readonly string[];
  /** Size of a table in bytes; `null` if it is missing, or no CSV file inside the collection. */
  tableSize(path: string): number | null;
  /** Reads a table. @throws {DecodeFailed | Unreadable} */
  table(path: string): Uint8Array;
}

/** One opened acquisition, without its samples. */
export interface Acquisition {
  /** Axes of the whole array of the scene, in {@linkcode AXIS_ORDER}. Axes of length 1 are left out, except `Y` and `X`. */
  readonly axes: readonly Axis[];
  /** All channels of the file, including samples (RGB). */
  readonly channels: readonly Channel[];
  /** `YYYYMMDD` and `HH:MM:SS` as the microscope wrote them, or `""`. */
  readonly date: string;
  readonly time: string;
  /** Bytes of all files of the acquisition; `null` for a directory store. */
  readonly fileSize: number | null;
  readonly reference: Reference | null;
  /** Present if the rows of a plane are lines in time. If only their step shows it, `withTimes` adds it. */
  readonly lineScan?: LineScan | null;
  readonly collection?: MemberName | null;
  /** Reads the documents of the member. @throws {DecodeFailed | AcquisitionChanged} one of them is not what it was */
  content?(): MemberContent;
  readonly warnings: readonly Warning[];
  /**
   * Time stamps of the time points, or of the rows of a line scan. `withTimes` in `metadata/time_stamps.ts` replaces them by `times`
   * and the step of the axis, whose own step is the one that the file states.
   */
  readonly stamps?: TimeStamps | null;
  /** Seconds of each time point since the first: one per index along `T`, or per row of a line scan. They may repeat or fall. */
  readonly times?: readonly number[] | null;
  /** Upper estimate of the bytes that the open acquisition keeps in memory, such as the offsets of all pages. */
  readonly indexBytes?: number;
  /** Whether a plane is stored, according to the directory or the list of files; present if planes may be missing. */
  holds?(channel: number, position: Position): boolean;
  /** Paths of the files that identify the content, whichever file or scene is opened. By default the opened file. */
  files?(): readonly string[];
  /** Adds the metadata documents, as written and in order. @throws {DecodeFailed} one is damaged, or all exceed the limit */
  documents(list: DocumentList): void;
  /**
   * Plans the planes of some channels of equal shape at an existing position.
   *
   * @param rows wanted rows; all by default. The plan may fill more
   * @throws {PlaneNotFound} the file declares the plane but does not contain it
   * @throws {DecodeFailed} a plane is incomplete or does not fit its file
   */
  plan(channels: readonly number[], position: Position, rows?: RowRange): Promise<PlanePlan>;
  /**
   * Plans time points of one row each as the rows of one plane, at an existing spectral index; present where this is faster than a
   * plan for each time point. `rows` are those for which `holds` is true. `rows_in_time.ts` asks for it.
   */
  planLines?(channels: readonly number[], position: Position, rows: RowRange): Promise<PlanePlan>;
}

/** The input of a reader. */
export interface Source {
  /** Resolved absolute path of a file, or of the directory of a store. */
  readonly path: string;
  readonly files: FileAccess;
  /** True if no collection document above the path may be read; of a file, above its folder. */
  readonly staysInFolder?: boolean;
}

/** One scene in the list of scenes. Sizes are empty if they are known only after opening the scene. */
export interface SceneEntry {
  readonly name: string | null;
  /** True if the reader builds the name, so that it is not a path of another computer. */
  readonly isBuilt?: boolean;
  readonly sizes: Readonly<Partial<Record<AxisLetter, number>>>;
}

/** The scenes of a file or set of files: series, positions or images. Axes, channels and reference belong to one scene. */
export interface Scenes {
  /** `source.format`, if the reader finds another format than the name or markers suggest. */
  readonly format?: string;
  /** Number of scenes with samples, at least 1. */
  readonly count: number;
  /** Index of the scene of the opened file. */
  readonly own: number;
  /** Warnings, for example with the names of scenes that are left out. */
  readonly warnings: readonly Warning[];
  /** The first scenes, at most `most`. */
  entries(most: number): readonly SceneEntry[];
  /** Opens a scene, whose index the caller has checked. @throws {DecodeFailed | UnsupportedFormat | Stopped} */
  open(scene: number): Promise<Acquisition>;
}

/** Length by axis. */
export const sizesOf = (axes: readonly Axis[]): SceneEntry["sizes"] =>
  Object.fromEntries(axes.map(({ name, size }) => [name, size]));

/** The only scene of a file, without a name. */
export const oneScene = (acquisition: Acquisition): Scenes => ({
  count: 1,
  own: 0,
  warnings: [],
  entries: () => [{ name: null, sizes: sizesOf(acquisition.axes) }],
  open: () => Promise.resolve(acquisition),
});

/** Reads the scenes. Files stay open until the caller closes `source.files`. @throws {DecodeFailed | UnsupportedFormat | Stopped} */
export type ReadScenes = (source: Source) => Promise<Scenes>;
