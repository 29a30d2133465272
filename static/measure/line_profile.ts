/**
 * Samples along a line over an image, straight or freehand, averaged across a width: one value per pixel of length,
 * with bilinear interpolation, like `skimage.measure.profile_line` with `order=1`. Where pixels are not square, samples
 * lie at equal distances of their smaller side, along the line and across it. Parts of the width outside the image do not
 * count; a value entirely outside is NaN.
 */
import { computeMean, listPairs } from "./traces.ts";

/** X counts columns, y counts rows; sample (0, 0) lies at (0, 0). */
export type LinePoint = { x: number; y: number };

/** Sides of a pixel along X and Y, relative to the smaller one. */
export type Sides = readonly [x: number, y: number];

const SQUARE: Sides = [1, 1];

/** The sides of the pixels of a plane; rows and columns in different units cannot be compared. @param axes of rows and columns */
export function findPixelSides(
  [row, column]: readonly [{ step: number; unit: string }, { step: number; unit: string }],
): Sides {
  if (row.unit !== column.unit || row.step === column.step) return SQUARE;
  const smaller = Math.min(row.step, column.step);
  return [column.step / smaller, row.step / smaller];
}

/** Largest length and width in samples; of square pixels, a plane's diagonal is shorter than this length. */
const LONGEST = 100_000;
const WIDEST = 1000;

/**
 * A line that samples planes of one shape.
 *
 * @param points two or more; equal consecutive points count once
 * @param width samples across the line
 * @param shape `[rows, columns]` of the planes
 * @param sides of their pixels
 * @returns `places` along the line, at most the smaller side of a pixel apart, with a step along the line at each; `of`
 *   samples a plane
 * @throws {RangeError} the line has fewer than two different points or exceeds the limits
 */
export function makeLineProfile(
  points: readonly LinePoint[],
  width: number,
  [rows, columns]: readonly [number, number],
  sides: Sides = SQUARE,
): {
  places: {
    x: number;
    y: number;
    dx: number;
    dy: number;
  }[];
  of: (samples: Float32Array) => Float32Array<ArrayBuffer>;
} {
  const across = Array.from({ length: Math.max(1, Math.min(WIDEST, Math.round(width))) }, (_, i) => i);
  const [sideX, sideY] = sides;
  const places = resampleLine(points, sides);
  /** Interpolates between samples. */
  const between = (samples: Float32Array, x: number, y: number): number => {
    // A position on the last row or column needs no further neighbour; rounding may move it slightly outside.
    const [left, top] = [Math.floor(x + 1e-9), Math.floor(y + 1e-9)];
    const [partX, partY] = [Math.max(0, x - left), Math.max(0, y - top)].map((part) =>
      part < 1e-9 ? 0 : part
    ) as [number, number];
    const [right, bottom] = [partX > 0 ? left + 1 : left, partY > 0 ? top + 1 : top];
    if (left < 0 || top < 0 || right >= columns || bottom >= rows) return NaN;
    const [above, below] = [top, bottom].map((row) => {
      const start = row * columns;
      return samples[start + left]! * (1 - partX) + samples[start + right]! * partX;
    }) as [number, number];
    return above * (1 - partY) + below * partY;
  };
  return {
    places,
    of: (samples: Float32Array): Float32Array<ArrayBuffer> =>
      Float32Array.from(places, ({ x, y, dx, dy }) =>
        computeMean(across.map((i) => {
          const aside = i - (across.length - 1) / 2;
          return between(samples, x - aside * dy / sideX, y + aside * dx / sideY);
        }))),
  };
}

/** Length of a polyline, in pixels or in the unit of the steps. */
export const measurePolyline = (points: readonly LinePoint[], stepX = 1, stepY = 1): number =>
  listPairs(points).reduce(
    (sum, [from, to]) => sum + Math.hypot((to.x - from.x) * stepX, (to.y - from.y) * stepY),
    0,
  );

/**
 * Equidistant positions, at most the smaller side of a pixel apart, from the first point to the last.
 *
 * @returns with the direction as a unit vector, in smaller sides
 */
function resampleLine(
  points: readonly LinePoint[],
  [sideX, sideY]: Sides,
): { x: number; y: number; dx: number; dy: number }[] {
  const moves = listPairs(points).filter(([from, to]) => to.x !== from.x || to.y !== from.y);
  const corners = [...points.slice(0, 1), ...moves.map(([, to]) => to)];
  const whole = measurePolyline(corners, sideX, sideY);
  if (!(corners.length >= 2 && whole <= LONGEST)) {
    throw new RangeError(`A line needs two different points and at most ${LONGEST} samples`);
  }
  const count = Math.ceil(whole) + 1;
  const places = [];
  let [piece, before] = [1, 0];
  for (let i = 0; i < count; i += 1) {
    const wanted = i / (count - 1) * whole;
    let long = measurePolyline(corners.slice(piece - 1, piece + 1), sideX, sideY);
    while (piece < corners.length - 1 && before + long < wanted) {
      before += long;
      piece += 1;
      long = measurePolyline(corners.slice(piece - 1, piece + 1), sideX, sideY);
    }
    const [a, b] = [corners[piece - 1]!, corners[piece]!];
    const [dx, dy] = [(b.x - a.x) * sideX / long, (b.y - a.y) * sideY / long];
    const along = Math.min(long, wanted - before);
    places.push({ x: a.x + along * dx / sideX, y: a.y + along * dy / sideY, dx, dy });
  }
  return places;
}
