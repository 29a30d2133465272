/** Velocity over time as a measurement (measurement.js), divided into orders of several windows each. */
import { quantity, significant, tableUnit } from "./axes.js";
import {
  AUTOMATICALLY,
  chosenParameter,
  columnOf,
  timeColumn,
  valuesOver,
  verdictCounts,
  verdictOf,
} from "./measurement.js";
import { deviation, mean, percentile } from "./traces.js";
import {
  METHODS,
  physicalVelocity,
  resolvable,
  SHORTEST_WINDOW,
  velocitiesAt,
  velocityTableUnit,
  velocityText,
  windowStarts,
  withBends,
} from "./velocity.js";
import { isNumber, velocitySummary } from "./velocity_summary.js";
import { chosenWindow, firstWindow, ordersOf } from "./window_choice.js";

/** @import { Axes, Band, Measurement } from "./measurement.js" */
/** @import { Method, VelocityAt } from "./velocity.js" */

/** Largest number of windows per order: enough to be worth its message, few enough to be done soon. */
const MOST_WINDOWS = 64;

/** Number of orders for a short recording: enough that no core waits long for the last one. */
const ORDERS = 64;

/** @type {Measurement} */
export const VELOCITY = {
  key: "velocity",
  title: "Velocity over time",
  noun: "velocity",
  hint: "The band holds streaks of cells that move along the line.",
  isUsual: true,
  help: [
    ["summary-of-velocities", "Summary"],
    ["verdicts", "Verdicts"],
    ["confidence", "Confidence"],
    ["standard-error", "Standard error"],
  ],
  parameters: [
    {
      key: "method",
      label: "Method",
      value: "autocorrelation",
      choices: {
        autocorrelation: "autocorrelation",
        radon: "Radon, as published",
        piv: "PIV, as published",
      },
      help: "methods",
    },
    { ...chosenParameter("Window chosen"), help: "window" },
    { key: "window", label: "Window", value: 0, unit: "lines", isCount: true, least: SHORTEST_WINDOW },
    { key: "step", label: "Step", value: 0, unit: "lines", isCount: true },
    {
      key: "pixelTime",
      label: "Time per pixel",
      value: 0,
      unit: "us",
      least: 0,
      help: "time-along-the-line",
      cited: ({ pixelTime }, band) => ["Time along the line", alongLine(pixelTime, band)],
    },
  ],
  defaults({ window, chosen = window === undefined ? AUTOMATICALLY : "by hand" }, band) {
    const lines = window ?? firstWindow(lineTimeOf(band.axes), band.lines);
    return { chosen, window: lines, step: halfOf(lines), pixelTime: 1e6 * band.pixelTime };
  },
  typed: (settings, key) =>
    key === "window"
      ? { ...settings, chosen: "by hand", step: halfOf(settings.window) }
      : key === "step"
      ? { ...settings, chosen: "by hand" }
      : settings,
  explain({ window, chosen }, { columns, axes }) {
    if (columns[1] - columns[0] < SHORTEST_WINDOW) {
      return `Too narrow: a velocity needs at least ${SHORTEST_WINDOW} columns.`;
    }
    const [slow, fast] = resolvable({ window, columns }).map((velocity) =>
      velocityText(significant(physicalVelocity(velocity, axes), 2), axes)
    );
    return `${quantity(window * axes[0].step, axes[0], 3)}: measures velocities from ${slow} to ${fast}.${
      chosen === AUTOMATICALLY ? " The window adapts." : ""
    }`;
  },
  method: ({ method }) => METHODS[/** @type {Method} */ (method)],
  *divide(plane, { columns, axes }, settings) {
    const lineTime = lineTimeOf(axes);
    const pixelTime = lineTime === null ? 0 : settings.pixelTime / 1e6 / lineTime;
    const windows = { columns, pixelTime };
    const { chosen, method } = settings;
    const isChosen = chosen === AUTOMATICALLY;
    const window = isChosen ? yield* chosenWindow(plane, windows, lineTime) : settings.window;
    const step = isChosen ? halfOf(window) : settings.step;
    const starts = windowStarts(plane.shape[0], window, step);
    const size = Math.min(MOST_WINDOWS, Math.ceil(starts.length / ORDERS)) || 1;
    const found = yield ordersOf(plane, { ...windows, window, method }, starts, size);
    return { found: withBends(found.flat(), window, step), settings: { ...settings, window, step } };
  },
  follow: (plane, { windows, starts }) => velocitiesAt(plane, windows, starts),
  columns(found, axes) {
    return [
      timeColumn(found, axes[0]),
      { name: "Velocity", unit: velocityTableUnit(axes), values: valuesOver(VELOCITY, found, axes) },
      columnOf("Confidence", found, ({ confidence }) => confidence),
      { name: "Estimated standard error", unit: "%", values: found.map(({ error }) => 100 * (error ?? NaN)) },
      columnOf("Verdict", found, verdictOf),
    ];
  },
  summary(found, { axes }, { window }) {
    const unit = velocityTableUnit(axes);
    const { numbers, median, cycle } = velocitySummary(found, window);
    const values = valuesOver(VELOCITY, found, axes);
    const errors = Float64Array.from(found.filter(isNumber), ({ error }) => 100 * (error ?? NaN));
    return [
      { name: "Windows", value: found.length },
      { name: "With a velocity", value: numbers },
      ...verdictCounts(found, ["changing", "too slow", "too fast", "unclear"]),
      { name: "Median velocity", value: physicalVelocity(median, axes), unit },
      { name: "Mean velocity", value: mean(values), unit },
      { name: "SD of velocity", value: deviation(values), unit },
      { name: "Median standard error", value: percentile(errors, 50), unit: "%" },
      ...cycle === null ? [] : [
        { name: "Cycles", value: cycle.cycles < 1 ? "part of one: not the mean of the flow" : cycle.cycles },
        { name: "Length of a cycle", value: cycle.period * axes[0].step, unit: tableUnit(axes[0]) },
        { name: "Mean velocity of whole cycles", value: physicalVelocity(cycle.mean, axes), unit },
      ],
    ];
  },
  overTime: {
    name: "Velocity",
    unit: velocityTableUnit,
    value: (/** @type {VelocityAt} */ { velocity }, axes) => physicalVelocity(velocity ?? NaN, axes),
    error: ({ error }) =>
      error === null || !(error >= 0) ? "" : `± ${(100 * error).toFixed(error < 0.001 ? 2 : 1)} %`,
    certainty: ({ confidence }) => confidence,
  },
};

/** Step between windows of this length. @param {number} window */
const halfOf = (window) => Math.max(1, Math.floor(window / 2));

/** Seconds from line to line, null if unknown. @param {Axes} axes */
const lineTimeOf = ([time]) => time.unit === "seconds" ? time.step : null;

/** @param {number} pixelTime microseconds @param {Band} band */
function alongLine(pixelTime, { axes, pixelTime: ofFile, isTyped }) {
  if (pixelTime === 0 || lineTimeOf(axes) === null) return "not corrected";
  const isFromFile = pixelTime === 1e6 * ofFile && !isTyped;
  return `corrected for ${significant(pixelTime, 6)} us per pixel (${
    isFromFile ? "from the file" : "typed"
  })`;
}
