/** Time stamps, the step that they show, and the choice between that step and the one that the file states. */
import type { Acquisition, Axis, TimeStamps } from "../reader.ts";
import { listed, MAX_LISTED, warnIf, type Warning, warning } from "../warning.ts";
import { UNCALIBRATED } from "./axes.ts";
import { describeLineScan } from "./line_scan.ts";
import { differsByPercent } from "./text.ts";

/** Largest number of times that are served: half an hour at 100 Hz. For longer series only the step is served. */
export const MAX_TIMES = 200_000;

/** Largest number of stamps that are read for a step, 8 bytes each: two minutes of a line scan at 8 kHz. */
export const MAX_STAMPS = 1 << 20;

/** Largest number of times that are read one by one, from documents or frames; each takes up to half a millisecond. */
export const MAX_TIME_RECORDS = 4096;

/** The stamps as seconds; `null` for no stamps. @param unitsPerSecond of the given values */
export function scaleStamps(
  values: ArrayLike<number> | null,
  unitsPerSecond = 1,
  isPart = false,
): TimeStamps | null {
  if (values === null || values.length === 0) return null;
  const first = Array.prototype.find.call(values, Number.isFinite) ?? 0;
  // Subtracting first keeps the precision of large counts.
  const seconds = Float64Array.from(values, (value) => (value - first) / unitsPerSecond);
  return { seconds, isPart };
}

/** Stamps at the numbers of their time points, `NaN` at missing ones; the stamps alone if the numbers reach too far. */
function spreadStamps(seconds: ArrayLike<number>, numbers: readonly number[]): ArrayLike<number> {
  const [first = 0] = numbers;
  const length = (numbers.at(-1) ?? first) - first + 1;
  if (length > MAX_TIMES) return seconds;
  const spread = new Float64Array(length).fill(NaN);
  for (const [i, number] of numbers.entries()) spread[number - first] = seconds[i]!;
  // Without neighbours, no difference is that of one step.
  return spread.some((second, i) => Number.isFinite(second - spread[i + 1]!)) ? spread : seconds;
}

/** A place where a series of stamps is cut: the index before it, and the seconds to the next stamp. */
export interface Cut {
  readonly after: number;
  readonly seconds: number;
}

/** What stamps show about the step between them. */
export interface StampedStep {
  /** Mean step inside the runs between cuts, in seconds; `null` if the stamps lie on no line. */
  readonly step: number | null;
  /** Median of the positive differences; `null` without one. */
  readonly median: number | null;
  /** Greatest common step of stamps on a coarse clock; 0 without one. */
  readonly quantum: number;
  /** Number of steps in the longest run. */
  readonly longest: number;
  readonly cuts: readonly Cut[];
}

/** Largest share of the differences that may fall; beyond that, the stamps are in no order. */
const MOST_FALLS = 0.25;

/** Largest share of the differences that may be pauses of a few steps; beyond that, they are those of a coarse clock. */
const MOST_PAUSES = 0.1;

/** Least share of the stamps that must lie on the line of their run. */
const LEAST_ON_LINE = 0.9;

/** Relative error of a difference of two stamps near each other. */
const ROUNDING = 1e-6;

/**
 * The step between stamps, without pauses. A run ends where a stamp falls, and where a difference is above both 1.5 times the median
 * of the positive differences and that median plus two quanta. The step is the mean of all differences inside the runs. It counts if
 * 90 % of the stamps lie within half a step or one quantum of the line of their run.
 *
 * @param stamps seconds; `NaN` for a stamp that is missing, which ends a run
 */
export function computeStampedStep(stamps: ArrayLike<number>): StampedStep {
  const differences = Float64Array.from(
    { length: Math.max(0, stamps.length - 1) },
    (_, i) => stamps[i + 1]! - stamps[i]!,
  );
  const rises = differences.filter((seconds) => seconds > 0 && seconds < Infinity).sort();
  if (rises.length === 0) {
    return { step: null, median: null, quantum: 0, longest: 0, cuts: [] };
  }
  const half = rises.length >> 1;
  const median = rises.length % 2 === 1 ? rises[half]! : (rises[half - 1]! + rises[half]!) / 2;
  const [least = NaN] = rises;
  const grain = findQuantum(differences, least);
  const coarse = findStampRuns(stamps, differences, Math.max(1.5 * median, median + 2 * grain));
  // Stamps on a clock stay within one quantum of their line. If they do not, and the quantum is the step itself, frames are missing.
  const isGapped = median < 1.5 * grain && coarse.spread > 1.01 * grain && !differences.includes(0);
  const fine = isGapped ? findStampRuns(stamps, differences, 1.5 * median) : null;
  const isPlain = fine !== null && fine.cuts.length <= MOST_PAUSES * differences.length;
  const { step, isEven, cuts, longest, distances } = isPlain ? fine : coarse;
  // Steps that are all alike show no clock.
  const quantum = isPlain || isEven ? 0 : grain;
  const falls = cuts.filter(({ seconds }) => seconds < 0).length;
  const tolerance = Math.max(step / 2, quantum) * (1 + ROUNDING);
  const onLine = distances.reduce((count, distance) => count + Number(distance <= tolerance), 0);
  const counts = step > 0 && falls <= MOST_FALLS * differences.length &&
    onLine >= LEAST_ON_LINE * distances.filter(Number.isFinite).length;
  return { step: counts ? step : null, median, quantum, longest, cuts };
}

/** Runs of stamps whose differences are at most `most`. */
interface Runs {
  /** Mean difference inside the runs; `NaN` without a run of two. */
  readonly step: number;
  /** True if all differences inside the runs are alike. */
  readonly isEven: boolean;
  readonly longest: number;
  readonly cuts: readonly Cut[];
  /** Distance of each stamp from the line of its run; `NaN` for a missing stamp. */
  readonly distances: Float64Array;
  /** Greatest distance between two lines that enclose a run. */
  readonly spread: number;
}

function findStampRuns(stamps: ArrayLike<number>, differences: Float64Array, most: number): Runs {
  const joins = (seconds: number) => seconds >= 0 && seconds <= most * (1 + ROUNDING);
  const inside = differences.filter(joins);
  const step = inside.reduce((sum, seconds) => sum + seconds, 0) / inside.length;
  const isEven = inside.every((seconds) => Math.abs(seconds - step) <= ROUNDING * step);
  const distances = new Float64Array(stamps.length);
  const cuts: Cut[] = [];
  let [longest, spread] = [0, 0];
  for (let start = 0, end = 1; start < stamps.length; start = end, end += 1) {
    while (end < stamps.length && joins(differences[end - 1]!)) end += 1;
    // A single stamp lies on its line; a missing one has no distance.
    if (end - start === 1) distances[start] = Number.isFinite(stamps[start]) ? 0 : NaN;
    else {
      const rests = Float64Array.from({ length: end - start }, (_, i) => stamps[start + i]! - i * step);
      const sorted = rests.toSorted();
      const [lowest = NaN, middle = NaN, highest = NaN] = [0, sorted.length >> 1, -1].map((at) =>
        sorted.at(at)
      );
      distances.set(rests.map((rest) => Math.abs(rest - middle)), start);
      longest = Math.max(longest, end - 1 - start);
      spread = Math.max(spread, highest - lowest);
    }
    const seconds = differences[end - 1];
    if (seconds !== undefined && !Number.isNaN(seconds)) cuts.push({ after: end - 1, seconds });
  }
  return { step, isEven, longest, cuts, distances, spread };
}

/** Largest distance from a multiple, in quanta. */
const ON_CLOCK = 0.02;

/** Smallest quantum, relative to the smallest difference. Finer clocks cannot be told from none. */
const FINEST = 1e-3;

/** The greatest common step of the differences, by Euclid's algorithm; 0 without one. */
function findQuantum(differences: Float64Array, least: number): number {
  let quantum = least;
  for (const seconds of differences.filter(Number.isFinite)) {
    for (let rest = Math.abs(seconds); rest > ON_CLOCK * quantum;) {
      rest = Math.abs(rest - Math.round(rest / quantum) * quantum);
      if (rest > ON_CLOCK * quantum) [quantum, rest] = [rest, quantum];
    }
    if (quantum < FINEST * least) return 0;
  }
  return quantum;
}

/** Six digits of a duration in seconds. */
const formatSeconds = (seconds: number) => `${Number(seconds.toPrecision(6))} s`;

/** The axis that the stamps belong to: `T`, or the rows of a line scan. */
export const findTimeAxis = (acquisition: Pick<Acquisition, "axes" | "lineScan">): Axis | undefined =>
  acquisition.axes.find(({ name }) => name === "T") ??
    (describeLineScan(acquisition) ? acquisition.axes.find(({ name }) => name === "Y") : undefined);

/** An acquisition whose stamps have become times and steps. */
export type TimedAcquisition = Omit<Acquisition, "stamps" | "times"> & {
  readonly times: readonly number[] | null;
};

/**
 * Replaces the stamps of an acquisition by its `times` and the step of its time axis: `T`, or the rows of a line scan. Rows in
 * seconds are those of a line scan, also where the format does not say so.
 *
 * The stated step counts if it agrees with the step or with the median difference of the stamps within 1 %, or within one quantum
 * over the longest run; otherwise that of the stamps counts. Warns about pauses, about stamps that do not fit the axis, and where
 * the two disagree.
 */
export function withTimes({ stamps = null, times = null, ...acquisition }: Acquisition): TimedAcquisition {
  const axis = findTimeAxis(acquisition);
  const lineScan = describeLineScan(acquisition);
  if (stamps === null || axis === undefined || axis.size < 2) return { ...acquisition, lineScan, times };
  const { seconds } = stamps;
  const stated = axis.unit === "seconds" ? axis.step : null;
  const isHeld = (t: number) => axis.name !== "T" || (acquisition.holds?.(0, { t, z: 0, l: 0 }) ?? true);
  const { step, warnings } = decideStep(stamps, stated, axis, isHeld);
  const calibration = step === null ? UNCALIBRATED : { step, unit: "seconds" };
  const axes = acquisition.axes.map((one) => one === axis ? { ...one, ...calibration } : one);
  return {
    ...acquisition,
    axes,
    lineScan: lineScan && axis.name === "Y" ? { ...lineScan, secondsPerLine: step } : lineScan,
    times: seconds.length === axis.size ? computeTimes(seconds) : null,
    warnings: [...acquisition.warnings, ...warnings],
  };
}

/** Seconds since the first stamp; `null` if one is not finite, or above {@linkcode MAX_TIMES}. */
function computeTimes(seconds: ArrayLike<number>): number[] | null {
  if (seconds.length > MAX_TIMES) return null;
  const times = Array.from(seconds, (stamp) => stamp - seconds[0]!);
  return times.every(Number.isFinite) ? times : null;
}

/** The step that counts, and the reasons to doubt it. @param stated seconds, or `null` */
function decideStep(
  { seconds, isPart = false, numbers }: TimeStamps,
  stated: number | null,
  { name, size }: Axis,
  isHeld: (t: number) => boolean,
): { readonly step: number | null; readonly warnings: readonly Warning[] } {
  const [one, many] = name === "T" ? ["time point", "time points"] : ["line", "lines"];
  const instead = stated === null
    ? `the time between ${many} is unknown`
    : `the stated ${formatSeconds(stated)} counts`;
  const code = stated === null ? "step_unknown" : "metadata_disagree";
  const fits = seconds.length === size || isPart && seconds.length < size;
  const misfit = `The file has ${seconds.length} time stamps for ${size} ${many}`;
  // It is unknown what the further stamps belong to, so none can be assigned to a time point.
  if (seconds.length > size) {
    return { step: stated, warnings: [warning("metadata_disagree", `${misfit}; ${instead}`)] };
  }
  const { step, median, quantum, longest, cuts } = computeStampedStep(
    numbers ? spreadStamps(seconds, numbers) : seconds,
  );
  const isAbsent = (stamp: number, index: number) => !Number.isFinite(stamp) && isHeld(index);
  const absent = Array.prototype.filter.call(seconds, isAbsent).length;
  const lacking = `${absent} of ${size} ${many} have no time stamp`;
  const places = cuts.slice(0, MAX_LISTED).map(({ after, seconds }) =>
    `${formatSeconds(seconds)} after ${one} ${after + 1}`
  );
  const warnings = [
    ...warnIf(!fits, "metadata_disagree", misfit),
    ...warnIf(absent > 0, "metadata_missing", lacking),
    ...warnIf(cuts.length > 0, "step_uneven", `Time is uneven along ${name}: ${listed(places, cuts.length)}`),
  ];
  if (step === null) {
    return {
      step: stated,
      warnings: [...warnings, warning(code, `The time stamps show no step; ${instead}`)],
    };
  }
  if (stated === null) return { step, warnings };
  const agrees = (quantum: number) =>
    [step, median!].some((found) =>
      !differsByPercent(found, stated) || Math.abs(found - stated) * longest <= quantum * (1 + ROUNDING)
    );
  if (agrees(quantum)) return { step: stated, warnings };
  // The first frame is often late, which a single difference does not show.
  const isNear = Math.abs(step - stated) <= Math.min(step, stated);
  const counts = seconds.length === 2 && isNear ? stated : step;
  const text = `The file states ${formatSeconds(stated)} between ${many}, its time stamps show ${
    formatSeconds(step)
  }`;
  return {
    step: counts,
    warnings: [...warnings, warning("metadata_disagree", `${text}; ${formatSeconds(counts)} counts`)],
  };
}
