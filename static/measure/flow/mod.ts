/** Velocity over time as a measurement (measurement.ts), divided into orders of several windows each. */
import { formatQuantity, formatTableUnit, roundToDigits } from "../axes.ts";
import {
  AUTOMATICALLY,
  type Band,
  countVerdicts,
  listValuesOver,
  makeChosenParameter,
  makeColumn,
  makeTimeColumn,
  type Measurement,
  type Quantity,
  type ScanSampling,
  takeVerdict,
} from "../measurement.ts";
import { computeDeviation, computeMean, computeStandardError, findPercentile } from "../traces.ts";
import {
  convertVelocity,
  findResolvable,
  formatVelocity,
  formatVelocityUnit,
  listWindowStarts,
  measureVelocities,
  type Method,
  METHODS,
  SHORTEST_WINDOW,
  type VelocityAt,
  type Windows,
  withBends,
} from "./velocity.ts";
import { type ScanSamples } from "../line_scan.ts";
import { type FlowAt, isMoving, requireAgreement } from "./flow_agreement.ts";
import { estimateStanding } from "./standing.ts";
import { hasCountedVelocity, shareOfRest, summarizeVelocities } from "./velocity_summary.ts";
import { chooseAgreeingWindow, chooseFirstWindow, chooseWindow, divideIntoOrders } from "./window_choice.ts";
import type { Column } from "../csv.ts";

/** Largest number of windows per order: enough to be worth its message, few enough to be done soon. */
const MOST_WINDOWS = 64;

/** Number of orders for a short recording: enough that no core waits long for the last one. */
const ORDERS = 64;

/** Settings of the measurement: `window` and `step` in lines, `pixelTime` in microseconds. */
export type VelocitySettings = {
  method: Method;
  chosen: string;
  window: number;
  step: number;
  pixelTime: number;
};

/** Column of the standard errors that a method estimates. */
const ESTIMATED = "Estimated standard error";

/** The measurement of velocity over time. */
export const VELOCITY: Measurement<VelocityAt, VelocitySettings> = {
  key: "velocity",
  title: "Velocity over time",
  noun: "velocity",
  hint: "The band holds streaks of cells that move along the line.",
  isUsual: true,
  section: "velocities",
  sentences: {
    "Window chosen": (way) => `The windows were chosen ${way}`,
    "Time along the line": (value) => `The time along the line was ${value}`,
  },
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
      value: "agreeing",
      choices: {
        agreeing: "autocorrelation",
        autocorrelation: "autocorrelation, window by window",
        radon: "Radon, as published",
        piv: "PIV, as published",
      },
      help: "methods",
    },
    { ...makeChosenParameter("Window chosen", "Window"), help: "window" },
    {
      key: "window",
      label: "Window",
      shown: "Window length",
      value: 0,
      unit: "lines",
      isCount: true,
      least: SHORTEST_WINDOW,
    },
    { key: "step", label: "Step", value: 0, unit: "lines", isCount: true },
    {
      key: "pixelTime",
      label: "Time per pixel",
      value: 0,
      unit: "us",
      least: 0,
      help: "time-along-the-line",
      cited: (
        { pixelTime },
        band,
      ) => ["Time along the line", describeTimeAlongLine(pixelTime as number, band)],
    },
  ],
  defaults(settings, band) {
    const { window, chosen = window === undefined ? AUTOMATICALLY : "by hand" } = settings;
    const lines = window ?? chooseFirstWindow(findLineTime(band.axes), band.lines);
    return {
      chosen,
      window: lines,
      step: halveWindow(lines),
      pixelTime: 1e6 * band.pixelTime,
    };
  },
  typed: (settings, key) =>
    key === "window"
      ? { ...settings, chosen: "by hand", step: halveWindow(settings.window) }
      : key === "step"
      ? { ...settings, chosen: "by hand" }
      : settings,
  explain({ window, chosen }, { columns, axes }) {
    if (columns[1] - columns[0] < SHORTEST_WINDOW) {
      return `Too narrow: a velocity needs at least ${SHORTEST_WINDOW} columns.`;
    }
    const [slow, fast] = findResolvable({ window, columns }).map((velocity) =>
      formatVelocity(roundToDigits(convertVelocity(velocity, axes), 2), axes)
    );
    return `${
      formatQuantity(window * axes[0].step, axes[0], 3)
    }: measures velocities from ${slow} to ${fast}.${chosen === AUTOMATICALLY ? " The window adapts." : ""}`;
  },
  method: ({ method }) => METHODS[method],
  *divide(plane, { columns, axes }, settings) {
    const lineTime = findLineTime(axes);
    const pixelTime = lineTime === null ? 0 : settings.pixelTime / 1e6 / lineTime;
    const windows = { columns, pixelTime };
    const { chosen, method } = settings;
    const isChosen = chosen === AUTOMATICALLY;
    const choose = method === "agreeing" ? chooseAgreeingWindow : chooseWindow;
    const window = isChosen ? yield* choose(plane, windows, lineTime) : settings.window;
    const step = isChosen ? halveWindow(window) : settings.step;
    const starts = listWindowStarts(plane.shape[0]!, window, step);
    const size = Math.min(MOST_WINDOWS, Math.ceil(starts.length / ORDERS)) || 1;
    const own = { ...windows, window, method };
    const found = (yield divideIntoOrders(plane, own, starts, size)).flat();
    const used = { ...settings, window, step };
    if (method !== "agreeing") return { found: withBends(found, window, step), settings: used };
    const again = yield divideIntoOrders(
      plane,
      own,
      selectResting(found, starts),
      size,
      estimateWall(plane, found, window),
    );
    const later = new Map(again.flat().map((one) => [one.line, one]));
    const all = found.map((one) => later.get(one.line) ?? one);
    return { found: measureAgreedVelocities(all, columns[1] - columns[0], window, step), settings: used };
  },
  follow: (plane, { windows, starts }) => measureVelocities(plane, windows as Windows, starts as number[]),
  columns(found, axes) {
    return [
      makeTimeColumn(found, axes[0]),
      { name: "Velocity", unit: formatVelocityUnit(axes), values: listValuesOver(VELOCITY, found, axes) },
      makeColumn("Confidence", found, ({ confidence }) => confidence),
      { name: ESTIMATED, unit: "%", values: found.map(({ error }) => 100 * (error ?? NaN)) },
      makeColumn("Verdict", found, takeVerdict),
      ...found.some(({ rest }) => rest !== undefined) ? makeFlowColumns(found, axes) : [],
    ];
  },
  listed: (found, axes) =>
    VELOCITY.columns(found, axes).map(({ name, ...column }) => ({
      ...column,
      name: name === ESTIMATED ? "Standard error" : name,
    })),
  summary(found, { axes }, { window, method }) {
    const unit = formatVelocityUnit(axes);
    const { numbers, median, cycle } = summarizeVelocities(found, window);
    const values = listValuesOver(VELOCITY, found, axes);
    const own = found.filter(hasCountedVelocity);
    const errors = Float64Array.from(own, ({ error }) => 100 * (error ?? NaN));
    return [
      { name: "Windows", value: found.length },
      {
        name: "With a velocity",
        value: numbers - own.filter(({ verdict }) => verdict === "standing").length,
      },
      ...countVerdicts(found, ["changing", "standing", "two velocities", "too slow", "too fast", "unclear"]),
      { name: "Median velocity", value: convertVelocity(median, axes), unit },
      { name: "Mean velocity", value: computeMean(values), unit },
      { name: "SD of velocity", value: computeDeviation(values), unit },
      { name: "SEM of velocity", value: computeStandardError(values), unit },
      { name: "Median standard error", value: findPercentile(errors, 50), unit: "%" },
      ...method === "agreeing" ? makeFlowQuantities(found, axes) : [],
      ...cycle !== null && cycle.cycles < 1
        ? [{ name: "Course", value: "changes over the recording: not the mean of the flow" }]
        : [],
      ...!cycle?.isRhythm ? [] : [
        { name: "Cycles", value: cycle.cycles },
        { name: "Length of a cycle", value: cycle.period * axes[0].step, unit: formatTableUnit(axes[0]) },
        { name: "Mean velocity of whole cycles", value: convertVelocity(cycle.mean, axes), unit },
      ],
    ];
  },
  value: "Median velocity",
  overTime: {
    name: "Velocity",
    unit: formatVelocityUnit,
    value: ({ velocity }, axes) => convertVelocity(velocity ?? NaN, axes),
    second: ({ second }, axes) => convertVelocity(second ?? NaN, axes),
    error: ({ error = NaN }) =>
      error === null || !(error >= 0) ? "" : `± ${(100 * error).toFixed(error < 0.001 ? 2 : 1)} %`,
    spread: ({ velocity, error }, axes) =>
      Math.abs(convertVelocity(velocity ?? NaN, axes)) *
      (typeof error === "number" && error >= 0 ? error : NaN),
    certainty: ({ confidence }) => confidence,
  },
};

/** Columns of windows that agree. */
const makeFlowColumns = (found: readonly VelocityAt[], axes: ScanSampling): Column[] => [
  makeColumn("Standard error is", found, ({ isIndicative }) => isIndicative ? "indicative" : ""),
  {
    name: "Second velocity",
    unit: formatVelocityUnit(axes),
    values: found.map(({ second, isLeftOut }) => isLeftOut ? NaN : convertVelocity(second ?? NaN, axes)),
  },
  { name: "At rest", unit: "%", values: found.map(({ rest }) => 100 * (rest ?? NaN)) },
];

/** Quantities of windows that agree. */
function makeFlowQuantities(found: readonly VelocityAt[], axes: ScanSampling): Quantity[] {
  const unit = formatVelocityUnit(axes);
  const own = found.filter(({ isLeftOut }) => !isLeftOut);
  const seconds = Float64Array.from(own, ({ second }) => convertVelocity(second ?? NaN, axes));
  const values = listValuesOver(VELOCITY, found, axes);
  return [
    { name: "25th percentile of velocity", value: findPercentile(values, 25), unit },
    { name: "75th percentile of velocity", value: findPercentile(values, 75), unit },
    { name: "Time at rest", value: 100 * shareOfRest(own), unit: "%" },
    ...seconds.some(Number.isFinite)
      ? [{ name: "Median second velocity", value: findPercentile(seconds, 50), unit }]
      : [],
  ];
}

/** Least share of moving windows, and of others, for a second look at the others. */
const SOME = 0.02;

/**
 * First lines of windows to measure again against the wall that shows while cells move: cells that stand still for long
 * look like a wall.
 */
function selectResting(found: readonly VelocityAt[], starts: readonly number[]) {
  const moving = found.filter(isMoving).length;
  const standing =
    found.filter(({ verdict, stands, rest }) => verdict === "standing" || stands || (rest ?? 0) > 0).length;
  const isMixed = moving >= Math.max(3, SOME * found.length) && standing >= Math.max(3, SOME * found.length);
  return isMixed ? starts.filter((_, i) => found[i] && !isMoving(found[i])) : [];
}

/** The wall by the lines of windows in which cells move. */
function estimateWall(
  { samples, shape: [, columns] }: ScanSamples,
  found: readonly VelocityAt[],
  window: number,
) {
  const moving = found.filter(isMoving);
  // Neighbours overlap, and a few hundred windows show the wall.
  const every = Math.max(1, Math.ceil(moving.length / MOST_WALL));
  const parts = moving.filter((_, i) => i % every === 0).map(({ line }) => line - (window - 1) / 2);
  const lines = new Float32Array(parts.length * window * columns);
  parts.forEach((from, i) =>
    lines.set(samples.subarray(from * columns, (from + window) * columns), i * window * columns)
  );
  return estimateStanding(lines, parts.length * window, columns, window);
}

/** Windows that show the wall. */
const MOST_WALL = 200;

const ONLY_FOR_AGREEMENT = [
  "spread",
  "likeness",
  "strength",
  "isBroken",
  "stands",
  "rough",
  "straight",
  "whole",
  "change",
];

/** Results of all windows without what only their agreement needs. */
function measureAgreedVelocities(
  found: readonly VelocityAt[],
  columns: number,
  window: number,
  step: number,
): VelocityAt[] {
  // Each window of this method has what agreement needs.
  const all = requireAgreement(found as FlowAt[], window, columns);
  const isSteady = (one: VelocityAt) => isMoving(one) && one.second === undefined;
  const bent = withBends(
    all.map((one) => isSteady(one) ? one : { ...one, velocity: NaN, error: NaN }),
    window,
    step,
  );
  return all.map((one, i) => {
    const kept = { ...isSteady(one) ? bent[i]! : one };
    for (const key of ONLY_FOR_AGREEMENT) delete (kept as Record<string, unknown>)[key];
    return kept;
  });
}

/** Step between windows of this length. */
const halveWindow = (window: number) => Math.max(1, Math.floor(window / 2));

/** Seconds from line to line, null if unknown. */
const findLineTime = ([time]: ScanSampling) => time.unit === "seconds" ? time.step : null;

/** @param pixelTime microseconds */
function describeTimeAlongLine(pixelTime: number, { axes, pixelTime: ofFile, isTyped }: Band) {
  if (pixelTime === 0 || findLineTime(axes) === null) return "not corrected";
  const isFromFile = pixelTime === 1e6 * ofFile && !isTyped;
  return `corrected for ${roundToDigits(pixelTime, 6)} us per pixel (${
    isFromFile ? "from the file" : "typed"
  })`;
}
