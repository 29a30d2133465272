/** Plots the columns of a table in a panel, over its first column. */
import { showGreek } from "../../../measure/axes.ts";
import { findExtent } from "../../../measure/traces.ts";
import { element } from "../controls/element.ts";
import { light } from "../picture/chart.ts";
import { measureLabel } from "../picture/marks.ts";
import { drawSvgPlot, type SvgPlot } from "./svg_plot.ts";
import type { Column } from "../../../measure/csv.ts";

/** Colours (after Okabe and Ito 2008). */
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/** Size in a panel, in CSS pixels. */
const IN_PANEL = { width: 320, height: 220 };

/**
 * A plot of columns over the first of them.
 *
 * @param title of the values
 * @returns null below two values
 */
export function curvesPlot([places, ...curves]: readonly Column[], title: string, note = ""): SvgPlot | null {
  if (places === undefined || places.values.length < 2) return null;
  const x = Float64Array.from(places.values, Number);
  const traces = curves.map(({ name, values }, i) => ({
    name,
    color: COLORS[i % COLORS.length]!,
    x,
    y: Float64Array.from(values, (value) => value === null ? NaN : Number(value)),
  }));
  const extents = traces.map(({ y }) => findExtent(y));
  const low = Math.min(...extents.map(([least]) => least));
  const high = Math.max(...extents.map(([, most]) => most));
  if (!(high >= low)) return null;
  const margin = (high - low) * 0.06 || Math.abs(high) * 0.05 || 1;
  const unit = showGreek(places.unit ?? "");
  return {
    width: 720,
    height: 320,
    x: { low: x[0]!, high: x[x.length - 1]!, title: `${places.name} (${unit})` },
    y: { low: low - margin, high: high + margin, title },
    traces,
    note,
  };
}

/** An image for a plot, hidden until there is one. */
export const plotImage = (alt: string): HTMLImageElement =>
  element("img", { hidden: true, className: "curves", alt });

/** Size of a plot in CSS pixels. */
export type PlotSize = { width: number; height: number };

/** What each image shows. */
const plots: WeakMap<HTMLImageElement, { plot: SvgPlot | null; size: PlotSize }> = new WeakMap();

/** Draws a plot into an image of {@linkcode plotImage}, in the colours and font of the page; null hides it. @param size in CSS pixels */
export function showPlot(image: HTMLImageElement, plot: SvgPlot | null, size: PlotSize = IN_PANEL): void {
  if (!plots.has(image)) {
    light().addEventListener("change", () => {
      const { plot, size } = plots.get(image)!;
      showPlot(image, plot, size);
    });
  }
  plots.set(image, { plot, size });
  image.hidden = plot === null;
  if (plot === null) return;
  const style = getComputedStyle(document.body);
  const look = { ground: "none", ink: style.color, font: style.fontFamily };
  const svg = drawSvgPlot({ ...plot, ...size }, measureLabel, look);
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
