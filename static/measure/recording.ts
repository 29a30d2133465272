/**
 * Measures regions of a line scan: `(recording, orders) → results`, without a page. The page, "Measure all" and
 * `acq-server measure` all measure here; they differ only in where the work runs (this thread, or workers).
 *
 * A result is what a measurement found in one region and channel. What the user changes in it is an edit, kept by its
 * place in time and space, so that it also holds for the next result (edits.ts).
 */
import { type Axis, significant, tableUnit, toPhysical } from "./axes.ts";
import { traceOf } from "./light/band_trace.ts";
import { baselineWords, type TraceSettings } from "./light/baseline.ts";
import {
  type Band,
  factsOf,
  factsRow,
  type Found,
  type Item,
  measured,
  type Measurement,
  MOST_ITEMS,
  type Quantity,
  type Rejected,
  rowOf,
  type Settings,
  settingsOf,
  summaryOf,
} from "./measurement.ts";
import { mean, percentile } from "./traces.ts";
import { type Edit, edited, isSamePlace } from "./edits.ts";
import { SHORTEST_WINDOW } from "./flow/velocity.ts";
import { type Plane, type Samples } from "./line_scan.ts";
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
export interface Region {
  /** Empty for whole lines or whole images. */
  id: string;
  name: string;
  /** The end is not included. */
  columns: readonly [from: number, to: number];
  /** Name and place in the images whose means the columns are. */
  place?: string;
}

/** An order to measure one region of one channel. */
export interface Order {
  measurement: Measurement;
  region: Region;
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
export type Run<Made = Found | Promise<Found>> = (
  measurement: Measurement,
  plane: Plane,
  band: Band,
  settings: Settings,
) => Made;

/** The region of whole lines. */
export const wholeLines = ({ shape: [, columns] }: Pick<Recording, "shape">): Region => ({
  id: "",
  name: "whole lines",
  columns: [0, columns],
});

/** The measured part, as measurements take it. */
export const bandIn = (
  { axes, shape: [lines], pixelTime, isTyped, noun = "band" }: Omit<Recording, "channels">,
  columns: readonly [number, number],
  trace: TraceSettings,
): Band => ({ columns, axes, lines, pixelTime, isTyped, trace, noun });

/** The plane of a channel. @throws {RangeError} there is no such channel */
export function planeOf({ channels, shape }: Recording, channel: number): Plane {
  const samples = channels[channel]?.samples;
  if (samples === undefined) throw new RangeError("There is no channel");
  return { samples, shape };
}

/** Follows orders in this thread, one after the other. Settings that do not fit refuse only their order. */
export function measure(recording: Recording, orders: readonly Order[]): (Result | Refusal)[] {
  return orders.map((order) => {
    try {
      return resultOf(recording, order, runOrder(measured, recording, order));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return refusalOf(order, error);
    }
  });
}

/** Like {@linkcode measure}, with work that runs elsewhere. @throws {DOMException} `AbortError` */
export async function measureBy(
  run: Run,
  recording: Recording,
  orders: readonly Order[],
): Promise<(Result | Refusal)[]> {
  const results: (Result | Refusal)[] = [];
  for (const order of orders) {
    try {
      results.push(resultOf(recording, order, await runOrder(run, recording, order)));
    } catch (error) {
      if ((error as Error).name === "AbortError") throw error;
      results.push(refusalOf(order, error));
    }
  }
  return results;
}

const ofOrder = ({ region, channel }: Order): Of => ({ band: region.id, channel: String(channel) });

/** Whether the region of a result has not moved since: its columns are those of the order. */
const isOfOrder = ({ of, columns: [from, to] }: Result, order: Order): boolean =>
  isSameOf(of, ofOrder(order)) && from === order.region.columns[0] && to === order.region.columns[1];

const refusalOf = (order: Order, error: unknown): Refusal => ({
  of: ofOrder(order),
  fault: (error as Error).message,
});

/** Runs the measurement of an order, with defaults for the settings that it leaves out. */
function runOrder<Made>(run: Run<Made>, recording: Recording, order: Order): Made {
  const { measurement, region, channel, settings, trace } = order;
  const band = bandIn(recording, region.columns, trace);
  return run(measurement, planeOf(recording, channel), band, settingsOf(measurement, settings, band));
}

/** @throws {RangeError} too many items */
function resultOf(recording: Recording, order: Order, { found, settings, rejected = [] }: Found): Result {
  const { measurement, region: { name, columns, place }, channel, trace } = order;
  const { at, noun } = measurement;
  if (at !== undefined && found.length > MOST_ITEMS) {
    throw new RangeError(`${found.length} ${noun}s are more than ${MOST_ITEMS}: raise the threshold`);
  }
  const [method, ...facts] = factsOf(measurement, settings, bandIn(recording, columns, trace));
  return {
    of: ofOrder(order),
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
export function editedResult(
  recording: Recording,
  measurement: Measurement,
  result: Result,
  edits: readonly Edit[],
  trace: TraceSettings,
): Edited {
  const { of, columns, settings } = result;
  const band = bandIn(recording, columns, settings.trace ?? trace);
  const plane = () => planeOf(recording, Number(of.channel));
  const items = edited(measurement, result, edits, plane, band);
  const rejected = (result.rejected ?? []).filter((item) => !items.some(isSamePlace(item)));
  return { result, items, rejected, quantities: summaryOf(measurement, items, band, settings) };
}

/** What to measure in each region, by the keys of measurements. */
export type Wanted = Readonly<Record<string, { channel: number; settings: Settings }>>;

/** Results of a measurement and the edits of them. */
export type Kept = { results: readonly Result[]; edits: readonly Edit[] };

/** A row of a table, with its region and the index of the channel of its trace. */
export interface TracedRow {
  region: Region;
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
  run: Run,
  recording: Recording,
  { regions, measurements, wanted, trace, kept = {} }: {
    regions: readonly Region[];
    measurements: readonly Measurement[];
    wanted: Wanted;
    trace: TraceSettings;
    kept?: Readonly<Record<string, Kept>>;
  },
): Promise<MeasuredRegions> {
  const made: MeasuredRegions = { rows: [], results: {} };
  const chosen = measurements.filter(({ key }) => wanted[key] !== undefined);
  // That of events, else of the first measurement.
  const { channel: channelOfTrace = 0 } = wanted["events"] ?? Object.values(wanted)[0] ?? {};
  for (const region of regions.length > 0 ? regions : [wholeLines(recording)]) {
    const row = { ...placeRow(recording, region), ...traceRow(recording, region, channelOfTrace, trace) };
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
          resultRow(measurement, editedResult(recording, measurement, result, edits, trace)),
        );
      }
    }
    if (refusals.length > 0) row["Not measured"] = refusals.map(({ fault }) => fault).join("; ");
    made.rows.push({ region, channel: channelOfTrace, row: roundedRow(row), refusals });
  }
  return made;
}

/** Digits of the numbers in rows: programs differ in the last digits of `Math.exp`, and so of fits. */
export const ROW_DIGITS = 10;

const roundedRow = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "number" && Number.isFinite(value) ? significant(value, ROW_DIGITS) : value,
    ]),
  );

/** Name and place of a region, with the outer edges of its pixels; of a region of images only its name. */
function placeRow({ axes: [, space] }: Recording, { name, columns: [from, to], place }: Region): Row {
  if (place !== undefined) return { Region: name };
  return {
    Band: name,
    "First column": from,
    "Last column": to - 1,
    [`From (${tableUnit(space)})`]: toPhysical(space, from),
    [`To (${tableUnit(space)})`]: toPhysical(space, to),
  };
}

/** Facts of the trace. */
function traceRow(recording: Recording, { columns }: Region, channel: number, trace: TraceSettings): Row {
  const [time] = recording.axes;
  const plane = planeOf(recording, channel);
  const raw = traceOf(plane, columns, { ...trace, isChange: false }, time.step).values;
  const change = traceOf(plane, columns, { ...trace, isChange: true }, time.step);
  return {
    "Channel of trace": recording.channels[channel]!.name,
    Mean: mean(raw),
    "Baseline F0": change.baseline,
    "Method of F0": baselineWords(change.f0.by, time),
    Trace: trace.isChange ? "dF/F0" : "raw",
    "Greatest value": percentile(trace.isChange ? change.values : raw, 100),
  };
}

/** Settings and summary of a result by column. */
const resultRow = (measurement: Measurement, { result: { about }, quantities }: Edited): Row => ({
  ...factsRow(measurement, about.filter(([name]) => name !== PART)),
  ...rowOf(quantities),
});

/** Whether a region is too narrow for velocities, as bands around cells often are. */
export const isTooNarrow = ({ columns: [from, to] }: Region): boolean => to - from < SHORTEST_WINDOW;
