/**
 * The charts over time directly below a picture: traces of the bands of a line scan, or of the regions of images, and what was
 * measured over time.
 */
import { formatAxisTitle, formatRounded, toPhysical } from "../../../measure/axes.ts";
import { byId, element, findWithin, svgElement } from "../controls/element.ts";
import { type Chart, type ChartSpan, darkenOnGround, drawChart, light } from "../picture/chart.ts";
import { drawAxisStrip, STRIP_HEIGHT } from "../picture/frame.ts";
import { drawCanvasMarks, makeSvgMarks, type Mark, measureLabel } from "../picture/marks.ts";
import { markSpreads } from "./spread_areas.ts";
import { type ChartCurve, computeCurveColumns } from "./trace_curves.ts";
import {
  type ChartSeries,
  chooseRange,
  type Range,
  SERIES_RANGE,
  type SeriesPoint,
} from "./values_over_time.ts";
import { endLabels } from "./end_labels.ts";
import type { Trace } from "./band_traces.ts";
import type { Pane } from "../picture/pane.ts";
import type { MeasurementPanel } from "./measurement_panel.ts";
import { isTraced, type Scan } from "../drawing/scan.ts";
import type { Samples } from "../../../measure/line_scan.ts";

/** What the chart of traces shows. */
export interface Charted {
  traces: readonly Trace[];
  /** Curves of F₀ and of thresholds that change. */
  baselines: readonly ChartCurve[];
  /** Title of the values. */
  title: string;
  /** Lines of the peaks. */
  events: readonly number[];
  /** Threshold of the events. */
  level: number | null;
  /** The event whose row is marked. */
  picked: { line: number; value: number | null } | null;
  pinned: readonly { line: number; label: string }[];
  /** Index of the shown image in traces of images. */
  image: number | null;
}

/** Content of one chart. */
interface Content {
  curves: readonly ChartCurve[];
  /** Drawn at the edge if out of range. */
  points: readonly SeriesPoint[];
  /** Drawn as crosses, at the lower edge if the value is NaN. */
  gaps?: readonly { line: number; value: number }[];
  /** Title of the values. */
  title: string;
  /** Smallest extent of the range, as a fraction of the greatest value. */
  least?: number;
  /** A raised label leaves room for another below it. */
  cursors: readonly { line: number; label: string; isRaised?: boolean }[];
  /** Lines to mark at the top. */
  events?: readonly number[];
  level: number | null;
  /** The item whose row is marked. */
  picked: { line: number; value: number | null } | null;
  /** Names, dashes and colours of curves or, in their order, of the results of points. */
  legend?: readonly LegendEntry[];
  /** What stands in a corner if `legend` does not fit; by default the same. */
  short?: readonly LegendEntry[];
}

/** Charts that always have room. */
const MOST_IN_VIEW = 2;

/** What a name in a chart stands for. */
type LegendEntry = { name: string; dash?: string; color?: string };

const INK = "currentColor";

/** Right margin in CSS pixels of a chart without a picture above it to align with. */
const MARGIN = 14;

/** Largest distance of a click from the peak that it picks, in CSS pixels. */
const REACH = 8;

/** Height of the ground of a name at the end of a curve, in CSS pixels. */
const NAME_HEIGHT = 12;

/** Distance of a label from the one above it, in CSS pixels. */
const LABEL = 15;

/** Widest name at the end of a curve, as a part of the plot, if a legend can stand for it. */
const WIDEST_NAME = 1 / 3;

/** Most values beside a cursor: more would hide the curves. */
const MOST_VALUES = 4;

/** All charts below one picture. */
export class TraceCharts {
  readonly #pane;
  /** Room for labels left of charts that do not align with the picture. */
  #gutter = 0;
  readonly #traces = new TraceChart("Traces over time", "trace-chart");
  readonly #series;
  readonly #scroller = element("div", { className: "charts", role: "group", "aria-label": "Charts" });
  readonly #axis = svgElement("svg", { id: "chart-axis", height: STRIP_HEIGHT, "aria-hidden": "true" });
  readonly #box = element("div", {
    className: "trace-charts",
    hidden: true,
    role: "region",
    "aria-label": "Charts over time",
  });

  /**
   * @param figure of the picture
   * @param panels of values over time
   * @param onEvent picks the event nearest to a click: by the distance of a line from the click, and the greatest that
   *   counts, both in CSS pixels; returns whether there is one
   * @param onImage shows the image at a click elsewhere
   */
  constructor(
    figure: HTMLElement,
    pane: Pane,
    panels: readonly MeasurementPanel[],
    { onEvent, onImage }: {
      onEvent: (distance: (line: number) => number, reach: number) => boolean;
      onImage: (line: number) => void;
    },
  ) {
    this.#pane = pane;
    this.#series = panels.map((panel) => {
      const { key, title } = panel.measurement;
      return { panel, chart: new TraceChart(title, `${key}-chart`) };
    });
    light().addEventListener("change", () => pane.redraw());
    this.#scroller.append(this.#traces.box, ...this.#series.map(({ chart }) => chart.box));
    this.#box.append(this.#scroller, this.#axis);
    for (const { panel, chart } of this.#series) {
      chart.box.classList.add("clickable");
      chart.box.addEventListener("click", (event) => panel.pickAt(chart.lineAt(event)));
      chart.box.addEventListener("dblclick", (event) => panel.toggle(chart.lineAt(event)));
    }
    this.#traces.box.addEventListener("click", (event) => {
      if (onEvent((line) => this.#traces.distance(event, line), REACH)) return;
      onImage(this.#traces.lineAt(event));
    });
    findWithin(figure, ".stage").after(this.#box);
  }

  /** Scrolls to the chart of a panel, if it has one. */
  reveal(panel: MeasurementPanel): void {
    const chart = this.#series.find((one) => one.panel === panel)?.chart ?? this.#traces;
    const { offsetTop, offsetHeight } = chart.box;
    const { scrollTop, clientHeight } = this.#scroller;
    if (chart.box.hidden || offsetTop >= scrollTop && offsetTop + offsetHeight <= scrollTop + clientHeight) {
      return;
    }
    this.#scroller.scrollTop = offsetTop;
  }

  draw(scan: Scan<Samples> | null, charted: Charted): void {
    const { traces } = charted;
    const isScan = scan !== null && isTraced(scan);
    const isOfImages = scan?.noun === "region";
    this.#traces.box.hidden = !isScan || traces.length === 0;
    const shown = this.#series.flatMap(({ panel, chart }) => {
      const series = isScan ? panel.series : null;
      const hasValues = series !== null &&
        (series.points.length > 0 || series.gaps.some(({ value }) => Number.isFinite(value)));
      chart.box.hidden = !hasValues;
      return hasValues ? [{ panel, chart, series }] : [];
    });
    this.#box.hidden = this.#traces.box.hidden && shown.length === 0;
    const count = shown.length + (this.#traces.box.hidden ? 0 : 1);
    byId("viewer").style.setProperty("--charts", String(count));
    // Keys scroll many charts.
    this.#scroller.tabIndex = count > MOST_IN_VIEW ? 0 : -1;
    const isShared = count > 0 && !isOfImages;
    if (this.#pane.isShared !== isShared) {
      this.#pane.isShared = isShared;
      this.#pane.redraw();
    }
    this.#traces.box.classList.toggle("clickable", isOfImages);
    if (scan === null || this.#box.hidden) return;
    const gutter = Math.max(...this.#drawn(scan, charted, shown));
    // All plots align, with room for the widest labels.
    if (gutter <= (isOfImages ? this.#gutter : this.#pane.gutter)) return;
    if (isOfImages) {
      this.#gutter = gutter;
      return this.draw(scan, charted);
    }
    this.#pane.gutter = gutter;
    this.#pane.redraw();
  }

  /** Draws the charts; returns the width that each needs at the left of its plot. */
  #drawn(
    scan: Scan<Samples>,
    { traces, baselines, title, events, level, picked, pinned, image }: Charted,
    shown: readonly { panel: MeasurementPanel; chart: TraceChart; series: ChartSeries }[],
  ): number[] {
    const isOfImages = scan.noun === "region";
    const span = this.#span(scan);
    const cursor = isOfImages ? image : this.#pane.cursor?.x ?? null;
    /** The label of the cursor is below those of pinned cursors. */
    const cursorsWith = (textAt: (line: number) => string) => [
      ...pinned.map((pin) => ({ ...pin, isRaised: true })),
      ...(cursor === null ? [] : [{ line: cursor, label: textAt(cursor) }]),
    ];
    const valuesAt = (line: number) => {
      const values = traces.slice(0, MOST_VALUES).map(({ values }) => formatRounded(values[line] ?? NaN));
      return [...values, ...(traces.length > MOST_VALUES ? ["…"] : [])].join(" · ");
    };
    this.#drawAxis(span);
    const dashes = new Map(traces.map(({ channel, dash }) => [channel, dash]));
    const legend = traces.length < 2 ? [] : traces.map(({ name, dash, color }) => ({ name, dash, color }));
    return [
      this.#traces.draw(
        {
          curves: [...traces, ...baselines],
          points: [],
          events,
          level,
          picked,
          cursors: cursorsWith(valuesAt),
          title,
          legend,
          short: [...dashes].map(([name, dash]) => ({ name, dash })),
        },
        span,
      ),
      ...shown.map(({ panel, chart, series }) =>
        chart.draw({
          ...series,
          curves: [],
          level: null,
          picked: panel.picked,
          cursors: cursorsWith((line) => panel.textAt(line)),
          least: SERIES_RANGE,
        }, span)
      ),
    ];
  }

  /**
   * A chart shares edges and time axis with the picture above it. If time runs vertically in the picture, the chart
   * has the whole width and its own axis from left to right; so does the chart of all images of a series.
   */
  #span({ axes: [axis], noun, group: { plane: { shape: [lines] } } }: Scan<Samples>): ChartSpan {
    const isOfImages = noun === "region";
    const { x0: from, x1: to } = isOfImages ? { x0: 0, x1: lines } : this.#pane.view;
    const ground = getComputedStyle(this.#box).backgroundColor;
    const shared = { axis, from, to, isStrip: true, isShared: true, ground };
    if (!isOfImages && this.#pane.placed.time === "across") {
      // Below a flipped picture, time runs from right to left in the chart, too.
      const isReversed = this.#pane.toScreen(from, 0)[0] > this.#pane.toScreen(to, 0)[0];
      return { ...shared, edges: this.#pane.edges, isReversed };
    }
    const left = isOfImages ? this.#gutter : this.#pane.gutter;
    return { ...shared, edges: { left, width: Math.max(1, this.#box.clientWidth - left - MARGIN) } };
  }

  /** The time axis of all charts and of a line scan above them whose time runs across. */
  #drawAxis({ axis, from, to, isReversed = false, edges }: ChartSpan) {
    const [low, high] = [from, to].map((line) => toPhysical(axis, line)) as [number, number];
    const x = { low: isReversed ? high : low, high: isReversed ? low : high, title: formatAxisTitle(axis) };
    this.#axis.replaceChildren(
      ...makeSvgMarks(drawAxisStrip(x, edges!, this.#box.clientWidth, measureLabel)),
    );
  }
}

/** One chart with its box. */
class TraceChart {
  readonly #canvas = element("canvas");
  readonly #svg;
  /** The chart of the last drawing. */
  #chart: Chart | null = null;
  readonly #label;
  /** Curves and range of the last drawing: moving the cursor changes neither. */
  #last = {
    of: [] as unknown[],
    range: { low: 0, high: 1 },
    curves: null as ReturnType<typeof computeCurveColumns>[] | null,
  };
  readonly box: HTMLDivElement;

  /** @param label for screen readers */
  constructor(label: string, id: string) {
    this.#label = svgElement("title", {}, label);
    this.#svg = svgElement("svg", { role: "img", "aria-label": label });
    this.box = element("div", { className: "trace-chart", id, hidden: true }, this.#canvas, this.#svg);
  }

  /** The line under the pointer. */
  lineAt({ clientX }: MouseEvent) {
    if (this.#chart === null) return NaN;
    const { across } = this.#chart;
    return (clientX - this.box.getBoundingClientRect().left - across(0)) / (across(1) - across(0));
  }

  /** Distance of a line from the pointer, in CSS pixels. */
  distance({ clientX }: MouseEvent, line: number): number {
    const { left } = this.box.getBoundingClientRect();
    return this.#chart === null ? Infinity : Math.abs(clientX - left - this.#chart.across(line));
  }

  /** @returns CSS pixels needed at the left of the plot */
  draw(content: Content, span: ChartSpan): number {
    const size = this.box.getBoundingClientRect();
    if (size.width < 1 || size.height < 1) return 0;
    const { curves, points, level, title } = content;
    const density = globalThis.devicePixelRatio;
    const { left, width } = span.edges ?? {};
    const look = [level, light().matches, span.from, span.to, left, width, size.width, density];
    // A name that is typed makes other curves of the same values.
    const of = [...curves.flatMap(({ values, color, dash }) => [values, color, dash]), ...look];
    const isSame = of.length === this.#last.of.length && of.every((part, i) => part === this.#last.of[i]);
    if (points.length > 0 || !isSame) {
      this.#last = { of, range: chooseRange(content, span), curves: null };
    }
    const { range } = this.#last;
    const chart = this.#chart = drawChart(
      this.#canvas,
      size,
      span,
      { ...range, title },
      (columns) =>
        this.#last.curves ??= curves.map((curve) =>
          computeCurveColumns({ ...curve, color: darkenOnGround(curve.color) }, span, columns, density)
        ),
    );
    const ink = getComputedStyle(this.box).color;
    drawInPlot(chart, [...markValueSpreads(content, chart, ink), ...markValues(content, chart, range, ink)]);
    const { plot: { left: start, width: wide }, up, marks, gutter } = chart;
    const zero = { points: [[start, up(0)], [start + wide, up(0)]], color: "var(--field)" };
    this.#svg.replaceChildren(
      this.#label,
      ...makeSvgMarks([
        ...marks,
        ...range.low < 0 && range.high > 0 ? [zero] : [],
        ...markGaps(content, chart, range),
        ...markEvents(content, chart),
        ...markPickedValue(content, chart, range),
        ...nameMarks(content, chart, span),
      ]),
    );
    return gutter;
  }
}

/** The line of the picked item, with a ring around its value. */
function markPickedValue({ picked }: Content, { plot, across, up }: Chart, { low, high }: Range): Mark[] {
  if (picked === null) return [];
  const { line, value } = picked;
  const x = across(line);
  if (x < plot.left || x > plot.left + plot.width) return [];
  const style = { color: "var(--accent)", width: 2 };
  const points = [[x, plot.top], [x, plot.top + plot.height]];
  const isIn = value !== null && value >= low && value <= high;
  return [{ points, ...style }, ...isIn ? [{ ring: [x, up(value), 6] as const, ...style }] : []];
}

function markGaps({ gaps = [] }: Content, { plot, across, up }: Chart, { low, high }: Range): Mark[] {
  const yOf = (value: number) => value >= low && value <= high ? up(value) : up(low) - 6;
  return gaps.map(({ line, value }) => [across(line), yOf(value)] as const)
    .filter(([x]) => x >= plot.left && x <= plot.left + plot.width)
    .flatMap(([x, y]) =>
      [3, -3].map((part) => ({ points: [[x - 3, y - part], [x + 3, y + part]], color: INK }))
    );
}

/** Draws marks on the canvas, cut at the edges of the plot. */
function drawInPlot({ context, plot }: Chart, marks: readonly Mark[]) {
  context.save();
  context.beginPath();
  context.rect(plot.left, plot.top, plot.width, plot.height);
  context.clip();
  drawCanvasMarks(context, marks, INK);
  context.restore();
}

/** A dot for each value; an arrow at the edge if it is out of range. */
const markValues = (
  { points }: Content,
  { across, up }: Chart,
  { low, high }: Range,
  color: string,
): Mark[] =>
  points.map(({ line, value, opacity, color: own }) => {
    const style = { fill: own || color, opacity };
    const x = across(line);
    if (value >= low && value <= high) return { ring: [x, up(value), 2.5], ...style };
    const [y, away] = value > high ? [up(high), 6] : [up(low), -6];
    return { points: [[x, y], [x + 4, y + away], [x - 4, y + away]], ...style };
  });

/** The areas of standard errors, result by result. */
const markValueSpreads = ({ points }: Content, chart: Chart, color: string): Mark[] =>
  [...Map.groupBy(points, ({ of }) => of).values()].flatMap((ofResult) => {
    const values = ofResult.map(({ line, value, spread }) => ({ x: line, value, spread }));
    return markSpreads(values, chart, ofResult[0]?.color || color);
  });

function markEvents({ events = [], cursors, level }: Content, { plot, across, up }: Chart): Mark[] {
  const { left, top } = plot;
  const [right, bottom] = [left + plot.width, top + plot.height];
  const isInside = (x: number) => x >= left && x <= right;
  const peaks = events.map(across).filter(isInside).map((x) => ({
    points: [[x - 4, top], [x + 4, top], [x, top + 7], [x - 4, top]],
    color: INK,
    width: 1.5,
  }));
  const lines = cursors.filter(({ line }) => isInside(across(line))).flatMap(({ line, label, isRaised }) => {
    const [x, y] = [across(line), bottom - 8 - (isRaised ? LABEL : 0)];
    const isAtRight = x + 4 + measureLabel(label) > right;
    return [
      { points: [[x, top], [x, bottom]], color: INK, dash: "4 3" },
      textMark(label, isAtRight ? x - 4 : x + 4, y, isAtRight ? "end" : "start"),
    ];
  });
  const levels = level === null
    ? []
    : [{ points: [[left, up(level)], [right, up(level)]], color: INK, dash: "2 3" }];
  return [...peaks, ...lines, ...levels];
}

/** The names of curves or points at their right ends, or in a legend if there is no room for them. */
function nameMarks(content: Content, chart: Chart, span: ChartSpan): Mark[] {
  const { legend = [] } = content;
  if (legend.length < 2) return [];
  const { plot, up } = chart;
  // Above the curve, since the plot is as wide as the picture.
  const heights = endLabels(legend.map((_, i) => up(findEndOfCurve(content, i, span)) - 9), plot);
  const widest = Math.max(...legend.map(({ name }) => measureLabel(name)));
  // On a phone, names of regions with their channels would hide the curves; colours stand for regions in the picture, too.
  const isHiding = (content.short?.length ?? 0) > 1 && widest > WIDEST_NAME * plot.width;
  if (heights === null || isHiding) return legendMarks(content, chart);
  const right = plot.left + plot.width - 6;
  // Grounds come first: one would cut the name above it.
  return [
    ...legend.map(({ name }, i) => ({
      points: [[right - measureLabel(name) - 3, heights[i]!], [right + 3, heights[i]!]],
      color: "var(--surface)",
      width: NAME_HEIGHT,
    })),
    ...legend.map(({ name, color = INK }, i) => ({
      ...textMark(name, right, heights[i]!, "end"),
      color: darkenOnGround(color),
    })),
  ];
}

/** The last visible value at the right of curve or result i; NaN without one. */
function findEndOfCurve(
  { curves, points }: Content,
  i: number,
  { from, to, isReversed = false }: ChartSpan,
): number {
  const isSeen = (line: number) => line >= from && line < to;
  if (points.length > 0) {
    const seen = ({ line, of }: typeof points[number]) => of === i && isSeen(line);
    return (isReversed ? points.find(seen) : points.findLast(seen))?.value ?? NaN;
  }
  const { values = new Float64Array() } = curves[i] ?? {};
  const seen = values.subarray(Math.max(0, Math.ceil(from)), Math.floor(to));
  return (isReversed ? seen.find(Number.isFinite) : seen.findLast(Number.isFinite)) ?? NaN;
}

/** In the upper right corner, below the marks of events. */
function legendMarks({ legend = [], short = legend, events = [] }: Content, { plot }: Chart): Mark[] {
  if (short.length < 2) return [];
  let right = plot.left + plot.width - 8;
  const y = plot.top + (events.length === 0 ? 10 : 18);
  return short.toReversed().flatMap(({ name, dash = "", color = INK }) => {
    const start = right - measureLabel(name);
    right = start - 40;
    if (right < plot.left) return [];
    const line = { points: [[start - 28, y], [start - 6, y]], color, width: 1.5 };
    return [dash === "" ? line : { ...line, dash }, textMark(name, start, y, "start")];
  });
}

const textMark = (text: string, x: number, y: number, anchor: "start" | "end"): Mark => ({
  text,
  at: [x, y],
  anchor,
  color: INK,
  halo: true,
});
