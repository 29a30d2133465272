/**
 * A chart below a picture: curves on a canvas, frame and marks as SVG over it. It can align with the edges of the
 * picture. Curves are drawn column by column: in software rendering, a path through a thousand points takes longer than a
 * frame, a thousand rectangles do not.
 */
import { type Axis, formatAxisTitle, toPhysical } from "../../../measure/axes.ts";
import { fitCanvas } from "../controls/element.ts";
import { layoutFrame, type PlotBox, type PlotFrame } from "./frame.ts";
import { measureLabel } from "./marks.ts";

/** One value per screen column; NaN where missing. */
export interface Curve {
  /** CSS. */
  color: string;
  /** Lower edge of the band behind the line; null without a band. */
  lows: Float32Array | null;
  highs: Float32Array | null;
  /** Least value of the line within the column. */
  bottoms: Float32Array;
  tops: Float32Array;
}

/** The horizontal axis. */
export interface ChartSpan {
  axis: Axis;
  /** Position at the left edge; sample i covers i to i + 1. */
  from: number;
  to: number;
  /** Whether the first sample lies at the right. */
  isReversed?: boolean;
  /** Whether the labels of the axis stand elsewhere. */
  isShared?: boolean;
  /** Whether the chart is low: it keeps its titles, with denser ticks. */
  isStrip?: boolean;
  /** CSS colour behind the curves. */
  ground: string;
  /** Edges of the picture above, to align with. */
  edges?: { left: number; width: number } | null;
}

/** Values at the lower and upper edge. */
export type ChartRange = { low: number; high: number; title: string };

/** `across` is the middle of a sample, `up` the height of a value, in CSS pixels. */
export type Chart = PlotFrame & {
  context: CanvasRenderingContext2D;
  across: (sample: number) => number;
  up: (value: number) => number;
};

let asked: MediaQueryList | undefined;

/** Tells whether charts lie on a light ground, and when that changes. */
export const light = (): MediaQueryList => asked ??= matchMedia("(prefers-color-scheme: light)");

/** Darkens a colour on a light ground, to keep it visible. */
export const darkenOnGround = (color: string): string =>
  light().matches ? `color-mix(in srgb, ${color} 70%, black)` : color;

/** Opacity of the band behind the line. */
const BAND_OPACITY = 0.4;

/** Half the thickness of a line, in CSS pixels. */
const HALF_LINE = 0.75;

/**
 * Draws curves and lays out the frame around them.
 *
 * @param size CSS pixels
 * @param curvesOf curves of this many canvas columns, the first sample at the left
 */
export function drawChart(
  canvas: HTMLCanvasElement,
  { width, height }: { width: number; height: number },
  span: ChartSpan,
  range: ChartRange,
  curvesOf: (columns: number) => readonly Curve[],
): Chart {
  const {
    axis,
    from,
    to,
    isReversed = false,
    isShared = false,
    edges = null,
    isStrip = false,
    ground,
  } = span;
  const [left, right] = isReversed ? [to, from] : [from, to];
  const frame = layoutFrame({
    width,
    height,
    edges,
    x: {
      low: toPhysical(axis, left),
      high: toPhysical(axis, right),
      title: formatAxisTitle(axis),
    },
    // Values grow upwards.
    y: { low: range.high, high: range.low, title: range.title },
    aspect: null,
    measure: measureLabel,
    isStrip,
    isShared,
  });
  const { plot } = frame;
  const density = globalThis.devicePixelRatio;
  fitCanvas(canvas, width, height);
  // The processor draws thousands of thin bars faster than a graphics card.
  const context = canvas.getContext("2d", {
    willReadFrequently: true,
  }) as CanvasRenderingContext2D;
  context.resetTransform();
  context.clearRect(0, 0, canvas.width, canvas.height);
  const [x, y, wide, high] = [plot.left, plot.top, plot.width, plot.height].map((part) =>
    Math.round(part * density)
  ) as [number, number, number, number];
  const curves = curvesOf(wide);
  context.fillStyle = ground;
  context.fillRect(x, y, wide, high);
  const area = { left: x, top: y, width: wide, height: high };
  drawCurves(context, area, curves, range, density, isReversed);
  context.scale(density, density);
  return {
    ...frame,
    context,
    across: (sample) => plot.left + (sample + 0.5 - left) / (right - left) * plot.width,
    up: (value) => plot.top + (range.high - value) / (range.high - range.low) * plot.height,
  };
}

/** Draws all bands and then all lines in an area of canvas pixels, with as many columns as curves have. */
function drawCurves(
  context: CanvasRenderingContext2D,
  area: PlotBox,
  curves: readonly Curve[],
  { low, high }: ChartRange,
  density: number,
  isReversed: boolean,
): void {
  const scale = area.height / (high - low);
  const fill = (
    tops: Float32Array,
    bottoms: Float32Array,
    more: number,
  ) => {
    for (let x = 0; x < area.width; x += 1) {
      const top = Math.max(0, (high - tops[x]!) * scale - more);
      const bottom = Math.min(area.height, (high - bottoms[x]!) * scale + more);
      const column = isReversed ? area.width - 1 - x : x;
      // False if there is no value (NaN).
      if (bottom > top) context.fillRect(area.left + column, area.top + top, 1, bottom - top);
    }
  };
  context.globalAlpha = BAND_OPACITY;
  for (const { color, lows, highs } of curves) {
    context.fillStyle = color;
    // Adds half a pixel to keep flat parts visible.
    if (lows !== null && highs !== null) fill(highs, lows, 0.5);
  }
  context.globalAlpha = 1;
  for (const { color, bottoms, tops } of curves) {
    context.fillStyle = color;
    fill(tops, bottoms, HALF_LINE * density);
  }
}

/** Extent of a line through the values within each column: halfway to both neighbours. */
export function connectAcrossColumns(values: Float32Array): {
  bottoms: Float32Array<ArrayBuffer>;
  tops: Float32Array<ArrayBuffer>;
} {
  const [bottoms, tops] = [values.slice(), values.slice()];
  for (let i = 1; i < values.length; i += 1) {
    const middle = (values[i - 1]! + values[i]!) / 2;
    // NaN if either value is NaN.
    if (middle !== middle) continue;
    for (const at of [i - 1, i]) {
      if (middle < bottoms[at]!) bottoms[at] = middle;
      if (middle > tops[at]!) tops[at] = middle;
    }
  }
  return { bottoms, tops };
}

/**
 * Extent of a line through the sample centres within each of `count` columns. NaN and infinities break the line; an
 * isolated sample is a dot of up to three columns.
 *
 * @param from position at the left edge; sample i covers i to i + 1
 * @param to position at the right edge
 * @param count columns, no fewer than positions
 */
export function connectSamples(samples: Float32Array, from: number, to: number, count: number): {
  bottoms: Float32Array<ArrayBuffer>;
  tops: Float32Array<ArrayBuffer>;
} {
  const [bottoms, tops] = [new Float32Array(count).fill(NaN), new Float32Array(count).fill(NaN)];
  const widen = (x: number, value: number) => {
    if (x < 0 || x >= count || value - value !== 0) return;
    if (!(bottoms[x]! <= value)) bottoms[x] = value;
    if (!(tops[x]! >= value)) tops[x] = value;
  };
  const scale = count / (to - from);
  const at = (i: number) => (i + 0.5 - from) * scale;
  const last = Math.min(samples.length - 1, Math.ceil(to));
  for (let i = Math.max(0, Math.floor(from) - 1); i <= last; i += 1) {
    const column = Math.floor(at(i));
    widen(column, samples[i]!);
    // The cursor line would hide the single column of an isolated sample.
    if (scale >= 3 && !Number.isFinite(samples[i - 1]) && !Number.isFinite(samples[i + 1])) {
      widen(column - 1, samples[i]!);
      widen(column + 1, samples[i]!);
    }
    if (i === last) break;
    const slope = (samples[i + 1]! - samples[i]!) / scale;
    // The line meets the edge between two columns: both reach it.
    for (let x = Math.max(0, Math.ceil(at(i))); x <= Math.min(count, Math.floor(at(i + 1))); x += 1) {
      const value = samples[i]! + (x - at(i)) * slope;
      widen(x - 1, value);
      widen(x, value);
    }
  }
  return { bottoms, tops };
}
