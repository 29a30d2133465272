/**
 * Diameter over time of a vessel that a line scan crosses: the width of the lumen in the mean of a few lines.
 *
 * `half-maximum` is the full width at half maximum: the distance between the two places where the profile crosses the
 * middle between background and lumen (Drew, Blinder, Cauwenberghs, Shih, Kleinfeld: J Comput Neurosci 2010, 29:5).
 * `gradient` is the distance between the steepest rise and the steepest fall (Fischer, Uchida, Messlinger:
 * Microcirculation 2010, 17:618, edges by the Sobel operator, that is by the greatest gradient).
 */
import { blurred, mean, noiseOf, percentile, runsOf } from "./traces.ts";
import type { Band } from "./measurement.ts";
import type { Plane } from "./velocity.ts";

/** The diameter around one time. */
export interface DiameterAt {
  /** Middle of the averaged lines, from 0. */
  line: number;
  /** Diameter in columns; NaN unless clear. */
  diameter: number;
  /** Left edge, as a column: 3.5 lies between columns 3 and 4. */
  left: number;
  /** Right edge. */
  right: number;
  /**
   * "faint": no lumen stands out from the noise; "cut": the lumen reaches an end of the band; "divided": a
   * second lumen is at least half as wide.
   */
  verdict: "clear" | "faint" | "cut" | "divided";
}

/** `window` lines are averaged for one diameter, and `step` lines lie from one to the next. */
export type DiameterSettings = { window: number; step: number; method: string };

/** The lumen is brighter than the background by at least this many standard deviations of the noise. */
const CLEAR = 4;

/**
 * Diameters in the columns of a band, in the order of time.
 *
 * @param band holds the vessel with background on both sides
 */
export function diameterOverTime(
  { samples, shape: [rows, all] }: Plane,
  { columns: [from, to] }: Pick<Band, "columns">,
  settings: DiameterSettings,
): DiameterAt[] {
  const { window, step, method } = settings;
  const found = [];
  for (let line = 0; line + window <= rows; line += step) {
    const sums = new Float64Array(to - from);
    for (let row = line; row < line + window; row += 1) {
      for (let x = from; x < to; x += 1) sums[x - from]! += samples[row * all + x]!;
    }
    const { left, right, verdict } = edges(sums.map((sum) => sum / window), method);
    found.push({
      line: line + (window - 1) / 2,
      diameter: right - left,
      left: from + left,
      right: from + right,
      verdict,
    });
  }
  return found;
}

/** Edges of the lumen, which is brighter than its surroundings, in a profile; NaN unless clear. */
function edges(
  profile: Float64Array,
  method: string,
): { left: number; right: number; verdict: DiameterAt["verdict"] } {
  // Slopes are noisier than values.
  const smooth = blurred(profile, method === "gradient" ? 2 : 1, 4);
  const [low, high] = levels(smooth) as [number, number];
  const unclear = (verdict: DiameterAt["verdict"]) => ({ left: NaN, right: NaN, verdict });
  if (!(high - low > CLEAR * noiseOf(profile))) return unclear("faint");
  const middle = (low + high) / 2;
  const [first, next] = runsAbove(smooth, middle);
  const [start, end] = first!;
  if (start === 0 || end === profile.length) return unclear("cut");
  if (next !== undefined && next[1] - next[0] >= (end - start) / 2) return unclear("divided");
  if (method === "half-maximum") {
    const crossing = (x: number) => x + (middle - smooth[x]!) / (smooth[x + 1]! - smooth[x]!);
    return { left: crossing(start - 1), right: crossing(end - 1), verdict: "clear" };
  }
  const slopes = smooth.map((_, x) =>
    (smooth[Math.min(x + 1, smooth.length - 1)]! - smooth[Math.max(x - 1, 0)]!) / 2
  );
  const centre = Math.floor((start + end) / 2);
  return {
    left: extremum(slopes, 0, centre, 1),
    right: extremum(slopes, centre, slopes.length, -1),
    verdict: "clear",
  };
}

/**
 * Levels of the background (the median of the columns apart from the lumen) and of the lumen (the mean of its middle
 * third). Columns at the edges, which the optics blur, count for neither.
 */
function levels(profile: Float64Array) {
  let [low, high] = [percentile(profile, 5), percentile(profile, 95)];
  for (let round = 0; round < 3; round += 1) {
    const [widest] = runsAbove(profile, (low + high) / 2);
    if (widest === undefined) return [low, high];
    const [start, end] = widest;
    const width = end - start;
    const third = Math.floor((width - 1) / 3);
    high = mean(profile, start + third, end - third);
    const apart = Math.max(3, width / 4);
    const outside = profile.filter((_, x) => x < start - apart || x >= end + apart);
    low = percentile(outside.length > 0 ? outside : profile, outside.length > 0 ? 50 : 5);
  }
  return [low, high];
}

/** Runs of columns above a level, the widest first. */
const runsAbove = (profile: Float64Array, level: number) =>
  runsOf(profile.map((value) => value > level ? 1 : 0)).sort((a, b) => (b[1] - b[0]) - (a[1] - a[0]));

/** Place of the greatest value times `sign`, interpolated between columns by a parabola. */
function extremum(values: Float64Array, from: number, to: number, sign: 1 | -1): number {
  let best = from;
  for (let x = from; x < to; x += 1) if (sign * values[x]! > sign * values[best]!) best = x;
  const [a, b, c] = [values[best - 1]!, values[best]!, values[best + 1]!];
  const bend = a - 2 * b + c;
  return Number.isFinite(bend) && bend !== 0 ? best + (a - c) / (2 * bend) : best;
}
