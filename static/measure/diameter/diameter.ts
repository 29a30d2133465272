/**
 * Diameter over time of a vessel that a line scan crosses: the width of the lumen in the median of a few lines.
 *
 * `half-maximum` is the full width at half maximum: the distance between the two outermost places where the profile
 * crosses the middle between outside and lumen (Drew, Blinder, Cauwenberghs, Shih, Kleinfeld: J Comput Neurosci 2010,
 * 29:5). `gradient` is the distance between the steepest rise and the steepest fall at these places (Fischer, Uchida,
 * Messlinger: Microcirculation 2010, 17:618, edges by the Sobel operator, that is by the greatest gradient). Between
 * bright walls it is the distance between their inner edges (walls.ts).
 *
 * An `undivided` lumen is the widest run of columns above the middle.
 */
import {
  decidePolarity,
  type Fault,
  findLumens,
  findOutermost,
  findSteepest,
  type Lumen,
  takePercentileOverTime,
} from "./lumen.ts";
import {
  blurTrace,
  computeMean,
  computeSlopes,
  estimateWhiteNoise,
  findExtent,
  findGreatest,
  findParabolaTop,
  findPercentile,
  listRuns,
} from "../traces.ts";
import { findInnerEdges } from "./walls.ts";
import type { Band } from "../measurement.ts";
import type { ScanSamples } from "../line_scan.ts";

/** The diameter around one time. */
export interface DiameterAt {
  /** Middle of the averaged lines, from 0. */
  line: number;
  /** Diameter in columns; NaN unless clear. */
  diameter: number;
  /** Left edge, as a column: 3.5 lies between columns 3 and 4; NaN unless clear or unclear. */
  left: number;
  /** Right edge. */
  right: number;
  /**
   * "faint": no lumen stands out from the noise; "cut": the lumen reaches an end of the band; "divided": a
   * second lumen is nearly as wide; "unclear": an edge jumps against those before and after, or is missing; "bright lumen",
   * "dark lumen", "no walls": the lumen is not what it was said to be.
   */
  verdict: "clear" | Fault;
}

/**
 * `window` lines are averaged for one diameter, and `step` lines lie from one to the next. `lumen` is `automatic`,
 * `bright`, `dark`, `walls` or `undivided`; `average` is `median` or `computeMean`.
 */
export type DiameterSettings = {
  window: number;
  step: number;
  method: string;
  lumen: string;
  average: string;
  /** What the lumen was taken for in a measurement. */
  taken?: Lumen;
};

/** The lumen stands out from outside by at least this many standard deviations of the noise. */
const CLEAR = 4;

/** Standard deviation of the smoothing along the line, in columns. */
const SMOOTH = 1;

/** Values on each side that an edge is compared with. */
const BESIDE = 3;

/** An edge jumps if it is off by so many standard deviations, but by this part of the diameter and so many columns. */
const [JUMP, LEAST_JUMP, LEAST_COLUMNS] = [5, 0.03, 0.5];

/**
 * Diameters in the columns of a band, in the order of time, and what the lumen was taken for.
 *
 * @param band holds the vessel with background on both sides
 */
export function measureDiameters(
  plane: ScanSamples,
  { columns }: Pick<Band, "columns">,
  settings: DiameterSettings,
): { found: DiameterAt[]; lumen: Lumen } {
  const { window, step, method, lumen: wanted } = settings;
  const [from] = columns;
  if (wanted === "undivided") return { found: undivided(plane, columns, settings), lumen: "bright" };
  const raw = averageProfiles(plane, columns, { window, step, average: "mean" }, 0);
  if (raw.length === 0) return { found: [], lumen: "bright" };
  const own = averageProfiles(plane, columns, settings, SMOOTH);
  const polarity = wanted === "automatic"
    ? decidePolarity(own.map(({ profile }) => profile))
    : wanted === "dark"
    ? "dark"
    : "bright";
  const isDark = polarity === "dark";
  const profiles = own.map(({ profile }) => isDark ? profile.map((value) => -value) : profile);
  const around = findLumens(profiles, step, wanted === "walls");
  const there = around.filter((one) => typeof one !== "string");
  const hasWalls = wanted === "walls" ||
    wanted === "automatic" && !isDark && there.filter((one) => one.hasWalls).length > there.length / 2;
  const all = profiles.map((profile, i) => {
    const [one = "faint", unsmoothed = profile] = [around[i], raw[i]?.profile];
    const fault = faultOf(one, profile, unsmoothed, isDark);
    const pair = typeof one === "string" || fault !== null ? null : findOutermost(profile, one);
    return { profile, one, fault, pair };
  });
  const found = all.map(({ profile, pair }): [number, number] | null => {
    if (pair === null || method !== "gradient") return pair;
    const width = pair[1] - pair[0];
    return [findSteepest(profile, pair[0], width, 1), findSteepest(profile, pair[1], width, -1)];
  });
  const inner = !hasWalls ? found : findInnerEdges(
    profiles,
    all.map(({ one, pair }) =>
      pair === null || typeof one === "string" ? null : { outer: pair, level: one.inside, within: one.within }
    ),
  );
  const jumps = findJumps(inner);
  return {
    found: own.map(({ line }, i) => {
      const [left, right] = inner[i] ?? [NaN, NaN];
      const { fault: own = null, pair = null } = all[i] ?? {};
      const fault = own ?? (inner[i] !== null ? null : pair === null ? "unclear" : "no walls");
      const verdict = fault ?? (jumps[i] ? "unclear" : "clear");
      const diameter = verdict === "clear" ? right - left : NaN;
      return { line, diameter, left: from + left, right: from + right, verdict };
    }),
    lumen: hasWalls ? "walls" : polarity,
  };
}

/** Why a profile has no diameter; null if it may have one. @param raw without smoothing */
function faultOf(
  found: ReturnType<typeof findLumens>[number],
  profile: Float64Array,
  raw: Float64Array,
  isDark: boolean,
): DiameterAt["verdict"] | null {
  if (typeof found !== "string") {
    const rise = found.level - Math.max(...found.outside);
    return rise > CLEAR * estimateWhiteNoise(raw) ? null : "faint";
  }
  const [low, high] = [findPercentile(profile, 5), findPercentile(profile, 95)];
  if (!(high - low > CLEAR * estimateWhiteNoise(raw))) return "faint";
  // The other way round, a dark lumen is a bright one.
  return found === "dark lumen" && isDark ? "bright lumen" : found;
}

/** Diameters of the widest bright run of columns. */
const undivided = (
  plane: ScanSamples,
  columns: Band["columns"],
  settings: DiameterSettings,
): DiameterAt[] =>
  averageProfiles(plane, columns, settings, 0).map(({ line, profile }) => {
    const { left, right, verdict } = findEdges(profile, settings.method);
    return { line, diameter: right - left, left: columns[0] + left, right: columns[0] + right, verdict };
  });

/** Which pairs of edges jump against the medians of those before and after. */
function findJumps(pairs: readonly (readonly [number, number] | null)[]): boolean[] {
  const widths = Float64Array.from(pairs, (pair) => pair === null ? NaN : pair[1] - pair[0]);
  const least = Math.max(LEAST_COLUMNS, LEAST_JUMP * findPercentile(widths, 50));
  const sides = ([0, 1] as const).map((side) => {
    const places = Float64Array.from(pairs, (pair) => pair === null ? NaN : pair[side]);
    const off = places.map((place, i) => {
      const [before, after] = [
        places.subarray(Math.max(0, i - BESIDE), i),
        places.subarray(i + 1, i + 1 + BESIDE),
      ]
        .map((part) => part.filter(Number.isFinite)) as [Float64Array, Float64Array];
      const beside = Float64Array.of(...before, ...after);
      const away = place - findPercentile(beside, 50);
      // On one side alone, the median lags behind a vessel that widens.
      const [low, high] = before.length > 0 && after.length > 0 ? [0, 0] : findExtent(beside);
      return Math.sign(away) * Math.max(0, Math.abs(away) - (high - low));
    });
    // The median of |N(0, 1)| is 0.6745.
    const spread = findPercentile(off.map(Math.abs), 50) / 0.6745;
    return off.map((value) => Number(Math.abs(value) > Math.max(least, JUMP * spread)));
  });
  return pairs.map((_, i) => sides.some((side) => side[i] === 1));
}

/** Medians or means of lines over time. @param smooth of lines, standard deviation in columns */
function averageProfiles(
  { samples, shape: [rows, all] }: ScanSamples,
  [from, to]: readonly [from: number, to: number],
  { window, step, average }: Pick<DiameterSettings, "window" | "step" | "average">,
  smooth: number,
): { line: number; profile: Float64Array }[] {
  const width = to - from;
  const lines = Array.from({ length: rows }, (_, row) => {
    const line = Float64Array.from({ length: width }, (_, x) => samples[row * all + from + x]!);
    return smooth > 0 ? blurTrace(line, smooth) : line;
  });
  const middleOf = average === "mean" ? averageLines : takeMedianOfLines;
  const profiles = [];
  for (let first = 0; first + window <= rows; first += step) {
    const line = first + (window - 1) / 2;
    profiles.push({ line, profile: middleOf(lines.slice(first, first + window)) });
  }
  return profiles;
}

function averageLines(lines: readonly Float64Array[]): Float64Array {
  const sums = new Float64Array(lines[0]?.length ?? 0);
  for (const line of lines) for (const [x, value] of line.entries()) sums[x]! += value;
  return sums.map((sum) => sum / lines.length);
}

const takeMedianOfLines = (lines: readonly Float64Array[]): Float64Array => takePercentileOverTime(lines, 50);

/** Edges of the lumen, which is brighter than its surroundings, in a profile; NaN unless clear. */
function findEdges(
  profile: Float64Array,
  method: string,
): { left: number; right: number; verdict: DiameterAt["verdict"] } {
  // Slopes are noisier than values.
  const smooth = blurTrace(profile, method === "gradient" ? 2 : 1, 4);
  const [low, high] = measureLumenLevels(smooth) as [number, number];
  const unclear = (verdict: DiameterAt["verdict"]) => ({ left: NaN, right: NaN, verdict });
  if (!(high - low > CLEAR * estimateWhiteNoise(profile))) return unclear("faint");
  const middle = (low + high) / 2;
  const [first, next] = listRunsWidestFirst(smooth, middle);
  if (first === undefined) return unclear("faint");
  const [start, end] = first;
  if (start === 0 || end === profile.length) return unclear("cut");
  if (next !== undefined && next[1] - next[0] >= (end - start) / 2) return unclear("divided");
  if (method === "half-maximum") {
    const crossing = (x: number) => {
      const [value, next] = [smooth[x]!, smooth[x + 1]!];
      return x + (middle - value) / (next - value);
    };
    return { left: crossing(start - 1), right: crossing(end - 1), verdict: "clear" };
  }
  const slopes = computeSlopes(smooth);
  const centre = Math.floor((start + end) / 2);
  return {
    left: findExtremum(slopes, 0, centre, 1),
    right: findExtremum(slopes, centre, slopes.length, -1),
    verdict: "clear",
  };
}

/**
 * Levels of the background (the median of the columns apart from the lumen) and of the lumen (the mean of its middle
 * third). Columns at the edges, which the optics blur, count for neither.
 */
function measureLumenLevels(profile: Float64Array) {
  let [low, high] = [findPercentile(profile, 5), findPercentile(profile, 95)];
  for (let round = 0; round < 3; round += 1) {
    const [widest] = listRunsWidestFirst(profile, (low + high) / 2);
    if (widest === undefined) return [low, high];
    const [start, end] = widest;
    const width = end - start;
    const third = Math.floor((width - 1) / 3);
    high = computeMean(profile, start + third, end - third);
    const apart = Math.max(3, width / 4);
    const outside = profile.filter((_, x) => x < start - apart || x >= end + apart);
    low = findPercentile(outside.length > 0 ? outside : profile, outside.length > 0 ? 50 : 5);
  }
  return [low, high];
}

/** Runs of columns above a level, the widest first. */
const listRunsWidestFirst = (profile: Float64Array, level: number) =>
  listRuns(profile.map((value) => value > level ? 1 : 0)).sort((a, b) => (b[1] - b[0]) - (a[1] - a[0]));

/** Place of the greatest value times `sign`, interpolated between columns by a parabola. */
function findExtremum(values: Float64Array, from: number, to: number, sign: 1 | -1): number {
  const best = findGreatest(values.map((value) => sign * value), from, to);
  const { place, bend } = findParabolaTop(values, best);
  return Number.isFinite(bend) && bend !== 0 ? place : best;
}
