/** The reference image of a line scan, and the scan path in its pixels. */
import { ReaderError } from "../errors.ts";
import type { Reference } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { buildAxes, type Calibration } from "./axes.ts";

/** The reference image, or `null`, and its warnings. */
export interface ReferenceResult {
  readonly reference: Reference | null;
  readonly warnings: readonly Warning[];
}

/** The result if there is no reference image. */
export const NO_REFERENCE: ReferenceResult = { reference: null, warnings: [] };

/** Describes a reference image; a failure becomes a warning. */
export function referenceUnlessLost(describe: () => ReferenceResult): ReferenceResult {
  try {
    return describe();
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return {
      reference: null,
      warnings: [warnReferenceLost(`The reference image cannot be read: ${error.message}`)],
    };
  }
}

/** True for a failure that affects only the reference image, not the acquisition. */
export const isUnreadable = (error: unknown): error is ReaderError =>
  error instanceof ReaderError && error.tag !== "shutting_down";

/** Warning that the reference image, its scan path or a part of them is left out. */
export const warnReferenceLost = (text: string): Warning => warning("reference_unreadable", text);

/** Rows and columns of an image. */
export interface ImageShape {
  readonly rows: number;
  readonly columns: number;
}

/** The axes of a reference image. */
export function buildReferenceAxes(
  { rows, columns }: ImageShape,
  { y, x }: { readonly y: Calibration; readonly x: Calibration },
): Reference["axes"] {
  const [first, second] = buildAxes({ Y: rows, X: columns }, { Y: y, X: x });
  return [first!, second!];
}

/** The scanned line and the scan path, in pixels of the reference image. */
export type ScanPath = Pick<Reference, "lineRoi" | "scanPath">;

/** The value if there is no line. */
export const NO_PATH: ScanPath = { lineRoi: null, scanPath: null };

/** The scan path of a straight line. @param ends `[x0, y0, x1, y1]` */
export const makeStraightPath = (ends: readonly [number, number, number, number]): ScanPath => ({
  lineRoi: ends,
  scanPath: { x: [ends[0], ends[2]], y: [ends[1], ends[3]] },
});

/** Largest number of points of a freehand path, which has one per column; scanners have some thousands. */
export const MAX_PATH_POINTS = 1 << 16;

/** The path through some points, or ends if `straight`; `null` unless 2 to {@linkcode MAX_PATH_POINTS} all lie inside the image. */
export function checkScanPath(
  path: NonNullable<Reference["scanPath"]>,
  shape: ImageShape,
  straight: boolean,
): ScanPath | null {
  const { x, y } = path;
  const isCountRight = straight ? x.length === 2 : x.length >= 2 && x.length <= MAX_PATH_POINTS;
  if (!isCountRight || x.length !== y.length || findOutside(path, shape) !== null) return null;
  return straight ? makeStraightPath(listEnds(path)) : { lineRoi: null, scanPath: path };
}

/** The ends of a path of two points, `[x0, y0, x1, y1]`. */
export function listEnds(
  { x: [x0 = NaN, x1 = NaN], y: [y0 = NaN, y1 = NaN] }: NonNullable<Reference["scanPath"]>,
): readonly [number, number, number, number] {
  return [x0, y0, x1, y1];
}

/** Index of the first point of a path outside the image, or `null`. */
export function findOutside(
  { x, y }: NonNullable<Reference["scanPath"]>,
  { rows, columns }: ImageShape,
): number | null {
  const inside = (at: number | undefined, size: number) => at !== undefined && at >= 0 && at < size;
  const found = x.findIndex((column, i) => !inside(column, columns) || !inside(y[i], rows));
  return found < 0 ? null : found;
}
