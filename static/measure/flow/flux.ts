/**
 * Flux: cells that pass the middle of a band, counted in a strip. The strip shows the blood along the flow: the velocities
 * of the surrounding windows give each sample its place, and samples at the same place are averaged. A cell is a stretch
 * of the strip that stands out from the plasma. Touching cells are counted by their area, divided by the area of one cell.
 */
import { computeMean, findPercentile, listRuns, makeGaussian } from "../traces.ts";
import { estimateStanding } from "./standing.ts";
import { type Band, completeSettings, measureInThread } from "../measurement.ts";
import { VELOCITY } from "./mod.ts";
import { hasCountedVelocity } from "./velocity_summary.ts";
import type { VelocityAt } from "./velocity.ts";
import type { ScanSamples } from "../line_scan.ts";

/** Cells are `dark` or `bright`, and counted over `window` lines. */
export type FluxSettings = { window: number; cells: string };

/** Cells counted around one time. */
export interface FluxAt {
  /** Middle of the counted lines, from 0. */
  line: number;
  /** Cells that passed; NaN unless counted. */
  cells: number;
  /** Cells per line. */
  flux: number;
  /** Fraction of the strip that cells cover, 0 to 1. */
  coverage: number;
  /** "faint": cells do not stand out from the noise; "crowded": cells cover more than three quarters of the strip. */
  verdict: "counted" | "no velocity" | "faint" | "crowded";
}

/** Places of the strip per column. */
const FINE = 2;

/** Standard deviation of the smoothing, in places: less than half of the narrowest cell. */
const SMOOTHED = 1;

/** Least prominence of a cell: this many standard deviations of the noise, and this fraction of a cell's depth. */
const [CLEAR, LEAST_DEPTH] = [5, 0.1];

/** A place needs more than this many samples, including nearby ones. */
const LEAST_SEEN = 1;

/** Places between independent values of the smoothed noise. */
const APART = 4;

/** Least area of a cell, as a fraction of the area of one cell; smaller ones are noise. */
const LEAST_AREA = 0.4;

/** Largest fraction of the strip that cells may cover: beyond it, too little plasma separates them. */
const MOST_COVERED = 0.75;

/**
 * Counts the cells that pass the middle of a band, in the order of time.
 *
 * @throws {RangeError} the band is too narrow for velocities
 */
export function measureFlux(plane: ScanSamples, band: Band, { window, cells }: FluxSettings): FluxAt[] {
  const [rows, all] = plane.shape as readonly [number, number];
  const { columns } = band;
  const scanned = { ...band, pixelTime: 0 };
  const { found: velocities, settings } = measureInThread(
    VELOCITY,
    plane,
    scanned,
    completeSettings(VELOCITY, { method: "autocorrelation" }, scanned),
  );
  const length = settings.window as number;
  const speeds = interpolateSpeeds(velocities as VelocityAt[], rows, length);
  const still = estimateStanding(plane.samples, rows, all, length);
  const [passed, under, seen] = Array.from({ length: 3 }, () => new Float64Array(rows)) as [
    Float64Array<ArrayBuffer>,
    Float64Array<ArrayBuffer>,
    Float64Array<ArrayBuffer>,
  ];
  for (const [from, to] of listRuns(speeds)) {
    countPassing(strip(plane, still, columns, speeds, from, to), cells === "dark" ? -1 : 1, {
      passed,
      under,
      seen,
    });
  }
  const isCrowded = computeMean(under, 0, rows) / computeMean(seen, 0, rows) > MOST_COVERED;
  const found = [];
  for (let line = 0; line + window <= rows; line += window) {
    const sum = (of: Float64Array) => computeMean(of, line, line + window) * window;
    const isKnown = speeds.subarray(line, line + window).every(Number.isFinite);
    const verdict: FluxAt["verdict"] = !isKnown
      ? "no velocity"
      : !(sum(seen) > 0)
      ? "faint"
      : isCrowded
      ? "crowded"
      : "counted";
    const cells = verdict === "counted" ? sum(passed) : NaN;
    const coverage = isKnown ? sum(under) / sum(seen) : NaN;
    found.push({ line: line + (window - 1) / 2, cells, flux: cells / window, coverage, verdict });
  }
  return found;
}

/**
 * Velocity at each line in columns per line, interpolated between windows; NaN if no window with a velocity
 * is near. `length` of a window.
 */
function interpolateSpeeds(found: readonly VelocityAt[], rows: number, length: number): Float64Array {
  const numbers = found.filter(hasCountedVelocity);
  const speeds = new Float64Array(rows).fill(NaN);
  for (const [i, { line, velocity }] of numbers.entries()) {
    const following = numbers[i + 1];
    const next = following !== undefined && following.line - line <= 2 * length ? following : undefined;
    const until = next?.line ?? line + length;
    const before = numbers[i - 1];
    const first = before === undefined || line - before.line > 2 * length ? line - length : line;
    for (let at = Math.max(0, Math.ceil(first)); at <= Math.min(rows - 1, until); at += 1) {
      const part = next === undefined ? 0 : Math.max(0, Math.min(1, (at - line) / (next.line - line)));
      speeds[at] = velocity * (1 - part) + (next?.velocity ?? velocity) * part;
    }
  }
  return speeds;
}

/**
 * The blood along the flow, from one line to another.
 *
 * @returns `values` at each place along the flow, smoothed, NaN if it has too few samples; `lineOf` gives
 *   the line at which a place is in the middle of the band, -1 if it never is
 */
function strip(
  { samples, shape }: ScanSamples,
  still: Float64Array,
  [first, end]: readonly [number, number],
  speeds: Float64Array,
  from: number,
  to: number,
) {
  const way = new Float64Array(to - from);
  let last = 0;
  for (let i = 1; i < way.length; i += 1) {
    last += (speeds[from + i - 1]! + speeds[from + i]!) / 2;
    way[i] = last;
  }
  const [low, high] = [first - Math.max(0, last), end - Math.min(0, last)];
  const sums = new Float64Array(Math.ceil((high - low) * FINE) + 2);
  const counts = new Float64Array(sums.length);
  const [, columns] = shape;
  for (let line = from; line < to; line += 1) {
    const moved = way[line - from]!;
    for (let x = first; x < end; x += 1) {
      const value = samples[line * columns + x]! - still[x]!;
      if (!Number.isFinite(value)) continue;
      // A sample counts for both places around it.
      const at = (x - moved - low) * FINE;
      const [place, part] = [Math.floor(at), at - Math.floor(at)];
      sums[place]! += value * (1 - part);
      counts[place]! += 1 - part;
      sums[place + 1]! += value * part;
      counts[place + 1]! += part;
    }
  }
  const middle = (first + end - 1) / 2;
  const weights = sumNeighbours(counts);
  return {
    // Sums and counts are smoothed separately: some places have more samples than others.
    values: sumNeighbours(sums).map((sum, i) => {
      const weight = weights[i]!;
      return weight > LEAST_SEEN ? sum / weight : NaN;
    }),
    lineOf(place: number) {
      const wanted = middle - (place / FINE + low);
      if (wanted < Math.min(0, last) || wanted > Math.max(0, last)) return -1;
      let [before, after] = [0, way.length - 1];
      while (after - before > 1) {
        const half = (before + after) >> 1;
        if ((way[half]! - wanted) * Math.sign(last) <= 0) before = half;
        else after = half;
      }
      return from + before;
    },
  };
}

/**
 * Counts each cell of a strip at the line at which it passes the middle.
 *
 * @param sign 1 for bright cells, -1 for dark ones
 * @param counts for each line: cells, covered places and all places
 */
function countPassing(
  { values, lineOf }: ReturnType<typeof strip>,
  sign: 1 | -1,
  { passed, under, seen }: Record<"passed" | "under" | "seen", Float64Array>,
) {
  const smooth = values.map((value) => sign * value);
  const { plasma, depth } = measureCellLevels(smooth);
  const noise = estimateSmoothedNoise(smooth);
  if (!(depth > CLEAR * noise)) return;
  const cells = findCells(
    smooth.map((value) => value - plasma),
    depth / 2,
    Math.max(CLEAR * noise, LEAST_DEPTH * depth),
  );
  const areas = Float64Array.from(cells, ({ area }) => area);
  // Area of a single cell: the median of similar areas among the smaller ones.
  let one = findPercentile(areas, 25);
  for (let round = 0; round < 5; round += 1) {
    one = findPercentile(areas.filter((area) => area > 0.6 * one && area < 1.5 * one), 50);
  }
  for (const { middle, area } of cells) {
    const line = lineOf(middle);
    if (line >= 0 && area > LEAST_AREA * one) passed[line]! += Math.max(1, Math.round(area / one));
  }
  for (const [place, value] of smooth.entries()) {
    const line = lineOf(place);
    if (line < 0) continue;
    seen[line]! += 1;
    if (value > plasma + depth / 2) under[line]! += 1;
  }
}

/** Levels of plasma and cells: quartiles on both sides of the threshold that separates them best (Otsu 1979). */
function measureCellLevels(values: Float64Array) {
  const sorted = values.filter(Number.isFinite).sort();
  const total = sorted.reduce((sum, value) => sum + value, 0);
  let [best, sum, cut] = [-Infinity, 0, 0];
  for (let i = 1; i < sorted.length; i += 1) {
    sum += sorted[i - 1]!;
    const between = i * (sorted.length - i) * (sum / i - (total - sum) / (sorted.length - i)) ** 2;
    if (between > best) [best, cut] = [between, i];
  }
  const low = findPercentile(sorted.subarray(0, cut), 25);
  const high = findPercentile(sorted.subarray(cut), 75);
  return { plasma: low, depth: high - low };
}

/** Standard deviation of white noise after the smoothing, from second differences of distant places. */
function estimateSmoothedNoise(values: Float64Array) {
  const differences = Float64Array.from(
    { length: Math.max(0, values.length - 2 * APART) },
    (_, i) => Math.abs(values[i]! - 2 * values[i + APART]! + values[i + 2 * APART]!),
  );
  // Cells cause the larger differences, so the first quartile is used: 0.3186 for |N(0, 1)|. A second difference has six
  // times the variance.
  return findPercentile(differences, 25) / (0.3186 * Math.sqrt(6));
}

/**
 * Cells: peaks that exceed the valleys on both sides by a prominence.
 *
 * @param values above the plasma
 * @param least smallest height of a cell
 */
function findCells(values: Float64Array, least: number, prominence: number) {
  const cells: { middle: number; area: number }[] = [];
  let [top, valley, start, isRising] = [-Infinity, Infinity, 0, true];
  let lowest = 0;
  const add = (from: number, to: number) => {
    let [area, moment] = [0, 0];
    for (let i = from; i < to; i += 1) {
      const value = Math.max(0, values[i]!);
      area += value;
      moment += value * i;
    }
    cells.push({ middle: Math.round(moment / area), area });
  };
  for (const [i, value] of values.entries()) {
    if (!Number.isFinite(value)) continue;
    if (isRising) {
      top = Math.max(top, value);
      if (value < top - prominence && top > least) [isRising, valley, lowest] = [false, value, i];
      else if (value < 0 && top <= least) [top, start] = [-Infinity, i];
    } else {
      if (value < valley) [valley, lowest] = [value, i];
      if (value > valley + prominence) {
        add(start, lowest);
        [isRising, top, start] = [true, value, lowest];
      }
    }
  }
  if (top > least) add(start, isRising ? values.length : lowest);
  return cells;
}

/** Sums of neighbouring values, weighted with a Gaussian. */
function sumNeighbours(values: Float64Array) {
  const reach = Math.ceil(3 * SMOOTHED);
  const weights = makeGaussian(reach, SMOOTHED);
  return values.map((_, at) =>
    weights.reduce((sum, weight, i) => sum + weight * (values[at + i - reach] ?? 0), 0)
  );
}
