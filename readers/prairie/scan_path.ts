/** The line of a line scan in pixels of the frame on which it was drawn, origin at the top left. */
import { isStraight, type PvLine } from "../pvscan/document.ts";
import type { Reference } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";

/** Line and path; both `null` where they are not known, and why. */
export interface ScanPath extends Pick<Reference, "lineRoi" | "scanPath"> {
  /** Why there is none. */
  readonly warnings: readonly Warning[];
}

/** Points of a line drawn by hand: one for each column, of which scanners have some thousands. */
const MAX_POINTS = 1 << 16;

const without = (...warnings: Warning[]): ScanPath => ({ lineRoi: null, scanPath: null, warnings });

/**
 * The path that was scanned.
 *
 * @param size of the frame; the path must lie in it
 * @param scanned columns of the line scan; the path has a pixel for each
 */
export function scanPath(
  line: PvLine | null,
  size: { readonly columns: number; readonly rows: number },
  scanned: number,
): ScanPath {
  if (line === null) return without();
  const { columns, rows } = line.source;
  if ((columns ?? size.columns) !== size.columns || (rows ?? size.rows) !== size.rows) {
    return without(
      warning(
        "reference_unreadable",
        `The line was drawn on a frame of ${columns} x ${rows} pixels, the source image has ${size.columns} x ` +
          `${size.rows}; its path is left out`,
      ),
    );
  }
  const points = pointsOf(line);
  if (points === null) {
    return without(
      warning(
        "reference_unreadable",
        `The line is of the mode "${line.mode.slice(0, 40)}", whose path is not known`,
      ),
    );
  }
  const known = points.length >= 2 && points.length <= MAX_POINTS &&
    points.every(([x, y]) =>
      x !== null && y !== null && x >= 0 && y >= 0 && x < size.columns && y < size.rows
    );
  if (!known) {
    return without(
      warning(
        "reference_unreadable",
        "The path of the line does not lie in the source image and is left out",
      ),
    );
  }
  const path = { x: points.map(([x]) => x ?? 0), y: points.map(([, y]) => y ?? 0) };
  const [[x0, x1], [y0, y1]] = [path.x, path.y];
  const straight = isStraight(line) && x0 !== undefined && x1 !== undefined && y0 !== undefined &&
    y1 !== undefined;
  const pixels = isStraight(line) ? pixelsBetween(line.straight) : points.length;
  return {
    lineRoi: straight ? [x0, y0, x1, y1] : null,
    scanPath: path,
    warnings: pixels !== null && Math.abs(pixels - scanned) >= 1
      ? [
        warning(
          "metadata_disagree",
          `The path of the line has ${pixels} pixels, the line scan ${scanned} columns`,
        ),
      ]
      : [],
  };
}

/** Pixels from one end of a straight line to the other, both counted, or `null`. */
export const pixelsBetween = ({ x0, x1 }: PvLine["straight"]): number | null =>
  x0 === null || x1 === null ? null : Math.abs(x1 - x0) + 1;

type Point = readonly [number | null, number | null];

/** The points of the two modes that are known; a straight line has one row, as the whole raster is rotated. */
function pointsOf(line: PvLine): readonly Point[] | null {
  const { x0, x1, y } = line.straight;
  if (isStraight(line)) return [[x0, y], [x1, y]];
  return /^freeHand$/i.test(line.mode) ? line.points.map(({ x, y }) => [x, y]) : null;
}
