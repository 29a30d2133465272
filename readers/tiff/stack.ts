/** What each dialect of TIFF comes down to: planes by position and channel, and their metadata. */
import type { Codec } from "../codecs/segment.ts";
import type { DocumentList } from "../io/document_list.ts";
import type { Calibration } from "../metadata/axes.ts";
import type { Moment } from "../metadata/moment.ts";
import type { AxisLetter, LineScan, Position, SceneEntry } from "../reader.ts";
import type { Warning } from "../warning.ts";
import type { PageLayout } from "./page.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Index of one plane in a stack, samples aside. */
export interface PlaneIndex extends Position {
  /** Channel, samples aside. */
  readonly channel: number;
}

/** Where the strips of a plane lie, for dialects whose directories do not say so. */
export interface StripPlaces {
  /** First byte of each in the file. */
  readonly offsets: Float64Array;
  /** Stored bytes of each; of compressed ones at least as many. */
  readonly lengths: Float64Array;
  /** Codec of compressed ones. */
  readonly codec: Codec | null;
}

/** One plane of samples in a file. */
export interface PlaneSource {
  /** Name of the file, where it may be another than the opened one and messages have to tell. */
  readonly name?: string;
  /** File that holds the plane. */
  readonly tiff: TiffFile;
  /** Layout of the plane. */
  readonly page: PageLayout;
  /**
   * Number of the plane in a run of uncompressed planes that begins at the page's first strip and has this one
   * directory; `null` where the page's own strips or tiles are meant.
   */
  readonly run: number | null;
  /** Where its strips lie and how they are coded, in place of what the directory says. */
  readonly strips?: StripPlaces;
  /** What is doubtful about this plane. */
  readonly warnings?: readonly Warning[];
}

/** Length of the axes that planes are counted along. */
export interface StackSizes {
  /** Time points. */
  readonly T: number;
  /** Channels, samples aside. */
  readonly C: number;
  /** Focus planes. */
  readonly Z: number;
  /** Spectral planes. */
  readonly L?: number;
}

/** One series of planes with one layout. */
export interface Stack {
  /** Length of each axis. */
  readonly sizes: StackSizes;
  /** Layout of every plane. */
  readonly layout: PageLayout;
  /** Steps of the axes that have a unit. */
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  /** Per channel, samples aside; `null` where the file gives none. */
  readonly names: readonly (string | null)[];
  /** `#rrggbb` per channel, or per sample of each; `null` where the file gives none, which is the default. */
  readonly colors?: readonly (string | null)[];
  /** Seconds of each time point from the first, where the file has them. */
  readonly times?: readonly number[] | null;
  /** Adds the metadata documents beside the descriptions of the opened file. @throws {DecodeFailed} one is damaged */
  readonly documents?: (list: DocumentList) => void;
  /** When the acquisition was made. */
  readonly moment: Moment;
  /** Bytes of all files of the acquisition. */
  readonly fileSize: number;
  /** What contradicts itself or is missing. */
  readonly warnings: readonly Warning[];
  /** Bytes that are kept for the planes, from above, beside the opened file and its chain; 0 by default. */
  readonly indexBytes?: number;
  /** Given where rows are lines in time. */
  readonly lineScan?: LineScan | null;
  /** Lines that were to be scanned; given where planes may have fewer rows than `layout`, by their own page. */
  readonly plannedLines?: number;
  /** Whether a plane is stored, told without reading it; by default each one within the sizes is. */
  readonly holds?: (index: PlaneIndex) => boolean;
  /** Paths of all files of the set; by default the opened one is alone. */
  readonly files?: () => readonly string[];
  /** The plane at an index. @throws {PlaneNotFound} it is not there @throws {DecodeFailed} it is damaged */
  plane(index: PlaneIndex): PlaneSource;
}

/** The series of planes of a file or of a set of files; each is a scene. */
export interface SeriesList {
  /** How many there are, 1 at least. */
  readonly count: number;
  /** Index of the one that the opened file belongs to. */
  readonly own: number;
  /** What the user should know, such as series that are left out. */
  readonly warnings: readonly Warning[];
  /** The first of them, at most `most`; sizes are empty where they are known only once a series is opened. */
  entries(most: number): readonly SceneEntry[];
  /** Reads what one of them is. @throws {DecodeFailed} it cannot be read */
  open(index: number): Stack;
}

/** The list of a file that holds one series. */
export const oneSeries = (stack: Stack): SeriesList => ({
  count: 1,
  own: 0,
  warnings: [],
  entries: () => [{ name: null, sizes: {} }],
  open: () => stack,
});
