/** A band in the list: its colour, name and place, and a line with fields for the place that a press unfolds. */
import { formatNumber, toPhysical, unitSymbol } from "../../../measure/axes.js";
import { element } from "../controls/element.js";
import { button, fieldRow, numberField, removeButton, textField } from "../controls/fields.js";

/** @import { Axis } from "../../../measure/axes.js" */
/** @import { Band, Bands } from "./bands.js" */

export class BandRow {
  #space;
  #color;
  #name;
  #place;
  #from;
  #to;

  /** @param {Band} band @param {Bands} bands that it is one of @param {Axis} space of positions along the lines */
  constructor({ id, name, color, from, to }, bands, space) {
    this.#space = space;
    this.#color = element("input", { type: "color", value: color, "aria-label": `Colour of ${name}` });
    this.#color.addEventListener("input", () => bands.change(id, { color: this.#color.value }));
    this.#name = textField(`Name of ${name}`, name, 80, (name) => bands.change(id, { name }));
    const edge = (/** @type {"from" | "to"} */ end, /** @type {number} */ column) =>
      numberField(end === "from" ? "From" : "to", `band-${id}-${end}`, this.#edge(column), (typed) => {
        bands.change(id, { [end]: Math.round(typed / space.step + 0.5) });
      });
    this.#from = edge("from", from);
    this.#to = edge("to", to);
    for (const { input } of [this.#from, this.#to]) {
      // Arrow keys go from edge to edge.
      input.min = String(this.#edge(0));
      input.step = String(space.step);
    }
    this.#to.unitText.data = unitSymbol(space.unit);
    const copy = button("Duplicate", () => bands.duplicate(id), { "aria-label": `Duplicate ${name}` });
    const fields = fieldRow(this.#from.label, this.#to.label, copy);
    fields.hidden = true;
    this.#place = button("", () => {
      fields.hidden = !fields.hidden;
      this.#place.ariaExpanded = String(!fields.hidden);
    }, { className: "place", "aria-expanded": "false", title: "Type the place" });
    const remove = removeButton(name, () => bands.remove(id));
    this.element = element("li", {}, this.#color, this.#name, this.#place, remove, fields);
  }

  /** Shows the band after a change, also an undone one. @param {Band} band */
  show({ name, color, from, to }) {
    const unit = unitSymbol(this.#space.unit);
    const [low, high] = [from, to].map((column) => formatNumber(Number(this.#edge(column).toPrecision(3))));
    this.#place.textContent = `${low}–${high} ${unit}`;
    this.#from.number = this.#edge(from);
    this.#to.number = this.#edge(to);
    // Setting the value of a field moves its caret.
    if (this.#color.value !== color) this.#color.value = color;
    if (this.#name.value !== name) this.#name.value = name;
  }

  /** Outer edge of a pixel, without the rounding error of the product. @param {number} column */
  #edge(column) {
    return Number(toPhysical(this.#space, column).toPrecision(6));
  }
}
