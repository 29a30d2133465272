/** An editable list of what a measurement has found. */
import { formatAt, rounded, significant } from "../../../measure/axes.ts";
import { type Axes, columnName, type Item, type Measurement } from "../../../measure/measurement.ts";
import { element } from "../controls/element.ts";
import { button, removeButton, tables, textField } from "../controls/fields.ts";

/** Rows that are added at once: each row blocks the browser for some time. */
const ROWS_AT_ONCE = 100;

/** The list of found items with a field for each note and a button to remove each. */
export class ItemList {
  readonly element: HTMLDivElement = element("div", { className: "scrolled" });
  readonly #measurement;
  readonly #edits;
  /** Number of rows shown at most. */
  #most = ROWS_AT_ONCE;

  constructor(
    measurement: Measurement,
    edits: { onNote: (i: number, note: string) => void; onRemove: (i: number) => void },
  ) {
    this.#measurement = measurement;
    this.#edits = edits;
  }

  clear(): void {
    this.#most = ROWS_AT_ONCE;
    this.element.replaceChildren();
  }

  show(found: readonly Item[], axes: Axes): void {
    const { key, title, noun, listed, columns: all, hasNotes } = this.#measurement;
    const columns = listed?.(found, axes) ?? all(found, axes).slice(0, -1);
    const shown = found.slice(0, this.#most);
    const rows = shown.map(({ note = "" }, i) => [
      ...columns.map(({ values, step }) => textOf(values[i], step)),
      ...hasNotes
        ? [textField(`Note on ${noun} ${i + 1}`, note, 200, (note) => this.#edits.onNote(i, note))]
        : [],
      removeButton(`${noun} ${i + 1}`, () => this.#edits.onRemove(i)),
    ]);
    const heads = [...columns.map(columnName), ...hasNotes ? ["Note"] : [], ""];
    const left = found.length - shown.length;
    const more = button(`Show ${Math.min(left, ROWS_AT_ONCE)} more of ${left}`, () => {
      this.#most += ROWS_AT_ONCE;
      this.show(found, axes);
    }, { id: `${key}-more` });
    this.element.replaceChildren(...tables(title, heads, rows), ...left > 0 ? [more] : []);
  }
}

/** @param step that is shown */
function textOf(value: number | string | null | undefined, step?: number) {
  if (typeof value === "string") return value;
  return step === undefined ? rounded(significant(Number(value), 3)) : formatAt(Number(value), step);
}
