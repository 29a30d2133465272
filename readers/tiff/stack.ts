/** Input and output of a TIFF dialect: an opened file; planes by position and channel, with their metadata. */
import type { Codec } from "../codecs/segment.ts";
import { DecodeFailed } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import type { FileAccess } from "../io/file_access.ts";
import type { Calibration } from "../metadata/axes.ts";
import { findMoment, type Moment } from "../metadata/moment.ts";
import type { AxisLetter, LineScan, Position, SceneEntry, TimeStamps } from "../reader.ts";
import { lossWarning, type Warning } from "../warning.ts";
import type { Directory } from "./directory.ts";
import type { PageLayout } from "./page.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Largest number of planes in a description, so that index arithmetic is exact. */
export const MAX_PLANES = 2 ** 31;

/** The opened file as each dialect examines it. */
export interface OpenedTiff {
  readonly path: string;
  readonly files: FileAccess;
  readonly tiff: TiffFile;
  readonly first: Directory;
  /** Texts of ImageDescription in the first directory, usually one; MetaMorph joins several with NULs. */
  descriptions: readonly string[];
  /** Warnings about metadata that a dialect could not read. */
  readonly warnings: Warning[];
}

/** The date in the DateTime tag. */
export const tagMoment = (directory: Directory): Moment => findMoment(directory.note(TAG.DateTime, 64));

/** The result of `read`; `null` with a warning if metadata on which planes depend are damaged. Throws if they cannot be read. */
export function readOrWarn<T>(warnings: Warning[], what: string, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    warnings.push(lossWarning(error, "metadata_damaged", what));
    return null;
  }
}

/** Position of a plane in a stack, not counting the samples of a pixel. */
export interface PlaneIndex extends Position {
  readonly channel: number;
}

/** Locations of the strips of a plane whose directory does not state them. */
export interface StripPlaces {
  readonly offsets: Float64Array;
  /** Stored bytes of each strip; an upper limit if they are compressed. */
  readonly lengths: Float64Array;
  readonly codec?: Codec;
}

/** One plane of samples in a file. */
export interface PlaneSource {
  /** Name of the file in messages, unless it is the opened file. */
  readonly name?: string;
  readonly tiff: TiffFile;
  readonly page: PageLayout;
  /** Replaces the strips of the directory. */
  readonly strips?: StripPlaces;
}

/** Lengths of the axes along which planes are counted; `C` does not count the samples of a pixel. */
export interface StackSizes extends Readonly<Record<"T" | "C" | "Z", number>> {
  readonly L?: number;
}

/** What an axis of an array runs along in a file. */
export type AxisSource = "pages" | "samples" | "rows" | "columns";

/** One axis of a stored array, with the letter of the axis as which it is served. Letters other than `Y` and `X` may repeat. */
export interface ArrayAxis {
  readonly letter: AxisLetter;
  readonly size: number;
  readonly along: AxisSource;
}

/** A series of planes with the same layout. */
export interface Stack {
  readonly sizes: StackSizes;
  readonly layout: PageLayout;
  /** Present if the planes of an array are not its pages, which then are the slices of this stack, with their samples as channels. */
  readonly arrangement?: readonly ArrayAxis[];
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  /** Names per channel, not counting samples; `null` for a channel without a name. */
  readonly names: readonly (string | null)[];
  /** `#rrggbb` per channel, or per sample of each channel; `null` or absent without a colour. */
  readonly colors?: readonly (string | null)[];
  /** Time stamps of the time points, if the file has them. */
  readonly stamps?: TimeStamps | null;
  /** Adds the documents other than the descriptions of the opened file. @throws {DecodeFailed} a document is damaged */
  readonly documents?: (list: DocumentList) => void;
  readonly moment: Moment;
  readonly fileSize: number;
  readonly warnings: readonly Warning[];
  /** Bytes of memory for the planes, apart from the opened file and its chain; 0 by default. */
  readonly indexBytes?: number;
  readonly lineScan?: LineScan | null;
  /** Number of planned lines; present if planes may have fewer rows than `layout`, according to their own page. */
  readonly plannedLines?: number;
  /** Whether a plane is stored, decided without reading it; by default all planes within the sizes are. */
  readonly holds?: (index: PlaneIndex) => boolean;
  /** Paths of all files of the set; by default the opened file. */
  readonly files?: () => readonly string[];
  /** The plane at an index. @throws {PlaneNotFound | DecodeFailed} it is missing, or damaged */
  plane(index: PlaneIndex): PlaneSource;
}

/** The series of planes in a file or a set of files; each series is a scene. */
export interface SeriesList {
  readonly count: number;
  /** Index of the series that the opened file belongs to. */
  readonly own: number;
  readonly warnings: readonly Warning[];
  /** The first `most` series. Sizes are empty if they are known only after opening a series. */
  entries(most: number): readonly SceneEntry[];
  open(index: number): Stack;
}

/** The series of a file or set, with one opened file. */
export type OpenedSeries = Readonly<{ opened: OpenedTiff; list: SeriesList }>;
