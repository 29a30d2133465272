/**
 * The visible part of a picture and its orientation on the screen, independent of the page.
 *
 * A view is `{x0, y0, x1, y1}` in pixels, where pixel (i, j) covers `[i, i + 1) x [j, j + 1)` and y runs down.
 *
 * Planes whose axes share a unit keep their pixel aspect; others, such as space over time, fill the pane and zoom along
 * one axis at a time. A reference always keeps its aspect: a very long one zooms along its length until the visible
 * part is no longer a thin strip.
 */
import { type Axis, formatAxisTitle, isTime, toPhysical } from "../../../measure/axes.ts";
import {
  computeShownSize,
  fromShown,
  type Orientation,
  toShown,
  type View,
  viewFromShown,
  viewToShown,
} from "./orientation.ts";

/** Position or pixel of a picture: x counts its rows, y its columns. */
export type PicturePoint = { x: number; y: number };

/** Fractions of the plot (0 to 1). */
export type Fractions = { fx: number; fy: number };

/** Size and axes of a picture. */
export interface Picture {
  /** Rows of the plane. */
  width: number;
  /** Columns of the plane. */
  height: number;
  /** Axis of the rows. */
  axisX: Axis;
  /** Axis of the columns. */
  axisY: Axis;
  /** Width-to-height ratio of a pixel. */
  pixelAspect: number;
  /** Whether it keeps its aspect. */
  locked: boolean;
}

/** Least number of visible pixels along an axis. */
export const SMALLEST_SPAN = 4;

/** Largest aspect ratio of a picture that is not a thin strip: strips are hard to see in their true aspect. */
const LONGEST_TRUE_ASPECT = 6;

const isThread = (aspect: number) => aspect > LONGEST_TRUE_ASPECT || aspect < 1 / LONGEST_TRUE_ASPECT;

/** Changes that follow each other faster form one step of the history. */
const ONE_STEP_MS = 500;

/** Fraction of the view that a step with Shift covers. */
const FAR_STEP = 1 / 20;

/** Length of the history. */
const MOST_STEPS = 50;

/** The picture of a plane. */
export function describePicture(
  { shape, axes }: { shape: readonly [number, number]; axes: readonly [Axis, Axis] },
  isReference: boolean,
): Picture {
  const [rows = 0, columns = 0] = shape;
  const [axisX, axisY] = axes as [Axis, Axis];
  const isOneUnit = axisX.unit === axisY.unit;
  const pixelAspect = isOneUnit ? axisX.step / axisY.step : 1;
  const locked = isReference || (isOneUnit && !isThread(pixelAspect * rows / columns));
  return { width: rows, height: columns, axisX, axisY, pixelAspect, locked };
}

/** Moves a span into `[0, size]`; a longer one becomes the whole. */
export function moveInside(start: number, end: number, size: number): [number, number] {
  const length = Math.min(end - start, size);
  const from = Math.min(Math.max(start, 0), size - length);
  return [from, from + length];
}

/** Uses shown pixels internally and, unless stated otherwise, picture pixels outside. */
export class PlacedView {
  /** Size of the picture and whether it keeps its aspect. */
  readonly picture: Picture;
  #orientation;
  /** In shown pixels. */
  #view: View;
  /** Previous views of the picture. */
  #former: View[] = [];
  #changedAt = -Infinity;
  readonly #now;

  /** @param now milliseconds */
  constructor(picture: Picture, orientation: Orientation, now: () => number = () => performance.now()) {
    this.picture = picture;
    this.#orientation = orientation;
    this.#view = this.#home;
    this.#now = now;
  }

  get view(): View {
    return viewFromShown(this.#orientation, this.picture, this.#view);
  }

  set view(view) {
    this.#change(viewToShown(this.#orientation, this.picture, view));
  }

  get orientation(): Orientation {
    return this.#orientation;
  }

  /** Changes the orientation; the visible part stays the same. */
  set orientation(orientation) {
    const { view } = this;
    this.#orientation = orientation;
    this.#view = viewToShown(orientation, this.picture, view);
  }

  /** The visible part in shown pixels. */
  get shown(): View {
    return this.#view;
  }

  get isHome(): boolean {
    const { x0, x1, y0, y1 } = this.#view;
    const { width, height } = this.#size;
    return x0 <= 0 && y0 <= 0 && x1 >= width && y1 >= height;
  }

  get canGoBack(): boolean {
    return this.#former.length > 0;
  }

  /** Whether time runs across, down or not at all. */
  get time(): "across" | "down" | null {
    const { axisX, axisY } = this.picture;
    if (isTime(axisX) === isTime(axisY)) return null;
    return isTime(axisX) !== this.#orientation.swapped ? "across" : "down";
  }

  /** The axes on the screen: x runs across, y down. */
  get axes(): {
    axisX: Axis;
    axisY: Axis;
  } {
    const { axisX, axisY } = this.picture;
    return this.#orientation.swapped ? { axisX: axisY, axisY: axisX } : { axisX, axisY };
  }

  /** Edges of the plot in physical units: left and right, top and bottom. */
  get ranges(): {
    x: {
      low: number;
      high: number;
      title: string;
    };
    y: {
      low: number;
      high: number;
      title: string;
    };
  } {
    const { axisX, axisY } = this.axes;
    const { x0, x1, y0, y1 } = this.#view;
    const at = (x: number, y: number) => {
      const place = fromShown(this.#orientation, this.picture, x, y);
      return this.#orientation.swapped ? { x: place.y, y: place.x } : place;
    };
    const [low, high] = [at(x0, y0), at(x1, y1)];
    return {
      x: { low: toPhysical(axisX, low.x), high: toPhysical(axisX, high.x), title: formatAxisTitle(axisX) },
      y: { low: toPhysical(axisY, low.y), high: toPhysical(axisY, high.y), title: formatAxisTitle(axisY) },
    };
  }

  /** Width-to-height ratio of the visible part in the specimen. */
  get aspect(): number {
    const { x0, x1, y0, y1 } = this.#view;
    const { pixelAspect } = this.picture;
    return (this.#orientation.swapped ? 1 / pixelAspect : pixelAspect) * (x1 - x0) / (y1 - y0);
  }

  /** Fractions of the plot at a position; outside 0 to 1 if it is not visible. */
  toPlot({ x, y }: PicturePoint): {
    fx: number;
    fy: number;
  } {
    const { x0, x1, y0, y1 } = this.#view;
    const shown = toShown(this.#orientation, this.picture, x, y);
    return { fx: (shown.x - x0) / (x1 - x0), fy: (shown.y - y0) / (y1 - y0) };
  }

  /** Picture position under a position of the plot. */
  positionAt({ fx, fy }: Fractions): PicturePoint {
    const { x0, x1, y0, y1 } = this.#view;
    return fromShown(this.#orientation, this.picture, x0 + fx * (x1 - x0), y0 + fy * (y1 - y0));
  }

  /** Pixel under a position of the plot; the nearest one outside the picture. */
  pixelAt(place: Fractions): PicturePoint {
    const { x, y } = this.positionAt(place);
    return this.#pixel(Math.floor(x), Math.floor(y));
  }

  /** Steps from a pixel across and down, as `arrow` does, and brings the result into view. */
  step({ x, y }: PicturePoint, dx: number, dy: number, isFar: boolean): {
    x: number;
    y: number;
  } {
    const shift = this.arrow(dx, dy, isFar);
    const next = this.#pixel(x + shift.x, y + shift.y);
    this.reveal(next);
    return next;
  }

  /** The nearest pixel of the picture. */
  #pixel(x: number, y: number) {
    const { width, height } = this.picture;
    return { x: Math.min(width - 1, Math.max(0, x)), y: Math.min(height - 1, Math.max(0, y)) };
  }

  /** Picture pixels of one step across or down: one, or a twentieth of the view. */
  arrow(dx: number, dy: number, isFar: boolean): PicturePoint {
    const { x0, x1, y0, y1 } = this.#view;
    const length = (span: number) => isFar ? Math.max(1, Math.round(span * FAR_STEP)) : 1;
    return this.shift(dx * length(x1 - x0), dy * length(y1 - y0));
  }

  /**
   * Picture pixels of a distance in shown pixels.
   *
   * @param dx across
   * @param dy down
   */
  shift(dx: number, dy: number): PicturePoint {
    const start = fromShown(this.#orientation, this.picture, 0, 0);
    const end = fromShown(this.#orientation, this.picture, dx, dy);
    return { x: end.x - start.x, y: end.y - start.y };
  }

  /** Moves the view just far enough to show a position. */
  reveal({ x, y }: PicturePoint): void {
    const { width, height } = this.picture;
    const centre = (value: number, size: number) => Math.min(size - 1, Math.floor(value)) + 0.5;
    const at = toShown(this.#orientation, this.picture, centre(x, width), centre(y, height));
    const [column, row] = [Math.floor(at.x), Math.floor(at.y)];
    const { x0, x1, y0, y1 } = this.#view;
    this.#move(
      Math.min(0, column - x0) + Math.max(0, column + 1 - x1),
      Math.min(0, row - y0) + Math.max(0, row + 1 - y1),
    );
  }

  /** Shows the whole picture; always a step of its own in the history. */
  goHome(): void {
    this.#changedAt = -Infinity;
    this.#change(this.#home);
  }

  goBack(): void {
    const former = this.#former.pop();
    if (former !== undefined) this.#view = viewToShown(this.#orientation, this.picture, former);
    // The next change is a step of its own.
    this.#changedAt = -Infinity;
  }

  /**
   * Zooms about a position of the plot; a locked picture zooms by one factor along both axes.
   *
   * @param factorX above 1 zooms in
   */
  zoom({ fx, fy }: Fractions, factorX: number, factorY: number): void {
    let [across, down] = [factorX, factorY];
    if (this.picture.locked) {
      const both = factorX === 1 ? factorY : factorX;
      // Zooms a thin strip only along its length.
      across = both > 1 && this.aspect < 1 / LONGEST_TRUE_ASPECT ? 1 : both;
      down = both > 1 && this.aspect > LONGEST_TRUE_ASPECT ? 1 : both;
    }
    const { x0, x1, y0, y1 } = this.#view;
    const { width, height } = this.#size;
    const span = (
      low: number,
      high: number,
      part: number,
      factor: number,
      size: number,
    ): [number, number] => {
      const length = Math.min(size, Math.max(Math.min(SMALLEST_SPAN, size), (high - low) / factor));
      const start = low + part * (high - low - length);
      return [start, start + length];
    };
    this.#see(span(x0, x1, fx, across, width), span(y0, y1, fy, down, height));
  }

  /** Moves the view by fractions of the plot, as far as the picture goes. */
  pan(dfx: number, dfy: number): void {
    const { x0, x1, y0, y1 } = this.#view;
    this.#move(dfx * (x1 - x0), dfy * (y1 - y0));
  }

  /**
   * The part that a drag selects: a box, or a stripe across the dragged axis if the picture does not keep its
   * aspect.
   */
  boxOf(from: Fractions, to: Fractions, { width, height }: { width: number; height: number }): View {
    const part = (value: number) => Math.min(1, Math.max(0, value));
    const box = { x0: part(from.fx), y0: part(from.fy), x1: part(to.fx), y1: part(to.fy) };
    if (this.#keepsBox) return box;
    const isAcross = Math.abs(box.x1 - box.x0) * width >= Math.abs(box.y1 - box.y0) * height;
    return { ...box, ...(isAcross ? { y0: 0, y1: 1 } : { x0: 0, x1: 1 }) };
  }

  /**
   * Zooms to a part of the plot, widened to the present aspect if the picture keeps it.
   *
   * @param box in fractions
   */
  zoomToBox(box: View): void {
    const { x0, x1, y0, y1 } = this.#view;
    const { width, height } = this.#size;
    let across = Math.max(Math.abs(box.x1 - box.x0) * (x1 - x0), Math.min(SMALLEST_SPAN, width));
    let down = Math.max(Math.abs(box.y1 - box.y0) * (y1 - y0), Math.min(SMALLEST_SPAN, height));
    if (this.#keepsBox) {
      const part = Math.max(across / (x1 - x0), down / (y1 - y0));
      [across, down] = [part * (x1 - x0), part * (y1 - y0)];
    }
    const x = x0 + (box.x0 + box.x1) / 2 * (x1 - x0) - across / 2;
    const y = y0 + (box.y0 + box.y1) / 2 * (y1 - y0) - down / 2;
    this.#see([x, x + across], [y, y + down]);
  }

  get #keepsBox() {
    return this.picture.locked && !isThread(this.aspect);
  }

  /** Width and height in shown pixels. */
  get #size() {
    return computeShownSize(this.#orientation, this.picture);
  }

  get #home() {
    const { width, height } = this.#size;
    return { x0: 0, y0: 0, x1: width, y1: height };
  }

  /** @param dx shown pixels */
  #move(dx: number, dy: number) {
    const { x0, x1, y0, y1 } = this.#view;
    this.#see([x0 + dx, x1 + dx], [y0 + dy, y1 + dy]);
  }

  /** Shows spans of shown pixels, moved into the picture. */
  #see(across: [number, number], down: [number, number]) {
    const { width, height } = this.#size;
    const [[x0, x1], [y0, y1]] = [moveInside(...across, width), moveInside(...down, height)];
    this.#change({ x0, x1, y0, y1 });
  }

  /** @param view in shown pixels */
  #change(view: View) {
    const { x0, x1, y0, y1 } = this.#view;
    if (view.x0 === x0 && view.x1 === x1 && view.y0 === y0 && view.y1 === y1) return;
    const now = this.#now();
    if (now - this.#changedAt > ONE_STEP_MS) this.#former = [...this.#former, this.view].slice(-MOST_STEPS);
    this.#changedAt = now;
    this.#view = view;
  }
}
