/**
 * The lumen between two bright walls. Blur makes thin walls reach into the lumen, so their inner edges are those of a model
 * that is fitted to a profile: outside, wall, lumen, wall, outside, as steps that a Gaussian blurs.
 */
import { boundFactor, EquationSums, fitLeastSquares } from "../least_squares.ts";
import { computeMean, findPercentile, listPairs } from "../traces.ts";

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
  const there = profiles.flatMap((profile, i) => rough[i] ? [{ profile, about: rough[i] }] : []);
  const every = Math.max(1, Math.floor(there.length / FREE));
  const good = there.filter((_, i) => i % every === 0)
    .map(({ profile, about }) => fitWalls(profile, about, null)).filter((one) => one !== null);
  if (good.length === 0) return profiles.map(() => null);
  const middle = (of: (one: Walls) => number) => findPercentile(Float64Array.from(good, of), 50);
  const shape = { wall: middle(({ wall }) => wall), blur: middle(({ blur }) => blur) };
  return profiles.map((profile, i) => {
    const found = rough[i] ? fitWalls(profile, rough[i], shape) : null;
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

const moveWalls = (
  { left, right, wall, blur, levels }: Walls,
  [toLeft = 0, toRight = 0, wider = 0, blurred = 0, ...raised]: readonly number[],
): Walls => ({
  left: left + Math.min(2, Math.max(-2, toLeft)),
  right: right + Math.min(2, Math.max(-2, toRight)),
  wall: Math.max(THINNEST, wall * boundFactor(wider, 1)),
  blur: Math.max(SHARPEST, blur * boundFactor(blurred, 1)),
  levels: levels.map((level, i) => level + (raised[i] ?? 0)),
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
  const derivatives = [
    ...changed.map((moved) => value.map((own, x) => moved === null ? 0 : (moved[x]! - own) / SMALL)),
    ...now,
  ];
  const sums = new EquationSums(still.length);
  const by = new Float64Array(still.length);
  for (const [x, own] of value.entries()) {
    for (let i = 0; i < by.length; i += 1) by[i] = derivatives[i]![x]!;
    sums.add(by, values[x]! - own);
  }
  return sums.equations();
}

/** How much each level counts in each column. */
function weighLevels(length: number, { left, right, wall, blur }: Walls): Float64Array[] {
  const steps = [left - wall, left, right, right + wall].map((place) =>
    Float64Array.from({ length }, (_, x) => integrateGaussian((x - place) / blur))
  );
  const between = listPairs(steps).map(([one, next]) => one.map((value, x) => value - next[x]!));
  return [
    ...steps.slice(0, 1).map((first) => first.map((value) => 1 - value)),
    ...between,
    ...steps.slice(-1),
  ];
}

function sumLevels(parts: readonly Float64Array[], levels: readonly number[]): Float64Array {
  const sums = new Float64Array(parts[0]?.length ?? 0);
  for (const [i, part] of parts.entries()) {
    const level = levels[i] ?? 0;
    for (const [x, share] of part.entries()) sums[x]! += level * share;
  }
  return sums;
}

/** Integral of a Gaussian of unit variance, to 1e-7 (Abramowitz and Stegun 26.2.17). */
function integrateGaussian(place: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(place));
  const tail = Math.exp(-place * place / 2) / Math.sqrt(2 * Math.PI) *
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return place > 0 ? 1 - tail : tail;
}
