/**
 * A chart over time directly below a line scan, aligned with its edges: curves on a canvas, labels as SVG over it.
 *
 * @typedef {object} ChartPoint
 * @property {number} line position in lines; the middle of line 0 is 0
 * @property {number} value
 * @property {string} color
 * @property {number} [opacity]
 *
 * @typedef {object} ChartContent
 * @property {readonly ChartCurve[]} curves
 * @property {readonly ChartPoint[]} [points]
 * @property {readonly number[]} [events] lines marked above
 * @property {readonly {line: number, label: string, isRaised?: boolean}[]} [cursors] a raised label leaves room for another below it
 * @property {number | null} [level] a threshold
 * @property {number} [least] least extent of the range as a fraction of the greatest value
 * @property {string} title of the values
 * @property {readonly {name: string, dash: string}[]} [legend] meaning of dashed lines
 */
import { axisTitle, ticks, toPhysical } from "../../../measure/axes.js";
import { drawCurves } from "../picture/curve_image.js";
import { element, svgElement } from "../controls/element.js";
import { measureLabel, svgMarks } from "../picture/marks.js";
import { curveColumns } from "./trace_curves.js";

/** @import { Mark } from "../picture/marks.js" */
/** @import { ChartCurve } from "./trace_curves.js" */

/**
 * @typedef {{left: number, top: number, width: number, height: number}} Area
 * @typedef {{across: (line: number) => number, up: (value: number) => number}} Placed
 *
 * @typedef {object} Span
 * @property {number} left edge in CSS pixels of the box
 * @property {number} width
 * @property {number} from line at the left edge
 * @property {number} to
 * @property {boolean} isMirrored whether time runs to the left
 * @property {boolean} isTitled whether the chart has a title for the horizontal axis
 * @property {{name: string, step: number, unit: string}} time
 */

/** @type {readonly ChartPoint[]} */
const NONE = [];

/** CSS pixels for the labels of the times, and for a title below them. */
const BELOW = 22;
const TITLE = 16;
const ABOVE = 8;
const TICK = 4;

/** From a label to the one above it. */
const LABEL = 15;

/** Least distance of value labels in CSS pixels. */
const VALUE_ROOM = 26;

/** Labels of times. */
const TIME_ROOM = 80;

/** One chart with its box. */
export class TraceChart {
  #canvas = element("canvas");
  #svg;
  #label;
  /** What the canvas shows. @type {unknown[]} */
  #drawn = [];
  #range = { low: 0, high: 1 };
  /** Width of the value labels in the last drawing, in CSS pixels. */
  gutter = 0;

  /** @param {string} label for screen readers */
  constructor(label) {
    this.#label = svgElement("title", {}, label);
    this.#svg = svgElement("svg", { role: "img", "aria-label": label });
    this.box = element("div", { className: "trace-chart" }, this.#canvas, this.#svg);
    this.box.hidden = true;
  }

  /**
   * @param {ChartContent} content
   * @param {Span} span
   */
  draw(content, span) {
    const { width, height } = this.box.getBoundingClientRect();
    if (width < 1 || height < 1) return;
    const below = BELOW + (span.isTitled ? TITLE : 0);
    const area = {
      left: span.left,
      width: span.width,
      top: ABOVE,
      height: Math.max(10, height - ABOVE - below),
    };
    const { curves, points = NONE } = content;
    const density = globalThis.devicePixelRatio;
    const { level = null, least = 0 } = content;
    const drawn = [
      width,
      height,
      density,
      ...Object.values(area),
      span.from,
      span.to,
      span.isMirrored,
      level,
      least,
      curves,
      points,
    ];
    // Moving the cursor changes only the marks.
    const isSame = drawn.every((part, i) => part === this.#drawn[i]);
    const range = isSame ? this.#range : rangeOf(content, span);
    const place = {
      across: (/** @type {number} */ line) =>
        area.left + (line + 0.5 - span.from) / (span.to - span.from) * area.width,
      up: (/** @type {number} */ value) =>
        area.top + (range.high - value) / (range.high - range.low) * area.height,
    };
    if (!isSame) this.#paint({ curves, points }, { size: { width, height }, span, area, range, place });
    [this.#drawn, this.#range] = [drawn, range];
    const seen = (/** @type {number} */ x) => span.isMirrored ? 2 * area.left + area.width - x : x;
    const placeSeen = { ...place, across: (/** @type {number} */ line) => seen(place.across(line)) };
    const marks = [
      ...valueMarks(range, area, place, content.title),
      ...timeMarks(span, area, { seen, end: width }),
    ];
    this.gutter = Math.max(...ticksOf(range, area).labels.map((text) => Math.ceil(measureLabel(text))), 0) +
      28;
    this.#svg.replaceChildren(
      this.#label,
      ...svgMarks([...marks, ...eventMarks(content, area, placeSeen), ...legendMarks(content, area)]),
    );
  }

  /**
   * @param {{curves: readonly ChartCurve[], points: readonly ChartPoint[]}} content
   * @param {{size: {width: number, height: number}, span: {from: number, to: number, isMirrored: boolean}, area: Area,
   *   range: {low: number, high: number}, place: Placed}} frame
   */
  #paint({ curves, points }, { size, span, area, range, place }) {
    const density = globalThis.devicePixelRatio;
    this.#canvas.width = Math.round(size.width * density);
    this.#canvas.height = Math.round(size.height * density);
    // The processor draws thousands of thin bars faster than a graphics card.
    const context = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext("2d", {
      willReadFrequently: true,
    }));
    const whole = (/** @type {number} */ part) => Math.round(part * density);
    const inside = {
      left: whole(area.left),
      top: whole(area.top),
      width: whole(area.width),
      height: whole(area.height),
    };
    if (span.isMirrored) context.setTransform(-1, 0, 0, 1, 2 * inside.left + inside.width, 0);
    const columns = curves.map((curve) => curveColumns(curve, span, inside.width, density));
    drawCurves(context, inside, columns, range, density);
    context.scale(density, density);
    context.beginPath();
    context.rect(area.left, area.top, area.width, area.height);
    context.clip();
    for (const point of points) drawPoint(context, point, place);
  }
}

/** Range of the visible values, with a margin. @type {(content: ChartContent, span: {from: number, to: number}) => {low: number, high: number}} */
export function rangeOf({ curves, points = NONE, level = null, least = 0 }, { from, to }) {
  let [low, high] = [Infinity, -Infinity];
  const take = (/** @type {number} */ value) => {
    if (!Number.isFinite(value)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  for (const { values } of curves) {
    for (let i = Math.max(0, Math.floor(from)); i < Math.min(values.length, Math.ceil(to)); i += 1) {
      take(values[i]);
    }
  }
  for (const { line, value } of points) if (line + 0.5 >= from && line + 0.5 <= to) take(value);
  if (level !== null) take(level);
  if (!(high >= low)) return { low: 0, high: 1 };
  const more = (least * Math.max(Math.abs(low), Math.abs(high)) - (high - low)) / 2;
  const margin = Math.max(more, (high - low) * 0.06) || Math.abs(high) * 0.05 || 0.5;
  return { low: low - margin, high: high + margin };
}

/** @param {CanvasRenderingContext2D} context @param {ChartPoint} point @param {{across: (line: number) => number, up: (value: number) => number}} place */
function drawPoint(context, { line, value, color, opacity = 1 }, { across, up }) {
  if (!Number.isFinite(value)) return;
  context.globalAlpha = opacity;
  context.fillStyle = color;
  context.beginPath();
  context.arc(across(line), up(value), 2.5, 0, 2 * Math.PI);
  context.fill();
  context.globalAlpha = 1;
}

/** @param {{low: number, high: number}} range @param {{height: number}} area */
const ticksOf = ({ low, high }, { height }) => ticks(low, high, Math.max(1, height / VALUE_ROOM));

/** @type {(range: {low: number, high: number}, area: any, place: {up: (value: number) => number}, title: string) => Mark[]} */
function valueMarks(range, area, { up }, title) {
  const { values, labels } = ticksOf(range, area);
  const marks = values.flatMap((value, i) => {
    const y = up(value);
    return /** @type {Mark[]} */ ([
      { points: [[area.left - TICK, y], [area.left, y]] },
      { text: labels[i], at: [area.left - TICK - 3, y], anchor: "end" },
    ]);
  });
  const widest = Math.max(0, ...labels.map((label) => measureLabel(label)));
  const x = area.left - TICK - 3 - widest - 10;
  if (x >= 6 && measureLabel(title) <= area.height + BELOW) {
    marks.push(
      {
        text: title,
        at: [x, area.top + area.height / 2],
        anchor: "middle",
        turned: true,
      },
    );
  }
  return marks;
}

/** Omits labels that would leave the box. @type {(span: Span, area: Area, across: {seen: (x: number) => number, end: number}) => Mark[]} */
function timeMarks({ from, to, time, isTitled }, area, { seen, end }) {
  const [low, high] = [toPhysical(time, from), toPhysical(time, to)];
  const base = area.top + area.height;
  const { values, labels } = ticks(low, high, Math.max(1, area.width / TIME_ROOM));
  /** @type {Mark[]} */
  const title = isTitled
    ? [{ text: axisTitle(time), at: [area.left + area.width / 2, base + 13 + TITLE], anchor: "middle" }]
    : [];
  return values.flatMap((value, i) => {
    const x = seen(area.left + (value - low) / (high - low) * area.width);
    const half = measureLabel(labels[i]) / 2;
    return /** @type {Mark[]} */ ([
      { points: [[x, base], [x, base + TICK]] },
      ...(x < half || x + half > end ? [] : [{ text: labels[i], at: [x, base + 13], anchor: "middle" }]),
    ]);
  }).concat(title);
}

/** @type {(content: ChartContent, area: any, place: {across: (line: number) => number, up: (value: number) => number}) => Mark[]} */
function eventMarks({ events = [], cursors = [], level = null }, area, { across, up }) {
  const [right, bottom] = [area.left + area.width, area.top + area.height];
  const isInside = (/** @type {number} */ x) => x >= area.left && x <= right;
  const marks = events.map(across).filter(isInside).map((x) => ({
    points: [[x - 4, area.top], [x + 4, area.top], [x, area.top + 7], [x - 4, area.top]],
    color: "#fff",
    width: 1.5,
  }));
  const lines = cursors.map(({ line, label, isRaised }) => ({
    x: across(line),
    y: bottom - 8 - (isRaised ? LABEL : 0),
    label,
  })).filter(({ x }) => isInside(x)).flatMap(({ x, y, label }) => /** @type {Mark[]} */ ([
    { points: [[x, area.top], [x, bottom]], color: "#fff", dash: "4 3" },
    // At the right edge the label is to the left.
    x + 4 + measureLabel(label) > right
      ? { text: label, at: [x - 4, y], anchor: "end", color: "#fff", halo: true }
      : { text: label, at: [x + 4, y], anchor: "start", color: "#fff", halo: true },
  ]));
  const levels = level === null
    ? []
    : [{ points: [[area.left, up(level)], [right, up(level)]], color: "#fff", dash: "2 3" }];
  return [...marks, ...lines, ...levels];
}

/** In the upper right corner, below the marks of events. @type {(content: ChartContent, area: any) => Mark[]} */
function legendMarks({ legend = [], events = [] }, area) {
  if (legend.length < 2) return [];
  let right = area.left + area.width - 8;
  const y = area.top + (events.length === 0 ? 10 : 18);
  return [...legend].reverse().flatMap(({ name, dash }) => {
    const start = right - measureLabel(name);
    right = start - 40;
    if (right < area.left) return [];
    /** @type {Mark} */
    const line = {
      points: [[start - 28, y], [start - 6, y]],
      color: "#fff",
      width: 1.5,
      ...(dash === "" ? {} : { dash }),
    };
    return /** @type {Mark[]} */ ([line, {
      text: name,
      at: [start, y],
      anchor: "start",
      color: "#fff",
      halo: true,
    }]);
  });
}
