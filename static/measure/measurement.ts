/**
 * Defines what a measurement of a line scan is. The page builds its panel from this definition, "Measure all" and
 * `acq-server measure` their columns, and archives their analyses. measurements.ts lists all measurements.
 */
import { formatCount, formatRounded, formatTableUnit, placeAlong } from "./axes.ts";
import { measureHeartRate } from "./heart_rate.ts";
import { findPercentile } from "./traces.ts";
import { formatPerTime, type Sampling, type ScanSamples } from "./line_scan.ts";
import type { Column, Row } from "./csv.ts";
import type { Baseline, TraceSettings } from "./light/baseline.ts";

/** Axes of lines and of columns. */
export type ScanSampling = readonly [time: Sampling, position: Sampling];

/** A number or choice that the user sets. */
export interface Parameter {
  /** Key in settings. */
  key: string;
  /** Name in tables, and in the page unless it has another there. */
  label: string;
  /** Name in the page. */
  shown?: string;
  /** Value by default. */
  value: number | string;
  /** Names by value; a parameter without choices is a number. */
  choices?: Readonly<Record<string, string>>;
  unit?: string;
  /** Smallest value; by default 1 for a count, and no limit for other numbers. */
  least?: number;
  /** Greatest value. */
  most?: number;
  /** Whether only whole numbers are valid. */
  isCount?: boolean;
  /** Whether it is a time, in the unit of the time axis. */
  isTime?: boolean;
  /** Anchor of its section in docs/measure.md. */
  help?: string;
  /** Name and value for tables, instead of label and value. */
  cited?: (settings: Settings, band: Band) => readonly [name: string, value: string | number];
}

/** A sentence about a setting by its name in tables. */
export type Sentences = Readonly<Record<string, (value: string) => string>>;

/** Values of all parameters by key, and what was measured with them. */
export interface Settings {
  readonly [key: string]: unknown;
  /** How the trace was made. */
  readonly trace?: TraceSettings;
  /** The same with the method of F₀ that ran. */
  readonly by?: Baseline["by"];
  readonly f0?: number;
  /** Threshold of events. */
  readonly height?: number;
  /** Number of peaks between a lower threshold and `height`. */
  readonly between?: number;
}

/** Measured part of a line scan. */
export interface Band {
  /** `to` is excluded. */
  columns: readonly [from: number, to: number];
  axes: ScanSampling;
  /** Lines of the recording. */
  lines: number;
  /** Seconds from one pixel of a line to the next; 0 if unknown. */
  pixelTime: number;
  /** Whether the user typed the axes and `pixelTime`. */
  isTyped: boolean;
  /** Settings of the band's trace. */
  trace: TraceSettings;
  /** A band of a line scan, by default, or a region of images. */
  noun?: "band" | "region";
}

/** A named number or text of a summary. */
export interface Quantity {
  name: string;
  /** NaN if missing. */
  value: number | string;
  unit?: string;
  /** Whether it is a count, which is hidden if 0. */
  isCount?: boolean;
}

/** The value of a quantity without its unit: counts in full, other numbers as precise as a measurement is. */
export function formatNumber({ value, unit = "" }: Pick<Quantity, "value" | "unit">): string {
  if (typeof value === "string") return value;
  return unit === "" && Number.isInteger(value) ? formatCount(value) : formatRounded(value);
}

/** One result, such as an event or a velocity; in JSON, NaN becomes null. */
export interface Item {
  /** Line from 0; fractions lie between lines. */
  line: number;
  verdict?: string;
  /** Whether the user left it out. */
  isLeftOut?: boolean;
  /** Whether the user added it. */
  isByHand?: boolean;
  /** What the user noted. */
  note?: string;
}

/** Values over time, for a chart and the heart rate. */
export interface OverTime<Of extends Item = Item> {
  name: string;
  unit(axes: ScanSampling): string;
  /** NaN if missing. */
  value(item: Of, axes: ScanSampling): number;
  /** A further value of some items, for the chart. */
  second?(item: Of, axes: ScanSampling): number;
  /** Such as `± 2 %`. */
  error?(item: Of): string;
  /** Standard error in the unit of the value; NaN if unknown. */
  spread?(item: Of, axes: ScanSampling): number;
  /** 0 to 1. */
  certainty?(item: Of): number;
}

/** Work that needs only these lines; the results of a trial are not shown. */
export type LineOrder = {
  lines: readonly [from: number, to: number];
  isTrial?: boolean;
  [key: string]: unknown;
};

/** Most items that are edited by hand: if there are more, the threshold lies in the noise. */
export const MOST_ITEMS = 5000;

/** A candidate that was rejected, and why. */
export type Rejected = Item & { reason: string };

/** Results with the settings used, which the measurement may have chosen, and the candidates that it rejected. */
export type Found<Of extends Item = Item> = {
  found: Of[];
  settings: Settings;
  rejected?: readonly Rejected[];
};

/** What can be measured in a band, and how. */
export interface Measurement<Of extends Item = Item, Chosen extends Settings = Settings> {
  /** Key in settings, kept work and documents. */
  key: string;
  title: string;
  /** Noun for one item. */
  noun: string;
  /** What the band needs. */
  hint: string;
  /** Whether it is measured by default. */
  isUsual?: boolean;
  /** Whether it runs without a worker, and again whenever its settings, its band or the trace change. */
  isQuick?: boolean;
  /** Whether it measures only bands, never whole lines. */
  isOfBands?: boolean;
  /** Whether items have notes. */
  hasNotes?: boolean;
  /** Whether its items are peaks of a trace, which the charts of traces mark. */
  marksTraces?: boolean;
  /** Anchor of its section in docs/measure.md. */
  section: string;
  /** Further sections of docs/measure.md. */
  help?: readonly (readonly [anchor: string, name: string])[];
  parameters: readonly Parameter[];
  /** Values that the recording suggests, given these settings. */
  defaults?(settings: Chosen, band: Band): Settings;
  /** Settings after the user has changed one. */
  typed?(settings: Chosen, key: string): Settings;
  /** What the settings can measure. */
  explain?(settings: Chosen, band: Band): string;
  /** Method as tables cite it. */
  method(settings: Chosen): string;
  /** Sentences of the methods text, without the full stop, for settings whose name is not a noun. */
  sentences?: Sentences;
  /** Names of facts that were found rather than set, which the methods text leaves out. */
  findings?: readonly string[];
  /** Further names and values for tables. */
  facts?(settings: Chosen, band: Band): readonly (readonly [name: string, value: string | number])[];
  /** Measures at once. @throws {RangeError} a setting does not fit */
  run?(plane: ScanSamples, band: Band, settings: Chosen): Of[] | Found<Of>;
  /** Instead of `run`: yields orders that can run at the same time, then further orders that depend on the results. */
  divide?(plane: ScanSamples, band: Band, settings: Chosen): Generator<LineOrder[], Found<Of>, Of[][]>;
  /** Carries out an order on a plane of its lines. */
  follow?(plane: ScanSamples, order: LineOrder): Of[];
  /** Columns of the table. */
  columns(found: readonly Of[], axes: ScanSampling): Column[];
  /** Columns of the editable list; by default all but the last of `columns`. */
  listed?(found: readonly Of[], axes: ScanSampling): Column[];
  summary(found: readonly Of[], band: Band, settings: Chosen): Quantity[];
  /** Name of the quantity that stands for the result in a list of recordings. */
  value: string;
  /** A line over the picture: x counts lines, y columns. */
  outline?(item: Of): { x: number; y: number }[];
  /** Set if items lie at equal distances in time. */
  overTime?: OverTime<Of>;
  /** Measures an item near a place; with it, items can be edited by hand. */
  at?(plane: ScanSamples, band: Band, settings: Chosen, at: { line: number; column: number }): Of | null;
  /** Remeasures items that depend on each other, after one was added or removed. */
  again?(plane: ScanSamples, band: Band, found: readonly Of[]): Of[];
}

/** Value of {@linkcode makeChosenParameter} if the measurement chooses. */
export const AUTOMATICALLY = "automatically";

/** Parameter for whether the measurement or the user chooses the others. */
export const makeChosenParameter = (label: string, shown = label): Parameter => ({
  key: "chosen",
  label,
  shown,
  value: AUTOMATICALLY,
  choices: { [AUTOMATICALLY]: "automatic", "by hand": "by hand" },
});

/** Settings of all parameters, with defaults for missing ones. */
export function completeSettings<Of extends Item, Chosen extends Settings>(
  { parameters, defaults }: Measurement<Of, Chosen>,
  settings: Settings,
  band: Band,
): Settings {
  const suggested: Settings = defaults?.(settings as Chosen, band) ?? {};
  return Object.fromEntries(
    parameters.map(({ key, value }) => [key, settings[key] ?? suggested[key] ?? value]),
  );
}

/** Measures in this thread, with settings of all parameters. @throws {RangeError} a setting does not fit */
export function measureInThread<Of extends Item, Chosen extends Settings>(
  { run = () => [], divide, follow = () => [] }: Measurement<Of, Chosen>,
  plane: ScanSamples,
  band: Band,
  settings: Settings,
): Found<Of> {
  const chosen = settings as Chosen;
  if (divide === undefined) return completeFound(run(plane, band, chosen), settings);
  const steps = divide(plane, band, chosen);
  let step = steps.next();
  while (!step.done) {
    step = steps.next(step.value.map((order) => shiftItems(follow(copyLines(plane, order), order), order)));
  }
  return step.value;
}

/** What a measurement found, with its settings if it chose none. */
export const completeFound = <Of extends Item>(made: Of[] | Found<Of>, settings: Settings): Found<Of> =>
  Array.isArray(made) ? { found: made, settings } : made;

/** A copy of the lines of an order. */
export const copyLines = ({ samples, shape: [, columns] }: ScanSamples, { lines: [from, to] }: LineOrder): {
  samples: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
  shape: readonly [number, number];
} => ({
  samples: samples.slice(from * columns, to * columns),
  shape: [to - from, columns] as const,
});

/** Results of an order, with lines counted in the recording. */
export const shiftItems = <Of extends Item>(found: readonly Of[], { lines: [from] }: LineOrder): Of[] =>
  found.map((item) => ({ ...item, line: item.line + from }));

/** Method and settings for tables. */
export const listFacts = (
  { parameters, method, facts = () => [] }: Measurement,
  settings: Settings,
  band: Band,
): (readonly [name: string, value: string | number])[] => [
  ["Method", method(settings)],
  ...parameters.filter(({ key }) => key !== "method").map((parameter) =>
    parameter.cited?.(settings, band) ?? ([
      makeColumnName({ name: parameter.label, unit: chooseParameterUnit(parameter, band.axes) }),
      settings[parameter.key] as number | string,
    ] as const)
  ),
  ...facts(settings, band),
];

/** Unit of a parameter for tables. */
export const chooseParameterUnit = (
  { unit, isTime = false }: Parameter,
  [time]: ScanSampling,
): string | undefined => isTime ? formatTableUnit(time) : unit;

/** Facts of a measurement by column, for a table of several measurements. */
export const makeFactsRow = (
  { title }: Measurement,
  facts: readonly (readonly [string, string | number])[],
): Row => Object.fromEntries(facts.map(([name, value]) => [`${name} of ${title.toLowerCase()}`, value]));

/** Values over time, NaN if a value is missing or was left out. */
export const listValuesOver = <Of extends Item, Chosen extends Settings>(
  { overTime }: Measurement<Of, Chosen>,
  found: readonly Of[],
  axes: ScanSampling,
): Float64Array =>
  Float64Array.from(found, (item) => item.isLeftOut ? NaN : overTime?.value(item, axes) ?? NaN);

/** Verdict on an item, "left out" if the user left it out. */
export const takeVerdict = ({ verdict = "", isLeftOut = false }: Item): string =>
  isLeftOut ? "left out" : verdict;

/** Summary of the items, with the heart rate of values over time. */
export function summarizeItems(
  measurement: Measurement,
  found: readonly Item[],
  band: Band,
  settings: Settings,
): Quantity[] {
  const { overTime, summary } = measurement;
  const { axes } = band;
  const quantities = summary(found, band, settings);
  if (overTime === undefined) return quantities;
  const [[time], [first, second]] = [axes, found];
  const step = first === undefined || second === undefined ? 1 : (second.line - first.line) * time.step;
  const pulse = measureHeartRate(listValuesOver(measurement, found, axes), step);
  const { frequency, byAutocorrelation, certainty, pulsatility, beats, verdict } = pulse;
  const name = overTime.name.toLowerCase();
  const isSeconds = time.unit === "seconds";
  const unit = isSeconds ? "Hz" : `1/${formatPerTime(time)}`;
  // Without a clear rhythm there is no frequency; a table has the columns all the same.
  const clear = (value: number) => verdict === "clear" ? value : NaN;
  return [
    ...quantities,
    { name: `Pulse of ${name}`, value: verdict },
    { name: `Heart rate of ${name}`, value: clear(frequency), unit },
    ...isSeconds ? [{ name: `Heart rate of ${name}`, value: clear(60 * frequency), unit: "1/min" }] : [],
    { name: `Heart rate of ${name} by autocorrelation`, value: clear(byAutocorrelation), unit },
    { name: `Variance of ${name} that the pulse explains`, value: 100 * certainty, unit: "%" },
    { name: `Beats of ${name}`, value: clear(beats) },
    { name: `Pulsatility of ${name}`, value: clear(pulsatility) },
  ];
}

/** Name of a table's column, with the unit. */
export const makeColumnName = (
  { name, unit }: { name: string; unit?: string | undefined; value?: unknown },
): string => unit === undefined ? name : `${name} (${unit})`;

/** Quantities by the column of a table. */
export const makeQuantityRow = (quantities: readonly Quantity[]): Row =>
  Object.fromEntries(quantities.map((quantity) => [makeColumnName(quantity), quantity.value]));

/** A column of items, converted to the unit of an axis if there is one. */
export const makeColumn = <Of>(
  name: string,
  found: readonly Of[],
  of: (item: Of) => number | string | null | undefined,
  axis?: Sampling,
): Column =>
  axis === undefined ? { name, values: found.map(of) as (number | string | null)[] } : {
    name,
    unit: formatTableUnit(axis),
    values: found.map((item) => placeAlong(Number(of(item) ?? NaN), axis)),
  };

/** Median of items, converted to the unit of an axis if there is one. */
export const summarizeMedian = <Of>(
  name: string,
  found: readonly Of[],
  of: (item: Of) => number,
  axis?: Sampling,
): Quantity => ({
  name,
  value: findPercentile(Float64Array.from(found, (item) => of(item) * (axis?.step ?? 1)), 50),
  ...axis && { unit: formatTableUnit(axis) },
});

/** Times of items. */
export const makeTimeColumn = (found: readonly Item[], time: Sampling): Column => ({
  ...makeColumn("Time", found, ({ line }) => line, time),
  step: time.step,
});

/** How often each verdict was given. */
export const countVerdicts = (found: readonly Item[], verdicts: readonly string[]): Quantity[] =>
  [...verdicts, "left out"].map((verdict) => ({
    name: verdict.replace(/^./, (letter) => letter.toUpperCase()),
    value: found.filter((item) => takeVerdict(item) === verdict).length,
    isCount: true,
  }));
