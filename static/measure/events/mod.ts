/** Events as a measurement (measurement.ts): peaks of the trace of a band. Overlapping peaks affect each other's shapes. */
import { formatDigits, formatRounded, formatTableUnit, roundToDigits } from "../axes.ts";
import { listTraceFacts, makeTrace } from "../light/band_trace.ts";
import {
  computeNoiseThreshold,
  countPeaksBelow,
  findEvents,
  findHighestNear,
  measureEvents,
  proposeThreshold,
  type TraceEvent,
} from "./events.ts";
import {
  AUTOMATICALLY,
  type Band,
  type Item,
  makeColumn,
  makeTimeColumn,
  type Measurement,
  summarizeMedian,
} from "../measurement.ts";
import { computeDeviation, computeMean } from "../traces.ts";
import { type Baseline, isMostlyFalling, type TraceSettings } from "../light/baseline.ts";
import { formatPerTime, type ScanSamples } from "../line_scan.ts";

/** Lines on each side of a place in which its peak is sought; a fiftieth of the trace if that is more. */
const REACH = 3;

/** The threshold lies five standard deviations of the noise above the baseline. */
const BY_NOISE = "by noise";

/** Said where the light falls more than it rises: what counts as events then are the times between its falls. */
const [DIRECTION, FALLING] = ["Light", "mostly falls; only rises are events"];

const THRESHOLDS: Readonly<Record<string, string>> = {
  [BY_NOISE]: " of 5 SD of the residual above the baseline",
  [AUTOMATICALLY]: " halfway from median to maximum",
};

/** A peak with its shape, in lines; its value and baseline are those of the trace itself. */
export type FoundEvent = Item & Omit<TraceEvent, "peak">;

/** Settings of the measurement; `distance` is in the unit of the time axis, `average` in lines. */
export type EventSettings = {
  chosen: string;
  height: number;
  prominence: number;
  distance: number;
  average: number;
  trace: TraceSettings;
  by: Baseline["by"];
  f0?: number;
  noise?: number;
  between?: number;
  isFalling?: boolean;
};

/** The measurement of events. */
export const EVENTS: Measurement<FoundEvent, EventSettings> = {
  key: "events",
  title: "Events",
  noun: "event",
  hint: "Peaks in the traces, as these are set above.",
  isUsual: true,
  isQuick: true,
  isOfBands: true,
  hasNotes: true,
  marksTraces: true,
  section: "events",
  sentences: {
    "Threshold chosen": (way) => `The threshold was chosen ${way}`,
    "Sought in means of": (lines) =>
      lines === "1 lines" ? "Peaks were sought in single lines" : `Peaks were sought in means of ${lines}`,
  },
  findings: ["SD of the residual", "Peaks between 3 SD and the threshold", DIRECTION],
  parameters: [
    {
      key: "chosen",
      label: "Threshold chosen",
      shown: "Threshold",
      value: BY_NOISE,
      choices: {
        [BY_NOISE]: "automatic (5 SD)",
        [AUTOMATICALLY]: "halfway to the maximum",
        "by hand": "by hand",
      },
    },
    { key: "height", label: "Threshold", shown: "Threshold value", value: 0 },
    { key: "prominence", label: "Minimum prominence", value: 0, least: 0 },
    { key: "distance", label: "Minimum distance", value: 0, least: 0, isTime: true },
    {
      key: "average",
      label: "Sought in means of",
      shown: "Average over",
      value: 1,
      unit: "lines",
      isCount: true,
      cited: ({ average }, { noun }) => [
        `Sought in means of (${noun === "region" ? "images" : "lines"})`,
        Number(average),
      ],
    },
  ],
  // A height that is given counts.
  defaults: ({ height }) => height === undefined ? {} : { chosen: "by hand" },
  typed: (settings, key) =>
    key === "height" || key === "prominence" || key === "average"
      ? { ...settings, chosen: "by hand" }
      : settings,
  method: ({ chosen }) => `peaks above a threshold${THRESHOLDS[chosen] ?? ""}, with fitted transients`,
  facts: ({ trace, f0, by, noise, between, isFalling = false }, { axes: [time], noun }) => [
    ...listTraceFacts(trace, time, by, noun),
    ...([
      ...f0 === undefined || Number.isNaN(f0) ? [] : [["F0", f0]],
      ...noise === undefined ? [] : [["SD of the residual", noise]],
      ...between === undefined ? [] : [["Peaks between 3 SD and the threshold", between]],
    ] as [string, number][]),
    ...isFalling ? [[DIRECTION, FALLING] as const] : [],
  ],
  // deno-lint-ignore require-yield
  *divide(plane, band, { chosen, height, prominence, distance, average }) {
    const [{ step }] = band.axes;
    const { level, itemOf, f0, by } = levelTrace(plane, band);
    const proposed = proposedBy[chosen]?.(level) ?? null;
    const threshold = proposed === null || Number.isNaN(proposed.height)
      ? { height, prominence, average }
      : proposed;
    const sought = { ...threshold, distance: Math.max(1, distance / step) };
    return {
      found: findEvents(level, sought).map(itemOf),
      settings: {
        chosen,
        ...threshold,
        distance,
        trace: band.trace,
        f0,
        by,
        ...countPeaksBelow(level, sought),
        ...isMostlyFalling(level, step) && { isFalling: true },
      },
    };
  },
  at(plane, band, _settings, { line }) {
    const { level, itemOf } = levelTrace(plane, band);
    const peak = findHighestNear(level, line, Math.max(REACH, Math.round(level.length / 50)));
    const [event] = Number.isFinite(level[peak]) ? measureEvents(level, [peak]) : [];
    return event === undefined ? null : itemOf(event);
  },
  again(plane, band, found) {
    const { level, itemOf } = levelTrace(plane, band);
    const sorted = found.toSorted((a, b) => a.line - b.line);
    const events = measureEvents(level, sorted.map(({ line }) => line));
    return sorted.map((item, i) => ({ ...item, ...itemOf(events[i]!) }));
  },
  columns: (found, [time]) => [
    makeTimeColumn(found, time),
    makeColumn("Value", found, ({ value }) => value),
    makeColumn("Baseline", found, ({ baseline }) => baseline),
    makeColumn("Standard deviation of the baseline", found, ({ deviation }) => deviation),
    makeColumn("Amplitude", found, ({ amplitude }) => amplitude),
    makeColumn("Prominence", found, ({ prominence }) => prominence),
    makeColumn("Onset", found, ({ onset }) => onset, time),
    makeColumn("Rise 10-90 %", found, ({ rise }) => rise, time),
    makeColumn("Duration at half maximum", found, ({ duration }) => duration, time),
    makeColumn("Decay to 1/e", found, ({ decay }) => decay, time),
    makeColumn("Area under the curve", found, ({ area }) => area, time),
    makeColumn("Measured on", found, ({ by }) => by === "fitted" ? "fitted transient" : "samples"),
    makeColumn("Overlap", found, ({ overlap }) => overlap),
    makeColumn("By hand", found, ({ isByHand }) => isByHand ? "yes" : ""),
    makeColumn("Note", found, ({ note = "" }) => note),
  ],
  listed(found, [time]) {
    const [scale, unit] = time.unit === "seconds" ? [1000, "ms"] : [1, formatTableUnit(time)];
    // Column heads may break, which leaves room for the note.
    const lengths = [["Duration", "duration"], ["Rise", "rise"], ["Decay", "decay"]] as const;
    return [
      makeTimeColumn(found, time),
      makeColumn(
        "Amplitude",
        found,
        ({ amplitude, overlap }) => `${formatRounded(amplitude)}${overlap === "overlaps" ? " *" : ""}`,
      ),
      ...lengths.map(([name, key]) => ({
        name,
        unit,
        // Three digits: the lengths are accurate to about a line.
        values: found.map((event) => formatRounded(roundToDigits(event[key] * time.step * scale, 3))),
      })),
    ];
  },
  value: "Events",
  summary(found, { axes: [time], lines }, { between, isFalling = false }) {
    const amplitudes = Float64Array.from(found, ({ amplitude }) => amplitude);
    const overlapping = found.filter(({ overlap }) => overlap !== "");
    return [
      { name: "Events", value: found.length },
      ...isFalling ? [{ name: DIRECTION, value: FALLING }] : [],
      ...between === undefined ? [] : [{ name: "Peaks between 3 SD and the threshold", value: between }],
      { name: "Event rate", value: found.length / (lines * time.step), unit: `1/${formatPerTime(time)}` },
      { name: "Overlapping events", value: overlapping.length, isCount: true },
      { name: "Mean amplitude", value: computeMean(amplitudes) },
      { name: "SD of amplitude", value: computeDeviation(amplitudes) },
      summarizeMedian("Median amplitude", found, ({ amplitude }) => amplitude),
      summarizeMedian("Median prominence", found, ({ prominence }) => prominence),
      summarizeMedian("Median rise 10-90 %", found, ({ rise }) => rise, time),
      summarizeMedian("Median duration at half maximum", found, ({ duration }) => duration, time),
      summarizeMedian("Median area under the curve", found, ({ area = NaN }) => area, time),
    ];
  },
};

/** Thresholds that the measurement chooses, rounded to be typed. */
const proposedBy: Readonly<
  Record<string, (trace: Float64Array) => { height: number; prominence: number; average: number }>
> = {
  [BY_NOISE](trace) {
    const { height, rise, prominence, average } = computeNoiseThreshold(trace);
    // The noise may be small beside the level of the trace.
    return {
      height: Number(formatDigits(height, rise)),
      prominence: roundToDigits(prominence, 2),
      average,
    };
  },
  [AUTOMATICALLY](trace) {
    const { height, prominence } = proposeThreshold(trace);
    return { height: roundToDigits(height, 3), prominence: roundToDigits(prominence, 2), average: 1 };
  },
};

/**
 * The trace of a band without the changes of F₀, at the level of F₀, and items with the values of the trace itself. Lines are not
 * averaged: the noise of averaged lines is not white, and their peaks are lower.
 */
function levelTrace(plane: ScanSamples, { columns, trace: shown, axes: [{ step }] }: Band) {
  const trace = { ...shown, average: 1 };
  const { values, baseline, f0: { level: middle, course, by } } = makeTrace(plane, columns, trace, step);
  const isMoved = course !== null && !trace.isChange;
  const offAt = (line: number) => isMoved ? course[line]! - middle : 0;
  return {
    level: isMoved ? values.map((value, line) => value - offAt(line)) : values,
    f0: isMoved ? middle : baseline,
    by,
    itemOf: ({ peak, baseline, ...event }: TraceEvent) => ({
      line: peak,
      ...event,
      value: values[peak]!,
      baseline: baseline + offAt(peak),
    }),
  };
}
