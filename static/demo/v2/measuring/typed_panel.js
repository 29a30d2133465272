/** Treats an image as a line scan by what the user types, because its file does not say so. */
import { Emitter } from "../controls/emitter.js";
import { element } from "../controls/element.js";
import { button, choiceField, fieldRow, numberField } from "../controls/fields.js";

/** @import { TypedScan } from "../../../measure/typed_scan.js" */

/** Emits `treat` with what was typed, and `back`. */
export class TypedPanel extends Emitter {
  #time = choiceField("Time runs along", "typed-time", [
    { value: /** @type {const} */ ("rows"), name: "rows (down)" },
    { value: /** @type {const} */ ("columns"), name: "columns (to the right)" },
  ]);
  #line = numberField("Time per line", "typed-line", 1, () => {}, { min: 1e-6, unit: "ms" });
  #pixel = numberField("Distance per pixel", "typed-pixel", 1, () => {}, { min: 1e-6, unit: "µm" });
  #treat = button("Treat as line scan", () => this.emit("treat", this.#typed), { id: "typed-treat" });
  #back = button("Show as image", () => this.emit("back"), { id: "typed-back" });

  constructor() {
    super();
    this.element = element(
      "details",
      { id: "measure-typed" },
      element("summary", { textContent: "Treat as line scan" }),
      element(
        "div",
        { className: "panel" },
        element("p", {
          className: "hint",
          textContent:
            "The file does not say that this is a line scan. With time and distance typed here, traces, " +
            "velocities and events can be measured; every table says that they were typed.",
        }),
        fieldRow(this.#time.label, this.#line.label, this.#pixel.label),
        fieldRow(this.#treat, this.#back),
      ),
    );
  }

  /** @returns {TypedScan} */
  get #typed() {
    return {
      time: /** @type {TypedScan["time"]} */ (this.#time.select.value),
      secondsPerLine: this.#line.number / 1000,
      micrometresPerPixel: this.#pixel.number,
    };
  }

  /** @param {boolean} isOffered @param {TypedScan | null} typed what the shown line scan was typed as */
  show(isOffered, typed) {
    this.element.hidden = !isOffered;
    this.#back.hidden = typed === null;
    if (typed === null) return;
    this.#time.select.value = typed.time;
    this.#line.number = Number((typed.secondsPerLine * 1000).toPrecision(12));
    this.#pixel.number = typed.micrometresPerPixel;
  }
}
