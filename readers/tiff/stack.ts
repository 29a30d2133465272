/** What each dialect of TIFF comes down to: planes by time, channel and focus, and their metadata. */
import { calibrated, type Calibration, UNCALIBRATED } from "../axes.ts";
import { DecodeFailed } from "../errors.ts";
import type { FileAccess } from "../random_access.ts";
import type { AxisLetter, Position } from "../reader.ts";
import type { Directory } from "./directory.ts";
import { MAX_SEGMENTS } from "./bounds.ts";
import { type PageLayout, readPage, UNCOMPRESSED, where } from "./page.ts";
import type { PlaneSource } from "./plane_plan.ts";
import { endOfSamples } from "./structures.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Index of one plane in a stack, samples aside. */
export interface PlaneIndex extends Position {
  readonly channel: number;
}

/** Length of the three axes that planes are counted along. */
export interface StackSizes {
  readonly T: number;
  readonly C: number;
  readonly Z: number;
  /** Spectral planes. */
  readonly L?: number;
}

/** Date and time as written, `""` when unknown. */
export interface Moment {
  /** `YYYYMMDD` */
  readonly date: string;
  /** `HH:MM:SS` */
  readonly time: string;
}

/** One series of planes with one layout. */
export interface Stack {
  readonly sizes: StackSizes;
  /** Layout of every plane. */
  readonly layout: PageLayout;
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  /** Per channel, samples aside; `null` where the file gives none. */
  readonly names: readonly (string | null)[];
  readonly moment: Moment;
  /** Bytes of all files of the acquisition. */
  readonly fileSize: number;
  readonly warnings: readonly string[];
  /** @throws {DecodeFailed} the plane is not there */
  plane(index: PlaneIndex): PlaneSource;
}

/** The opened file, as each dialect is asked about it. */
export interface Opened {
  readonly path: string;
  readonly files: FileAccess;
  readonly tiff: TiffFile;
  /** First directory of the chain. */
  readonly first: Directory;
  /** Texts of ImageDescription in the first directory, most often one; a damaged one may have a NUL inside. */
  descriptions: readonly string[];
  /** What a dialect could not read and therefore left to the next one. */
  readonly warnings: string[];
}

/** No date and no time. */
export const UNDATED: Moment = { date: "", time: "" };

/**
 * Finds a date with a time in a text: year first (`2010:03:05 12:08:52`, `2013-01-15T17:02:40`, `20130115 17:02:40`).
 *
 * @returns {@linkcode UNDATED} when there is none that exists in a calendar
 */
export function momentOf(text: string | null | undefined): Moment {
  const found = /(\d{4})[:/-](\d\d?)[:/-](\d\d?)(?:[T ]+(\d\d?):(\d\d):(\d\d))?/.exec(text ?? "") ??
    /^\s*(\d{4})(\d\d)(\d\d) +(\d\d?):(\d\d):(\d\d)/.exec(text ?? "");
  return found ? moment(found[1]!, found[2]!, found[3]!, found[4], found[5], found[6]) : UNDATED;
}

/** Date and time of their parts, {@linkcode UNDATED} when they do not exist. */
export function moment(
  year: string | number,
  month: string | number,
  day: string | number,
  hour?: string | number,
  minute?: string | number,
  second?: string | number,
): Moment {
  const two = (part: string | number) => String(Math.trunc(Number(part))).padStart(2, "0");
  const exists = Number(year) >= 1900 && Number(year) <= 9999 && Number(month) >= 1 && Number(month) <= 12 &&
    Number(day) >= 1 && Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (!exists) return UNDATED;
  const date = String(year).padStart(4, "0") + two(month) + two(day);
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) {
    return { date, time: "" };
  }
  return { date, time: `${two(hour)}:${two(minute ?? 0)}:${two(second ?? 0)}` };
}

/** Hour of the day; on a clock of twelve hours where `AM` or `PM` stands behind it, 12 AM being midnight. */
export function hourOf(hours: string, half: string | undefined): number {
  return half ? Number(hours) % 12 + (half.toUpperCase() === "PM" ? 12 : 0) : Number(hours);
}

/** The date of the DateTime tag. */
export function tagMoment(directory: Directory): Moment {
  return momentOf(directory.note(TAG.DateTime, 64));
}

/** The first of several that is known. */
export function firstMoment(...moments: readonly Moment[]): Moment {
  return moments.find((m) => m.date !== "") ?? UNDATED;
}

/** A calibration that has a unit, or `undefined`. */
export function known(calibration: Calibration): Calibration | undefined {
  return calibration === UNCALIBRATED ? undefined : calibration;
}

/** Calibrations of those letters that have one. */
export function calibrationsOf(
  steps: Partial<
    Record<AxisLetter, readonly [step: number | null | undefined, unit: string | null | undefined]>
  >,
): Partial<Record<AxisLetter, Calibration>> {
  const result: Partial<Record<AxisLetter, Calibration>> = {};
  for (const [letter, [step, unit]] of Object.entries(steps)) {
    const calibration = known(calibrated(step, unit));
    if (calibration) result[letter as AxisLetter] = calibration;
  }
  return result;
}

/** A number at the start of a text, or `null`. */
export function numberIn(text: string | null | undefined): number | null {
  const value = Number.parseFloat(text ?? "");
  return Number.isFinite(value) ? value : null;
}

/** True when two pages hold planes of one kind. */
export function sameLayout(a: PageLayout, b: PageLayout): boolean {
  return a.width === b.width && a.height === b.height && a.samples === b.samples && a.kind === b.kind &&
    a.bits.every((bits, i) => bits === b.bits[i]);
}

/**
 * The page of a plane.
 *
 * @throws {DecodeFailed} it is missing or is of another layout than the stack
 */
export function planePage(directory: Directory | null, layout: PageLayout, what: string): PageLayout {
  if (directory === null) {
    throw new DecodeFailed(`${what} is missing: the chain of directories ends before it`);
  }
  const page = readPage(directory);
  if (!sameLayout(page, layout)) {
    throw new DecodeFailed(
      `${what} in ${where(directory)} is ${page.width} x ${page.height} x ${page.samples} of ${
        page.bits.join(", ")
      } bits, unlike the first plane`,
    );
  }
  return page;
}

/**
 * How many planes fit into the file from the first strip of a page on, one after the other; 1 when the page is
 * compressed or in tiles, or when its strips do not follow one another.
 */
export function contiguousPlanes({ file, structures }: TiffFile, layout: PageLayout): number {
  const { directory } = layout;
  if (layout.tiled || layout.compression !== UNCOMPRESSED) return 1;
  const strips = directory.numbers(TAG.StripOffsets, MAX_SEGMENTS);
  const plane = planeBytes(layout);
  const first = strips[0] ?? 0;
  const last = strips.at(-1) ?? 0;
  if (last < first || last >= first + plane || first >= file.size) return 1;
  const end = endOfSamples(structures, directory, first, file.size);
  return Math.max(1, Math.floor((end - first) / plane));
}

/** Bytes of one uncompressed plane. */
function planeBytes({ width, height, bits, planar }: PageLayout): number {
  const row = planar
    ? bits.reduce((sum, b) => sum + Math.ceil(width * b / 8), 0)
    : Math.ceil(width * bits.reduce((sum, b) => sum + b, 0) / 8);
  return row * height;
}

/** Whether planes lie behind the only directory, one after the other: it is the only one, and a second one fits. */
export function isRun(tiff: TiffFile, layout: PageLayout, planes: number): boolean {
  return planes > 1 && layout.directory.next === 0 && contiguousPlanes(tiff, layout) > 1;
}

/** The plane at `number` of the directories at these offsets. @throws {DecodeFailed} there are fewer */
export function listedPlane(
  tiff: TiffFile,
  layout: PageLayout,
  offsets: readonly number[],
  number: number,
): PlaneSource {
  // A file of nothing but reduced pages shows its first one.
  const offset = offsets[number] ?? (number === 0 ? layout.directory.offset : undefined);
  if (offset === undefined) throw missingPlane(number, offsets.length);
  const pageAt = (n: number) => offsets[n] === undefined ? null : tiff.directoryAt(offsets[n]);
  const page = planePage(tiff.directoryAt(offset), layout, `plane ${number}`);
  return { tiff, page, run: null, warnings: placeWarnings(layout, number, pageAt) };
}

/** The plane at `number` in a chain of directories, or in a run of planes behind one directory. */
export function stackedPlane(tiff: TiffFile, layout: PageLayout, number: number, run: boolean): PlaneSource {
  if (run) return { tiff, page: layout, run: number === 0 ? null : number };
  const directory = tiff.directory(number);
  if (directory === null) throw missingPlane(number, tiff.countUpTo(number));
  const page = planePage(directory, layout, `plane ${number}`);
  return { tiff, page, run: null, warnings: placeWarnings(layout, number, (n) => tiff.directory(n)) };
}

/** A warning where a page does not lie in line with others that do, or lies over the first or before it. */
function placeWarnings(
  layout: PageLayout,
  number: number,
  pageAt: (number: number) => Directory | null,
): string[] {
  if (layout.tiled || layout.compression !== UNCOMPRESSED) return [];
  const plane = planeBytes(layout);
  const placeOf = (n: number) => pageAt(n)?.number(TAG.StripOffsets) ?? NaN;
  // Two other pages that follow one another tell where this one belongs.
  const [one, two] = number === 0 ? [1, 2] : number === 1 ? [0, 2] : [0, 1];
  const [own, first, second] = [placeOf(number), placeOf(one), placeOf(two)];
  const meant = first + (number - one) * plane;
  const misplaced = own !== meant && second === first + (two - one) * plane;
  if (!misplaced && (number === 0 || own - first >= plane)) return [];
  return [`Plane ${number} lies at ${own}, not at ${meant} in line with the others`];
}

function missingPlane(number: number, stored: number): DecodeFailed {
  return new DecodeFailed(
    `plane ${number} is missing: the file holds ${stored} planes, ${number + 1} are needed`,
  );
}

/** A warning where a file holds other than the planes that its description declares. */
export function countWarnings(tiff: TiffFile, layout: PageLayout, planes: number, run: boolean): string[] {
  const present = run ? contiguousPlanes(tiff, layout) : tiff.countUpTo(planes + 1);
  if (present === planes) return [];
  const there = present > planes ? "more" : present === 1 ? "one" : String(present);
  const reason = tiff.brokenTail === null ? "" : `: ${tiff.brokenTail}`;
  return [
    `The description declares ${
      planes === 1 ? "one plane" : `${planes} planes`
    }, but the file holds ${there}${reason}`,
  ];
}

/** What `read` gives, or `null` with a warning where the metadata that it reads are damaged. */
export function noted<T>(opened: Opened, what: string, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    opened.warnings.push(`${what} cannot be read: ${reasonOf(error)}`);
    return null;
  }
}

/** A failure as a part of a warning, the `line:column:` of a parser in words. */
export function reasonOf({ message }: DecodeFailed): string {
  return message.replace(/: (\d+):(\d+): /, " at line $1, column $2: ");
}
