/**
 * The lumen between two bright walls. Blur makes thin walls reach into the lumen, so their inner edges are those of a model
 * that is fitted to a profile: outside, wall, lumen, wall, outside, as steps that a Gaussian blurs.
 */
import { fitLeastSquares } from "../least_squares.ts";
import { computeMean, findPercentile } from "../traces.ts";

/** Inner edges, thickness and blur in columns, and the levels from left to right. */
interface Walls {
  left: number;
  right: number;
  wall: number;
  blur: number;
  levels: readonly number[];
}

/** What is known of the walls before the fit, in columns: their outer edges, and the level of the lumen. */
export interface Roughly {
  outer: readonly [left: number, right: number];
  level: number;
  within: readonly [from: number, to: number];
}

/** A fit needs this many columns outside of each wall, but no more than so many walls. */
const [MARGIN, MARGIN_WALLS] = [4, 4];

/** Profiles whose fits tell the thickness and the blur. */
const FREE = 30;

/** Change of a parameter from which its derivative is computed, in columns or as a part of it. */
const SMALL = 1e-3;

/** Least thickness and blur in columns: thinner walls look the same. */
const [THINNEST, SHARPEST] = [0.3, 0.3];

/**
 * The inner edges in each profile. Thickness and blur are the same at all times: they are the medians of free fits.
 *
 * @param rough null where there is nothing to fit
 * @returns null where no walls were found
 */
export function findInnerEdges(
  profiles: readonly Float64Array[],
  rough: readonly (Roughly | null)[],
): ([left: number, right: number] | null)[] {
  const there = profiles.map((_, i) => i).filter((i) => rough[i] !== null);
  const every = Math.max(1, Math.floor(there.length / FREE));
  const good = there.filter((_, i) => i % every === 0)
    .map((i) => fitWalls(profiles[i]!, rough[i]!, null)).filter((one) => one !== null);
  if (good.length === 0) return profiles.map(() => null);
  const middle = (of: (one: Walls) => number) => findPercentile(Float64Array.from(good, of), 50);
  const shape = { wall: middle(({ wall }) => wall), blur: middle(({ blur }) => blur) };
  return profiles.map((profile, i) => {
    const found = rough[i] ? fitWalls(profile, rough[i]!, shape) : null;
    return found === null ? null : [found.left, found.right];
  });
}

/** Walls in a profile, with a given shape if there is one; null if none fit. */
function fitWalls(
  profile: Float64Array,
  { outer: [first, last], level, within }: Roughly,
  shape: { wall: number; blur: number } | null,
): Walls | null {
  const width = last - first;
  const third = Math.max(1, Math.round(width / 3));
  const [start, end] = [Math.max(0, Math.round(first)), Math.min(profile.length, Math.round(last) + 1)];
  const peaks = [
    findHighestPlace(profile, start, start + third, 1),
    findHighestPlace(profile, end - third, end, -1),
  ] as const;
  // The highest place of a wall is its middle.
  const wall = shape?.wall ?? Math.max(1, peaks[0] - first + last - peaks[1]);
  const margin = Math.max(MARGIN, MARGIN_WALLS * wall);
  const from = Math.max(within[0], Math.floor(first - margin), 0);
  const to = Math.min(within[1], Math.ceil(last + margin) + 1, profile.length);
  const values = profile.subarray(from, to);
  const begin: Walls = {
    left: first + wall - from,
    right: last - wall - from,
    wall,
    blur: shape?.blur ?? 1.5,
    levels: [
      computeMean(values, 0, Math.max(1, first - from - 2)),
      profile[peaks[0]]!,
      level,
      profile[peaks[1]]!,
      computeMean(values, Math.min(values.length - 1, last - from + 3)),
    ],
  };
  const { best } = fitLeastSquares(
    begin,
    (walls) => writeWallEquations(values, walls, shape !== null),
    moveWalls,
  );
  const [outside, one, inside, other, beyond] = best.levels as [number, number, number, number, number];
  const isWall = one > Math.max(outside, inside) && other > Math.max(beyond, inside) &&
    best.right - best.left > 1 && best.left > 0 && best.right < values.length && best.wall < width / 2;
  return isWall ? { ...best, left: best.left + from, right: best.right + from } : null;
}

/** The highest place from `from` up to `to`, excluded; of equal ones the outermost. */
function findHighestPlace(values: Float64Array, from: number, to: number, step: 1 | -1): number {
  let best = step > 0 ? from : to - 1;
  for (let x = best; x >= from && x < to; x += step) if (values[x]! > values[best]!) best = x;
  return best;
}

const moveWalls = ({ left, right, wall, blur, levels }: Walls, move: readonly number[]): Walls => ({
  left: left + Math.min(2, Math.max(-2, move[0]!)),
  right: right + Math.min(2, Math.max(-2, move[1]!)),
  wall: Math.max(THINNEST, wall * Math.exp(Math.min(1, Math.max(-1, move[2]!)))),
  blur: Math.max(SHARPEST, blur * Math.exp(Math.min(1, Math.max(-1, move[3]!)))),
  levels: levels.map((level, i) => level + move[4 + i]!),
});

/** Equations of both edges, the logarithms of thickness and blur, and the levels. */
function writeWallEquations(values: Float64Array, walls: Walls, isShapeKnown: boolean) {
  const still = new Array<number>(9).fill(0);
  const now = weighLevels(values.length, walls);
  const changed = [0, 1, 2, 3].map((i) =>
    isShapeKnown && i > 1 ? null : sumLevels(
      weighLevels(values.length, moveWalls(walls, still.map((_, j) => j === i ? SMALL : 0))),
      walls.levels,
    )
  );
  const value = sumLevels(now, walls.levels);
  const bend = still.map(() => still.slice());
  const slope = still.slice();
  const by = still.slice();
  let misfit = 0;
  for (let x = 0; x < values.length; x += 1) {
    const off = values[x]! - value[x]!;
    for (let i = 0; i < 9; i += 1) {
      by[i] = i > 3 ? now[i - 4]![x]! : changed[i] === null ? 0 : (changed[i]![x]! - value[x]!) / SMALL;
    }
    misfit += off * off;
    for (let i = 0; i < 9; i += 1) {
      slope[i]! += by[i]! * off;
      for (let j = 0; j <= i; j += 1) bend[i]![j]! += by[i]! * by[j]!;
    }
  }
  for (let i = 0; i < 9; i += 1) for (let j = i + 1; j < 9; j += 1) bend[i]![j] = bend[j]![i]!;
  return { misfit, bend, slope };
}

/** How much each level counts in each column. */
function weighLevels(length: number, { left, right, wall, blur }: Walls): Float64Array[] {
  const steps = [left - wall, left, right, right + wall].map((place) =>
    Float64Array.from({ length }, (_, x) => integrateGaussian((x - place) / blur))
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  return [
    steps[0].map((value) => 1 - value),
    steps[0].map((value, x) => value - steps[1][x]!),
    steps[1].map((value, x) => value - steps[2][x]!),
    steps[2].map((value, x) => value - steps[3][x]!),
    steps[3],
  ];
}

const sumLevels = (parts: readonly Float64Array[], levels: readonly number[]) =>
  parts[0]!.map((_, x) => parts.reduce((sum, part, i) => sum + levels[i]! * part[x]!, 0));

/** Integral of a Gaussian of unit variance, to 1e-7 (Abramowitz and Stegun 26.2.17). */
function integrateGaussian(place: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(place));
  const tail = Math.exp(-place * place / 2) / Math.sqrt(2 * Math.PI) *
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return place > 0 ? 1 - tail : tail;
}
