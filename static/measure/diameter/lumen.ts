/**
 * The lumen of a vessel in profiles across it, one profile for each time.
 *
 * Dark cells in a bright lumen pass, while a gap between two vessels stays. So the lumen is sought where it was bright
 * for part of the time around each profile; its edges are the outermost crossings of the profile there, whatever lies
 * between them.
 */
import {
  blurTrace,
  computeDeviation,
  computeMean,
  computeSlopes,
  findParabolaTop,
  findPercentile,
} from "../traces.ts";

/** What the lumen looks like: brighter than outside, darker, or between two bright walls. */
export type Lumen = "bright" | "dark" | "walls";

/** Why a lumen has no edges. */
export type Fault = "faint" | "unclear" | "cut" | "divided" | "bright lumen" | "dark lumen" | "no walls";

/** Profiles around one time, whose values are higher in the lumen than outside. */
interface Surroundings {
  /** Where the lumen begins and ends, in columns; the end is excluded. */
  start: number;
  end: number;
  /** Level whose half is crossed at the edges: that of the lumen, or of two walls around it. */
  level: number;
  /** Level of the lumen. */
  inside: number;
  /** Levels outside on both sides. */
  outside: readonly [left: number, right: number];
  /** Columns within which the edges lie: halfway to the next vessel, or the ends of the profile. */
  within: readonly [from: number, to: number];
  /** Whether both sides of the lumen are brighter than its middle. */
  hasWalls: boolean;
}

/** Lines on each side of a profile that tell where its lumen is. */
const AROUND = 100;

/** Profiles on each side, at least. */
const LEAST_AROUND = 5;

/** Cells cover each column of a lumen for less than this part of the time, in percent. */
const COVERED = 75;

/** A percentile that cells change less, and how far COVERED lies above the median of noise beside the distance of both. */
const [HIGHEST, CHANCE] = [95, 0.694];

/** A second vessel this wide, as a part of the first, may as well be the one that is meant. */
const ALIKE = 0.75;

/** Walls are brighter than the lumen by this part of its own rise, and by so many standard deviations of its columns. */
const [WALL_RISE, WALL_DEVIATIONS] = [0.15, 4];

/** Between two walls, the lumen is brighter than outside by this part of their rise. */
const LUMEN_RISE = 0.05;

/** A lumen rises by at least this part of the greatest rise in a profile. */
const LEAST_RISE = 0.2;

/** Levels at which lumens are sought, as parts of the range of a profile. */
const LEVELS = [0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85];

/** Blurred edges reach this far, in columns or in widths. */
const [APART_COLUMNS, APART_WIDTHS] = [3, 0.25];

/** Whether the lumen is bright or dark, from what the ends of all profiles have in common. */
export function decidePolarity(profiles: readonly Float64Array[]): "bright" | "dark" {
  const usual = takePercentileOverTime(profiles, 50);
  const end = Math.max(3, Math.round(usual.length / 20));
  const middle = (findPercentile(usual, 5) + findPercentile(usual, 95)) / 2;
  const ends = [usual.subarray(0, end), usual.subarray(-end)].map((part) =>
    findPercentile(part, 50) > middle
  );
  if (ends[0] === ends[1]) return ends[0] ? "dark" : "bright";
  // A second vessel at one end.
  const isComplete = (sign: 1 | -1) =>
    listCandidates(takePercentileOverTime(profiles.map((one) => one.map((value) => sign * value)), COVERED))
      .length > 0;
  return !isComplete(1) && isComplete(-1) ? "dark" : "bright";
}

/** A percentile over time of each column. @param profiles at least one */
export function takePercentileOverTime(profiles: readonly Float64Array[], percent: number): Float64Array {
  return Float64Array.from(
    { length: profiles[0]?.length ?? 0 },
    (_, x) => findPercentile(Float64Array.from(profiles, (profile) => profile[x]!), percent),
  );
}

/**
 * Finds the lumen around each profile, or says why it has none.
 *
 * @param profiles higher in the lumen than outside
 * @param step lines from one profile to the next
 * @param isBetweenWalls whether two bright structures are the walls of one vessel, even if it is dark between them
 */
export function findLumens(
  profiles: readonly Float64Array[],
  step: number,
  isBetweenWalls: boolean,
): (Surroundings | Fault)[] {
  const reach = Math.max(LEAST_AROUND, Math.ceil(AROUND / step));
  // Neighbouring profiles share most of their surroundings.
  const every = Math.max(1, reach >> 1);
  let near: Surroundings | Fault = "faint";
  return profiles.map((_, i) => {
    if (i % every === 0) {
      const middle = Math.min(profiles.length - 1, i + (every >> 1));
      near = findLumen(profiles.slice(Math.max(0, middle - reach), middle + reach + 1), isBetweenWalls);
    }
    return near;
  });
}

function findLumen(profiles: readonly Float64Array[], isBetweenWalls: boolean): Surroundings | Fault {
  const filled = takePercentileOverTime(profiles, COVERED);
  const candidates = listCandidates(filled);
  const [widest, second] = candidates;
  if (widest === undefined) {
    const usual = takePercentileOverTime(profiles, 50);
    const middle = (findPercentile(usual, 5) + findPercentile(usual, 95)) / 2;
    const ends = [usual.at(0), usual.at(-1)];
    // Bright at both ends and dark between them.
    return ends.every((value = NaN) => value > middle) && usual.some((value) => value < middle)
      ? "dark lumen"
      : "cut";
  }
  const isAlike = second !== undefined && second.end - second.start >= ALIKE * (widest.end - widest.start);
  const pair = isAlike ? findVesselBetweenWalls(filled, widest, second, isBetweenWalls) : null;
  if (isAlike && pair === null) return "divided";
  const { start, end, half } = pair ?? widest;
  const level = pair?.level ?? measureQuietLevel(profiles, filled, start, end);
  const others = [
    ...candidates.slice(pair === null ? 1 : 2),
    ...listRunsAtEnds(filled, { start, end, half }),
  ];
  const from = Math.max(0, ...others.filter((one) => one.end <= start).map((one) => (one.end + start) / 2));
  const to = Math.min(
    filled.length,
    ...others.filter((one) => one.start >= end).map((one) => (one.start + end) / 2),
  );
  const within = [Math.floor(from), Math.ceil(to)] as const;
  // Chance lifts a high percentile, so the levels outside are medians.
  const usual = takePercentileOverTime(profiles, 50);
  const outside = measureSides(usual, start, end, within);
  const part = Math.max(1, Math.round((end - start) / 3));
  const rims = [filled.subarray(start, start + part), filled.subarray(end - part, end)];
  const least = Math.max(
    WALL_RISE * (level - Math.max(...outside)),
    WALL_DEVIATIONS * computeDeviation(filled.subarray(start + part, end - part)),
  );
  return {
    start,
    end,
    level,
    inside: pair?.inside ?? level,
    outside,
    within,
    hasWalls: pair !== null || rims.every((rim) => Math.max(...rim) - level > least),
  };
}

/** Level of the middle third of a lumen, without what chance adds to a high percentile. */
function measureQuietLevel(
  profiles: readonly Float64Array[],
  filled: Float64Array,
  start: number,
  end: number,
) {
  const third = Math.floor((end - start - 1) / 3);
  const [from, to] = [start + third, end - third];
  const top = takePercentileOverTime(profiles.map((profile) => profile.subarray(from, to)), HIGHEST);
  const inside = filled.subarray(from, to);
  return computeMean(inside.map((value, x) => value - CHANCE * (top[x]! - value)));
}

/** The vessel whose walls two lumens are; null if they are two vessels. */
function findVesselBetweenWalls(
  filled: Float64Array,
  one: LumenCandidate,
  other: LumenCandidate,
  isSure: boolean,
) {
  const [left, right] = one.start < other.start ? [one, other] : [other, one];
  if (right.start - left.end < 1) return null;
  const { start } = left;
  const { end } = right;
  const inside = findPercentile(filled.subarray(left.end, right.start), 50);
  const outside = Math.max(...measureSides(filled, start, end, [0, filled.length]));
  const level = Math.min(left.level, right.level);
  const isFilled = inside - outside > LUMEN_RISE * (level - outside);
  return isSure || isFilled ? { start, end, level, half: (level + outside) / 2, inside } : null;
}

/** Median levels on both sides of a lumen, apart from its blurred edges. */
function measureSides(
  profile: Float64Array,
  start: number,
  end: number,
  [from, to]: readonly [number, number],
): [left: number, right: number] {
  const apart = Math.max(APART_COLUMNS, APART_WIDTHS * (end - start));
  const level = (first: number, last: number) => {
    const side = profile.subarray(Math.max(0, Math.floor(first)), Math.max(0, Math.ceil(last)));
    return side.length > 0 ? findPercentile(side, 50) : NaN;
  };
  const left = level(from, start - apart);
  const right = level(end + apart, to);
  const [least, other] = [Math.min(...profile.subarray(from, start)), Math.min(...profile.subarray(end, to))];
  return [Number.isNaN(left) ? least : left, Number.isNaN(right) ? other : right];
}

/** Vessels that the ends of a profile cut off, in a profile with a lumen. */
function listRunsAtEnds(
  profile: Float64Array,
  { start, end, half }: Pick<LumenCandidate, "start" | "end" | "half">,
) {
  const runs = [];
  let last = 0;
  while (last < start && profile[last]! > half) last += 1;
  if (last > 0) runs.push({ start: 0, end: last });
  let first = profile.length;
  while (first > end && profile[first - 1]! > half) first -= 1;
  if (first < profile.length) runs.push({ start: first, end: profile.length });
  return runs;
}

type LumenCandidate = { start: number; end: number; level: number; half: number };

/** Lumens that do not reach the ends of a profile, the widest first. */
function listCandidates(profile: Float64Array): LumenCandidate[] {
  const [low, high] = [findPercentile(profile, 5), findPercentile(profile, 95)];
  const found: LumenCandidate[] = [];
  for (const part of LEVELS) {
    for (const run of listRunsAbove(profile, low + part * (high - low))) {
      const one = settleLumen(profile, run);
      if (one === null || !(one.level - one.half > LEAST_RISE / 2 * (high - low))) continue;
      if (found.every(({ start, end }) => one.start >= end || one.end <= start)) found.push(one);
      else {
        // Of overlapping lumens, the wider contains the other.
        const narrower = found.filter((other) => one.start < other.end && one.end > other.start);
        if (narrower.some((other) => other.end - other.start >= one.end - one.start)) continue;
        for (const other of narrower) found.splice(found.indexOf(other), 1);
        found.push(one);
      }
    }
  }
  return found.sort((a, b) => (b.end - b.start) - (a.end - a.start));
}

/** The lumen of a run, at half of its own rise; null if it reaches an end or falls below that within. */
function settleLumen(profile: Float64Array, run: readonly [number, number]): LumenCandidate | null {
  let [start, end] = run;
  let [level, half] = [NaN, NaN];
  for (let round = 0; round < 3; round += 1) {
    if (start <= 0 || end >= profile.length) return null;
    const third = Math.floor((end - start - 1) / 3);
    level = computeMean(profile, start + third, end - third);
    const apart = Math.max(APART_COLUMNS, APART_WIDTHS * (end - start));
    const sides = [
      Math.min(...profile.subarray(Math.max(0, Math.floor(start - 2 * apart)), start)),
      Math.min(...profile.subarray(end, Math.ceil(end + 2 * apart))),
    ];
    half = (level + Math.max(...sides)) / 2;
    const middle = (start + end) >> 1;
    const inside = profile.subarray(start + third, end - third);
    if (!inside.every((value) => value > half)) return null;
    [start, end] = [middle, middle + 1];
    while (start > 0 && profile[start - 1]! > half) start -= 1;
    while (end < profile.length && profile[end]! > half) end += 1;
  }
  return start > 0 && end < profile.length ? { start, end, level, half } : null;
}

/** Runs of columns above a level. */
function listRunsAbove(profile: Float64Array, level: number): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (let x = 0; x < profile.length; x += 1) {
    if (!(profile[x]! > level)) continue;
    const last = runs.at(-1);
    if (last !== undefined && last[1] === x) last[1] = x + 1;
    else runs.push([x, x + 1]);
  }
  return runs;
}

/** Edges may lie outside of where the lumen was around their time by this many columns, or this part of its width. */
const [MOVE_COLUMNS, MOVE_WIDTHS] = [2, 0.15];

/** The outermost crossings of half of the rise on both sides; null if the profile does not cross there. */
export function findOutermost(
  profile: Float64Array,
  { start, end, level, outside: [left, right], within: [from, to] }: Surroundings,
): [left: number, right: number] | null {
  const move = MOVE_COLUMNS + MOVE_WIDTHS * (end - start);
  const side = (half: number, step: 1 | -1) => {
    // The runs above half of this side's rise that touch the lumen.
    const runs = listRunsAbove(profile, half).filter(([first, last]) =>
      first < Math.min(to, end + move) && last > Math.max(from, start - move) && first < end && last > start
    );
    const [first, last] = [runs.at(0), runs.at(-1)];
    if (first === undefined || last === undefined) return null;
    const at = step > 0 ? first[0] : last[1] - 1;
    const before = at - step;
    if (before < Math.max(0, from - 1) || before > Math.min(profile.length - 1, to)) return null;
    const [value, outside] = [profile[at]!, profile[before]!];
    return at - step * (value - half) / (value - outside);
  };
  const edges = [side((level + left) / 2, 1), side((level + right) / 2, -1)] as const;
  return edges[0] !== null && edges[1] !== null && edges[1] > edges[0] ? [edges[0], edges[1]] : null;
}

/** The steepest place near an edge, between columns. @param sign 1 for a rise, -1 for a fall */
export function findSteepest(profile: Float64Array, edge: number, width: number, sign: 1 | -1): number {
  const smooth = blurTrace(profile, STEEP);
  const slopes = computeSlopes(smooth).map((slope) => sign * slope);
  const reach = Math.max(2, width / 8);
  let best = Math.round(edge);
  for (let x = Math.ceil(edge - reach); x <= edge + reach; x += 1) if (slopes[x]! > slopes[best]!) best = x;
  const { place, bend } = findParabolaTop(slopes, best);
  return Number.isFinite(bend) && bend < 0 ? place : best;
}

/** Slopes are noisier than values: standard deviation of a further smoothing, in columns. */
const STEEP = 1.5;

export type { Surroundings };
