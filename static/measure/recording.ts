/**
 * Measures regions of a line scan: `(recording, orders) → results`, without a page. The page, "Measure all" and
 * `acq-server measure` all measure here; they differ only in where the work runs (this thread, or workers).
 *
 * A result is what a measurement found in one region and channel. What the user changes in it is an edit, kept by its
 * place in time and space, so that it also holds for the next result (edits.ts).
 */
import { type Axis, formatTableUnit, roundToDigits, toPhysical } from "./axes.ts";
import { makeTrace } from "./light/band_trace.ts";
import { describeBaseline, type TraceSettings } from "./light/baseline.ts";
import {
  type Band,
  completeSettings,
  type Found,
  type Item,
  listFacts,
  makeFactsRow,
  makeQuantityRow,
  measureInThread,
  type Measurement,
  MOST_ITEMS,
  type Quantity,
  type Rejected,
  type Settings,
  summarizeItems,
} from "./measurement.ts";
import { computeMean, findPercentile } from "./traces.ts";
import { applyEdits, type Edit, withoutItemsAt } from "./edits.ts";
import { SHORTEST_WINDOW } from "./flow/velocity.ts";
import { type Samples, type ScanSamples } from "./line_scan.ts";
import type { Row } from "./csv.ts";
import type { Of, Result } from "./result.ts";

/** A line scan: its rows are lines over time. */
export interface Recording {
  /** Lines and columns. */
  shape: readonly [number, number];
  axes: readonly [time: Axis, position: Axis];
  /** Samples are row by row. */
  channels: readonly { name: string; samples: Samples }[];
  /** Seconds from one pixel of a line to the next; 0 if unknown. */
  pixelTime: number;
  /** Whether the user typed the calibration. */
  isTyped: boolean;
  /** What its columns are divided into: by default bands of a line scan, else regions of images. */
  noun?: "band" | "region";
  /** Says that lines do not lie a step apart; missing if they do. */
  timing?: string;
}

/** A range of columns with a name. */
export interface RecordingRegion {
  /** Empty for whole lines or whole images. */
  id: string;
  name: string;
  /** The end is not included. */
  columns: readonly [from: number, to: number];
  /** Name and place in the images whose means the columns are. */
  place?: string;
}

/** An order to measure one region of one channel. */
export interface RegionOrder {
  measurement: Measurement;
  region: RecordingRegion;
  /** Index in the channels of the recording. */
  channel: number;
  /** Settings that differ from the defaults. */
  settings: Settings;
  /** How traces are made. */
  trace: TraceSettings;
}

/** An order that cannot be followed, and why. */
export type Refusal = { of: Of; fault: string };

/** Runs one measurement of a band of a plane. */
export type RunMeasurement<Made = Found | Promise<Found>> = (
  measurement: Measurement,
  plane: ScanSamples,
  band: Band,
  settings: Settings,
) => Made;

/** The region of whole lines. */
export const wholeLines = ({ shape: [, columns] }: Pick<Recording, "shape">): RecordingRegion => ({
  id: "",
  name: "whole lines",
  columns: [0, columns],
});

/** The measured part, as measurements take it. */
export const makeBand = (
  { axes, shape: [lines], pixelTime, isTyped, noun = "band" }: Omit<Recording, "channels">,
  columns: readonly [number, number],
  trace: TraceSettings,
): Band => ({ columns, axes, lines, pixelTime, isTyped, trace, noun });

/** The plane of a channel. @throws {RangeError} there is no such channel */
export function requirePlane({ channels, shape }: Recording, channel: number): ScanSamples {
  const samples = channels[channel]?.samples;
  if (samples === undefined) throw new RangeError("There is no channel");
  return { samples, shape };
}

/** Follows orders in this thread, one after the other. Settings that do not fit refuse only their order. */
export function followOrders(recording: Recording, orders: readonly RegionOrder[]): (Result | Refusal)[] {
  return orders.map((order) => {
    try {
      return makeResult(recording, order, runOrder(measureInThread, recording, order));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return makeRefusal(order, error);
    }
  });
}

/** Like {@linkcode followOrders}, with work that runs elsewhere. @throws {DOMException} `AbortError` */
export async function measureBy(
  run: RunMeasurement,
  recording: Recording,
  orders: readonly RegionOrder[],
): Promise<(Result | Refusal)[]> {
  const results: (Result | Refusal)[] = [];
  for (const order of orders) {
    try {
      results.push(makeResult(recording, order, await runOrder(run, recording, order)));
    } catch (error) {
      if ((error as Error).name === "AbortError") throw error;
      results.push(makeRefusal(order, error));
    }
  }
  return results;
}

const identifyOrder = ({ region, channel }: RegionOrder): Of => ({
  band: region.id,
  channel: String(channel),
});

/** Whether the region of a result has not moved since: its columns are those of the order. */
const isOfOrder = ({ of, columns: [from, to] }: Result, order: RegionOrder): boolean =>
  isSameOf(of, identifyOrder(order)) && from === order.region.columns[0] && to === order.region.columns[1];

const makeRefusal = (order: RegionOrder, error: unknown): Refusal => ({
  of: identifyOrder(order),
  fault: (error as Error).message,
});

/** Runs the measurement of an order, with defaults for the settings that it leaves out. */
function runOrder<Made>(run: RunMeasurement<Made>, recording: Recording, order: RegionOrder): Made {
  const { measurement, region, channel, settings, trace } = order;
  const band = makeBand(recording, region.columns, trace);
  return run(
    measurement,
    requirePlane(recording, channel),
    band,
    completeSettings(measurement, settings, band),
  );
}

/** @throws {RangeError} too many items */
function makeResult(
  recording: Recording,
  order: RegionOrder,
  { found, settings, rejected = [] }: Found,
): Result {
  const { measurement, region: { name, columns, place }, channel, trace } = order;
  const { at, noun } = measurement;
  if (at !== undefined && found.length > MOST_ITEMS) {
    throw new RangeError(`${found.length} ${noun}s are more than ${MOST_ITEMS}: raise the threshold`);
  }
  const [method, ...facts] = listFacts(measurement, settings, makeBand(recording, columns, trace));
  return {
    of: identifyOrder(order),
    columns,
    settings,
    about: [
      [...method!],
      ["Channel", recording.channels[channel]!.name],
      place === undefined
        ? [PART, `${name}, columns ${columns[0]} to ${columns[1] - 1}`]
        : ["Part of the images", place],
      ...recording.timing === undefined ? [] : [["Timing", recording.timing] as [string, string]],
      ...facts.map(([name, value]): [string, string | number] => [name, value]),
    ],
    found: found.toSorted((a, b) => a.line - b.line),
    ...rejected.length > 0 && { rejected },
  };
}

const PART = "Part of the lines";

/** Whether an order was refused. */
export const isRefusal = (result: Result | Refusal): result is Refusal => "fault" in result;

/** Whether two things were measured in the same region and channel. */
export const isSameOf = (one: Of, other: Of): boolean =>
  one.band === other.band && one.channel === other.channel;

/** A result with what the user changed in it. */
export interface Edited {
  result: Result;
  items: readonly Item[];
  /** Candidates that the user did not take. */
  rejected: readonly Rejected[];
  quantities: readonly Quantity[];
}

/** Applies the user's edits to a result. @param trace if the result has none of its own */
export function editResult(
  recording: Recording,
  measurement: Measurement,
  result: Result,
  edits: readonly Edit[],
  trace: TraceSettings,
): Edited {
  const { of, columns, settings } = result;
  const band = makeBand(recording, columns, settings.trace ?? trace);
  const plane = () => requirePlane(recording, Number(of.channel));
  const items = applyEdits(measurement, result, edits, plane, band);
  const rejected = withoutItemsAt(result.rejected ?? [], items);
  return { result, items, rejected, quantities: summarizeItems(measurement, items, band, settings) };
}

/** What to measure in each region, by the keys of measurements. */
export type WantedMeasurements = Readonly<Record<string, { channel: number; settings: Settings }>>;

/** Results of a measurement and the edits of them. */
export type Kept = { results: readonly Result[]; edits: readonly Edit[] };

/** A row of a table, with its region and the index of the channel of its trace. */
export interface TracedRow {
  region: RecordingRegion;
  channel: number;
  row: Row;
  refusals: readonly Refusal[];
}

/** A row of a table for each region, with the results behind it. */
export interface MeasuredRegions {
  rows: TracedRow[];
  /** New and earlier results by the keys of measurements. */
  results: Record<string, Result[]>;
}

/**
 * Measures all regions, whole lines without any, and makes a row for each: place, trace, then settings and summary of each
 * measurement, after the user's edits.
 *
 * @param wanted in the order of `measurements`
 * @param kept earlier results of the same samples; they are not measured again unless their region has moved
 * @throws {DOMException} `AbortError`
 */
export async function measureRegions(
  run: RunMeasurement,
  recording: Recording,
  { regions, measurements, wanted, trace, kept = {} }: {
    regions: readonly RecordingRegion[];
    measurements: readonly Measurement[];
    wanted: WantedMeasurements;
    trace: TraceSettings;
    kept?: Readonly<Record<string, Kept>>;
  },
): Promise<MeasuredRegions> {
  const made: MeasuredRegions = { rows: [], results: {} };
  const chosen = measurements.filter(({ key }) => wanted[key] !== undefined);
  // That of events, else of the first measurement.
  const { channel: channelOfTrace = 0 } = wanted["events"] ?? Object.values(wanted)[0] ?? {};
  for (const region of regions.length > 0 ? regions : [wholeLines(recording)]) {
    const row = {
      ...describeRegion(recording, region),
      ...describeTrace(recording, region, channelOfTrace, trace),
    };
    const refusals: Refusal[] = [];
    for (const measurement of chosen) {
      const { channel, settings } = wanted[measurement.key]!;
      const order = { measurement, region, channel, settings, trace };
      const { results = [], edits = [] } = kept[measurement.key] ?? {};
      const earlier = results.find((result) => isOfOrder(result, order));
      const result = earlier ?? (await measureBy(run, recording, [order]))[0]!;
      if (isRefusal(result)) refusals.push(result);
      else {
        (made.results[measurement.key] ??= []).push(result);
        Object.assign(
          row,
          describeResult(measurement, editResult(recording, measurement, result, edits, trace)),
        );
      }
    }
    if (refusals.length > 0) row["Not measured"] = refusals.map(({ fault }) => fault).join("; ");
    made.rows.push({ region, channel: channelOfTrace, row: roundRow(row), refusals });
  }
  return made;
}

/** Digits of the numbers in rows: programs differ in the last digits of `Math.exp`, and so of fits. */
export const ROW_DIGITS = 10;

const roundRow = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "number" && Number.isFinite(value) ? roundToDigits(value, ROW_DIGITS) : value,
    ]),
  );

/** Name and place of a region, with the outer edges of its pixels; of a region of images only its name. */
function describeRegion(
  { axes: [, space] }: Recording,
  { name, columns: [from, to], place }: RecordingRegion,
): Row {
  if (place !== undefined) return { Region: name };
  return {
    Band: name,
    "First column": from,
    "Last column": to - 1,
    [`From (${formatTableUnit(space)})`]: toPhysical(space, from),
    [`To (${formatTableUnit(space)})`]: toPhysical(space, to),
  };
}

/** Facts of the trace. */
function describeTrace(
  recording: Recording,
  { columns }: RecordingRegion,
  channel: number,
  trace: TraceSettings,
): Row {
  const [time] = recording.axes;
  const plane = requirePlane(recording, channel);
  const raw = makeTrace(plane, columns, { ...trace, isChange: false }, time.step).values;
  const change = makeTrace(plane, columns, { ...trace, isChange: true }, time.step);
  return {
    "Channel of trace": recording.channels[channel]!.name,
    Mean: computeMean(raw),
    "Baseline F0": change.baseline,
    "Method of F0": describeBaseline(change.f0.by, time),
    Trace: trace.isChange ? "dF/F0" : "raw",
    "Greatest value": findPercentile(trace.isChange ? change.values : raw, 100),
  };
}

/** Settings and summary of a result by column. */
const describeResult = (measurement: Measurement, { result: { about }, quantities }: Edited): Row => ({
  ...makeFactsRow(measurement, about.filter(([name]) => name !== PART)),
  ...makeQuantityRow(quantities),
});

/** Whether a region is too narrow for velocities, as bands around cells often are. */
export const isTooNarrow = ({ columns: [from, to] }: RecordingRegion): boolean => to - from < SHORTEST_WINDOW;
