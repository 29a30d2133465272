/**
 * Defines what a measurement of a line scan is. The page builds its panel from this definition, "Measure all" and
 * `acq-server measure` their columns, and archives their analyses. measurements.js lists all measurements.
 *
 * @typedef {import("./velocity.js").Plane} Plane
 * @typedef {{step: number, unit: string}} Axis
 * @typedef {readonly [time: Axis, position: Axis]} Axes
 * @typedef {import("./csv.js").Column} Column
 * @typedef {import("./csv.js").Row} Row
 *
 * @typedef {object} Parameter
 * @property {string} key in settings
 * @property {string} label
 * @property {number | string} value by default
 * @property {Readonly<Record<string, string>>} [choices] names by value; a parameter without choices is a number
 * @property {string} [unit]
 * @property {number} [least] smallest value; by default 1 for a count, and no limit for other numbers
 * @property {number} [most] greatest value
 * @property {boolean} [isCount] takes whole numbers
 * @property {boolean} [isTime] in the unit of the time axis
 * @property {string} [help] anchor of its section in docs/measure.md
 * @property {(settings: Settings, band: Band) => readonly [name: string, value: string | number]} [cited] name and value
 *   for tables, instead of label and value
 *
 * @typedef {Readonly<Record<string, any>>} Settings values of all parameters by key
 *
 * @typedef {object} Band measured part of a line scan
 * @property {readonly [from: number, to: number]} columns `to` is excluded
 * @property {Axes} axes
 * @property {number} lines of the recording
 * @property {number} pixelTime seconds from one pixel of a line to the next; 0 if unknown
 * @property {boolean} isTyped whether the user typed the axes and `pixelTime`
 * @property {import("./band_trace.js").TraceSettings} trace settings of the band's trace
 *
 * @typedef {object} Quantity
 * @property {string} name
 * @property {number | string} value NaN if missing
 * @property {string} [unit]
 * @property {boolean} [isCount] hidden if 0
 *
 * @typedef {object} Item one result, such as an event or a velocity; in JSON, NaN becomes null
 * @property {number} line from 0; fractions lie between lines
 * @property {string} [verdict]
 * @property {boolean} [isLeftOut] by the user
 * @property {boolean} [isByHand] added by the user
 * @property {string} [note] by the user
 *
 * @typedef {object} OverTime values over time, for a chart and the heart rate
 * @property {string} name
 * @property {(axes: Axes) => string} unit
 * @property {(item: any, axes: Axes) => number} value NaN if missing
 * @property {(item: any, axes: Axes) => number} [second] a further value of some items, for the chart
 * @property {(item: any) => string} [error] such as `± 2 %`
 * @property {(item: any) => number} [certainty] 0 to 1
 *
 * @typedef {{lines: readonly [from: number, to: number], isTrial?: boolean, [key: string]: any}} Order work that needs only
 *   these lines; the results of a trial are not shown
 * @typedef {{found: any[], settings: Settings}} Found results with the settings used, which the measurement may have chosen
 *
 * @typedef {object} Measurement
 * @property {string} key in settings, kept work and documents
 * @property {string} title
 * @property {string} noun for one item
 * @property {string} hint what the band needs
 * @property {boolean} [isUsual] measured by default
 * @property {boolean} [isQuick] runs without a worker, and again whenever its settings, its band or the trace change
 * @property {boolean} [isOfBands] measures only bands, never whole lines
 * @property {boolean} [hasNotes] items have notes
 * @property {readonly (readonly [anchor: string, name: string])[]} [help] further sections of docs/measure.md
 * @property {readonly Parameter[]} parameters
 * @property {(settings: Settings, band: Band) => Settings} [defaults] values that the recording suggests, given these settings
 * @property {(settings: Settings, key: string) => Settings} [typed] settings after the user has changed one
 * @property {(settings: Settings, band: Band) => string} [explain] what the settings can measure
 * @property {(settings: Settings) => string} method as tables cite it
 * @property {(settings: Settings, band: Band) => readonly (readonly [name: string, value: string | number])[]} [facts] further names
 *   and values for tables
 * @property {(plane: Plane, band: Band, settings: Settings) => Item[]} [run] throws `RangeError` if a setting does not fit
 * @property {(plane: Plane, band: Band, settings: Settings) => Generator<Order[], Found, any[][]>} [divide] instead of `run`:
 *   yields orders that can run at the same time, then further orders that depend on the results
 * @property {(plane: Plane, order: Order) => Item[]} [follow] carries out an order on a plane of its lines
 * @property {(found: readonly any[], axes: Axes) => Column[]} columns of the table
 * @property {(found: readonly any[], axes: Axes) => Column[]} [listed] columns of the editable list; by default all but the
 *   last of `columns`
 * @property {(found: readonly any[], band: Band, settings: Settings) => Quantity[]} summary
 * @property {(item: any) => {x: number, y: number}[]} [outline] a line over the picture: x counts lines, y columns
 * @property {OverTime} [overTime] for items at equal distances in time
 * @property {(plane: Plane, band: Band, settings: Settings, at: {line: number, column: number}) => Item | null} [at] measures
 *   an item near a place; with it, items can be edited by hand
 * @property {(plane: Plane, band: Band, found: readonly any[]) => Item[]} [again] remeasures items that depend on each other,
 *   after one was added or removed
 */
import { tableUnit } from "./axes.js";
import { heartRate } from "./heart_rate.js";
import { percentile } from "./traces.js";
import { perTime } from "./velocity.js";

/** Value of {@linkcode chosenParameter} if the measurement chooses. */
export const AUTOMATICALLY = "automatically";

/** Parameter for whether the measurement or the user chooses the others. @param {string} label @returns {Parameter} */
export const chosenParameter = (label) => ({
  key: "chosen",
  label,
  value: AUTOMATICALLY,
  choices: { [AUTOMATICALLY]: AUTOMATICALLY, "by hand": "by hand" },
});

/** Settings of all parameters, with defaults for missing ones. @type {(measurement: Measurement, settings: Settings, band: Band) => Settings} */
export function settingsOf({ parameters, defaults }, settings, band) {
  const suggested = defaults?.(settings, band) ?? {};
  return Object.fromEntries(
    parameters.map(({ key, value }) => [key, settings[key] ?? suggested[key] ?? value]),
  );
}

/**
 * Measures in this thread, with settings of all parameters.
 *
 * @type {(measurement: Measurement, plane: Plane, band: Band, settings: Settings) => Found}
 * @throws {RangeError} a setting does not fit
 */
export function measured({ run = () => [], divide, follow = () => [] }, plane, band, settings) {
  if (divide === undefined) return { found: run(plane, band, settings), settings };
  const steps = divide(plane, band, settings);
  let step = steps.next();
  while (!step.done) {
    step = steps.next(step.value.map((order) => placed(follow(linesOf(plane, order), order), order)));
  }
  return step.value;
}

/** A copy of the lines of an order. @param {Plane} plane @param {Order} order */
export const linesOf = ({ samples, shape: [, columns] }, { lines: [from, to] }) => ({
  samples: samples.slice(from * columns, to * columns),
  shape: [to - from, columns],
});

/** Results of an order, with lines counted in the recording. @param {readonly Item[]} found @param {Order} order */
export const placed = (found, { lines: [from] }) =>
  found.map((item) => ({ ...item, line: item.line + from }));

/** Method and settings for tables. @param {Measurement} measurement @param {Settings} settings @param {Band} band @returns {(readonly [name: string, value: string | number])[]} */
export const factsOf = ({ parameters, method, facts = () => [] }, settings, band) => [
  ["Method", method(settings)],
  ...parameters.filter(({ key }) => key !== "method").map((parameter) =>
    parameter.cited?.(settings, band) ?? /** @type {const} */ ([
      columnName({ name: parameter.label, unit: unitOf(parameter, band.axes) }),
      settings[parameter.key],
    ])
  ),
  ...facts(settings, band),
];

/** Unit of a parameter for tables. @param {Parameter} parameter @param {Axes} axes */
export const unitOf = ({ unit, isTime = false }, [time]) => isTime ? tableUnit(time) : unit;

/**
 * Facts of a measurement by column, for a table of several measurements.
 *
 * @type {(measurement: Measurement, facts: readonly (readonly [string, string | number])[]) => Row}
 */
export const factsRow = ({ title }, facts) =>
  Object.fromEntries(facts.map(([name, value]) => [`${name} of ${title.toLowerCase()}`, value]));

/** Values over time, NaN if a value is missing or was left out. @type {(measurement: Measurement, found: readonly Item[], axes: Axes) => Float64Array} */
export const valuesOver = ({ overTime }, found, axes) =>
  Float64Array.from(found, (item) => item.isLeftOut ? NaN : overTime?.value(item, axes) ?? NaN);

/** Verdict on an item, "left out" if the user left it out. @param {Item} item */
export const verdictOf = ({ verdict = "", isLeftOut = false }) => isLeftOut ? "left out" : verdict;

/**
 * Summary of the items, with the heart rate of values over time.
 *
 * @type {(measurement: Measurement, found: readonly Item[], band: Band, settings: Settings) => Quantity[]}
 */
export function summaryOf(measurement, found, band, settings) {
  const { overTime, summary } = measurement;
  const { axes } = band;
  const quantities = summary(found, band, settings);
  if (overTime === undefined) return quantities;
  const [[time], [first, second]] = [axes, found];
  const step = second === undefined ? 1 : (second.line - first.line) * time.step;
  const pulse = heartRate(valuesOver(measurement, found, axes), step);
  const { frequency, byAutocorrelation, certainty, pulsatility, beats, verdict } = pulse;
  const name = overTime.name.toLowerCase();
  const isSeconds = time.unit === "seconds";
  const unit = isSeconds ? "Hz" : `1/${perTime(time)}`;
  // Without a clear rhythm there is no frequency; a table has the columns all the same.
  const clear = (/** @type {number} */ value) => verdict === "clear" ? value : NaN;
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

/** Name of a table's column, with the unit. @param {{name: string, unit?: string | undefined, value?: unknown}} quantity */
export const columnName = ({ name, unit }) => unit === undefined ? name : `${name} (${unit})`;

/** Quantities by the column of a table. @param {readonly Quantity[]} quantities @returns {Row} */
export const rowOf = (quantities) =>
  Object.fromEntries(quantities.map((quantity) => [columnName(quantity), quantity.value]));

/** A column of items, converted to the unit of an axis if there is one. @type {(name: string, found: readonly any[], of: (item: any) => any, axis?: Axis) => Column} */
export const columnOf = (name, found, of, axis) =>
  axis === undefined
    ? { name, values: found.map(of) }
    : { name, unit: tableUnit(axis), values: found.map((item) => (of(item) ?? NaN) * axis.step) };

/** Median of items, converted to the unit of an axis if there is one. @type {(name: string, found: readonly any[], of: (item: any) => number, axis?: Axis) => Quantity} */
export const medianOf = (name, found, of, axis) => ({
  name,
  value: percentile(Float64Array.from(found, (item) => of(item) * (axis?.step ?? 1)), 50),
  ...axis && { unit: tableUnit(axis) },
});

/** Times of items. @param {readonly Item[]} found @param {Axis} time @returns {Column} */
export const timeColumn = (found, time) => ({
  ...columnOf("Time", found, ({ line }) => line, time),
  step: time.step,
});

/** How often each verdict was given. @param {readonly Item[]} found @param {readonly string[]} verdicts @returns {Quantity[]} */
export const verdictCounts = (found, verdicts) =>
  [...verdicts, "left out"].map((verdict) => ({
    name: verdict.replace(/^./, (letter) => letter.toUpperCase()),
    value: found.filter((item) => verdictOf(item) === verdict).length,
    isCount: true,
  }));
