/**
 * TIFF without a dialect: pages of one layout are planes along `Z`. Pages that are reduced versions or masks
 * (NewSubfileType bits 0 and 2) and pages of another layout are none of them. Files of tifffile may carry the
 * shape and axes of the array as JSON, with one directory for all planes.
 */
import { calibrated, type Calibration } from "../axes.ts";
import type { AxisLetter } from "../reader.ts";
import { MAX_PLANES } from "./bounds.ts";
import type { Directory } from "./directory.ts";
import { readPage } from "./page.ts";
import {
  isRun,
  known,
  listedPlane,
  type Opened,
  type Stack,
  stackedPlane,
  type StackSizes,
  tagMoment,
} from "./stack.ts";
import { TAG } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** Offsets of the directories that hold planes like the first, and why a chain ended early. */
export interface PageRun {
  readonly offsets: readonly number[];
  readonly warnings: readonly string[];
}

const REDUCED_OR_MASK = 1 | 4;

const hidden = (directory: Directory) =>
  ((directory.number(TAG.NewSubfileType) ?? 0) & REDUCED_OR_MASK) !== 0;

/** Walks the chain once, reading nothing but the directories. */
export function pagesLikeFirst(tiff: TiffFile): PageRun {
  const offsets: number[] = [];
  let key: string | null = null;
  let pages = 0;
  tiff.walk((directory) => {
    pages += 1;
    if (hidden(directory)) return;
    const own = layoutKey(directory);
    key ??= own;
    if (own === key) offsets.push(directory.offset);
  });
  const broken = tiff.brokenTail;
  const warnings = broken === null ? [] : [`The file ends early, after ${pages} pages: ${broken}`];
  return { offsets, warnings };
}

/** What decides whether two pages are planes of one stack, from values that stand in the directory itself. */
function layoutKey(directory: Directory): string {
  const inline = (tag: number) => directory.count(tag) <= 2 ? directory.number(tag) : directory.count(tag);
  return [
    directory.number(TAG.ImageWidth),
    directory.number(TAG.ImageLength),
    directory.number(TAG.SamplesPerPixel) ?? 1,
    inline(TAG.BitsPerSample) ?? 1,
    inline(TAG.SampleFormat) ?? 1,
    directory.number(TAG.PlanarConfiguration) ?? 1,
    directory.number(TAG.PhotometricInterpretation) ?? 1,
  ].join();
}

/** The stack of a file without a dialect. */
export function openPlain({ tiff, first, descriptions }: Opened): Stack {
  const { offsets, warnings } = pagesLikeFirst(tiff);
  const shown = offsets.length > 0 && offsets[0] !== first.offset ? tiff.directoryAt(offsets[0]!) : first;
  const layout = readPage(shown);
  const planes = Math.max(offsets.length, 1);
  const shaped = shapedSizes(descriptions[0] ?? "", layout.samples, [layout.height, layout.width], planes);
  const counted = shaped ? shaped.sizes.T * shaped.sizes.C * shaped.sizes.Z : planes;
  const run = planes === 1 && isRun(tiff, layout, counted);
  const fits = shaped !== null && (run || counted === planes);
  const order = fits ? shaped.order : ["Z"] as const;
  const sizes = fits ? shaped.sizes : { T: 1, C: 1, Z: planes };
  return {
    sizes,
    layout,
    calibrations: resolutionCalibrations(shown),
    names: [],
    moment: tagMoment(shown),
    fileSize: tiff.file.size,
    warnings,
    plane: ({ time, channel, focus }) => {
      const at = { T: time, C: channel, Z: focus };
      const number = order.reduce((n, letter) => n * sizes[letter] + at[letter], 0);
      if (run) return stackedPlane(tiff, layout, number, true);
      return listedPlane(tiff, layout, offsets, number);
    },
  };
}

interface Shaped {
  readonly sizes: StackSizes;
  /** Slowest first. */
  readonly order: readonly ("T" | "C" | "Z")[];
}

/** Sizes of `{"shape": [2, 3, 40, 50], "axes": "TCYX"}`, or `null` when it is not that or does not fit the pages. */
function shapedSizes(text: string, samples: number, plane: readonly number[], pages: number): Shaped | null {
  if (!text.startsWith("{") || !text.includes('"shape"')) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const { shape, axes } = parsed as { shape?: unknown; axes?: unknown };
  if (!Array.isArray(shape) || !shape.every((n) => Number.isSafeInteger(n) && n >= 1)) return null;
  const total = (shape as number[]).reduce((product, n) => product * n, 1);
  const planes = total / (samples * plane[0]! * plane[1]!);
  if (!Number.isInteger(planes) || planes >= MAX_PLANES || (pages > 1 && planes !== pages)) return null;
  const sizes = { T: 1, C: 1, Z: 1 };
  const order: ("T" | "C" | "Z")[] = [];
  if (typeof axes === "string" && axes.length === shape.length) {
    [...axes].forEach((letter, i) => {
      if (letter !== "T" && letter !== "C" && letter !== "Z" || order.includes(letter)) return;
      order.push(letter);
      sizes[letter] = shape[i];
    });
    if (sizes.T * sizes.C * sizes.Z === planes) return { sizes, order };
  }
  return { sizes: { T: 1, C: 1, Z: planes }, order: ["Z"] };
}

/** Micrometres of the units of ResolutionUnit that are lengths. */
const RESOLUTION_UNIT: Readonly<Record<number, number>> = { 2: 25_400, 3: 10_000 };

/** A pixel larger than this is print or screen, not a microscope, in micrometres. */
const LARGEST_PIXEL = 10;

/** Dots per inch that printers, scanners and screens are set to. */
const PRINT_DPI = new Set(
  [
    72,
    90,
    96,
    100,
    120,
    144,
    150,
    200,
    240,
    300,
    360,
    400,
    600,
    720,
    1200,
    1440,
    2400,
    2880,
    3000,
    3200,
    3600,
    4000,
  ]
    .concat([4800, 5760, 6400, 7200, 9600, 12_800, 19_200]),
);

/** Pixel size from the resolution tags where it plausibly is one. */
export function resolutionCalibrations(directory: Directory): Partial<Record<AxisLetter, Calibration>> {
  // Olympus FV software writes 10000 per centimetre whatever the pixel is.
  if (/^FV\d/.test(directory.note(TAG.Software, 1024))) return {};
  const unit = RESOLUTION_UNIT[directory.number(TAG.ResolutionUnit) ?? 2];
  if (unit === undefined) return {};
  const step = (tag: number) => {
    const resolution = directory.noteNumber(tag) ?? 0;
    const pixel = unit / resolution;
    const dpi = 25_400 / pixel;
    const print = PRINT_DPI.has(Math.round(dpi)) && Math.abs(dpi - Math.round(dpi)) < 0.01;
    return pixel > 0 && pixel <= LARGEST_PIXEL && !print ? known(calibrated(pixel, "um")) : undefined;
  };
  const [X, Y] = [step(TAG.XResolution), step(TAG.YResolution)];
  return X && Y ? { X, Y } : {};
}
