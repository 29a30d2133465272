/** What each dialect of TIFF gets, an opened file, and gives: planes by position and channel, and their metadata. */
import type { Codec } from "../codecs/segment.ts";
import { DecodeFailed } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import type { FileAccess } from "../io/random_access.ts";
import type { Calibration } from "../metadata/axes.ts";
import { type Moment, momentOf } from "../metadata/moment.ts";
import type { AxisLetter, LineScan, Position, SceneEntry } from "../reader.ts";
import { lossWarning, type Warning } from "../warning.ts";
import type { Directory } from "./directory.ts";
import type { PageLayout } from "./page.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Planes that one description may declare; keeps index arithmetic exact. */
export const MAX_PLANES = 2 ** 31;

/** The opened file, which each dialect examines. */
export interface Opened {
  readonly path: string;
  /** For the other files of a set. */
  readonly files: FileAccess;
  readonly tiff: TiffFile;
  /** First directory of the chain. */
  readonly first: Directory;
  /** Texts of ImageDescription in the first directory, most often one; MetaMorph joins several with NULs. */
  descriptions: readonly string[];
  /** Metadata that a dialect could not read. */
  readonly warnings: Warning[];
}

/** The date of the DateTime tag. */
export const tagMoment = (directory: Directory): Moment => momentOf(directory.note(TAG.DateTime, 64));

/**
 * Returns the result of `read`, or `null` with a warning where metadata that decide about planes are damaged. Throws when the
 * system cannot read the file.
 */
export function noted<T>(warnings: Warning[], what: string, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    warnings.push(lossWarning(error, "metadata_damaged", what));
    return null;
  }
}

/** Index of one plane in a stack, samples aside. */
export interface PlaneIndex extends Position {
  /** Channel, samples aside. */
  readonly channel: number;
}

/** Where the strips of a plane lie, for planes whose directory does not say it. */
export interface StripPlaces {
  /** First byte of each in the file. */
  readonly offsets: Float64Array;
  /** Stored bytes of each; for compressed ones an upper bound. */
  readonly lengths: Float64Array;
  /** Codec of compressed ones, in place of that of the page. */
  readonly codec?: Codec;
}

/** One plane of samples in a file. */
export interface PlaneSource {
  /** Name of the file for messages, unless it is the opened one. */
  readonly name?: string;
  readonly tiff: TiffFile;
  readonly page: PageLayout;
  /** Replaces the strips of the directory. */
  readonly strips?: StripPlaces;
}

/** Lengths of the axes along which planes are counted; channels without the samples of a pixel. */
export interface StackSizes extends Readonly<Record<"T" | "C" | "Z", number>> {
  /** Spectral planes. */
  readonly L?: number;
}

/** One series of planes with one layout. */
export interface Stack {
  readonly sizes: StackSizes;
  readonly layout: PageLayout;
  /** Steps of the axes that have a unit. */
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  /** Per channel, samples aside; `null` without a name. */
  readonly names: readonly (string | null)[];
  /** `#rrggbb` per channel, or per sample of each; `null` without a colour, the default. */
  readonly colors?: readonly (string | null)[];
  /** Seconds of each time point from the first, where known. */
  readonly times?: readonly number[] | null;
  /** Adds the documents other than the descriptions of the opened file. @throws {DecodeFailed} one is damaged */
  readonly documents?: (list: DocumentList) => void;
  readonly moment: Moment;
  /** Bytes of all files of the acquisition. */
  readonly fileSize: number;
  readonly warnings: readonly Warning[];
  /** Bytes of memory for the planes, apart from the opened file and its chain; 0 by default. */
  readonly indexBytes?: number;
  /** Given where rows are lines in time. */
  readonly lineScan?: LineScan | null;
  /** Lines that were to be scanned; given where planes may have fewer rows than `layout`, by their own page. */
  readonly plannedLines?: number;
  /** Whether a plane is stored, decided without reading it; all within the sizes by default. */
  readonly holds?: (index: PlaneIndex) => boolean;
  /** Paths of all files of the set; the opened one by default. */
  readonly files?: () => readonly string[];
  /** The plane at an index. @throws {PlaneNotFound | DecodeFailed} it is missing, or damaged */
  plane(index: PlaneIndex): PlaneSource;
}

/** The series of planes of a file or of a set of files; each is a scene. */
export interface SeriesList {
  /** How many there are, 1 at least. */
  readonly count: number;
  /** Index of the one that the opened file belongs to. */
  readonly own: number;
  /** Warnings about the list, such as series that are left out. */
  readonly warnings: readonly Warning[];
  /** The first `most` of them; sizes are empty where only opening a series reveals them. */
  entries(most: number): readonly SceneEntry[];
  /** Opens one of them. @throws {DecodeFailed} */
  open(index: number): Stack;
}

/** The opened file, or one of the set that a folder or a document stands for, and its series. */
export interface OpenedSeries {
  /** One file of the set. */
  readonly opened: Opened;
  /** Its scenes. */
  readonly list: SeriesList;
}

/** The list of a file with one series. */
export const oneSeries = (stack: Stack): SeriesList => ({
  count: 1,
  own: 0,
  warnings: [],
  entries: () => [{ name: null, sizes: {} }],
  open: () => stack,
});
