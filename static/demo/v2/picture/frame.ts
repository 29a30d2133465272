/**
 * Lays out the frame around a plot: position of the plot in its box, and ticks, labels and titles as marks (marks.ts).
 * Margins follow label widths; labels that would touch a neighbour or the edge of the box are omitted.
 */
import { placeTicks } from "../../../measure/axes.ts";
import type { Mark } from "./marks.ts";

const [LINE, GAP, TICK] = [14, 6, 4];

/** Least height of a box with titles, in CSS pixels: in lower ones, ticks and picture come first. */
const ROOM_FOR_TITLES = 110;

/** Least width and height of a plot, in CSS pixels: a thinner one is hard to point at. */
const THINNEST = 8;

/** Least vertical distance of ticks in CSS pixels, beside pictures and in strips. */
const [TICK_ROOM, STRIP_TICK_ROOM] = [34, 26];

/** Least distance of ticks at which digits do not touch, in CSS pixels. */
const LEAST_ROOM = 11;

/** Where a plot lies in its box, in CSS pixels. */
export type PlotBox = { left: number; top: number; width: number; height: number };

/** `gutter` is the width that labels and title need at the left. */
export type PlotFrame = { plot: PlotBox; marks: Mark[]; gutter: number };

/** Values at both edges of a plot along an axis, and the title of the axis. */
export interface FrameRange {
  low: number;
  high: number;
  title: string;
  /** Names of places, instead of numbers at ticks. */
  names?: readonly { value: number; label: string }[];
}

/** What a frame is laid out for. */
export interface FrameOptions {
  /** Size of the box in CSS pixels. */
  width: number;
  height: number;
  /** Visible range, left to right; `low` may be the larger. */
  x: FrameRange;
  /** Visible range, top to bottom. */
  y: FrameRange;
  /** Width-to-height ratio of the plot, or null to fill the box. */
  aspect: number | null;
  /** Width of a label in CSS pixels. */
  measure: (text: string) => number;
  /** Least width at the left of the plot. */
  gutter?: number;
  /** Left and right edge of the plot above, to align with. */
  edges?: { left: number; width: number } | null;
  /** Equal parts of the plot, one below the other, each with the range of y. */
  bands?: number;
  /** Moves the plot to whole pixels of the screen. */
  snap?: (plot: PlotBox) => PlotBox;
  /** Whether the box is low and stands alone: it keeps its titles, with denser ticks. */
  isStrip?: boolean;
  /** Whether labels and title of x stand elsewhere. */
  isShared?: boolean;
}

/** Places the plot in its box with its frame. */
export function layoutFrame(options: FrameOptions): PlotFrame {
  const { height, measure, isStrip = false, isShared = false } = options;
  const hasTitles = height >= ROOM_FOR_TITLES || isStrip;
  const titled = (axis: FrameRange) => hasTitles ? axis : { ...axis, title: "" };
  const [x, y] = [titled(options.x), titled(options.y)];
  const bottom = isShared ? GAP : LINE + GAP + TICK + (x.title === "" ? 0 : LINE + 2);
  const titleLines = turnTitle(y.title, height, isStrip, measure);
  const titleY = titleLines.length === 0 ? 0 : titleLines.length * LINE + 4;
  const { plot, labels, widest } = placePlot(options, y, bottom, titleY);
  return {
    plot,
    marks: [
      outline(plot),
      ...drawMarksBeside(plot, labels, options.bands),
      ...drawMarksBelow(plot, x, bottom, options),
      ...drawTitle(plot, y, titleLines, widest, options),
    ],
    gutter: widest + GAP + TICK + titleY,
  };
}

/** A tick with its label, at a part of an axis. */
type TickLabel = { label: string; part: number };

/**
 * The plot in its box, and the labels beside it: labels take width, width decides the height if the aspect is kept, and height
 * decides the labels.
 *
 * @param bottom room below the plot
 * @param titleY room for the title at the left
 */
function placePlot(
  { width, height, aspect, measure, gutter = 0, edges = null, bands = 1, isStrip = false, ...rest }:
    FrameOptions,
  y: FrameRange,
  bottom: number,
  titleY: number,
): { plot: PlotBox; labels: TickLabel[]; widest: number } {
  const { snap = (plot: PlotBox) => plot } = rest;
  const top = Math.ceil(LINE / 2) + 2;
  const room = Math.max(20, height - top - bottom);
  const labelsOf = (high: number) =>
    isStrip ? chooseSomeLabels(y, high) : makeTickLabels(y, high / bands / TICK_ROOM);
  let [labels, widest] = [labelsOf(room), 0];
  let plot: PlotBox = { left: 0, top: 0, width: 0, height: 0 };
  for (let round = 0; round < 3; round += 1) {
    widest = Math.max(widest, ...labels.map(({ label }) => Math.ceil(measure(label))));
    const left = edges?.left ?? Math.max(gutter, widest + GAP + TICK + titleY);
    const across = edges?.width ?? Math.max(20, width - left - 14);
    plot = snap(fit({ left, top, width: across, height: room }, aspect));
    labels = labelsOf(plot.height);
  }
  return { plot, labels, widest };
}

/** Ticks and labels at the left of each band, and lines between bands. */
function drawMarksBeside(plot: PlotBox, labels: readonly TickLabel[], bands = 1): Mark[] {
  const marks: Mark[] = [];
  for (let band = 0; band < bands; band += 1) {
    const edge = plot.top + band * plot.height / bands;
    if (band > 0) marks.push({ points: [[plot.left, edge], [plot.left + plot.width, edge]] });
    for (const { label, part } of labels) {
      const at = edge + part * plot.height / bands;
      // The last label of the band above is equally near the dividing line.
      if (band > 0 && part * plot.height / bands < LINE / 2) continue;
      marks.push({ points: [[plot.left - TICK, at], [plot.left, at]] });
      marks.push({ text: label, at: [plot.left - TICK - 3, at], anchor: "end" });
    }
  }
  return marks;
}

/** Ticks, labels and title below the plot. */
function drawMarksBelow(
  plot: PlotBox,
  x: FrameRange,
  bottom: number,
  { width, measure, isShared = false }: FrameOptions,
): Mark[] {
  const base = plot.top + plot.height;
  const marks: Mark[] = thinLabels(x, plot, width, measure).flatMap(({ label, part }) => {
    const at = plot.left + part * plot.width;
    const tick: Mark = { points: [[at, base], [at, base + TICK]] };
    return isShared ? [tick] : [tick, { text: label, at: [at, base + TICK + GAP + 3], anchor: "middle" }];
  });
  if (x.title === "" || isShared) return marks;
  const half = measure(x.title) / 2;
  const at = Math.max(half, Math.min(width - half, plot.left + plot.width / 2));
  return [...marks, { text: x.title, at: [at, base + bottom - LINE / 2], anchor: "middle" }];
}

/** The title of the vertical axis, at the left or, in a low box without room there, in the plot. */
function drawTitle(
  plot: PlotBox,
  { title }: FrameRange,
  lines: readonly string[],
  widest: number,
  { measure, isStrip = false }: FrameOptions,
): Mark[] {
  const last = plot.left - widest - GAP - TICK - LINE / 2 - 2;
  const first = last - (lines.length - 1) * LINE;
  // Edges given from outside may leave no room.
  if (lines.length > 0 && first >= LINE / 2 - 1) {
    return lines.map((text, i) => ({
      text,
      at: [first + i * LINE, Math.max(measure(text) / 2, plot.top + plot.height / 2)],
      anchor: "middle",
      turned: true,
    }));
  }
  if (title === "" || !isStrip) return [];
  return [{ text: title, at: [plot.left + GAP, plot.top + LINE / 2 + 2], anchor: "start", halo: true }];
}

/** A title along the vertical axis; in a low box its unit may have a line of its own. Empty if it does not fit. */
function turnTitle(
  title: string,
  height: number,
  isStrip: boolean,
  measure: (text: string) => number,
): string[] {
  const choices = [[title], ...isStrip ? [title.split(/ (?=\()/)] : []];
  const fits = (lines: readonly string[]) => lines.every((line) => measure(line) <= height);
  return title === "" ? [] : choices.find(fits) ?? [];
}

function fit(area: PlotBox, aspect: number | null) {
  if (aspect === null) return area;
  const width = Math.max(THINNEST, Math.min(area.width, area.height * aspect));
  const height = Math.max(THINNEST, Math.min(area.height, area.width / aspect));
  return { ...area, left: area.left + (area.width - width) / 2, width, height };
}

function makeTickLabels({ low, high, names }: Omit<FrameRange, "title">, most: number) {
  const part = (value: number) => (value - low) / (high - low);
  if (names !== undefined) return names.map(({ value, label }) => ({ label, part: part(value) }));
  const { values, labels } = placeTicks(Math.min(low, high), Math.max(low, high), Math.max(1, most));
  return values.map((value, i) => ({ label: labels[i]!, part: part(value) }));
}

/** Labels of a low box: three or more if they fit below each other. */
function chooseSomeLabels(axis: FrameRange, height: number): { label: string; part: number }[] {
  let labels = makeTickLabels(axis, height / STRIP_TICK_ROOM);
  for (let most = 2; labels.length < 3; most += 0.5) {
    const more = makeTickLabels(axis, most);
    const [first, second] = more;
    if (second !== undefined && Math.abs(second.part - first!.part) * height < LEAST_ROOM) break;
    if (most * LEAST_ROOM > 2 * height) break;
    labels = more;
  }
  return labels;
}

/** Height of {@linkcode drawAxisStrip}, in CSS pixels. */
export const STRIP_HEIGHT: number = TICK + GAP + LINE;

/**
 * The horizontal axis that several plots share, below all of them, with its title at the left.
 *
 * @param edges of the plots
 * @param width of the box in CSS pixels
 * @param measure width of a label in CSS pixels
 */
export function drawAxisStrip(
  x: FrameRange,
  edges: { left: number; width: number },
  width: number,
  measure: (text: string) => number,
): Mark[] {
  const plot = { ...edges, top: 0, height: 0 };
  const at = TICK + GAP + 3;
  const end = Math.max(measure(x.title), plot.left - LINE);
  const labels = thinLabels(x, plot, width, measure)
    .map(({ label, part }) => ({ label, across: plot.left + part * plot.width }))
    .filter(({ label, across }) => across - measure(label) / 2 > end + GAP / 2);
  return [
    { text: x.title, at: [end, at], anchor: "end" },
    ...labels.map(({ label, across }): Mark => ({ text: label, at: [across, at], anchor: "middle" })),
  ];
}

/** Labels of the horizontal axis, thinned out until none touch. */
function thinLabels(
  axis: FrameRange,
  plot: PlotBox,
  width: number,
  measure: (text: string) => number,
): { label: string; part: number }[] {
  let shown: { label: string; part: number }[] = [];
  for (let most = Math.max(1, Math.floor(plot.width / 50)); most >= 1; most = Math.floor(most * 0.7)) {
    shown = makeTickLabels(axis, most).filter(({ label, part }) => {
      const at = plot.left + part * plot.width;
      return at - measure(label) / 2 >= 0 && at + measure(label) / 2 <= width;
    });
    const touching = shown.some(({ label, part }, i) => {
      const next = shown[i + 1];
      return next !== undefined &&
        Math.abs(next.part - part) * plot.width < (measure(label) + measure(next.label)) / 2 + 10;
    });
    if (!touching) return shown;
  }
  return shown.slice(0, 1);
}

/** Lies half a pixel outside, so that the line covers no sample and falls on whole pixels. */
function outline(plot: PlotBox): Mark {
  const [left, top] = [plot.left - 0.5, plot.top - 0.5];
  const [right, bottom] = [left + plot.width + 1, top + plot.height + 1];
  return { points: [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]] };
}
