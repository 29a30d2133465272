/**
 * F₀ of a trace: the light without transients, constant or in each line.
 *
 * A constant F₀ is a percentile of the trace or its mean in a time. The percentile is taken of running means: that of single
 * lines lies the lower the fewer photons a line has. A moving F₀ follows a baseline that falls or sways:
 * it starts from a moving percentile. Lines then weigh the less the more they rise above F₀ (asymmetric reweighting, after
 * Baek et al. 2015, Analyst 140, 250-257), and F₀ becomes a straight line through the weighted lines around each place,
 * until it settles. Without this, a percentile of a slope lies below the slope. An exponential F₀ is fitted with the same
 * weights.
 */
import { formatDigits, formatTableUnit, roundToDigits } from "../axes.ts";
import { boundFactor, EquationSums, fitLeastSquares } from "../least_squares.ts";
import {
  computeMean,
  computeRunningMean,
  estimateWhiteNoise,
  findExtent,
  findPercentile,
  listRuns,
} from "../traces.ts";

/** How the trace of a band is made; times are in the unit of the time axis. */
export interface TraceSettings {
  /** Whether values are ΔF/F₀ instead of means. */
  isChange: boolean;
  /**
   * Kind of F₀: a percentile of all values, their mean in a window, a moving percentile or an exponential;
   * `automatic` is `moving` if the trace drifts, else `findPercentile`.
   */
  kind: "automatic" | "percentile" | "window" | "moving" | "exponential";
  /** Percentile of a constant or moving F₀, 0 to 100. */
  percentile: number;
  /** Start of the window in which F₀ is the mean. */
  from: number;
  to: number;
  /**
   * Time over which a moving percentile is taken; a tenth of the recording if 0 or missing. Of a constant percentile that was
   * measured, the time of the means that it was taken of.
   */
  span?: number;
  /** Dark level of the detector. */
  offset: number;
  /** Lines averaged per value. */
  average: number;
}

/** F₀ of a trace. */
export interface Baseline {
  /** F₀, or the median of a changing F₀; NaN if it is unknown. */
  level: number;
  /** F₀ of each line; null if it is constant. */
  course: Float64Array | null;
  /** The settings with the method that ran, and its span. */
  by: TraceSettings;
}

/** `length` is its time constant in lines. */
type Exponential = Record<"level" | "size" | "length", number>;

/** Part of a trace over which F₀ moves, and whose ends are compared, unless a span is set. */
const TENTH = 0.1;

/** An automatic F₀ moves over at least this many widths of a transient at half of its height. */
const WIDTHS = 8;

/** Standard deviations by which transients rise above F₀. */
const RISES = 5;

/** Blocks in one span, whose means have less noise than lines. */
const BLOCKS = 30;

/** Standard deviation of the Gaussian that weighs neighbouring blocks, in spans. */
const NEAR = 0.175;

/** Rounds of moving percentiles, each of what the one before left. */
const STARTS = 4;

/** Rounds of weighing; on simulated traces, further ones change little. */
const ROUNDS = 10;

/** An F₀ that changes needs at least this many lines. */
const LEAST_LINES = 20;

/** Seconds of the means that a constant percentile is taken of. Without a step in seconds, they are as many units of the axis. */
const MEANS_OVER = 0.24;

/** These means are at most so many times as long as it takes until half of the changes of the light are gone. */
const HALVES = 1.2;

/** A covariance of more standard errors is not that of noise. */
const CERTAIN = 3;

/** Time over which F₀ moves if nothing else is set, rounded to be typed. */
export const chooseUsualSpan = (lines: number, step: number): number =>
  roundToDigits(TENTH * lines * step, 3);

/** F₀ of a trace of one value per line, which is not averaged over lines. @param step time from line to line */
export function fitBaseline(values: Float64Array, settings: TraceSettings, step: number): Baseline {
  const { percentile: percent } = settings;
  const isAutomatic = settings.kind === "automatic";
  const kind = settings.kind !== "automatic"
    ? settings.kind
    : isDrifting(values, percent)
    ? "moving"
    : "percentile";
  if (kind === "moving" || kind === "exponential") {
    const whole = values.length * step;
    let span = kind === "moving" && !isAutomatic && settings.span || chooseUsualSpan(values.length, step);
    const blocks = averageBlocks(values, span / step);
    if (blocks.means.length >= LEAST_LINES) {
      let means = kind === "moving" ? fitMoving(blocks, span / step, percent) : fitExponential(blocks);
      // Narrower than its transients, a span lets F₀ follow them, which makes them look shorter than they are.
      for (let round = 0; round < ROUNDS && kind === "moving" && isAutomatic; round += 1) {
        const wanted = roundToDigits(Math.min(whole, WIDTHS * measureWidthAbove(blocks, means) * step), 3);
        if (!(wanted > span)) break;
        span = wanted;
        means = fitMoving(blocks, span / step, percent);
      }
      const courseOf = interpolateBlocks(blocks.places, means);
      const course = values.map((_, line) => courseOf(line));
      return { level: findPercentile(course, 50), course, by: { ...settings, kind, span } };
    }
  }
  if (kind !== "window") {
    const count = countLinesInMeans(values, step);
    const before = (count - 1) >> 1;
    const means = computeRunningMean(values, count).subarray(before, values.length - (count - 1 - before));
    const { span: _, ...others } = settings;
    const by = {
      ...others,
      kind: "percentile",
      ...count > 1 && { span: roundToDigits(count * step, 2) },
    } as const;
    return { level: findPercentile(means, percent), course: null, by };
  }
  // Lines whose times lie in the window, end excluded; allows for rounding just above an integer.
  const [start, stop] = [settings.from, settings.to].map((time) => Math.ceil(time / step - 1e-6)) as [
    number,
    number,
  ];
  return { level: computeMean(values, start, Math.max(start + 1, stop)), course: null, by: settings };
}

/** Lines of the means that a percentile is taken of: long enough to have little noise, and short enough to leave out transients. */
function countLinesInMeans(values: Float64Array, step: number): number {
  const most = Math.max(1, Math.min(Math.round(MEANS_OVER / step), values.length >> 2));
  const middle = computeMean(values);
  const covary = (lag: number) => {
    let [sum, count] = [0, 0];
    for (let i = lag; i < values.length; i += 1) {
      const product = (values[i]! - middle) * (values[i - lag]! - middle);
      if (!Number.isFinite(product)) continue;
      sum += product;
      count += 1;
    }
    return sum / count;
  };
  // Neighbours share no noise.
  const near = covary(1);
  if (!(near > CERTAIN * covary(0) / Math.sqrt(values.length))) return most;
  let lag = 1;
  while (HALVES * lag < most && covary(lag) > near / 2) lag = Math.ceil(1.2 * lag);
  return Math.min(most, Math.max(1, Math.round(HALVES * lag)));
}

/** Words for the method of F₀ in tables. */
export function describeBaseline(
  { kind, percentile: percent, from, to, span }: TraceSettings,
  time: { unit: string },
): string {
  const unit = formatTableUnit(time);
  const over = span ? ` over ${formatDigits(span)} ${unit}` : "";
  return {
    percentile: `percentile ${percent}${span ? ` of means${over}` : ""}`,
    window: `mean from ${formatDigits(from)} to ${formatDigits(to)} ${unit}`,
    moving: `moving percentile ${percent}${over}`,
    exponential: "exponential",
    automatic: `percentile ${percent}, moving if the trace drifts`,
  }[kind];
}

/** Whether the first and last tenth of the trace differ by more than its noise. */
function isDrifting(values: Float64Array, percent: number) {
  const tenth = Math.floor(TENTH * values.length);
  if (values.length < LEAST_LINES) return false;
  const [first, last] = [values.subarray(0, tenth), values.subarray(values.length - tenth)]
    .map((part) => findPercentile(part, percent)) as [number, number];
  return Math.abs(last - first) > estimateWhiteNoise(values);
}

/**
 * Lines of the longest rise above half of the highest one; 0 if nothing rises above the noise.
 *
 * @param course F₀ at each block
 */
function measureWidthAbove({ length, means }: ReturnType<typeof averageBlocks>, course: Float64Array) {
  const above = subtract(means, course);
  const [, top] = findExtent(above);
  if (!(top > RISES * weighValues(above).noise)) return 0;
  const runs = listRuns(above.map((value) => Number(value > top / 2)));
  return length * runs.reduce((most, [from, to]) => Math.max(most, to - from), 0);
}

/** Differences of the values of two lists of one length. */
const subtract = (values: Float64Array, others: Float64Array): Float64Array<ArrayBuffer> =>
  values.map((value, i) => value - others[i]!) as Float64Array<ArrayBuffer>;

/**
 * Means of neighbouring lines and the places of their middles, without blocks that have no finite value; `length` is
 * that of a block.
 *
 * @param span in lines
 */
function averageBlocks(values: Float64Array, span: number) {
  const length = Math.max(1, Math.floor(span / BLOCKS));
  const count = Math.ceil(values.length / length);
  const all = Array.from({ length: count }, (_, i) => {
    const end = Math.min(values.length, (i + 1) * length);
    return { mean: computeMean(values, i * length, end), place: (i * length + end - 1) / 2 };
  }).filter((block) => Number.isFinite(block.mean));
  return {
    length,
    means: Float64Array.from(all, (block) => block.mean),
    places: Float64Array.from(all, ({ place }) => place),
  };
}

/** F₀ at each block. @param span in lines */
function fitMoving(
  { length, means, places }: ReturnType<typeof averageBlocks>,
  span: number,
  percent: number,
) {
  const half = Math.max(1, Math.round(span / length / 2));
  let course = new Float64Array(means.length);
  for (let round = 0; round < STARTS; round += 1) {
    const rest = subtract(means, course);
    const steps = rest.map((_, i) =>
      findPercentile(rest.subarray(Math.max(0, i - half), i + half + 1), percent)
    );
    const smooth = computeRunningMean(steps, half >> 1);
    course = course.map((value, i) => value + smooth[i]!);
  }
  const near = Float64Array.from(
    { length: 3 * half + 1 },
    (_, away) => Math.exp(-((away / (2 * half * NEAR)) ** 2) / 2),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    const { weights } = weighValues(subtract(means, course));
    course = course.map((value, i) => {
      // The former value counts where no block does.
      let [sum, first, second, whole, slope] = [1e-9, 0, 0, 1e-9 * value, 0];
      for (let j = Math.max(0, i - 3 * half); j < Math.min(means.length, i + 3 * half + 1); j += 1) {
        const away = (places[j]! - places[i]!) / length;
        const weight = weights[j]! * (near[Math.round(Math.abs(away))] ?? 0);
        const mean = means[j]!;
        sum += weight;
        first += weight * away;
        second += weight * away * away;
        whole += weight * mean;
        slope += weight * away * mean;
      }
      const bend = sum * second - first * first;
      return bend > 1e-9 * sum * second ? (whole * second - slope * first) / bend : whole / sum;
    });
  }
  return course;
}

/** Straight lines between blocks, and beyond the outer ones. */
function interpolateBlocks(places: Float64Array, course: Float64Array): (line: number) => number {
  return (line) => {
    // Blocks without values are missing, so neighbours are sought.
    let [low, high] = [0, places.length - 2];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (places[middle]! <= line) low = middle;
      else high = middle - 1;
    }
    const [place, next] = [places[low]!, places[low + 1]!];
    const [below, above] = [course[low]!, course[low + 1]!];
    return below + (above - below) * ((line - place) / (next - place));
  };
}

/** An exponential on a level, as bleaching makes it, at each block. */
function fitExponential({ means, places }: ReturnType<typeof averageBlocks>) {
  const ends = Math.max(1, Math.floor(TENTH * means.length));
  const [first, last] = [means.slice(0, ends), means.slice(-ends)].map((part) =>
    findPercentile(part, 50)
  ) as [
    number,
    number,
  ];
  const whole = places[places.length - 1] || 1;
  const at = ({ level, size, length }: Exponential, place: number) =>
    level + size * Math.exp(-place / length);
  let found = { level: last, size: first - last || 1, length: whole / 3 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { weights } = weighValues(means.map((value, i) => value - at(found, places[i]!)));
    found = fitLeastSquares(
      found,
      ({ level, size, length }) => {
        const sums = new EquationSums(3);
        for (const [i, place] of places.entries()) {
          const left = Math.exp(-place / length);
          const by = [1, left, size * left * place / length];
          sums.add(by, means[i]! - level - size * left, weights[i]!);
        }
        return sums.equations();
      },
      ({ level, size, length }, [raised = 0, grown = 0, longer = 0]) => ({
        level: level + raised,
        size: size + grown,
        // A longer time constant looks like a straight line.
        length: Math.min(10 * whole, Math.max(1, length * boundFactor(longer, 1))),
      }),
    ).best;
  }
  return places.map((place) => at(found, place));
}

/**
 * How much values count for the baseline, which is at `level`, and the standard deviation of its noise, from the values
 * below it: transients only rise.
 */
function weighValues(values: Float64Array, level = 0): { weights: Float64Array; noise: number } {
  const { noise, middle, spread } = describeBelow(values, level);
  const weights = new Float64Array(values.length);
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]! - level;
    // By Baek et al., weights fall from 1 to 0 around two standard deviations of white noise.
    weights[i] = spread > 0
      ? 1 / (1 + Math.exp(2 * (value - 2 * spread + middle) / spread))
      : Number(value <= 0);
  }
  return { weights, noise };
}

/**
 * The values below a level: their root mean square, mean and standard deviation about it. It runs hundreds of times for a
 * trace, so it makes no arrays.
 */
function describeBelow(values: Float64Array, level: number): Record<"noise" | "middle" | "spread", number> {
  let sum = 0;
  let squares = 0;
  let count = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]! - level;
    if (!(value < 0 && value > -Infinity)) continue;
    sum += value;
    squares += value * value;
    count += 1;
  }
  const middle = sum / count;
  let off = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]! - level;
    if (value < 0 && value > -Infinity) off += (value - middle) ** 2;
  }
  return {
    noise: Math.sqrt(squares / count) || 0,
    middle,
    spread: count < 2 ? NaN : Math.sqrt(off / (count - 1)),
  };
}

/** Percentiles that are taken for the ends of the changes of the light, beyond which few lines lie. */
const [LOWER, UPPER] = [1, 99];

/** Changes in one direction are the larger ones if they are so many times as large as those in the other. */
const LOPSIDED = 1.5;

/**
 * Whether the light of a trace mostly falls, as that of some dyes and of quenching does, instead of rising: its middle lies far above
 * its lower end, in means over the time of those of F₀. False if noise may be the reason.
 *
 * @param step time from line to line
 */
export function isMostlyFalling(values: Float64Array, step: number): boolean {
  const count = countLinesInMeans(values, step);
  const means = computeRunningMean(values, count);
  const [low, middle, high] = [LOWER, 50, UPPER].map((percent) => findPercentile(means, percent)) as [
    number,
    number,
    number,
  ];
  const noise = estimateWhiteNoise(values) / Math.sqrt(count);
  return middle - low > LOPSIDED * (high - middle) && middle - low > RISES * noise;
}

/** Rounds in which the level of noise settles from its lower end. */
const SETTLING = 30;

/** Level of the baseline of a trace that does not drift, and the standard deviation of its noise. */
export function measureQuietPart(values: Float64Array): {
  level: number;
  noise: number;
} {
  const there = values.filter(Number.isFinite);
  let level = findPercentile(there, 5);
  for (let round = 0; round < SETTLING; round += 1) {
    const { weights } = weighValues(there, level);
    let [sum, whole] = [0, 0];
    for (let i = 0; i < weights.length; i += 1) {
      sum += weights[i]! * there[i]!;
      whole += weights[i]!;
    }
    const former = level;
    if (whole > 0) level = sum / whole;
    if (level === former) break;
  }
  return { level, noise: describeBelow(there, level).noise };
}
