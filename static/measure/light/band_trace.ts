/** The trace of a band of a plane: the mean of its columns in each line, or its change against F₀ (baseline.ts). */
import { type Baseline, describeBaseline, fitBaseline, type TraceSettings } from "./baseline.ts";
import { computeMean, computeRunningMean } from "../traces.ts";
import type { ScanSamples } from "../line_scan.ts";

/** Means of single lines, and a constant F₀. */
export const PLAIN_TRACE: Readonly<TraceSettings> = {
  isChange: false,
  kind: "percentile",
  percentile: 10,
  from: 0,
  to: 0,
  offset: 0,
  average: 1,
};

/** Settings of new measurements, and what settings mean in which something is missing. */
export const NEW_TRACE: Readonly<TraceSettings> = { ...PLAIN_TRACE, kind: "automatic" };

/**
 * The trace of a band; `step` is the time from line to line. ΔF/F₀ is a number (1 is 100 %), NaN unless F₀ exceeds the dark
 * level of the detector.
 *
 * @returns `baseline` is the level of F₀, NaN for a trace of means
 */
export function makeTrace(
  { samples, shape: [rows, width] }: ScanSamples,
  [first, end]: readonly [from: number, to: number],
  settings: TraceSettings,
  step: number,
): { values: Float64Array; baseline: number; f0: Baseline } {
  const { isChange, kind, offset, average } = settings;
  const means = Float64Array.from(
    { length: rows },
    (_, row) => computeMean(samples, row * width + Math.max(0, first), row * width + Math.min(width, end)),
  );
  const values = computeRunningMean(means, average);
  // A constant F₀ does not matter to means.
  const isConstant = kind === "percentile" || kind === "window";
  const f0 = !isChange && isConstant
    ? { level: NaN, course: null, by: settings }
    : fitBaseline(means, settings, step);
  if (!isChange) return { values, baseline: NaN, f0 };
  const change = values.map((value, line) => {
    const below = f0.course === null ? f0.level : f0.course[line]!;
    return below - offset > 0 ? (value - below) / (below - offset) : NaN;
  });
  return { values: change, baseline: f0.level, f0 };
}

const countAveraged = (noun: string, count: string, unit: string) =>
  count === "1" ? `${noun} were not averaged` : `${count} ${unit} were averaged`;

/** Sentences of the methods text about {@linkcode listTraceFacts}. */
export const TRACE_SENTENCES: Readonly<Record<string, (value: string) => string>> = {
  "Values": (value) => `The values were ${value.replace(/^mean/, "means")}`,
  "Lines averaged": (count) => countAveraged("Lines", count, "lines"),
  "Images averaged": (count) => countAveraged("Images", count, "images"),
  "Baseline F0": (value) => `F₀ was taken as ${value}`,
};

/** Settings for tables. `by` has the method of F₀ that ran. */
export function listTraceFacts(
  settings: TraceSettings,
  time: { unit: string },
  by: TraceSettings = settings,
  noun: "band" | "region" = "band",
): [name: string, value: string | number][] {
  const { isChange, kind, offset, average } = settings;
  const chosen = kind === "automatic" && by.kind !== kind ? " (automatic)" : "";
  // Constants do not matter to means.
  const isStated = isChange || kind !== "percentile" && kind !== "window";
  return [
    ["Values", isChange ? "dF/F0" : `mean of the ${noun}`],
    [noun === "band" ? "Lines averaged" : "Images averaged", average],
    ...([
      ...isStated ? [["Baseline F0", describeBaseline(by, time) + chosen]] : [],
      ...isChange ? [["Detector offset", offset]] : [],
    ] as [string, string | number][]),
  ];
}
