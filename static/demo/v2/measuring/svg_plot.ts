/**
 * A plot of traces as an SVG file on a light background: axes with ticks and titles, a line per trace with its standard
 * error, and names at the ends of lines or in a legend below. Styles are attributes, which drawing programs read; names
 * are escaped text.
 */
import { type FrameRange, layoutFrame, type PlotFrame } from "../picture/frame.ts";
import { endLabels } from "./end_labels.ts";
import { SPREAD_OPACITY, spreadAreas } from "./spread_areas.ts";
import type { Mark } from "../picture/marks.ts";

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

const SIZE = 12;

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
  const body = [
    `<rect width="${width}" height="${height}" fill="${escapeXml(ground)}"/>`,
    `<clipPath id="plot"><rect x="${roundForSvg(plot.left)}" y="${roundForSvg(plot.top)}" width="${
      roundForSvg(plot.width)
    }" height="${roundForSvg(plot.height)}"/></clipPath>`,
    ...marks.map((mark) => markElement(mark, ink)),
    `<g clip-path="url(#plot)" fill="none" stroke-width="1.25" stroke-linejoin="round">`,
    ...traces.flatMap((trace) => spreadElements(trace, { across, up })),
    ...traces.map((trace) => traceElement(trace, { x, plot, across, up })),
    "</g>",
    ...named.flatMap(({ name, color, dash = "" }, i) => {
      if (places !== null) return [textElement(name, [right, places[i]!], "start", false, color)];
      const at = height - legend + (i + 0.5) * LEGEND_LINE;
      return [
        `<line x1="${roundForSvg(plot.left)}" x2="${
          roundForSvg(plot.left + 28)
        }" y1="${at}" y2="${at}" stroke="${escapeXml(color)}" stroke-width="2"${formatDash(dash)}/>`,
        textElement(name, [plot.left + 34, at], "start", false, ink),
      ];
    }),
    ...(note === "" ? [] : [textElement(note, [plot.left, height - LEGEND_LINE / 2], "start", false, ink)]),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${
    escapeXml(font)
  }" font-size="${SIZE}" color="${escapeXml(ink)}">\n${body.join("\n")}\n</svg>\n`;
}

function markElement(mark: Mark, ink: string) {
  if (mark.text !== undefined) {
    return textElement(mark.text, mark.at!, mark.anchor!, mark.turned === true, ink);
  }
  return `<polyline points="${points(mark.points!)}" fill="none" stroke="${escapeXml(ink)}"/>`;
}

function textElement(
  text: string,
  [x, y]: readonly [number, number],
  anchor: string,
  isTurned: boolean,
  ink: string,
): string {
  const turn = isTurned ? ` transform="rotate(-90 ${roundForSvg(x)} ${roundForSvg(y)})"` : "";
  // Few drawing programs support dominant-baseline: a third of the font size centres the text.
  const place = `x="${roundForSvg(x)}" y="${roundForSvg(y)}" dy="${SIZE / 3}"`;
  return `<text ${place} text-anchor="${anchor}" fill="${escapeXml(ink)}"${turn}>${escapeXml(text)}</text>`;
}

function traceElement(
  { x, y, color, dash = "", isDots = false, radius = 2 }: PlotTrace,
  frame: {
    x: { low: number; high: number };
    plot: { width: number };
    across: (value: number) => number;
    up: (value: number) => number;
  },
) {
  const seen = [...thinOut(x, y, frame.x, frame.plot.width * POINTS_A_PIXEL)];
  const stroke = escapeXml(color);
  if (isDots) {
    return seen.filter((i) => Number.isFinite(y[i])).map((i) =>
      `<circle cx="${roundForSvg(frame.across(x[i]!))}" cy="${
        roundForSvg(frame.up(y[i]!))
      }" r="${radius}" fill="${stroke}"/>`
    ).join("\n");
  }
  const runs: [number, number][][] = [[]];
  for (const i of seen) {
    if (Number.isFinite(y[i])) runs[runs.length - 1]!.push([frame.across(x[i]!), frame.up(y[i]!)]);
    else if (runs[runs.length - 1]!.length > 0) runs.push([]);
  }
  return runs.filter((run) => run.length > 0)
    .map((run) => `<polyline points="${points(run)}" stroke="${stroke}"${formatDash(dash)}/>`).join("\n");
}

/** The last visible value; NaN without one. */
function findEndOfTrace({ x, y }: PlotTrace, { low, high }: { low: number; high: number }): number {
  let i = y.length - 1;
  while (i >= 0 && !(x[i]! >= low && x[i]! <= high && Number.isFinite(y[i]))) i -= 1;
  return y[i] ?? NaN;
}

/** The areas of standard errors. */
function spreadElements(
  { x, y, color, spread }: PlotTrace,
  frame: { across: (value: number) => number; up: (value: number) => number },
): string[] {
  if (spread === undefined) return [];
  const values = Array.from(x, (place, i) => ({ x: place, value: y[i]!, spread: spread[i]! }));
  return spreadAreas(values, frame).map((corners) =>
    `<polygon points="${points(corners)}" fill="${escapeXml(color)}" fill-opacity="${SPREAD_OPACITY}"/>`
  );
}

const formatDash = (dash: string) => dash === "" ? "" : ` stroke-dasharray="${escapeXml(dash)}"`;

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

const points = (places: readonly (readonly number[])[]) =>
  places.map(([x, y]) => `${roundForSvg(x!)},${roundForSvg(y!)}`).join(" ");

const roundForSvg = (value: number) => Math.round(value * 100) / 100;

/** Escapes text for XML 1.0, without control characters. */
export const escapeXml = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, " ").replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;");
