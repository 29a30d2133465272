/** An editable list of what a measurement has found. */
import { formatAt, formatRounded, roundToDigits, showGreek } from "../../../measure/axes.ts";
import { type Item, makeColumnName, type Measurement } from "../../../measure/measurement.ts";
import { capitalize } from "../../../measure/stack.ts";
import { element, findWithin } from "../controls/element.ts";
import { button, removeButton, tables, textField } from "../controls/fields.ts";
import type { Scan } from "../drawing/scan.ts";

/** Rows that are added at once: each row blocks the browser for some time. */
const ROWS_AT_ONCE = 100;

/** What stands for a missing number. */
const MISSING = formatRounded(NaN);

/** Items of one result. */
export interface Listed {
  /** Names the result; empty if it is the only one. */
  name: string;
  items: readonly Item[];
}

/** The list of found items, with what can be done to each. */
export class ItemList<Group extends Listed> {
  readonly element: HTMLDivElement = element("div", { className: "items" });
  readonly #measurement;
  readonly #acts;
  /** Number of rows shown at most. */
  #most = ROWS_AT_ONCE;
  #shown: { groups: readonly Group[]; scan: Pick<Scan, "axes" | "noun"> } | null = null;
  /** The columns that were made last. */
  #made: { of: readonly unknown[]; columns: ReturnType<Measurement["columns"]> } = { of: [], columns: [] };
  #rows: { group: Group; item: Item; row: HTMLTableRowElement }[] = [];

  constructor(
    measurement: Measurement,
    acts: {
      onPick: (group: Group, item: Item) => void;
      onNote: (group: Group, item: Item, note: string, field: HTMLInputElement) => void;
      onRemove: (group: Group, item: Item) => void;
      onLeaveOut: (group: Group, item: Item) => void;
    },
  ) {
    this.#measurement = measurement;
    this.#acts = acts;
    this.element.addEventListener("click", ({ target }) => {
      if (!(target instanceof Element) || target.closest("input, .act") !== null) return;
      const row = target.closest("tbody tr");
      const found = this.#rows.find((one) => one.row === row);
      if (found !== undefined) acts.onPick(found.group, found.item);
    });
  }

  clear(): void {
    this.#most = ROWS_AT_ONCE;
    this.#rows = [];
    this.element.replaceChildren();
  }

  show(groups: readonly Group[], scan: Pick<Scan, "axes" | "noun">): void {
    this.#shown = { groups, scan };
    const { axes, noun } = scan;
    const { key, title } = this.#measurement;
    const found = groups.flatMap((group) => group.items.map((item) => ({ group, item })));
    const items = found.map(({ item }) => item);
    const columns = this.#columnsOf(groups, items, axes);
    const isNamed = groups.length > 1;
    const seen = found.slice(0, this.#most);
    const rows = seen.map(({ group, item }, i) => {
      const [first, ...others] = columns.map(({ values, step }) => formatCell(values[i], step));
      // A button, so that keys can pick the row.
      const place = element("button", { type: "button", className: "row-pick", textContent: first ?? "" });
      return [...isNamed ? [group.name] : [], place, ...others, ...this.#controls(group, item, i)];
    });
    const heads = [
      ...isNamed ? [capitalize(noun)] : [],
      ...columns.map(makeColumnHead),
      ...this.#measurement.hasNotes ? ["Note"] : [],
      "",
    ];
    const left = found.length - rows.length;
    const more = button(`Show ${Math.min(left, ROWS_AT_ONCE)} more of ${left}`, () => {
      this.#most += ROWS_AT_ONCE;
      this.show(groups, scan);
    }, { id: `${key}-more` });
    const made = tables(title, heads, rows);
    const focused = this.#focused;
    const body = made[0]?.tBodies[0]?.rows ?? [];
    this.#rows = seen.map((one, i) => ({ ...one, row: body[i]! }));
    this.element.replaceChildren(...made, ...left > 0 ? [more] : []);
    // After a row was removed, the focus goes to the next one.
    const next = focused && this.#rows[Math.min(focused.at, this.#rows.length - 1)];
    if (next) findWithin(next.row, focused.control).focus();
  }

  /** The columns that are not empty; made once for the same items, whose names may have changed. */
  #columnsOf(groups: readonly Group[], items: readonly Item[], axes: Scan["axes"]) {
    const of = [axes, ...groups.map((group) => group.items)];
    if (of.length === this.#made.of.length && of.every((part, i) => part === this.#made.of[i])) {
      return this.#made.columns;
    }
    const { at, listed, columns: all } = this.#measurement;
    const columns = (listed?.(items, axes) ?? all(items, axes).slice(0, at === undefined ? undefined : -1))
      .filter(({ values, step }) =>
        Array.from(values).some((value) => !["", MISSING].includes(formatCell(value, step)))
      );
    this.#made = { of, columns };
    return columns;
  }

  /** The button in a row that has the focus. */
  get #focused(): { at: number; control: string } | null {
    const active = document.activeElement;
    const at = this.#rows.findIndex(({ row }) => row.contains(active));
    if (at < 0 || !(active instanceof HTMLButtonElement)) return null;
    return { at, control: active.matches(".act") ? ".act" : ".row-pick" };
  }

  /** Marks the row of an item, and shows it; null marks none. */
  mark(group: Group | null, item: Item | null): void {
    const of = this.#shown;
    const place = of?.groups.flatMap((one) => one.items.map((other) => one === group && other === item))
      .indexOf(true) ?? -1;
    if (of !== null && place >= this.#most) {
      this.#most = (Math.floor(place / ROWS_AT_ONCE) + 1) * ROWS_AT_ONCE;
      this.show(of.groups, of.scan);
    }
    for (const [i, { row }] of this.#rows.entries()) {
      if (i !== place) row.removeAttribute("aria-current");
      else if (row.ariaCurrent !== "true") {
        row.ariaCurrent = "true";
        row.scrollIntoView({ block: "nearest" });
      }
    }
  }

  #controls(group: Group, item: Item, i: number): HTMLElement[] {
    const { noun, hasNotes, at, overTime } = this.#measurement;
    const name = `${noun} ${i + 1}`;
    const leaves = item.isLeftOut ? "Take in" : "Leave out";
    return [
      ...hasNotes
        ? [
          textField(
            `Note on ${name}`,
            item.note ?? "",
            200,
            (note, field) => this.#acts.onNote(group, item, note, field),
          ),
        ]
        : [],
      at !== undefined
        ? removeButton(name, () => this.#acts.onRemove(group, item), "icon act")
        : overTime === undefined
        ? element("span")
        : button(leaves, () => this.#acts.onLeaveOut(group, item), {
          className: "act",
          "aria-label": `${leaves} ${name}`,
        }),
    ];
  }
}

/** Head of a column, with the unit as the page writes it. */
export const makeColumnHead = (column: { name: string; unit?: string | undefined }): string =>
  showGreek(makeColumnName(column));

/** A value of a table. @param step that is shown */
export function formatCell(value: number | string | null | undefined, step?: number): string {
  if (typeof value === "string") return value;
  return step === undefined ? formatRounded(roundToDigits(Number(value), 3)) : formatAt(Number(value), step);
}
