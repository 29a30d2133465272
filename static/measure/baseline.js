/**
 * F₀ of a trace: the light without transients, constant or in each line.
 *
 * A constant F₀ is a percentile of the trace or its mean in a time. A moving F₀ follows a baseline that falls or sways:
 * it starts from a moving percentile. Lines then weigh the less the more they rise above F₀ (asymmetric reweighting, after
 * Baek et al. 2015, Analyst 140, 250-257), and F₀ becomes a straight line through the weighted lines around each place,
 * until it settles. Without this, a percentile of a slope lies below the slope. An exponential F₀ is fitted with the same
 * weights.
 *
 * @typedef {import("./band_trace.js").TraceSettings} TraceSettings
 * @typedef {object} Baseline
 * @property {number} level F₀; the median of F₀ if it changes; NaN if there is none
 * @property {Float64Array | null} course F₀ of each line; null if it is constant
 * @property {TraceSettings} by the settings with the method that ran, and its span
 *
 * @typedef {Record<"level" | "size" | "length", number>} Exponential `length` is its time constant in lines
 */
import { formatNumber, significant, tableUnit } from "./axes.js";
import { leastSquares } from "./least_squares.js";
import { deviation, mean, noiseOf, percentile, runningMean } from "./traces.js";

/** Part of a trace over which F₀ moves, and whose ends are compared, unless a span is set. */
const TENTH = 0.1;

/** Blocks in one span, whose means have less noise than lines. */
const BLOCKS = 50;

/** Standard deviation of the Gaussian that weighs neighbouring blocks, in spans. */
const NEAR = 0.175;

/** Rounds of moving percentiles, each of what the one before left. */
const STARTS = 4;

/** Rounds of weighing; on simulated traces, further ones change little. */
const ROUNDS = 10;

/** An F₀ that changes needs at least this many lines. */
const LEAST_LINES = 20;

/** Time over which F₀ moves if nothing else is set, rounded to be typed. @param {number} lines @param {number} step */
export const usualSpan = (lines, step) => significant(TENTH * lines * step, 3);

/**
 * @param {Float64Array} values
 * @param {TraceSettings} settings
 * @param {number} step time from line to line
 * @returns {Baseline}
 */
export function baselineOf(values, settings, step) {
  const { percentile: percent } = settings;
  const span = settings.kind === "moving" && settings.span ? settings.span : usualSpan(values.length, step);
  const lines = Math.max(1, Math.round(span / step));
  const kind = settings.kind !== "automatic"
    ? settings.kind
    : drifts(values, percent)
    ? "moving"
    : "percentile";
  const blocks = kind === "moving" || kind === "exponential" ? blocksOf(values, lines) : null;
  if (blocks !== null && blocks.means.length >= LEAST_LINES) {
    const courseOf = kind === "moving" ? movingThrough(blocks, percent) : exponentialThrough(blocks);
    const course = values.map((_, line) => courseOf(line));
    return { level: percentile(course, 50), course, by: { ...settings, kind, span } };
  }
  if (kind !== "window") {
    const by = /** @type {const} */ ({ ...settings, kind: "percentile" });
    return { level: percentile(values, percent), course: null, by };
  }
  // Lines whose times lie in the window, end excluded; allows for rounding just above an integer.
  const [start, stop] = [settings.from, settings.to].map((time) => Math.ceil(time / step - 1e-6));
  return { level: mean(values, start, Math.max(start + 1, stop)), course: null, by: settings };
}

/** Words for the method of F₀ in tables. @type {(settings: TraceSettings, time: {unit: string}) => string} */
export function baselineWords({ kind, percentile: percent, from, to, span }, time) {
  const unit = tableUnit(time);
  const over = span ? ` over ${formatNumber(span)} ${unit}` : "";
  return {
    percentile: `percentile ${percent}`,
    window: `mean from ${formatNumber(from)} to ${formatNumber(to)} ${unit}`,
    moving: `moving percentile ${percent}${over}`,
    exponential: "exponential",
    automatic: `percentile ${percent}, moving if the trace drifts`,
  }[kind];
}

/** Whether the first and last tenth of the trace differ by more than its noise. @param {Float64Array} values @param {number} percent */
function drifts(values, percent) {
  const tenth = Math.floor(TENTH * values.length);
  if (values.length < LEAST_LINES) return false;
  const [first, last] = [values.subarray(0, tenth), values.subarray(values.length - tenth)]
    .map((part) => percentile(part, percent));
  return Math.abs(last - first) > noiseOf(values);
}

/**
 * Means of neighbouring lines and the places of their middles, without blocks that have no finite value; `length` is
 * that of a block, and `half` half of a span in blocks.
 *
 * @param {Float64Array} values
 * @param {number} span in lines
 */
function blocksOf(values, span) {
  const length = Math.max(1, Math.floor(span / BLOCKS));
  const count = Math.ceil(values.length / length);
  const half = Math.max(1, Math.round(span / length / 2));
  const all = Array.from({ length: count }, (_, i) => {
    const end = Math.min(values.length, (i + 1) * length);
    return { mean: mean(values, i * length, end), place: (i * length + end - 1) / 2 };
  }).filter((block) => Number.isFinite(block.mean));
  return {
    length,
    half,
    means: Float64Array.from(all, (block) => block.mean),
    places: Float64Array.from(all, ({ place }) => place),
  };
}

/** @param {ReturnType<typeof blocksOf>} blocks @param {number} percent @returns {(line: number) => number} */
function movingThrough({ length, half, means, places }, percent) {
  let course = new Float64Array(means.length);
  for (let round = 0; round < STARTS; round += 1) {
    const rest = means.map((value, i) => value - course[i]);
    const steps = rest.map((_, i) => percentile(rest.subarray(Math.max(0, i - half), i + half + 1), percent));
    const smooth = runningMean(steps, half >> 1);
    course = course.map((value, i) => value + smooth[i]);
  }
  const near = Float64Array.from(
    { length: 3 * half + 1 },
    (_, away) => Math.exp(-((away / (2 * half * NEAR)) ** 2) / 2),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    const { weights } = weighed(means.map((value, i) => value - course[i]));
    course = course.map((value, i) => {
      // The former value counts where no block does.
      let [sum, first, second, whole, slope] = [1e-9, 0, 0, 1e-9 * value, 0];
      for (let j = Math.max(0, i - 3 * half); j < Math.min(means.length, i + 3 * half + 1); j += 1) {
        const away = (places[j] - places[i]) / length;
        const weight = weights[j] * (near[Math.round(Math.abs(away))] ?? 0);
        sum += weight;
        first += weight * away;
        second += weight * away * away;
        whole += weight * means[j];
        slope += weight * away * means[j];
      }
      const bend = sum * second - first * first;
      return bend > 1e-9 * sum * second ? (whole * second - slope * first) / bend : whole / sum;
    });
  }
  return (line) => {
    // Blocks without values are missing, so neighbours are sought.
    let [low, high] = [0, places.length - 2];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (places[middle] <= line) low = middle;
      else high = middle - 1;
    }
    const part = (line - places[low]) / (places[low + 1] - places[low]);
    return course[low] + (course[low + 1] - course[low]) * part;
  };
}

/**
 * An exponential on a level, as bleaching makes it.
 *
 * @param {ReturnType<typeof blocksOf>} blocks
 * @returns {(line: number) => number}
 */
function exponentialThrough({ means, places }) {
  const ends = Math.max(1, Math.floor(TENTH * means.length));
  const [first, last] = [means.slice(0, ends), means.slice(-ends)].map((part) => percentile(part, 50));
  const whole = places[places.length - 1] || 1;
  const at = (/** @type {Exponential} */ { level, size, length }, /** @type {number} */ place) =>
    level + size * Math.exp(-place / length);
  let found = { level: last, size: first - last || 1, length: whole / 3 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { weights } = weighed(means.map((value, i) => value - at(found, places[i])));
    found = leastSquares(
      found,
      ({ level, size, length }) => {
        const slope = [0, 0, 0];
        const bend = slope.map(() => [0, 0, 0]);
        let misfit = 0;
        for (const [i, place] of places.entries()) {
          const left = Math.exp(-place / length);
          const off = means[i] - level - size * left;
          const by = [1, left, size * left * place / length];
          misfit += weights[i] * off * off;
          for (const [j, one] of by.entries()) {
            slope[j] += weights[i] * one * off;
            for (const [k, other] of by.entries()) bend[j][k] += weights[i] * one * other;
          }
        }
        return { misfit, bend, slope };
      },
      ({ level, size, length }, move) => ({
        level: level + move[0],
        size: size + move[1],
        // A longer time constant looks like a straight line.
        length: Math.min(10 * whole, Math.max(1, length * Math.exp(Math.min(1, Math.max(-1, move[2]))))),
      }),
    ).best;
  }
  return (line) => at(found, line);
}

/**
 * How much values count for the baseline, which is at 0, and the standard deviation of its noise, from the values below it:
 * transients only rise.
 *
 * @param {Float64Array} values
 */
function weighed(values) {
  const below = values.filter((value) => value < 0);
  const noise = Math.sqrt(mean(below.map((value) => value * value))) || 0;
  const [middle, spread] = [mean(below), deviation(below)];
  // By Baek et al., weights fall from 1 to 0 around two standard deviations of white noise.
  const weights = values.map((value) =>
    spread > 0 ? 1 / (1 + Math.exp(2 * (value - 2 * spread + middle) / spread)) : Number(value <= 0)
  );
  return { weights, noise };
}

/** Level of the baseline of a trace that does not drift, and the standard deviation of its noise. @param {Float64Array} values */
export function quietPart(values) {
  const there = values.filter(Number.isFinite);
  let level = percentile(there, 25);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { weights } = weighed(there.map((value) => value - level));
    let [sum, whole] = [0, 0];
    for (const [i, weight] of weights.entries()) {
      sum += weight * there[i];
      whole += weight;
    }
    if (whole > 0) level = sum / whole;
  }
  return { level, noise: weighed(there.map((value) => value - level)).noise };
}
