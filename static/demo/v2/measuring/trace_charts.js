/** The charts below a line scan: traces of its bands, and velocities. */
import { element, within } from "../controls/element.js";
import { rounded } from "./scan.js";
import { TraceChart } from "./trace_chart.js";

/** @import { Scan } from "./scan.js" */

/**
 * @typedef {object} Charted
 * @property {readonly import("./band_traces.js").Trace[]} traces
 * @property {string} title
 * @property {readonly {line: number, velocity: number, confidence: number}[]} velocities
 * @property {string} velocityTitle
 * @property {(line: number) => string} velocityAt in words
 * @property {readonly number[]} events lines of the peaks
 * @property {number | null} level
 * @property {readonly {line: number, label: string}[]} pinned
 */

/** @type {readonly import("./trace_curves.js").ChartCurve[]} */
const NONE = [];

const VELOCITY_COLOR = "#ffffff";

/** Right margin in CSS pixels of a chart without a picture above it to align with. */
const MARGIN = 14;

/** Makes nearly equal velocities look equal. */
export const VELOCITY_RANGE = 0.3;

/** More values beside a cursor hide the curves. */
const MOST_VALUES = 4;

export class TraceCharts {
  #pane;
  /** Velocities of the points. @type {Charted["velocities"]} */
  #measured = [];
  /** @type {import("./trace_chart.js").ChartPoint[]} */
  #points = [];
  #traces = new TraceChart("Traces of the bands over time");
  #velocities = new TraceChart("Velocity of the streaks over time");
  #box = element("div", { className: "trace-charts", hidden: true });

  /** @param {HTMLElement} figure of the line scan @param {import("../picture/pane.js").Pane} pane */
  constructor(figure, pane) {
    this.#pane = pane;
    this.#box.append(this.#traces.box, this.#velocities.box);
    within(figure, ".stage").after(this.#box);
    this.#traces.box.id = "trace-chart";
    this.#velocities.box.id = "velocity-chart";
  }

  /** @param {Scan | null} scan @param {Charted} charted */
  draw(scan, { traces, title, velocities, velocityTitle, velocityAt, events, level, pinned }) {
    const isScan = scan?.isLineScan === true;
    this.#traces.box.hidden = !isScan || traces.length === 0;
    this.#velocities.box.hidden = !isScan || velocities.length === 0;
    this.#box.hidden = this.#traces.box.hidden && this.#velocities.box.hidden;
    if (scan === null || this.#box.hidden) return this.#keep(0);
    const span = this.#span(scan);
    const { cursor } = this.#pane;
    /** Values at the cursor are beside it. @param {(line: number) => string} textAt */
    const cursorsWith = (textAt) => [
      // The label of the cursor is raised above that of a pinned one.
      ...pinned.map((pin) => ({ ...pin, isRaised: true })),
      ...(cursor === null ? [] : [{ line: cursor.x, label: textAt(cursor.x) }]),
    ];
    if (!this.#traces.box.hidden) {
      const legend = [
        ...new Map(traces.map(({ channel, dash }) => [channel, { name: channel, dash }])).values(),
      ];
      const valuesAt = (/** @type {number} */ line) =>
        [
          ...traces.slice(0, MOST_VALUES).map(({ values }) => rounded(values[line] ?? NaN)),
          ...(traces.length > MOST_VALUES ? ["…"] : []),
        ].join(" · ");
      this.#traces.draw(
        { curves: traces, events, level, cursors: cursorsWith(valuesAt), title, legend },
        span,
      );
    }
    if (!this.#velocities.box.hidden) {
      if (velocities !== this.#measured) {
        this.#measured = velocities;
        this.#points = velocities.map(({ line, velocity, confidence }) => ({
          line,
          value: velocity,
          color: VELOCITY_COLOR,
          // The least certain points stay visible.
          opacity: 0.25 + 0.75 * Math.min(1, Math.max(0, confidence)),
        }));
      }
      const points = this.#points;
      this.#velocities.draw(
        {
          curves: NONE,
          points,
          cursors: cursorsWith(velocityAt),
          title: velocityTitle,
          least: VELOCITY_RANGE,
        },
        span,
      );
    }
    this.#keep(Math.max(
      this.#traces.box.hidden ? 0 : this.#traces.gutter,
      this.#velocities.box.hidden ? 0 : this.#velocities.gutter,
    ));
  }

  /**
   * A chart shares edges and time axis with the picture above it. Where time runs vertically in the picture, the chart
   * has the whole width and its own axis from left to right.
   *
   * @param {Scan} scan
   * @returns {import("./trace_chart.js").Span}
   */
  #span({ axes: [time] }) {
    const { x0, x1 } = this.#pane.view;
    const shared = { from: x0, to: x1, time };
    if (this.#pane.time === "across") {
      // A trace below a flipped picture follows the direction of its time.
      const isMirrored = this.#pane.toScreen(x0, 0)[0] > this.#pane.toScreen(x1, 0)[0];
      return { ...shared, ...this.#pane.edges, isMirrored, isTitled: false };
    }
    const left = this.#pane.gutter;
    const width = Math.max(1, this.#box.clientWidth - left - MARGIN);
    return { ...shared, left, width, isMirrored: false, isTitled: true };
  }

  /** All plots align, with room for the widest labels. @param {number} gutter */
  #keep(gutter) {
    if (this.#pane.gutter >= gutter) return;
    this.#pane.gutter = gutter;
    this.#pane.redraw();
  }
}
