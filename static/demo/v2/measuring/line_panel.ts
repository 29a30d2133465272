/** Lines drawn over streaks, with time, distance and velocity. */
import { quantity, tableUnit } from "../../../measure/axes.ts";
import { columnOf } from "../../../measure/measurement.ts";
import { lineVelocity, type Place, velocityText } from "../../../measure/velocity.ts";
import { element, unbroken } from "../controls/element.ts";
import { removeButton, tables } from "../controls/fields.ts";
import { type Drawn, type Line, MOST_LINES } from "./drawn.ts";
import { type End, panel, ShapePanel, velocityColumn } from "./panel.ts";
import type { Mark } from "../picture/marks.ts";
import type { Scan } from "./scan.ts";
import type { Column } from "../../../measure/csv.ts";

const COLOR = "#ffffff";

/** The list of lines; emits `change` and `select`. */
export class LinePanel extends ShapePanel<Line> {
  override readonly endNames: string[] = ["Start", "End"];
  #made = 0;
  readonly #rows = element("div");
  /** Reads out the line being drawn or moved. */
  readonly #output = element("output", { className: "drawn", "aria-live": "polite" });
  readonly element: HTMLDivElement;

  constructor() {
    super();
    const hint = element("p", { className: "hint", textContent: "Choose Line and draw along a streak." });
    this.element = panel(hint, this.#output, this.#rows, this.slot);
  }

  /** @param drawn drawn in it before */
  begin(scan: Scan, drawn: Drawn | null): void {
    this.scan = scan;
    this.draft = null;
    this.#output.textContent = "";
    this.#made = Math.max(0, ...drawn?.lines.map(({ id }) => id) ?? []);
    this.set(drawn?.lines ?? []);
  }

  override described(line: Line): {
    name: string;
    ends: Place[];
    place: string;
  } {
    return { name: nameOf(line), ends: [line.from, line.to], place: this.#texts(line).join(", ") };
  }

  override placed(_line: Line, ends: readonly End[]): {
    from: Place;
    to: Place;
  } {
    const [from, to] = ends as [Place, Place];
    this.#read({ from, to });
    return { from, to };
  }

  /** Follows a line being drawn. */
  draw(from: Place, to: Place, isDone: boolean): void {
    const isLine = from.x !== to.x || from.y !== to.y;
    const line = { id: 0, from, to };
    this.draft = isDone ? null : line;
    if (isLine) this.#read(line);
    else this.#output.textContent = "";
    const id = isDone && isLine ? this.add(line) : null;
    if (id !== null) this.emit("select", { id });
  }

  override giveUp(): void {
    if (this.draft !== null) this.#output.textContent = "";
    super.giveUp();
  }

  marks(toScreen: (x: number, y: number) => [number, number]): Mark[] {
    return this.shown.flatMap((drawn) => {
      const [start, end] = [drawn.from, drawn.to].map(({ x, y }) => toScreen(x, y)) as [
        [number, number],
        [number, number],
      ];
      const style = { color: COLOR, halo: true };
      const line = { points: [start, end], width: 2, ...style };
      if (drawn.id === 0) return [line];
      const at: [number, number] = [(start[0] + end[0]) / 2 + 12, (start[1] + end[1]) / 2];
      const text = drawn.name || String(drawn.id);
      return [line, { text, at, anchor: "start" as const, ...style }];
    });
  }

  get columns(): (Column | {
    name: string;
    unit: string;
    values: (number | null)[];
  })[] {
    const { scan, all: lines } = this;
    if (scan === null) return [];
    const [time, space] = scan.axes;
    const found = lines.map(({ from, to }) => lineVelocity(from, to, scan.axes));
    return [
      { name: "Line", values: lines.map(({ id }) => id) },
      columnOf("Start", lines, ({ from, to }) => Math.min(from.x, to.x) - 0.5, time),
      { name: "Duration", unit: tableUnit(time), values: found.map(({ duration }) => duration) },
      { name: "Distance", unit: tableUnit(space), values: found.map(({ distance }) => distance) },
      velocityColumn(scan, found.map(({ velocity }) => velocity)),
      ...lines.some(({ name }) => name) ? [{ name: "Name", values: lines.map(({ name = "" }) => name) }] : [],
    ];
  }

  /** Time, distance and velocity. */
  #texts({ from, to }: { from: Place; to: Place }) {
    const { axes } = this.scan as Scan;
    const { duration, distance, velocity } = lineVelocity(from, to, axes);
    return [quantity(duration, axes[0]), quantity(distance, axes[1]), velocityText(velocity, axes)];
  }

  #read(line: { from: Place; to: Place }) {
    const [time, distance, velocity] = this.#texts(line);
    this.#output.replaceChildren(...unbroken(`Δt ${time} · Δx ${distance} · velocity ${velocity}`));
  }

  override add({ name, from, to }: Pick<Line, "name" | "from" | "to">): number | null {
    if (this.all.length >= MOST_LINES) {
      this.#output.textContent = `${MOST_LINES} lines at most: remove one to draw another.`;
      return null;
    }
    this.#made += 1;
    this.set([...this.all, { id: this.#made, ...name !== undefined && { name }, from, to }]);
    return this.#made;
  }

  override list(): void {
    const rows = this.all.map((line) => [
      this.pick(line.id, line.name || String(line.id)),
      ...this.#texts(line),
      removeButton(nameOf(line), () => this.remove(line.id)),
    ]);
    this.#rows.replaceChildren(...tables("Lines", ["", "Δt", "Δx", "Velocity", ""], rows));
  }
}

const nameOf = ({ id, name }: Line) => name || `Line ${id}`;
