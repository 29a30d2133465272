/**
 * One picture with its frame: canvas, axes, marks, zoom and cursor. A picture is a plane after transposition: its x
 * counts the plane's rows and its y counts the plane's columns. On the screen it lies in one of eight orientations
 * (orientation.js): zoom and frame count in shown pixels, the page and its cursor in pixels of the picture.
 *
 * Planes whose axes share a unit are shown with true pixel aspect and zoomed by a box; others, such as space over time,
 * fill the pane and are zoomed along the axis that is dragged. A reference always keeps its aspect: a very long one is
 * zoomed along its length until the visible part is no longer a thin strip.
 *
 * Tested in `tests/browser/drawing_test.ts` and `controls_test.ts`.
 */
import { axisTitle, isTime, toPhysical } from "./axes.js";
import { CanvasPicture } from "./draw_canvas.js";
import { svgElement } from "./element.js";
import { layoutFrame } from "./frame.js";
import { attachGestures } from "./gestures.js";
import { attachKeys } from "./keys.js";
import { measureLabel, svgMarks } from "./marks.js";
import { AS_PLOT, fromShown, shownSize, toShown, viewFromShown, viewToShown } from "./orientation.js";
import { noteMarks, scaleBarMarks } from "./scale_bar.js";
import { reductionText } from "./reduction.js";
import { snapshot } from "./snapshot.js";
import { home, isHome, panBy, reveal, toPicture, toPlot, zoomAt, zoomTo } from "./viewport.js";
import { VisiblePart } from "./visible_part.js";

/** A picture longer than this would be too thin to see in true aspect. */
const LONGEST_TRUE_ASPECT = 6;

const isThread = (aspect) => aspect > LONGEST_TRUE_ASPECT || aspect < 1 / LONGEST_TRUE_ASPECT;

/** Part of the view that the cursor moves with Shift. */
const FAR_STEP = 1 / 20;

/** A view that has not changed for so long rests. */
const REST_MS = 150;

/** Pane over a `<figure>` that holds `.stage` (with `.plot` and `canvas` inside). */
export class Pane {
  #stage;
  #plot;
  #canvas;
  #picture;
  #frameLayer;
  #markLayer;
  #group = null;
  #channels = [];
  #part = null;
  #statistic = "mean";
  #orientation = AS_PLOT;
  /** In shown pixels. */
  #view = home(1, 1);
  #layout = null;
  #cursor = null;
  #selection = null;
  #waiting = false;
  #isMoving = false;
  #movedAt = -Infinity;
  #rest;
  #listeners;
  #isReference;

  /** Marks, in CSS pixels of the plot, that the page puts over the picture. */
  overlay = () => [];

  /**
   * @param {HTMLElement} figure
   * @param {object} listeners
   * @param {(cursor: {x: number, y: number} | null, byKeyboard: boolean) => void} listeners.onCursor
   * @param {() => void} [listeners.onView]
   * @param {{isReference?: boolean}} [options]
   */
  constructor(figure, listeners, { isReference = false } = {}) {
    this.#listeners = listeners;
    this.#isReference = isReference;
    this.#stage = figure.querySelector(".stage");
    this.#plot = figure.querySelector(".plot");
    this.#canvas = figure.querySelector("canvas");
    this.#picture = new CanvasPicture(this.#canvas);
    this.#frameLayer = svgElement("g");
    this.#markLayer = svgElement("svg", { overflow: "hidden" });
    this.#stage.append(svgElement("svg", { class: "labels" }, this.#frameLayer, this.#markLayer));
    new ResizeObserver(() => this.redraw()).observe(this.#stage);
    this.#listenToDensity();
    this.#listen();
  }

  /** The visible part in pixels of the picture. */
  get view() {
    return viewFromShown(this.#orientation, this.#group, this.#view);
  }

  get orientation() {
    return this.#orientation;
  }

  /** Turns what is seen; the visible part stays the same. */
  set orientation(orientation) {
    const view = this.view;
    this.#orientation = orientation;
    this.#setView(viewToShown(orientation, this.#group, view));
  }

  get cursor() {
    return this.#cursor;
  }

  /** Size of the picture in pixels, and whether it keeps its aspect. */
  get size() {
    return this.#group;
  }

  /** What a pixel shows that covers many samples. @param {import("./reduction.js").Statistic} statistic */
  set statistic(statistic) {
    this.#statistic = statistic;
    this.redraw();
  }

  /**
   * Shows another acquisition's planes from home.
   *
   * @param {import("./channel_group.js").ChannelGroup} group planes as served, row-major
   * @param {import("./orientation.js").Orientation} orientation
   */
  show({ plane, channels }, orientation) {
    const [rows, columns] = plane.shape;
    const [axisX, axisY] = plane.axes;
    const isOneUnit = axisX.unit === axisY.unit;
    const pixelAspect = isOneUnit ? axisX.step / axisY.step : 1;
    const locked = this.#isReference || (isOneUnit && !isThread(pixelAspect * rows / columns));
    this.#group = { width: rows, height: columns, axisX, axisY, pixelAspect, locked };
    this.#channels = channels;
    this.#part = new VisiblePart({ plane, channels });
    this.#orientation = orientation;
    this.#view = this.#home;
    this.#cursor = null;
    this.redraw();
  }

  /** Empties the pane. */
  clear() {
    this.#group = null;
    this.#channels = [];
    this.#part = null;
    this.#frameLayer.replaceChildren();
    this.#markLayer.replaceChildren();
  }

  /** Draws at the next frame; many calls draw once. */
  redraw() {
    if (this.#waiting || this.#group === null) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      // Something drew meanwhile, or the picture is gone.
      if (this.#waiting && this.#group !== null) this.drawNow();
      this.#waiting = false;
    });
  }

  /** Draws picture, frame and marks. */
  drawNow() {
    this.#waiting = false;
    const box = this.#stage.getBoundingClientRect();
    const { width, height } = box;
    if (width < 1 || height < 1) return;
    this.#layout = layoutFrame({
      width,
      height,
      ...this.#ranges(),
      aspect: this.#group.locked ? this.#aspect : null,
      measure: measureLabel,
      snap: (plot) => snapped(plot, box),
    });
    this.#place();
    this.#drawPicture();
    this.#frameLayer.replaceChildren(...svgMarks(this.#layout.marks));
    this.drawMarks();
  }

  /** Draws the marks over the picture alone. */
  drawMarks() {
    if (this.#layout === null || this.#group === null) return;
    this.#markLayer.replaceChildren(...svgMarks(this.#marks()));
  }

  /** Sets the cursor to a pixel of the picture, or takes it away, without telling the page. */
  setCursor(cursor) {
    this.#cursor = cursor;
    this.drawMarks();
  }

  /** The whole picture again. */
  goHome() {
    this.#setView(this.#home);
  }

  /** CSS pixels inside the plot of a picture position. */
  toScreen(x, y) {
    const shown = toShown(this.#orientation, this.#group, x, y);
    const { fx, fy } = toPlot(this.#view, shown.x, shown.y);
    return [fx * this.#layout.plot.width, fy * this.#layout.plot.height];
  }

  /** What the scale bars say and what a pixel stands for, such as `Scale bar 10 µm`; a space where there is nothing to say. */
  get scale() {
    if (this.#layout === null) return "\u00a0";
    const labels = scaleBarMarks(this.#axes, this.#view, this.#layout.plot, measureLabel)
      .flatMap(({ text }) => text ?? []);
    const bars = labels.length === 0 ? [] : [`Scale bar ${labels.join(" × ")}`];
    return [...bars, this.#reduction].filter((text) => text !== "").join(" · ") || "\u00a0";
  }

  /** Size of the plot in CSS pixels. */
  get plot() {
    return this.#layout.plot;
  }

  /** CSS pixels that one shown pixel takes, horizontally. */
  get zoom() {
    return this.#layout.plot.width / (this.#view.x1 - this.#view.x0);
  }

  /** What is seen, at the screen's density, as a canvas. */
  snapshot() {
    this.drawNow();
    return snapshot(this.#stage, this.#canvas, this.#layout, this.#marks());
  }

  #drawPicture() {
    const { width, height } = this.#canvas;
    const pixels = this.#orientation.swapped ? { x: height, y: width } : { x: width, y: height };
    const shown = [...this.#channels.keys()].filter((position) => this.#channels[position].visible);
    this.#part.look(this.view, pixels, this.#statistic, shown, this.#isMoving);
    // It is taken away when the exact picture is there.
    this.#plot.ariaBusy = String(this.#part.isCoarse);
    const layers = shown.map((position) => ({
      samples: this.#part.samples(position),
      ...this.#channels[position].look(),
    }));
    const area = { left: 0, top: 0, width, height };
    this.#picture.draw(this.#part.frame, this.#orientation, [{ area, layers }]);
  }

  /** Until nothing has moved for a moment a coarser picture is enough; a single step is drawn exactly at once. */
  #keepMoving() {
    const now = performance.now();
    this.#isMoving = now - this.#movedAt < REST_MS;
    this.#movedAt = now;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#isMoving = false;
      if (this.#part?.isCoarse) this.redraw();
    }, REST_MS);
  }

  /** What a pixel stands for, in words. */
  get #reduction() {
    return reductionText(this.#part.perPixel, isTime(this.#group.axisX), this.#statistic);
  }

  /** Width and height in shown pixels. */
  get #shown() {
    return shownSize(this.#orientation, this.#group);
  }

  get #home() {
    const { width, height } = this.#shown;
    return home(width, height);
  }

  /** The axes as they lie on the screen: x runs across, y down. */
  get #axes() {
    const { axisX, axisY } = this.#group;
    return this.#orientation.swapped ? { axisX: axisY, axisY: axisX } : { axisX, axisY };
  }

  /** What the frame's edges are in physical units: left and right, top and bottom. */
  #ranges() {
    const { axisX, axisY } = this.#axes;
    const { x0, x1, y0, y1 } = this.#view;
    const [low, high] = [[x0, y0], [x1, y1]].map(([x, y]) => {
      const at = fromShown(this.#orientation, this.#group, x, y);
      return this.#orientation.swapped ? { x: at.y, y: at.x } : at;
    });
    return {
      x: { low: toPhysical(axisX, low.x), high: toPhysical(axisX, high.x), title: axisTitle(axisX) },
      y: { low: toPhysical(axisY, low.y), high: toPhysical(axisY, high.y), title: axisTitle(axisY) },
    };
  }

  #place() {
    const { plot } = this.#layout;
    for (const name of ["left", "top", "width", "height"]) {
      this.#plot.style[name] = `${plot[name]}px`;
    }
    const attributes = { x: plot.left, y: plot.top, width: plot.width, height: plot.height };
    for (const [name, value] of Object.entries(attributes)) this.#markLayer.setAttribute(name, value);
    const density = globalThis.devicePixelRatio;
    const [width, height] = [plot.width, plot.height].map((size) => Math.max(1, Math.round(size * density)));
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    // While everything is visible a finger may scroll the page; a zoomed picture takes every touch.
    const { width: across, height: down } = this.#shown;
    const free = isHome(this.#view, across, down);
    this.#plot.style.touchAction = free ? "pan-y" : "none";
  }

  #marks() {
    const { width, height } = this.#layout.plot;
    const marks = this.overlay();
    if (this.#cursor !== null) {
      const [x, y] = this.toScreen(this.#cursor.x + 0.5, this.#cursor.y + 0.5);
      const style = { color: "rgba(255, 255, 255, 0.8)", dash: "4 3", halo: true };
      marks.push({ points: [[x, 0], [x, height]], ...style }, { points: [[0, y], [width, y]], ...style });
    }
    marks.push(...scaleBarMarks(this.#axes, this.#view, this.#layout.plot, measureLabel));
    marks.push(...noteMarks(this.#reduction, this.#layout.plot, measureLabel));
    if (this.#selection !== null) {
      const { x0, y0, x1, y1 } = this.#selection;
      const [left, top] = [x0 * width, y0 * height];
      const [right, bottom] = [x1 * width, y1 * height];
      const points = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
      marks.push({ points, color: "#fff", halo: true });
    }
    return marks;
  }

  #setView(view) {
    this.#view = view;
    this.#keepMoving();
    this.#listeners.onView?.();
    this.redraw();
  }

  #listen() {
    const at = ({ fx, fy }) => toPicture(this.#view, fx, fy);
    attachGestures(this.#plot, {
      hover: (place) => {
        if (this.#group === null) return;
        this.#moveCursor(place === null ? null : at(place), false);
      },
      zoom: (place, factorX, factorY) => this.#zoom(at(place), factorX, factorY),
      pan: (dfx, dfy) => {
        const { x0, x1, y0, y1 } = this.#view;
        this.#setView(panBy(this.#view, dfx * (x1 - x0), dfy * (y1 - y0), this.#shown));
      },
      select: (from, to, done) => this.#select(from, to, done),
      cancelSelect: () => {
        this.#selection = null;
        this.drawMarks();
      },
      home: () => this.goHome(),
    });
    attachKeys(this.#plot, {
      step: (dx, dy, isFar) => this.#step(dx, dy, isFar),
      zoom: (factorX, factorY) => this.#zoomAtCursor(factorX, factorY),
      home: () => this.goHome(),
      leave: () => this.#leave(),
    });
  }

  /** Width of the visible part through its height, as they are in the specimen. */
  get #aspect() {
    const { x0, x1, y0, y1 } = this.#view;
    const { pixelAspect } = this.#group;
    return (this.#orientation.swapped ? 1 / pixelAspect : pixelAspect) * (x1 - x0) / (y1 - y0);
  }

  #zoom(at, factorX, factorY) {
    let factors = [factorX, factorY];
    if (this.#group.locked) {
      const both = factorX === 1 ? factorY : factorX;
      // Closer to a thread along its length alone.
      const [isLong, isHigh] = [this.#aspect > LONGEST_TRUE_ASPECT, this.#aspect < 1 / LONGEST_TRUE_ASPECT];
      factors = [both > 1 && isHigh ? 1 : both, both > 1 && isLong ? 1 : both];
    }
    this.#setView(zoomAt(this.#view, at, ...factors, this.#shown));
  }

  #select(from, to, done) {
    const part = (value) => Math.min(1, Math.max(0, value));
    const box = { x0: part(from.fx), y0: part(from.fy), x1: part(to.fx), y1: part(to.fy) };
    const isLocked = this.#group.locked && !isThread(this.#aspect);
    if (!isLocked) {
      const { width, height } = this.#layout.plot;
      const across = Math.abs(box.x1 - box.x0) * width >= Math.abs(box.y1 - box.y0) * height;
      Object.assign(box, across ? { y0: 0, y1: 1 } : { x0: 0, x1: 1 });
    }
    this.#selection = done ? null : box;
    if (!done) return this.drawMarks();
    const start = toPicture(this.#view, box.x0, box.y0);
    const end = toPicture(this.#view, box.x1, box.y1);
    this.#setView(zoomTo(this.#view, start, end, this.#shown, isLocked));
  }

  /** @param {{x: number, y: number} | null} place in shown pixels */
  #moveCursor(place, byKeyboard) {
    const cursor = place === null ? null : this.#pixelAt(place);
    if (cursor?.x === this.#cursor?.x && cursor?.y === this.#cursor?.y) return;
    this.setCursor(cursor);
    this.#listeners.onCursor(cursor, byKeyboard);
  }

  /** Pixel of the picture at a shown position, the nearest where that lies outside. */
  #pixelAt({ x, y }) {
    const { width, height } = this.#group;
    const at = fromShown(this.#orientation, this.#group, x, y);
    const inside = (value, size) => Math.min(size - 1, Math.max(0, Math.floor(value)));
    return { x: inside(at.x, width), y: inside(at.y, height) };
  }

  /** The middle of the cursor's pixel in shown pixels, or of the view without a cursor. */
  #cursorPlace() {
    const { x0, x1, y0, y1 } = this.#view;
    if (this.#cursor === null) return { x: (x0 + x1) / 2, y: (y0 + y1) / 2 };
    return toShown(this.#orientation, this.#group, this.#cursor.x + 0.5, this.#cursor.y + 0.5);
  }

  #step(dx, dy, isFar) {
    if (this.#group === null) return;
    const { x0, x1, y0, y1 } = this.#view;
    const length = (span) => isFar ? Math.max(1, Math.round(span * FAR_STEP)) : 1;
    const at = this.#cursorPlace();
    const isThere = this.#cursor !== null;
    this.#moveCursor(
      isThere ? { x: at.x + dx * length(x1 - x0), y: at.y + dy * length(y1 - y0) } : at,
      true,
    );
    const { x, y } = this.#cursorPlace();
    this.#setView(reveal(this.#view, Math.floor(x), Math.floor(y), this.#shown));
  }

  #zoomAtCursor(factorX, factorY) {
    this.#zoom(this.#cursorPlace(), factorX, factorY);
  }

  #leave() {
    if (this.#cursor === null) return false;
    this.#moveCursor(null, true);
    return true;
  }

  /** Draws again when the window moves to a screen of another density. */
  #listenToDensity() {
    matchMedia(`(resolution: ${globalThis.devicePixelRatio}dppx)`).addEventListener("change", () => {
      this.redraw();
      this.#listenToDensity();
    }, { once: true });
  }
}

/** The plot on whole pixels of the screen, or its canvas would be blurred. */
function snapped(plot, box) {
  const density = globalThis.devicePixelRatio;
  const whole = (value) => Math.round(value * density) / density;
  return {
    left: whole(box.left + plot.left) - box.left,
    top: whole(box.top + plot.top) - box.top,
    width: whole(plot.width),
    height: whole(plot.height),
  };
}
