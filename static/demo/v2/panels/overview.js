/**
 * A strip above the picture with the whole line scan and the visible part as a window. Dragging moves the window or its
 * edges; keys move it.
 */
import { formatAt, unitSymbol } from "../../../measure/axes.js";
import { fitCanvas, inNextFrame, within } from "../controls/element.js";
import { PlanePainter } from "../picture/plane_painter.js";

/** @import { ChannelGroup } from "../picture/channel_group.js" */
/** @import { Pane } from "../picture/pane.js" */

/** Least width of the window in CSS pixels, wide enough to grab. */
const LEAST_WINDOW = 14;

/** Within this distance of an edge, in CSS pixels, a drag moves that edge. */
const EDGE_REACH = 6;

/** Step of an arrow key as a fraction of the window. */
const STEP = 0.1;

const CLOSER = 1.5;

export class Overview {
  #strip;
  #canvas;
  #window;
  #pane;
  #painter;
  /** Draws the strip in the next frame. */
  redraw = inNextFrame(() => this.#draw());

  /**
   * @param {HTMLElement} strip holds a `canvas` and a `.window` with role `slider`
   * @param {Pane} pane of the line scan
   */
  constructor(strip, pane) {
    this.#strip = strip;
    this.#canvas = within(strip, "canvas", HTMLCanvasElement);
    this.#window = within(strip, ".window");
    this.#pane = pane;
    this.#painter = new PlanePainter(this.#canvas, () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(strip);
    this.#listenToPointer();
    this.#window.addEventListener("keydown", (event) => this.#press(event));
  }

  /** Takes the planes of a group. @param {ChannelGroup} group */
  load(group) {
    // The strip is drawn whole and rarely: a pyramid would waste memory.
    this.#painter.load(group, () => Promise.resolve([]));
    this.redraw();
  }

  /** The window follows the view. @param {{left: number, width: number}} edges of the picture in CSS pixels of its stage */
  follow({ left, width }) {
    const { size, view } = this.#pane;
    if (size === null) return;
    Object.assign(this.#strip.style, { marginLeft: `${left}px`, width: `${width}px` });
    const { start, end } = this.#seen;
    const wide = Math.max(LEAST_WINDOW, (end - start) * width);
    const from = Math.min(Math.max(0, (start + end) / 2 * width - wide / 2), width - wide);
    Object.assign(this.#window.style, { left: `${from}px`, width: `${wide}px` });
    const { axisX, width: lines } = size;
    const text = (/** @type {number} */ line) => formatAt(line * axisX.step, lines * axisX.step / 1000);
    const unit = unitSymbol(axisX.unit);
    const [now, last] = [view.x0, lines - 1].map((line) => Number((line * axisX.step).toPrecision(6)));
    Object.assign(this.#window, {
      ariaValueMin: "0",
      ariaValueMax: String(last),
      ariaValueNow: String(now),
      ariaValueText: `${text(view.x0)} to ${text(view.x1 - 1)} ${unit} of ${text(lines - 1)} ${unit}`,
    });
  }

  #draw() {
    const { width, height } = this.#strip.getBoundingClientRect();
    const { size, orientation } = this.#pane;
    if (size === null || width < 1 || height < 1) return;
    fitCanvas(this.#canvas, width, height);
    this.#painter.statistic = this.#pane.statistic;
    const whole = { x0: 0, y0: 0, x1: size.width, y1: size.height };
    this.#painter.paint(whole, orientation, [
      { left: 0, top: 0, width: this.#canvas.width, height: this.#canvas.height },
    ]);
  }

  /** The view in fractions of the strip, from the left. */
  get #seen() {
    const { size, view, orientation } = this.#pane;
    const lines = size?.width ?? 1;
    const [start, end] = [view.x0 / lines, view.x1 / lines];
    return orientation.fromRight ? { start: 1 - end, end: 1 - start } : { start, end };
  }

  /** Shows another part of the strip, clamped to its ends. @param {number} start @param {number} end */
  #see(start, end) {
    const { size, view, orientation } = this.#pane;
    if (size === null) return;
    const least = Math.min(4, size.width) / size.width;
    const length = Math.min(1, Math.max(least, end - start));
    const from = Math.min(Math.max(0, start), 1 - length);
    const [x0, x1] = orientation.fromRight ? [1 - from - length, 1 - from] : [from, from + length];
    this.#pane.view = { ...view, x0: x0 * size.width, x1: x1 * size.width };
  }

  #listenToPointer() {
    /** The dragged part, with view and position at the start of the drag. @type {{part: "start" | "end" | "all", start: number, end: number, at: number} | null} */
    let held = null;
    const place = (/** @type {PointerEvent} */ event) => {
      const { left, width } = this.#strip.getBoundingClientRect();
      return (event.clientX - left) / width;
    };
    this.#strip.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#strip.setPointerCapture(event.pointerId);
      this.#window.focus({ preventScroll: true });
      event.preventDefault();
      const at = place(event);
      const box = this.#window.getBoundingClientRect();
      const { start, end } = this.#seen;
      const part = Math.abs(event.clientX - box.left) <= EDGE_REACH
        ? "start"
        : Math.abs(event.clientX - box.right) <= EDGE_REACH
        ? "end"
        : "all";
      // A press beside the window centres it on the pointer.
      const isBeside = part === "all" && (event.clientX < box.left || event.clientX > box.right);
      const shift = isBeside ? at - (start + end) / 2 : 0;
      held = { part, start: start + shift, end: end + shift, at };
      if (isBeside) this.#see(held.start, held.end);
    });
    this.#strip.addEventListener("pointermove", (event) => {
      if (held === null) return;
      const moved = place(event) - held.at;
      if (held.part === "all") this.#see(held.start + moved, held.end + moved);
      else if (held.part === "start") this.#see(Math.min(held.start + moved, held.end), held.end);
      else this.#see(held.start, Math.max(held.start, held.end + moved));
    });
    for (const type of ["pointerup", "pointercancel"]) {
      this.#strip.addEventListener(type, () => held = null);
    }
    this.#strip.addEventListener("dblclick", () => this.#see(0, 1));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { start, end } = this.#seen;
    const length = end - start;
    /** @type {Readonly<Record<string, number>>} */
    const shifts = {
      ArrowLeft: -STEP * length,
      ArrowDown: -STEP * length,
      ArrowRight: STEP * length,
      ArrowUp: STEP * length,
      PageDown: -length,
      PageUp: length,
      Home: -start,
      End: 1 - end,
    };
    const shift = shifts[event.key];
    const factor = event.key === "+" || event.key === "=" ? 1 / CLOSER : event.key === "-" ? CLOSER : null;
    if (shift !== undefined) this.#see(start + shift, end + shift);
    else if (factor !== null) {
      const [middle, half] = [(start + end) / 2, length * factor / 2];
      this.#see(middle - half, middle + half);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
