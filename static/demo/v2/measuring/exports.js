/** Tables and plots of the measurements for export_panel.js. */
import { axisTitle, tableUnit, toPhysical } from "../../../measure/axes.js";
import { rangeOf } from "./trace_chart.js";
import { VELOCITY_RANGE } from "./trace_charts.js";
import { about, shapeOf, stemOf } from "./scan.js";

/** @import { BandPanel } from "./band_panel.js" */
/** @import { CursorPanel } from "./cursor_panel.js" */
/** @import { EventPanel } from "./event_panel.js" */
/** @import { Exports, PngLook } from "./export_panel.js" */
/** @import { LinePanel } from "./line_panel.js" */
/** @import { Scan } from "./scan.js" */
/** @import { VelocityPanel } from "./velocity_panel.js" */

/** Size of a plot in CSS pixels: fits a column of a page. */
const [WIDTH, HEIGHT] = [720, 320];

/** Colour of velocities. */
const VELOCITY_COLOR = "#0072b2";

/**
 * @param {() => Scan | null} scanNow
 * @param {{bands: BandPanel, lines: LinePanel, velocities: VelocityPanel, events: EventPanel, cursors: CursorPanel}} panels
 * @param {() => {from: number, to: number}} span visible lines
 * @param {(picture: "source" | "reference", look: PngLook) => Promise<Blob | null>} png
 * @returns {Exports}
 */
export function exportsOf(scanNow, { bands, lines, velocities, events, cursors }, span, png) {
  const table = (
    /** @type {string} */ name,
    /** @type {() => [string, string | number][]} */ settings,
    /** @type {() => readonly import("../../../measure/csv.js").Column[]} */ columns,
  ) =>
  () => {
    const scan = scanNow();
    return scan === null ? null : { name, about: [...about(scan), ...settings()], columns: columns() };
  };
  return {
    stem: () => {
      const scan = scanNow();
      return scan === null ? "picture" : stemOf(scan);
    },
    tables: {
      Traces: table(
        "traces",
        () => [...bandPlaces(scanNow(), bands), ...bands.about],
        () => traceColumns(scanNow(), bands),
      ),
      Velocities: table("velocities", () => velocities.about, () => velocities.columns),
      Events: table(
        "events",
        () => [...bandPlaces(scanNow(), bands), ...bands.about, ...events.about],
        () => events.columns,
      ),
      Lines: table("lines", () => [], () => lines.columns),
      Cursors: table("cursors", () => cursors.about, () => cursors.columns),
    },
    plots: {
      Traces: () => tracePlot(scanNow(), bands, span()),
      Velocities: () => velocityPlot(scanNow(), velocities, span()),
    },
    png,
  };
}

/** Places are the outer edges of the pixels, as on the page. @param {Scan | null} scan @param {BandPanel} bands @returns {[string, string | number][]} */
function bandPlaces(scan, { bands }) {
  if (scan === null) return [];
  const space = scan.axes[1];
  // Removes the rounding errors of products.
  const edge = (/** @type {number} */ place) => Number(toPhysical(space, place).toPrecision(12));
  return bands.all.map(({ name, from, to }) => [
    name,
    `columns ${from} to ${to - 1}, ${edge(from)} to ${edge(to)} ${tableUnit(space)} (outer edges)`,
  ]);
}

/** @param {Scan | null} scan @param {BandPanel} bands */
function traceColumns(scan, { traces }) {
  if (scan === null || traces.length === 0) return [];
  const [axis] = scan.axes;
  const { step } = axis;
  const time = Float64Array.from({ length: shapeOf(scan)[0] }, (_, line) => line * step);
  return [
    { name: "Time", unit: tableUnit(axis), values: time },
    ...traces.map(({ name, values }) => ({ name, values })),
  ];
}

/** @param {Scan | null} scan @param {BandPanel} bands @param {{from: number, to: number}} span */
function tracePlot(scan, { traces, title }, span) {
  if (scan === null || traces.length === 0) return null;
  const [time] = scan.axes;
  const x = Float64Array.from({ length: shapeOf(scan)[0] }, (_, line) => line * time.step);
  const curves = traces.map(({ name, color, values }) => ({ name, color, x, y: values }));
  const y = { ...rangeOf({ curves: traces, title }, span), title };
  return { name: "traces", plot: { ...plotOf(scan, span), y, traces: curves } };
}

/** @param {Scan | null} scan @param {VelocityPanel} velocities @param {{from: number, to: number}} span */
function velocityPlot(scan, { points, title }, span) {
  if (scan === null || points.length === 0) return null;
  const [time] = scan.axes;
  const y = {
    ...rangeOf({
      curves: [],
      least: VELOCITY_RANGE,
      points: points.map(({ line, velocity }) => ({ line, value: velocity, color: "" })),
      title,
    }, span),
    title,
  };
  const trace = {
    name: "",
    color: VELOCITY_COLOR,
    x: points.map(({ line }) => line * time.step),
    y: points.map(({ velocity }) => velocity),
  };
  return {
    name: "velocities",
    plot: { ...plotOf(scan, span), y, traces: [trace, { ...trace, isDots: true }] },
  };
}

/** @param {Scan} scan @param {{from: number, to: number}} span */
function plotOf({ axes: [time], note }, { from, to }) {
  const x = { low: (from - 0.5) * time.step, high: (to - 0.5) * time.step, title: axisTitle(time) };
  return { width: WIDTH, height: HEIGHT, x, note };
}
