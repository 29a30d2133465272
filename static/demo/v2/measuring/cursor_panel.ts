/**
 * Pinned cursors: the first shows its values, a second the difference of both. Values are means over some lines and
 * columns around a cursor.
 */
import { quantity, rounded, tableUnit } from "../../../measure/axes.ts";
import { meanOver } from "../../../measure/image_parts.ts";
import { velocityText } from "../../../measure/velocity.ts";
import { element } from "../controls/element.ts";
import { button, countField, fieldRow, removeButton, tables } from "../controls/fields.ts";
import { type Change, type End, type Id, panel, ShapePanel, velocityColumn } from "./panel.ts";
import { type About, type Scan, shapeOf } from "./scan.ts";
import type { Cursor, Drawn } from "./drawn.ts";
import type { Mark } from "../picture/marks.ts";

const NAMES = ["A", "B"];
const COLORS = ["#ffd54a", "#7fd6ff"];

/** Largest window of a mean, in lines or columns. */
const MOST = 100_001;

/** A cursor has its rank as its id. */
export class CursorPanel extends ShapePanel<Cursor & { id: number }> {
  override readonly endNames: string[] = ["At"];
  readonly #lines = countField("Mean of", "cursor-lines", 1, "lines ×", () => this.refresh(), MOST);
  readonly #columns = countField("", "cursor-columns", 1, "columns", () => this.refresh(), MOST);
  readonly #table = element("div", { className: "scrolled" });
  readonly #cursor: () => Cursor | null;
  readonly #hint = element("p", { className: "hint", role: "status" });
  readonly element: HTMLDivElement;

  /** @param cursor position of the pointer or keyboard cursor */
  constructor(cursor: () => Cursor | null) {
    super();
    this.#cursor = cursor;
    this.#columns.input.ariaLabel = "Columns of the mean";
    const pin = button("Pin", () => this.pin(), {
      id: "cursor-pin",
      title: "Pin the cursor where it is (x)",
    });
    const clear = button("Clear", () => this.set([]), { id: "cursor-clear" });
    const mean = fieldRow(this.#lines.label, this.#columns.label);
    this.element = panel(this.#hint, fieldRow(pin, clear), mean, this.#table, this.slot);
  }

  /** Cursors and their settings, to be stored as JSON. */
  get kept(): {
    pinned: {
      x: number;
      y: number;
      name?: string;
    }[];
    lines: number;
    columns: number;
  } {
    return {
      pinned: this.all.map(({ id: _, ...cursor }) => cursor),
      lines: this.#lines.number,
      columns: this.#columns.number,
    };
  }

  /** @param drawn pinned in it before */
  begin(scan: Scan, drawn: Drawn | null): void {
    this.scan = scan;
    if (drawn !== null) {
      this.#lines.number = drawn.cursors.lines;
      this.#columns.number = drawn.cursors.columns;
    }
    this.set(drawn?.cursors.pinned ?? []);
  }

  override described({ id, x, y }: Cursor & { id: number }): {
    name: string;
    ends: {
      x: number;
      y: number;
    }[];
    place: string;
  } {
    return {
      name: this.#names[id]!,
      ends: [{ x: x + 0.5, y: y + 0.5 }],
      place: this.#quantities.slice(0, 2).map(({ values, text }) => text(Number(values[id]))).join(", "),
    };
  }

  override placed(_cursor: Cursor, [end]: readonly End[]): {
    x: number;
    y: number;
  } {
    const { x, y } = end!;
    const [rows, columns] = shapeOf(this.scan as Scan);
    const pixel = (place: number | null, size: number) => Math.min(size - 1, Math.floor(Number(place)));
    return { x: pixel(x, rows), y: pixel(y, columns) };
  }

  /** Values follow a cursor that is being moved. */
  override reshape(id: Id, change: Change): void {
    super.reshape(id, change, true);
  }

  /** A third cursor replaces the second. */
  override add({ x, y }: Cursor): number {
    this.set([...this.all.slice(0, 1), { x, y }]);
    return this.all.length - 1;
  }

  override set(pinned: readonly Cursor[]): void {
    this.all = pinned.map((cursor, id) => ({ ...cursor, id }));
    this.refresh();
  }

  /** Pins the cursor where it is. */
  pin(): void {
    const cursor = this.#cursor();
    if (cursor === null || this.scan === null) {
      this.#hint.textContent =
        "Point at the picture or move its cursor with the arrow keys, then pin it with x.";
      return;
    }
    this.emit("select", { id: this.add(cursor) });
  }

  marks(
    toScreen: (x: number, y: number) => [number, number],
    { width, height }: { width: number; height: number },
  ): Mark[] {
    return this.all.flatMap(({ x, y }, i) => {
      const [across, down] = toScreen(x + 0.5, y + 0.5);
      const style = { color: COLORS[i]!, halo: true };
      return [
        { points: [[across, 0], [across, height]], ...style },
        { points: [[0, down], [width, down]], ...style },
        { text: this.#names[i]!, at: [across + 6, down - 14], anchor: "start", ...style },
      ];
    });
  }

  /** Pinned lines of a line scan. */
  get lines(): {
    line: number;
    label: string;
  }[] {
    return this.all.map(({ x }, i) => ({ line: x, label: this.#names[i]! }));
  }

  get about(): About {
    return [["Lines averaged", this.#lines.number], ["Columns averaged", this.#columns.number]];
  }

  get columns(): ({
    name: string;
    values: number[];
    text: (value: number) => string;
  } | {
    text: (value: number | null) => string;
    name: string;
    unit: string;
    values: (number | null)[];
  } | {
    name: string;
    values: string[];
  })[] {
    const [first, second] = this.#names;
    const labels = second === undefined ? this.#names : [first!, second, `${second} - ${first}`];
    return [{ name: "Cursor", values: labels }, ...this.#quantities];
  }

  get #names() {
    return this.all.map(({ name }, i) => name || NAMES[i]!);
  }

  /** Each quantity at the cursors, with its text; of two cursors in a line scan also the velocity from one to the other. */
  get #quantities() {
    const { scan } = this;
    if (scan === null) return [];
    const { axes, group, isLineScan } = scan;
    const names = isLineScan ? ["Time", "Position"] : ["Row", "Column"];
    const places = axes.map((axis, i) => ({
      name: names[i]!,
      unit: tableUnit(axis),
      values: this.#withDifference(({ x, y }) => (i === 0 ? x : y) * axis.step),
      text: (value: number) => quantity(value, axis, 5),
    }));
    const [times, positions] = places.map(({ values }) => values) as [number[], number[]];
    const velocities = isLineScan && times[2]
      ? [{
        ...velocityColumn(scan, [null, null, positions[2]! / times[2]]),
        text: (value: number | null): string => value === null ? "" : velocityText(value, axes),
      }]
      : [];
    return [
      ...places,
      ...group.channels.map(({ name, samples }) => ({
        name,
        values: this.#withDifference((cursor) => this.#mean(samples, cursor)),
        text: rounded,
      })),
      ...velocities,
    ];
  }

  #withDifference(of: (cursor: Cursor) => number) {
    const values = this.all.map(of);
    return values.length === 2 ? [...values, values[1]! - values[0]!] : values;
  }

  #mean(samples: Float32Array, { x, y }: Cursor) {
    const [lines, wide] = [this.#lines.number, this.#columns.number];
    const [top, left] = [x - Math.floor((lines - 1) / 2), y - Math.floor((wide - 1) / 2)];
    const place = { start: [left, top], stop: [left + wide, top + lines] } as const;
    return meanOver(shapeOf(this.scan as Scan), place)(samples);
  }

  /** Lists the cursors again, such as after a change of samples. */
  refresh(): void {
    this.#hint.textContent = this.all.length === 1 ? "Pin a second one for the differences." : "";
    const rows = this.all.length === 0 ? [] : this.#quantities.map(({ name, values, text }) => [
      name,
      ...Array.from(values, (value) => text(value as number)),
    ]);
    const names = this.#names;
    const heads = names.map((name, i) =>
      element(
        "span",
        { className: "picks" },
        this.pick(i, name),
        removeButton(`cursor ${name}`, () => this.remove(i)),
      )
    );
    const difference = names.length === 2 ? [`${names[1]} − ${names[0]}`] : [];
    this.#table.replaceChildren(...tables("Cursors", ["", ...heads, ...difference], rows));
    this.changed();
  }
}
