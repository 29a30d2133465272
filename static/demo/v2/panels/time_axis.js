/**
 * The visible time of a line scan: overview strip, typed start and end, and the button back. Start and
 * end are the times of the first and the last line in view, line i at `i * step`.
 */
import { formatAt, unitSymbol } from "../../../measure/axes.js";
import { within } from "../controls/element.js";
import { onNumber } from "../controls/fields.js";
import { Overview } from "./overview.js";

/** @import { ChannelGroup } from "../picture/channel_group.js" */
/** @import { Pane } from "../picture/pane.js" */

/** CSS pixels left of a line scan, enough for the value labels of a profile below it. */
const SHARED_GUTTER = 68;

/** Number of steps in the visible time that start and end distinguish. */
const DIGITS = 1000;

export class TimeAxis {
  #pane;
  #overview;
  #strip;
  #fields;
  #inputs;
  /** Values of the inputs before typing. @type {string[]} */
  #written = [];
  #back;

  /**
   * @param {HTMLElement} figure holds `.overview`, `.time-fields` with two inputs and `.unit`, and `.back`
   * @param {Pane} pane
   * @param {(fault: string | null) => void} onTyped receives the fault of a typed number, or null
   */
  constructor(figure, pane, onTyped) {
    this.#pane = pane;
    pane.gutter = SHARED_GUTTER;
    this.#strip = within(figure, ".overview");
    this.#overview = new Overview(this.#strip, pane);
    this.#fields = within(figure, ".time-fields");
    this.#inputs = [...this.#fields.querySelectorAll("input")];
    this.#back = within(figure, ".back", HTMLButtonElement);
    this.#back.addEventListener("click", () => pane.goBack());
    this.#inputs.forEach((input, end) => {
      onNumber(input, (value) => this.#take(value, end), onTyped);
      input.addEventListener("keydown", (event) => this.#step(event, end));
    });
  }

  /** Takes another group, or other planes of the same one. @param {ChannelGroup} group */
  load(group) {
    this.#overview.load(group);
    this.follow();
  }

  /** Call when a channel looks different. */
  redraw() {
    this.#overview.redraw();
  }

  /** Call when the picture has another view or another place. */
  follow() {
    const { size, time } = this.#pane;
    this.#back.disabled = !this.#pane.canGoBack;
    this.#strip.hidden = time !== "across";
    this.#fields.hidden = time === null;
    if (size === null || time === null) return;
    if (time === "across") this.#overview.follow(this.#pane.edges);
    const { axisX } = size;
    within(this.#fields, ".unit").textContent = unitSymbol(axisX.unit);
    this.#inputs.forEach((input, end) => {
      const isTyped = document.activeElement === input && input.value !== this.#written[end];
      if (isTyped) return;
      this.#write(end);
      input.removeAttribute("aria-invalid");
    });
  }

  /** @param {number} value @param {number} end */
  #take(value, end) {
    const { size, view } = this.#pane;
    if (size === null) return;
    // The last line is in view up to its end.
    const line = Math.min(size.width, Math.max(0, value / size.axisX.step + end));
    const least = Math.min(4, size.width);
    // Moves both ends if they would cross.
    const length = view.x1 - view.x0;
    const [x0, x1] = end === 0
      ? [line, line + least > view.x1 ? line + length : view.x1]
      : [line - least < view.x0 ? line - length : view.x0, line];
    this.#pane.view = { ...view, ...inside(x0, Math.max(x1, x0 + least), size.width) };
    // Typed times may lie outside the recording.
    this.#write(end);
  }

  /** Up and down move the window by a line, with Shift by its length. @param {KeyboardEvent} event @param {number} end */
  #step(event, end) {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    const { size, view } = this.#pane;
    if (size === null) return;
    const lines = (event.shiftKey ? view.x1 - view.x0 : 1) * (event.key === "ArrowUp" ? 1 : -1);
    this.#pane.view = { ...view, ...inside(view.x0 + lines, view.x1 + lines, size.width) };
    this.#write(end);
    event.preventDefault();
  }

  /** Shows the visible time, also in a focused field. @param {number} end */
  #write(end) {
    const { size, view: { x0, x1 } } = this.#pane;
    if (size === null) return;
    const { step } = size.axisX;
    this.#inputs[end].value = this.#written[end] = formatAt(
      [x0, x1 - 1][end] * step,
      (x1 - x0) * step / DIGITS,
    );
  }
}

/** @param {number} x0 @param {number} x1 @param {number} size */
function inside(x0, x1, size) {
  const length = Math.min(size, x1 - x0);
  const start = Math.min(Math.max(0, x0), size - length);
  return { x0: start, x1: start + length };
}
