/**
 * Pinned cursors: the first shows its values, a second the difference of both. Values are means over some lines and
 * columns around a cursor.
 */
import { formatQuantity, formatRounded, formatTableUnit } from "../../../measure/axes.ts";
import { makeMeanOver } from "../../../measure/image_parts.ts";
import { formatVelocity } from "../../../measure/flow/velocity.ts";
import { element } from "../controls/element.ts";
import { button, countField, fieldRow, tables } from "../controls/fields.ts";
import { RegionList } from "../drawing/list.ts";
import { nameRegion } from "../drawing/kinds.ts";
import { CURSORS } from "../drawing/pieces.ts";
import { type Region, selectKinds } from "../drawing/region.ts";
import { Panel, panel, velocityColumn } from "./panel.ts";
import type { About, Scan } from "../drawing/scan.ts";
import type { Drawn } from "../drawing/drawn.ts";
import type { Column } from "../../../measure/csv.ts";
import type { DrawingStore } from "../drawing/store.ts";

/** Largest window of a mean, in lines or columns. */
const MOST = 100_001;

/** A quantity at the cursors, and its text. */
type CursorRow = Column & { values: (number | null)[]; text: (value: number | null) => string };

/** The table of the pinned cursors. */
export class CursorPanel extends Panel {
  readonly #store;
  readonly #piece;
  readonly #list;
  readonly #lines = countField("Average over", "cursor-lines", 1, "lines ×", () => this.#typed(), MOST);
  readonly #columns = countField("", "cursor-columns", 1, "columns", () => this.#typed(), MOST);
  readonly #table = element("div", { className: "scrolled" });
  readonly #hint = element("p", { className: "hint", role: "status" });
  readonly element: HTMLDivElement;

  /** @param pin pins the pointer or keyboard cursor */
  constructor(store: DrawingStore<Drawn>, pin: () => void) {
    super();
    this.#store = store;
    this.#piece = store.register(CURSORS);
    this.#list = new RegionList(store, ["cursor"], "Cursors");
    this.#columns.input.ariaLabel = "Columns of the mean";
    const pinned = button("Pin", pin, {
      id: "cursor-pin",
      title: "Pin the cursor where it is (x)",
    });
    const clear = button("Clear", () => {
      store.draw(store.document.regions.filter(({ kind }) => kind !== "cursor"));
    }, { id: "cursor-clear" });
    const mean = fieldRow(this.#lines.label, this.#columns.label);
    this.element = panel(this.#hint, fieldRow(pinned, clear), mean, this.#table, this.#list.slot);
  }

  /** Holds the fields of a selected cursor. */
  get slot(): HTMLElement {
    return this.#list.slot;
  }

  /** Says how to pin a cursor. */
  refuse(): void {
    this.#hint.textContent =
      "Point at the picture or move its cursor with the arrow keys, then pin it with x.";
  }

  #typed() {
    this.#piece.write({ lines: this.#lines.number, columns: this.#columns.number });
  }

  /** Lists the cursors. Call when they, their settings or the samples have changed. */
  show(scan: Scan): void {
    this.scan = scan;
    const { lines, columns } = this.#piece.value;
    if (this.#lines.number !== lines) this.#lines.number = lines;
    if (this.#columns.number !== columns) this.#columns.number = columns;
    const cursors = this.#all;
    this.#hint.textContent = cursors.length === 1 ? "Pin a second one for the differences." : "";
    const rows = cursors.length === 0
      ? []
      : makeCursorRows(this.#store.shown, scan).map(({ name, values, text }) => [name, ...values.map(text)]);
    const heads = cursors.map((cursor) =>
      element(
        "span",
        { className: "picks" },
        this.#list.pick(cursor, nameRegion(cursor)),
        this.#list.removal(cursor),
      )
    );
    const [first, second] = cursors.map(nameRegion);
    const difference = second === undefined ? [] : [`${second} − ${first}`];
    this.#table.replaceChildren(...tables("Cursors", ["", ...heads, ...difference], rows));
  }

  /** The cursors as they are shown, A before B. */
  get #all() {
    return selectCursors(this.#store.shown.regions);
  }

  /** Pinned lines of a line scan. */
  get lines(): { line: number; label: string }[] {
    return this.#all.map((cursor) => ({ line: findCursorPixel(cursor).x, label: nameRegion(cursor) }));
  }

  get count(): number | null {
    return selectKinds(this.#store.document.regions, "cursor").length || null;
  }

  get about(): About {
    const { lines, columns } = this.#piece.value;
    return [["Lines averaged", lines], ["Columns averaged", columns]];
  }

  get columns(): Column[] {
    return this.scan === null ? [] : makeCursorColumns(this.#store.document, this.scan);
  }
}

const selectCursors = (regions: readonly Region[]) =>
  selectKinds(regions, "cursor").toSorted((a, b) => a.id < b.id ? -1 : 1);

const findCursorPixel = ({ ends: [at] }: Region) => ({ x: Number(at!.x) - 0.5, y: Number(at!.y) - 0.5 });

/** The table of the cursors, with their difference below. */
export function makeCursorColumns(drawn: Drawn, scan: Scan): Column[] {
  const [first, second] = selectCursors(drawn.regions).map(nameRegion);
  const labels = first === undefined
    ? []
    : second === undefined
    ? [first]
    : [first, second, `${second} - ${first}`];
  return [{ name: "Cursor", values: labels }, ...makeCursorRows(drawn, scan)];
}

/** Each quantity at the cursors, with its text; of two cursors in a line scan also the velocity from one to the other. */
function makeCursorRows(drawn: Drawn, { axes, group, isLineScan }: Scan): CursorRow[] {
  const cursors = selectCursors(drawn.regions).map(findCursorPixel);
  const withDifference = (of: (cursor: { x: number; y: number }) => number) => {
    const values = cursors.map(of);
    return values.length === 2 ? [...values, values[1]! - values[0]!] : values;
  };
  const { lines, columns: wide } = drawn.cursors;
  const meanAt = (samples: Float32Array, { x, y }: { x: number; y: number }) => {
    const [top, left] = [x - Math.floor((lines - 1) / 2), y - Math.floor((wide - 1) / 2)];
    const place = { start: [left, top], stop: [left + wide, top + lines] } as const;
    return makeMeanOver(group.plane, place)(samples);
  };
  const names = isLineScan ? ["Time", "Position"] : ["Row", "Column"];
  const places = axes.map((axis, i) => ({
    name: names[i]!,
    unit: formatTableUnit(axis),
    values: withDifference(({ x, y }) => (i === 0 ? x : y) * axis.step),
    text: (value: number | null) => formatQuantity(Number(value), axis, 5),
  }));
  const [times, positions] = places.map(({ values }) => values) as [number[], number[]];
  const velocities = isLineScan && times[2]
    ? [{
      ...velocityColumn({ axes }, [null, null, positions[2]! / times[2]]),
      text: (value: number | null) => value === null ? "" : formatVelocity(value, axes),
    }]
    : [];
  return [
    ...places,
    ...group.channels.map(({ name, samples }) => ({
      name,
      values: withDifference((cursor) => meanAt(samples, cursor)),
      text: (value: number | null) => formatRounded(Number(value)),
    })),
    ...velocities,
  ];
}
