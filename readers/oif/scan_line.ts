/** The line of a line scan: a region drawn on the reference image, of which the settings of an image name the file. */
import type { Reference } from "../reader.ts";
import { namedBy } from "./plane_settings.ts";
import { settingNumber, type Settings } from "./settings.ts";

/** Kinds of region that a laser can travel along (the other ones are points, areas and marks). */
const STRAIGHT = 3;
const LINES: ReadonlySet<number> = new Set([STRAIGHT, 4, 10]);

/** Points of a line that is drawn by hand; a row has fewer pixels. */
const MAX_POINTS = 1 << 16;

/** Pixels by which the length of a line may differ from that of a row. */
const TOLERANCE = 2;

/** Sections of shapes. */
const SHAPE_SECTION = "ROIBase Body";

/** Line and path in pixels of the reference image; both `null` where no region fits. */
export type ScanLine = Pick<Reference, "lineRoi" | "scanPath">;

/** No line. */
export const NO_LINE: ScanLine = { lineRoi: null, scanPath: null };

/** The name of the regions of an image, or `null`. */
export function regionName(image: Settings | null): string | null {
  const number = image?.text("ROI Parameter", "ROIFileName");
  return number ? namedBy(number, ".roi") : null;
}

/** Size of the reference image, and columns of a row of the scan. */
export interface LineBounds {
  /** Rows of the reference image. */
  readonly rows: number;
  /** Columns of the reference image. */
  readonly columns: number;
  /** Pixels of a scanned line. */
  readonly scanned: number;
}

/**
 * The first region that the laser can have travelled along: a line inside the reference image with as many pixels as a
 * row has.
 */
export function scanLine(regions: Settings, bounds: LineBounds): ScanLine {
  for (const { name, values } of regions.sections) {
    if (name !== SHAPE_SECTION) continue;
    const shape = settingNumber(values.get("SHAPE") ?? null);
    const angle = settingNumber(values.get("ANGLE") ?? null) ?? 0;
    // How a rotated line is stored is not known.
    if (shape === null || !LINES.has(shape) || angle !== 0) continue;
    const [x, y] = [coordinates(values.get("X")), coordinates(values.get("Y"))];
    if (x === null || y === null || x.length !== y.length || !fits(x, y, bounds)) continue;
    if (shape !== STRAIGHT) return { lineRoi: null, scanPath: { x, y } };
    const [[x0, x1], [y0, y1]] = [x, y];
    if (x.length !== 2 || x0 === undefined || x1 === undefined || y0 === undefined || y1 === undefined) {
      continue;
    }
    return { lineRoi: [x0, y0, x1, y1], scanPath: { x, y } };
  }
  return NO_LINE;
}

/** Numbers of a list; `null` where one is none, or there are fewer than two or far too many. */
function coordinates(text: string | undefined): number[] | null {
  const parts = (text ?? "").split(",", MAX_POINTS + 1).map((part) => settingNumber(part));
  const numbers = parts.filter((part) => part !== null);
  return numbers.length === parts.length && numbers.length >= 2 && numbers.length <= MAX_POINTS
    ? numbers
    : null;
}

function fits(x: readonly number[], y: readonly number[], { rows, columns, scanned }: LineBounds): boolean {
  const inside = x.every((value) => value >= 0 && value < columns) &&
    y.every((value) => value >= 0 && value < rows);
  if (!inside) return false;
  let length = 0;
  for (let i = 1; i < x.length; i += 1) {
    length += Math.hypot((x[i] ?? 0) - (x[i - 1] ?? 0), (y[i] ?? 0) - (y[i - 1] ?? 0));
  }
  const rounded = Math.round(length);
  return Math.abs(rounded - (scanned - 1)) <= TOLERANCE || Math.abs(rounded - scanned) <= TOLERANCE;
}
