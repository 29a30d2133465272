/** The line of a line scan in pixels of the frame on which it was drawn, origin at the top left. */
import {
  firstOutside,
  type ImageShape,
  NO_PATH,
  type ScanPath,
  straightPath,
  unreadable,
} from "../metadata/reference.ts";
import { isStraight, type PvLine } from "../pvscan/document.ts";
import { type Warning, warning } from "../warning.ts";

/** A path, and why there is none or what contradicts it. */
export interface FoundPath {
  /** Line and path; both `null` where they are unknown. */
  readonly path: ScanPath;
  /** Why there is none, or what contradicts it. */
  readonly warnings: readonly Warning[];
}

/** Points of a line drawn by hand: one for each column, of which scanners have some thousands. */
const MAX_POINTS = 1 << 16;

const leftOut = (text: string): FoundPath => ({ path: NO_PATH, warnings: [unreadable(text)] });

/**
 * The path that was scanned.
 *
 * @param shape of the frame, in which the path must lie
 * @param scanned columns of the line scan; the path has a pixel for each
 */
export function scanPath(line: PvLine | null, shape: ImageShape, scanned: number): FoundPath {
  if (line === null) return { path: NO_PATH, warnings: [] };
  const { columns, rows } = line.source;
  if ((columns ?? shape.columns) !== shape.columns || (rows ?? shape.rows) !== shape.rows) {
    return leftOut(
      `The line was drawn on a frame of ${columns} x ${rows} pixels, the source image has ${shape.columns} x ` +
        `${shape.rows}; its path is left out`,
    );
  }
  const points = pointsOf(line);
  if (points === null) {
    return leftOut(`The line is of the mode "${line.mode.slice(0, 40)}", whose path is not known`);
  }
  const path = { x: points.map(([x]) => x ?? NaN), y: points.map(([, y]) => y ?? NaN) };
  if (points.length < 2 || points.length > MAX_POINTS || firstOutside(path, shape) !== null) {
    return leftOut("The path of the line does not lie in the source image and is left out");
  }
  const straight = isStraight(line);
  const pixels = straight ? pixelsBetween(line.straight) : points.length;
  return {
    path: straight
      ? straightPath([path.x[0]!, path.y[0]!, path.x[1]!, path.y[1]!])
      : { lineRoi: null, scanPath: path },
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
