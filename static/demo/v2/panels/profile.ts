/**
 * The profile below the source picture: the values of the shown channels along one axis of the picture through the
 * cursor. Along the horizontal axis of a line scan it aligns with the edges of the picture.
 */
import { findExtent } from "../../../measure/traces.ts";
import { byId, findWithin } from "../controls/element.ts";
import {
  connectAcrossColumns,
  connectSamples,
  type Curve,
  darkenOnGround,
  drawChart,
  light,
} from "../picture/chart.ts";
import { chooseLutColor } from "../picture/lut.ts";
import { makeSvgMarks } from "../picture/marks.ts";
import { computeEnvelope } from "../picture/reduction.ts";
import type { ChannelGroup } from "../picture/channel_group.ts";
import type { Pane } from "../picture/pane.ts";
import type { PicturePoint } from "../picture/placed_view.ts";

/** Least time between two drawings: the picture, the main work of a frame, has priority. */
const REST_MS = 60;

/** The chart of one profile; it redraws at most every 60 ms. */
export class Profile {
  readonly #pane;
  #group: ChannelGroup | null = null;
  /** Last position of the cursor. */
  #cursor: PicturePoint | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #paintedAt = -Infinity;
  /** Edges of the picture when the profile was drawn. */
  #edges = "";
  readonly #along = byId("along", HTMLSelectElement);

  /** @param pane of the source */
  constructor(pane: Pane) {
    this.#pane = pane;
    this.#along.addEventListener("change", () => this.#arrange());
    light().addEventListener("change", () => this.redraw());
    new ResizeObserver(() => this.#paint()).observe(byId("chart", SVGSVGElement));
  }

  /** Sets another group, without a profile. */
  show(group: ChannelGroup): void {
    this.#group = group;
    this.#cursor = null;
    group.plane.axes.forEach((axis, i) => {
      this.#along.options[i + 1]!.textContent = axis.title ?? axis.name;
    });
    this.#along.value = "";
    this.#arrange();
  }

  /** Draws the profile soon; coalesces changes. */
  redraw(): void {
    if (this.#timer !== undefined) return;
    byId("profile").ariaBusy = "true";
    const wait = this.#paintedAt + REST_MS - performance.now();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#paint();
      byId("profile").ariaBusy = "false";
    }, Math.max(0, wait));
  }

  /** Call when the picture was drawn, perhaps at another place. */
  follow(): void {
    if (this.#edges !== JSON.stringify(this.#pane.edges)) this.redraw();
  }

  #arrange() {
    const isHidden = this.#along.value === "";
    byId("profile").hidden = isHidden;
    byId("profile-title").textContent = `Profile along ${this.#along.selectedOptions[0]?.textContent}`;
    byId("divider").hidden = isHidden;
    byId("panes").classList.toggle("whole", isHidden);
    this.#paint();
  }

  #paint() {
    if (this.#group === null || byId("profile").hidden) return;
    this.#cursor = this.#pane.cursor ?? this.#cursor;
    this.#edges = JSON.stringify(this.#pane.edges);
    this.#paintedAt = performance.now();
    byId("profile-hint").hidden = this.#draw(this.#group, this.#cursor);
  }

  /** Returns whether the chart has content: without a cursor it is empty. */
  #draw(group: ChannelGroup, cursor: PicturePoint | null) {
    const [canvas, svg] = [byId("curves", HTMLCanvasElement), byId("chart", SVGSVGElement)];
    const size = svg.getBoundingClientRect();
    const { edges, placed: { view, orientation, time } } = this.#pane;
    const along = this.#along.value === "y" ? "y" : "x";
    const isBelow = (along === "x") !== orientation.swapped;
    const [from, to] = along === "x" ? [view.x0, view.x1] : [view.y0, view.y1];
    const lines = cursor === null ? [] : group.shown.map((channel) => ({
      color: darkenOnGround(chooseLutColor(channel.lutName)),
      values: readProfile(channel.samples, group.plane.shape, along, cursor),
    }));
    const range = findValueRange(lines, Math.max(0, Math.floor(from) - 1), Math.ceil(to) + 1);
    if (cursor === null || range === null || size.width < 60 || size.height < 40) {
      canvas.width = 0;
      svg.replaceChildren();
      return false;
    }
    const span = {
      axis: group.plane.axes[along === "x" ? 0 : 1],
      from,
      to,
      edges: isBelow && time !== null ? edges : null,
      isReversed: isBelow && orientation.fromRight,
      ground: getComputedStyle(findWithin(byId("profile"), ".stage")).backgroundColor,
    };
    const curves = (columns: number) =>
      lines.map(({ color, values }) => ({ color, ...makeProfileCurve(values, from, to, columns) }));
    const { plot, marks, across } = drawChart(canvas, size, span, range, curves);
    const at = across(cursor[along]);
    if (at >= plot.left && at <= plot.left + plot.width) {
      const points = [[at, plot.top], [at, plot.top + plot.height]];
      marks.push({ points, dash: "4 3" });
    }
    svg.replaceChildren(...makeSvgMarks(marks));
    return true;
  }
}

/**
 * Samples of a plane through the cursor: along picture x (`"x"`, the plane's rows) or picture y (`"y"`, its columns).
 *
 * @param samples row-major as served
 * @param shape `[rows, columns]`
 * @param cursor picture pixel
 */
export function readProfile(
  samples: Float32Array,
  [rows, columns]: readonly [number, number],
  along: "x" | "y",
  cursor: PicturePoint,
): Float32Array<ArrayBufferLike> {
  if (along === "y") return samples.subarray(cursor.x * columns, (cursor.x + 1) * columns);
  const values = new Float32Array(rows);
  for (let row = 0, at = cursor.y; row < rows; row += 1, at += columns) values[row] = samples[at]!;
  return values;
}

/**
 * A curve of `count` screen columns: a band from minimum to maximum with the mean if samples are narrower than
 * columns, else a line through the samples.
 */
function makeProfileCurve(
  values: Float32Array,
  from: number,
  to: number,
  count: number,
): Omit<Curve, "color"> {
  if (to - from <= count) return { lows: null, highs: null, ...connectSamples(values, from, to, count) };
  const [lows, highs, means] = computeEnvelope(values, from, to, count, ["min", "max", "mean"]) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  return { lows, highs, ...connectAcrossColumns(means) };
}

/** Range of the visible values with a margin, or `null` without values. */
function findValueRange(lines: readonly { values: Float32Array }[], first: number, end: number) {
  const extents = lines.map(({ values }) => findExtent(values, first, Math.min(end, values.length)));
  const low = Math.min(...extents.map(([least]) => least));
  const high = Math.max(...extents.map(([, most]) => most));
  if (!(high >= low)) return null;
  const margin = (high - low) * 0.05 || 0.5;
  return { low: low - margin, high: high + margin, title: "" };
}
