/**
 * The visible time of a line scan: a strip above the picture with the whole line scan and the visible part as a window,
 * typed start and end, and the button back. Start and end are the times of the first and the last line in view, line i at
 * `i * step`. Dragging moves the window or its edges; keys move it.
 */
import { chooseUnitSymbol, formatAt } from "../../../measure/axes.ts";
import { findWithin, fitCanvas, runInNextFrame } from "../controls/element.ts";
import { type NumberInput, takeNumbers } from "../controls/number_input.ts";
import { followKeys, SLIDER } from "../controls/handles.ts";
import { moveInside, SMALLEST_SPAN } from "../picture/placed_view.ts";
import { PlanePainter } from "../picture/plane_painter.ts";
import type { ChannelGroup } from "../picture/channel_group.ts";
import type { Pane } from "../picture/pane.ts";

/** CSS pixels left of a line scan, enough for the value labels of a profile below it. */
const SHARED_GUTTER = 68;

/** Number of steps in the visible time that start and end distinguish. */
const DIGITS = 1000;

/** Least width of the window in CSS pixels, wide enough to grab. */
const LEAST_WINDOW = 14;

/** Within this distance of an edge, in CSS pixels, a drag moves that edge. */
const EDGE_REACH = 6;

/** Step of an arrow key as a fraction of the window. */
const STEP = 0.1;

/** Zoom factors of keys. */
const ZOOMS = { "+": 1.5, "=": 1.5, "-": 1 / 1.5 };

/** The strip, the fields and the button of one line scan. */
export class TimeAxis {
  readonly #pane;
  readonly #strip;
  readonly #canvas;
  readonly #window;
  readonly #painter;
  readonly #fields;
  readonly #inputs;
  readonly #numbers: NumberInput[] = [];
  /** Values of the inputs before typing. */
  readonly #written: string[] = [];
  readonly #back;

  /** Draws the strip in the next frame. Call when a channel looks different. */
  readonly redraw: () => void = runInNextFrame(() => this.#draw());

  /**
   * @param figure holds `.overview` with a `canvas` and a `.window` with role `slider`, `.time-fields` with
   *   two inputs and `.unit`, and `.back`
   * @param onTyped receives the fault of a typed number, or null
   */
  constructor(figure: HTMLElement, pane: Pane, onTyped: (fault: string | null) => void) {
    this.#pane = pane;
    pane.gutter = SHARED_GUTTER;
    this.#strip = findWithin(figure, ".overview");
    this.#canvas = findWithin(this.#strip, "canvas", HTMLCanvasElement);
    this.#window = findWithin(this.#strip, ".window");
    this.#painter = new PlanePainter(this.#canvas, this.redraw);
    new ResizeObserver(this.redraw).observe(this.#strip);
    this.#listenToPointer();
    followKeys(this.#window, SLIDER, (step) => {
      const { start, end } = this.#seen;
      const shift = Math.min(1 - end, Math.max(-start, step * STEP * (end - start)));
      this.#see(start + shift, end + shift);
    });
    followKeys(this.#window, ZOOMS, (factor) => {
      const { start, end } = this.#seen;
      const [middle, half] = [(start + end) / 2, (end - start) / factor / 2];
      this.#see(middle - half, middle + half);
    });
    this.#fields = findWithin(figure, ".time-fields");
    this.#inputs = [...this.#fields.querySelectorAll("input")];
    this.#back = findWithin(figure, ".back", HTMLButtonElement);
    this.#back.addEventListener("click", () => pane.change((placed) => placed.goBack()));
    this.#inputs.forEach((input, end) => {
      const number = takeNumbers(input, {}, (value) => this.#take(value, end), onTyped);
      input.after(number.note);
      this.#numbers.push(number);
      // Moves the window by a line, with Shift by its length.
      followKeys(input, { ArrowUp: 1, ArrowDown: -1 }, (step, isFar) => {
        const { x0, x1 } = this.#pane.view;
        const lines = step * (isFar ? x1 - x0 : 1);
        this.#show(x0 + lines, x1 + lines);
        this.#write(end);
      });
    });
  }

  /** Takes another group, or other planes of the same one. */
  load(group: ChannelGroup): void {
    // The strip is drawn whole and rarely: a pyramid would waste memory.
    this.#painter.load(group, () => Promise.resolve([]));
    this.redraw();
    this.follow();
  }

  /** Call when the picture has another view or another place. */
  follow(): void {
    const { picture: { axisX }, time, canGoBack } = this.#pane.placed;
    this.#back.disabled = !canGoBack;
    this.#strip.hidden = time !== "across";
    this.#fields.hidden = time === null;
    if (time === null) return;
    if (time === "across") this.#moveWindow();
    findWithin(this.#fields, ".unit").textContent = chooseUnitSymbol(axisX.unit);
    this.#inputs.forEach((input, end) => {
      const isTyped = document.activeElement === input && input.value !== this.#written[end];
      if (isTyped) return;
      this.#write(end);
      this.#numbers[end]?.wrote(Number(input.value));
    });
  }

  #moveWindow() {
    const { placed: { picture: { axisX, width: lines }, view }, edges: { left, width } } = this.#pane;
    Object.assign(this.#strip.style, { marginLeft: `${left}px`, width: `${width}px` });
    const { start, end } = this.#seen;
    const wide = Math.max(LEAST_WINDOW, (end - start) * width);
    const from = Math.min(Math.max(0, (start + end) / 2 * width - wide / 2), width - wide);
    Object.assign(this.#window.style, { left: `${from}px`, width: `${wide}px` });
    const text = (line: number) => formatAt(line * axisX.step, lines * axisX.step / 1000);
    const unit = chooseUnitSymbol(axisX.unit);
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
    if (width < 1 || height < 1) return;
    const { placed: { picture, orientation }, statistic } = this.#pane;
    fitCanvas(this.#canvas, width, height);
    this.#painter.statistic = statistic;
    const whole = { x0: 0, y0: 0, x1: picture.width, y1: picture.height };
    const area = { left: 0, top: 0, width: this.#canvas.width, height: this.#canvas.height };
    this.#painter.paint(whole, orientation, [area]);
  }

  /** The view in fractions of the strip, from the left. */
  get #seen() {
    const { picture: { width }, view, orientation } = this.#pane.placed;
    const [start, end] = [view.x0 / width, view.x1 / width];
    return orientation.fromRight ? { start: 1 - end, end: 1 - start } : { start, end };
  }

  /** Shows another part of the strip, clamped to its ends. */
  #see(start: number, end: number) {
    const { picture: { width }, orientation } = this.#pane.placed;
    const least = Math.min(SMALLEST_SPAN, width) / width;
    const [from, to] = moveInside(start, Math.max(end, start + least), 1);
    const [x0, x1] = orientation.fromRight ? [1 - to, 1 - from] : [from, to];
    this.#show(x0 * width, x1 * width);
  }

  #show(x0: number, x1: number) {
    const [from, to] = moveInside(x0, x1, this.#pane.placed.picture.width);
    this.#pane.view = { ...this.#pane.view, x0: from, x1: to };
  }

  #listenToPointer() {
    /** The dragged part, with view and position at the start of the drag. */
    let held: { part: "start" | "end" | "all"; start: number; end: number; at: number } | null = null;
    const place = (event: PointerEvent) => {
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

  #take(value: number, end: number) {
    const { picture: { width, axisX }, view } = this.#pane.placed;
    // The last line is in view up to its end.
    const line = Math.min(width, Math.max(0, value / axisX.step + end));
    const least = Math.min(SMALLEST_SPAN, width);
    // Moves both ends if they would cross.
    const length = view.x1 - view.x0;
    const [x0, x1] = end === 0
      ? [line, line + least > view.x1 ? line + length : view.x1]
      : [line - least < view.x0 ? line - length : view.x0, line];
    this.#show(x0, Math.max(x1, x0 + least));
    // Typed times may lie outside the recording.
    this.#write(end);
  }

  /** Shows the visible time, also in a focused field. */
  #write(end: number) {
    const { picture: { axisX: { step } }, view: { x0, x1 } } = this.#pane.placed;
    const text = formatAt([x0, x1 - 1][end]! * step, (x1 - x0) * step / DIGITS);
    this.#inputs[end]!.value = this.#written[end] = text;
  }
}
