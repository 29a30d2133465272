/**
 * A plot of traces as an SVG file on a light background: axes with ticks and titles, a line per trace with its standard
 * error, and names at the ends of lines or in a legend below. Styles are attributes, which drawing programs read; names
 * are escaped text.
 */
import { type FrameRange, layoutFrame, type PlotFrame } from "../picture/frame.ts";
import { endLabels } from "./end_labels.ts";
import { markSpreads } from "./spread_areas.ts";
import { describeMark, LABEL_SIZE, type Mark } from "../picture/marks.ts";

/** One curve of a plot; `x` and `y` are equally long. */
export interface PlotTrace {
  name: string;
  /** Any CSS colour. */
  color: string;
  /** Ascending. */
  x: ArrayLike<number>;
  /** NaN breaks the line. */
  y: ArrayLike<number>;
  /** Standard errors, drawn as a band; NaN where unknown. */
  spread?: ArrayLike<number>;
  /** Lengths of strokes and gaps. */
  dash?: string;
  /** Points instead of a line. */
  isDots?: boolean;
  /** Radius of points in CSS pixels. */
  radius?: number;
}

/** A plot with its axes. */
export interface SvgPlot {
  /** Width in CSS pixels. */
  width: number;
  height: number;
  x: FrameRange;
  /** `low` is at the bottom. */
  y: { low: number; high: number; title: string };
  traces: readonly PlotTrace[];
  /** Note below the plot. */
  note?: string;
  /** Whether the plot is low, with denser ticks. */
  isStrip?: boolean;
}

/** Colours and font of a plot. */
export interface PlotLook {
  ground: string;
  ink: string;
  font: string;
}

/** How saved plots look. */
const PAPER: PlotLook = { ground: "#ffffff", ink: "#1a1f26", font: "Helvetica, Arial, sans-serif" };

/** Distance of names from the ends of lines, in CSS pixels, and the greatest part of the width that they take. */
const [NAME_GAP, NAME_PART] = [6, 0.3];

/** Height of a line of the legend, in CSS pixels. */
const LEGEND_LINE = 16;

/** Most points per pixel: further ones are invisible and enlarge the file. */
const POINTS_A_PIXEL = 4;

/**
 * Draws a plot as an SVG document.
 *
 * @param measure width of a label in CSS pixels
 * @returns an SVG document
 */
export function drawSvgPlot(
  { width, height, x, y, traces, note = "", isStrip = false }: SvgPlot,
  measure: (text: string) => number,
  { ground, ink, font }: PlotLook = PAPER,
): string {
  const named = traces.filter(({ name }) => name !== "");
  const ends = named.map((trace) => findEndOfTrace(trace, x));
  /** The frame with names at the ends of lines, or in lines below the plot. */
  const framed = (names: number, lines: number) =>
    layoutFrame({
      width: width - names,
      height: height - (lines + (note === "" ? 0 : 1)) * LEGEND_LINE,
      x,
      y: { low: y.high, high: y.low, title: y.title },
      aspect: null,
      measure,
      isStrip,
    });
  const upIn = ({ top, height }: PlotFrame["plot"]) => (value: number) =>
    top + (y.high - value) / (y.high - y.low) * height;
  const widest = Math.max(0, ...named.map(({ name }) => measure(name)));
  const beside = framed(widest, 0);
  const places = widest > NAME_PART * width ? null : endLabels(ends.map(upIn(beside.plot)), beside.plot);
  const { plot, marks } = places === null ? framed(0, named.length) : beside;
  const up = upIn(plot);
  const across = (value: number) => plot.left + (value - x.low) / (x.high - x.low) * plot.width;
  const legend = (named.length + (note === "" ? 0 : 1)) * LEGEND_LINE;
  const right = plot.left + plot.width + NAME_GAP;
  const frame = { across, up };
  const body = [
    `<rect width="${width}" height="${height}" fill="${escapeXml(ground)}"/>`,
    `<clipPath id="plot"><rect x="${roundForSvg(plot.left)}" y="${roundForSvg(plot.top)}" width="${
      roundForSvg(plot.width)
    }" height="${roundForSvg(plot.height)}"/></clipPath>`,
    ...writeMarks(marks, ink),
    `<g clip-path="url(#plot)">`,
    ...writeMarks(traces.flatMap((trace) => markTraceSpread(trace, frame)), ink),
    ...writeMarks(traces.flatMap((trace) => markTrace(trace, frame, x, plot)), ink),
    "</g>",
    ...writeMarks(
      named.flatMap(({ name, color, dash }, i): Mark[] => {
        if (places !== null) return [{ text: name, at: [right, places[i]!], anchor: "start", color }];
        const at = height - legend + (i + 0.5) * LEGEND_LINE;
        const line = { points: [[plot.left, at], [plot.left + 28, at]], color, width: 2 };
        return [{ ...line, ...dash && { dash } }, { text: name, at: [plot.left + 34, at], anchor: "start" }];
      }),
      ink,
    ),
    ...(note === ""
      ? []
      : writeMarks([{ text: note, at: [plot.left, height - LEGEND_LINE / 2], anchor: "start" }], ink)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${
    escapeXml(font)
  }" font-size="${LABEL_SIZE}" color="${escapeXml(ink)}">\n${body.join("\n")}\n</svg>\n`;
}

/** SVG text of marks. @param ink colour of those that have none */
const writeMarks = (marks: readonly Mark[], ink: string): string[] =>
  marks.flatMap((mark) => describeMark(mark, ink)).map(({ tag, attributes, text }) => {
    const stated = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`).join("");
    return text === undefined ? `<${tag}${stated}/>` : `<${tag}${stated}>${escapeXml(text)}</${tag}>`;
  });

/** Places of values in a plot, in CSS pixels. */
type PlotScale = { across: (value: number) => number; up: (value: number) => number };

/** The dots of a trace, or its lines, which gaps part. */
function markTrace(
  { x, y, color, dash, isDots = false, radius = 2 }: PlotTrace,
  { across, up }: PlotScale,
  range: { low: number; high: number },
  plot: { width: number },
): Mark[] {
  const seen = [...thinOut(x, y, range, plot.width * POINTS_A_PIXEL)];
  if (isDots) {
    return seen.filter((i) => Number.isFinite(y[i])).map((i) => ({
      ring: [across(x[i]!), up(y[i]!), radius],
      fill: color,
    }));
  }
  const runs: [number, number][][] = [];
  let run: [number, number][] = [];
  for (const i of seen) {
    if (!Number.isFinite(y[i])) run = [];
    else if (run.push([across(x[i]!), up(y[i]!)]) === 1) runs.push(run);
  }
  return runs.map((points) => ({ points, color, width: 1.25, ...dash && { dash } }));
}

/** The last visible value; NaN without one. */
function findEndOfTrace({ x, y }: PlotTrace, { low, high }: { low: number; high: number }): number {
  let i = y.length - 1;
  while (i >= 0 && !(x[i]! >= low && x[i]! <= high && Number.isFinite(y[i]))) i -= 1;
  return y[i] ?? NaN;
}

/** The area of the standard errors of a trace. */
function markTraceSpread({ x, y, color, spread }: PlotTrace, scale: PlotScale): Mark[] {
  if (spread === undefined) return [];
  const values = Array.from(x, (place, i) => ({ x: place, value: y[i]!, spread: spread[i]! }));
  return markSpreads(values, scale, color);
}

/** Indices of the visible values; if they are many, of the minimum and maximum in each step. */
function* thinOut(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  range: { low: number; high: number },
  most: number,
): Generator<number, void, unknown> {
  let first = 0;
  while (first + 1 < x.length && x[first + 1]! < range.low) first += 1;
  let end = x.length;
  while (end - 1 > first && x[end - 2]! > range.high) end -= 1;
  const step = Math.max(1, Math.ceil(2 * (end - first) / most));
  for (let start = first; start < end; start += step) {
    if (step <= 2) {
      for (let i = start; i < Math.min(end, start + step); i += 1) yield i;
      continue;
    }
    let [low, high] = [start, start];
    for (let i = start; i < Math.min(end, start + step); i += 1) {
      if (y[i]! < y[low]! || !(y[low] === y[low])) low = i;
      if (y[i]! > y[high]! || !(y[high] === y[high])) high = i;
    }
    yield Math.min(low, high);
    if (low !== high) yield Math.max(low, high);
  }
}

const roundForSvg = (value: number) => Math.round(value * 100) / 100;

/** Escapes text for XML 1.0, without control characters. */
export const escapeXml = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, " ").replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;");
