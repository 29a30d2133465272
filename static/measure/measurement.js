/**
 * What a measurement of a line scan is. The page makes its panel from this, "Measure all" and `acq-server measure` their
 * columns, archives their analyses; measurements.js lists all.
 *
 * @typedef {import("./velocity.js").Plane} Plane
 * @typedef {{step: number, unit: string}} Axis
 * @typedef {readonly [time: Axis, position: Axis]} Axes
 * @typedef {import("./csv.js").Column} Column
 *
 * @typedef {object} Parameter
 * @property {string} key in settings
 * @property {string} label
 * @property {number | string} value by default
 * @property {Readonly<Record<string, string>>} [choices] names by value; a parameter without is a number
 * @property {string} [unit]
 * @property {number} [least]
 * @property {boolean} [isCount] takes whole numbers from 1 on
 *
 * @typedef {Readonly<Record<string, any>>} Settings values of all parameters by key
 *
 * @typedef {object} Band measured part of a line scan
 * @property {readonly [from: number, to: number]} columns end not included
 * @property {Axes} axes
 *
 * @typedef {object} Quantity
 * @property {string} name
 * @property {number | string} value NaN is missing
 * @property {string} [unit]
 * @property {boolean} [isCount] is not shown where it is 0
 *
 * @typedef {object} Item something found, as JSON; NaN becomes null
 * @property {number} line from 0; fractions lie between lines
 * @property {string} [verdict]
 * @property {boolean} [isLeftOut] by the user
 * @property {boolean} [isByHand] added by the user
 *
 * @typedef {object} OverTime values over time, for a chart and the heart rate
 * @property {string} name
 * @property {(axes: Axes) => string} unit
 * @property {(item: any, axes: Axes) => number} value NaN without one
 *
 * @typedef {object} Measurement
 * @property {string} key in settings, kept work and documents
 * @property {string} title
 * @property {string} noun of an item
 * @property {string} hint what the band needs
 * @property {readonly Parameter[]} parameters
 * @property {(settings: Settings) => string} method as tables cite it
 * @property {(plane: Plane, band: Band, settings: Settings) => Item[]} run throws `RangeError` where a setting does not fit
 * @property {(found: readonly any[], axes: Axes) => Column[]} columns of the table
 * @property {(found: readonly any[], band: Band, duration: number) => Quantity[]} summary `duration` in the unit of the time axis
 * @property {(item: any) => {x: number, y: number}[]} [outline] a line over the picture: x counts lines, y columns
 * @property {OverTime} [overTime] items are values at equal distances in time
 * @property {(plane: Plane, band: Band, settings: Settings, at: {line: number, column: number}) => Item | null} [at] measures
 *   an item near a place; items can be edited by hand
 */
import { tableUnit } from "./axes.js";
import { heartRate } from "./heart_rate.js";
import { perTime } from "./velocity.js";

/** Settings with the default of each parameter that is missing. @param {Measurement} measurement @param {Settings} [settings] @returns {Settings} */
export const settingsOf = ({ parameters }, settings = {}) =>
  Object.fromEntries(parameters.map(({ key, value }) => [key, settings[key] ?? value]));

/** Values over time, NaN where a value is missing or was left out. @param {Measurement} measurement @param {readonly Item[]} found @param {Axes} axes */
export const valuesOver = ({ overTime }, found, axes) =>
  Float64Array.from(found, (item) => item.isLeftOut ? NaN : overTime?.value(item, axes) ?? NaN);

/** What is said of an item without a value. @param {Item} item */
export const verdictOf = ({ verdict = "", isLeftOut = false }) => isLeftOut ? "left out" : verdict;

/**
 * Summary of what was found, with the heart rate of values over time.
 *
 * @param {Measurement} measurement
 * @param {readonly Item[]} found
 * @param {Band} band
 * @param {number} lines of the recording
 * @returns {Quantity[]}
 */
export function summaryOf(measurement, found, band, lines) {
  const { axes } = band;
  const { overTime } = measurement;
  return [
    ...measurement.summary(found, band, lines * axes[0].step),
    ...overTime ? pulseOf(overTime.name, found, valuesOver(measurement, found, axes), axes[0]) : [],
  ];
}

/**
 * Heart rate and pulsatility of values at equal distances in time.
 *
 * @param {string} of what
 * @param {readonly {line: number}[]} found where the values lie
 * @param {Float64Array} values
 * @param {Axis} time
 * @returns {Quantity[]}
 */
export function pulseOf(of, found, values, time) {
  const [first, second] = found;
  const name = of.toLowerCase();
  const step = second === undefined ? 1 : (second.line - first.line) * time.step;
  const { frequency, byAutocorrelation, certainty, pulsatility, beats, verdict } = heartRate(values, step);
  const unit = `1/${perTime(time)}`;
  return [
    { name: `Pulse of ${name}`, value: verdict },
    { name: `Heart rate of ${name}`, value: frequency, unit },
    { name: `Heart rate of ${name} by autocorrelation`, value: byAutocorrelation, unit },
    { name: `Variance of ${name} that the pulse explains`, value: 100 * certainty, unit: "%" },
    { name: `Beats of ${name}`, value: beats },
    { name: `Pulsatility of ${name}`, value: pulsatility },
  ];
}

/** Column of a table. @param {{name: string, unit?: string | undefined, value?: unknown}} quantity */
export const columnName = ({ name, unit }) => unit === undefined ? name : `${name} (${unit})`;

/** Quantities by the columns of a table. @param {readonly Quantity[]} quantities @returns {Record<string, number | string>} */
export const rowOf = (quantities) =>
  Object.fromEntries(quantities.map((quantity) => [columnName(quantity), quantity.value]));

/** Times of items. @param {readonly Item[]} found @param {Axis} time @returns {Column} */
export const timeColumn = (found, time) => ({
  name: "Time",
  unit: tableUnit(time),
  values: found.map(({ line }) => line * time.step),
});

/** How often each verdict was given. @param {readonly Item[]} found @param {readonly string[]} verdicts @returns {Quantity[]} */
export const verdictCounts = (found, verdicts) =>
  [...verdicts, "left out"].map((verdict) => ({
    name: verdict.replace(/^./, (letter) => letter.toUpperCase()),
    value: found.filter((item) => verdictOf(item) === verdict).length,
    isCount: true,
  }));
