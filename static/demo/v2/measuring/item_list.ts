/** An editable list of what a measurement has found. */
import { formatAt, rounded, significant } from "../../../measure/axes.ts";
import { type Axes, columnName, type Item, type Measurement } from "../../../measure/measurement.ts";
import { element } from "../controls/element.ts";
import { button, removeButton, tables, textField } from "../controls/fields.ts";

/** Rows that are added at once: each row blocks the browser for some time. */
const ROWS_AT_ONCE = 100;

/** Items of one result. */
export interface Listed {
  /** Names the result; empty if it is the only one. */
  name: string;
  items: readonly Item[];
}

/** The list of found items with a field for each note and a button to remove each. */
export class ItemList<Group extends Listed> {
  readonly element: HTMLDivElement = element("div", { className: "scrolled" });
  readonly #measurement;
  readonly #edits;
  /** Number of rows shown at most. */
  #most = ROWS_AT_ONCE;

  constructor(
    measurement: Measurement,
    edits: {
      onNote: (group: Group, item: Item, note: string) => void;
      onRemove: (group: Group, item: Item) => void;
    },
  ) {
    this.#measurement = measurement;
    this.#edits = edits;
  }

  clear(): void {
    this.#most = ROWS_AT_ONCE;
    this.element.replaceChildren();
  }

  show(groups: readonly Group[], axes: Axes): void {
    const { key, title, noun, listed, columns: all, hasNotes } = this.#measurement;
    const found = groups.flatMap((group) => group.items.map((item) => ({ group, item })));
    const items = found.map(({ item }) => item);
    const columns = listed?.(items, axes) ?? all(items, axes).slice(0, -1);
    const isNamed = groups.length > 1;
    const rows = found.slice(0, this.#most).map(({ group, item }, i) => [
      ...isNamed ? [group.name] : [],
      ...columns.map(({ values, step }) => textOf(values[i], step)),
      ...hasNotes
        ? [
          textField(
            `Note on ${noun} ${i + 1}`,
            item.note ?? "",
            200,
            (note) => this.#edits.onNote(group, item, note),
          ),
        ]
        : [],
      removeButton(`${noun} ${i + 1}`, () => this.#edits.onRemove(group, item)),
    ]);
    const heads = [...isNamed ? ["Band"] : [], ...columns.map(columnName), ...hasNotes ? ["Note"] : [], ""];
    const left = found.length - rows.length;
    const more = button(`Show ${Math.min(left, ROWS_AT_ONCE)} more of ${left}`, () => {
      this.#most += ROWS_AT_ONCE;
      this.show(groups, axes);
    }, { id: `${key}-more` });
    this.element.replaceChildren(...tables(title, heads, rows), ...left > 0 ? [more] : []);
  }
}

/** @param step that is shown */
function textOf(value: number | string | null | undefined, step?: number) {
  if (typeof value === "string") return value;
  return step === undefined ? rounded(significant(Number(value), 3)) : formatAt(Number(value), step);
}
