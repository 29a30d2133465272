/**
 * Edits bands, lines, cursors and regions. The selected one has grips over the picture, for mouse, finger and keys, and
 * fields for name, colour and place below its list.
 */
import { toPhysical, unitSymbol } from "../../../measure/axes.ts";
import { byId, element } from "../controls/element.ts";
import { Emitter, type Plain } from "../controls/emitter.ts";
import { button, fieldRow, numberField, textField } from "../controls/fields.ts";
import { ARROWS } from "../picture/picture_input.ts";
import { type Scan, shapeOf } from "./scan.ts";
import type { Pane } from "../picture/pane.ts";
import type { Point } from "../picture/placed_view.ts";
import type { Change, End, Id, Shape, ShapePanel } from "./panel.ts";

/** What the editor needs of a panel, whatever its shapes. */
export type AnyPanel = Omit<ShapePanel<{ id: Id }>, "described" | "placed" | "add" | "set" | "all" | "draft">;

/** Emits `edit` `{isDone, by}` before a shape moves and `edited` after it; `by` is the grip that a key moves until `released`. */
export class ShapeEditor extends Emitter<{
  edit: { isDone: boolean; by?: Element | null | undefined };
  edited: Plain;
  released: Plain;
}> {
  readonly #panels;
  readonly #pane;
  #scan: Scan | null = null;
  #selected: { panel: AnyPanel; id: Id } | null = null;
  /** Grips in each band of the plot; the first moves the whole shape, the others its ends. */
  #bands: HTMLButtonElement[][] = [];
  #drag: { grip: number; ends: readonly End[]; x: number; y: number } | null = null;
  readonly #name = textField("Name", "", 80, (name) => this.#reshape({ name }));
  readonly #color = element("input", { type: "color", id: "shape-color", "aria-label": "Colour" });
  #numbers: { field: ReturnType<typeof numberField>; end: number; axis: "x" | "y" }[] = [];
  readonly #places = element("div", { className: "places" });
  readonly #fields = element(
    "div",
    { className: "shape", role: "group" },
    fieldRow(this.#color, this.#name),
    this.#places,
    fieldRow(
      button("Duplicate", () => this.#duplicate(), { id: "shape-duplicate" }),
      button("Done", () => this.deselect(), { id: "shape-done" }),
    ),
  );

  /** @param panels topmost first */
  constructor(panels: readonly AnyPanel[], pane: Pane) {
    super();
    this.#panels = panels;
    this.#pane = pane;
    this.#name.id = "shape-name";
    this.#fields.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.#grips[0]?.focus();
      event.stopPropagation();
    });
    this.#color.addEventListener("input", () => this.#reshape({ color: this.#color.value }));
    for (const panel of panels) {
      panel.on("select", ({ id }) => this.#isSelected(panel, id) ? this.deselect() : this.select(panel, id));
      panel.on("change", () => this.refresh());
    }
    pane.onPress = (at, reach) => this.#press(at, reach);
    pane.onEnter = () => this.#enter();
  }

  /** Starts with a picture. @param isSame as before, perhaps with other samples */
  begin(scan: Scan, isSame: boolean): void {
    this.#scan = scan;
    const selected = this.#selected;
    this.deselect();
    if (isSame && selected !== null) this.select(selected.panel, selected.id);
  }

  select(panel: AnyPanel, id: Id): void {
    if (this.#isSelected(panel, id)) return;
    this.deselect();
    this.#selected = { panel, id };
    const { shape } = this;
    if (shape === null) return;
    this.#makeFields(panel, shape);
    panel.slot.append(this.#fields);
    const fold = this.#fields.closest("details");
    if (fold) fold.open = true;
    panel.showSelected(id);
    this.refresh();
    // On a narrow page this would scroll the picture away.
    if (matchMedia("(min-width: 761px)").matches) this.#fields.scrollIntoView({ block: "nearest" });
  }

  /** Returns whether a shape was selected. */
  deselect(): boolean {
    const selected = this.#selected;
    if (selected === null) return false;
    const hadFocus = this.#bands.flat().some((grip) => grip === document.activeElement);
    this.#selected = null;
    this.#drag = null;
    this.#removeGrips();
    this.#fields.remove();
    selected.panel.showSelected(null);
    if (hadFocus) this.#pane.focus();
    return true;
  }

  #isSelected(panel: AnyPanel, id: Id) {
    return this.#selected?.panel === panel && this.#selected.id === id;
  }

  /** The selected shape. */
  get shape(): Shape | null {
    const { panel, id } = this.#selected ?? {};
    return panel?.shapes.find((shape) => shape.id === id) ?? null;
  }

  /** Updates grips and fields after a change of the shape, also by Undo. */
  refresh(): undefined {
    const { shape } = this;
    if (shape === null) return void this.deselect();
    const { name, color = "", ends, place } = shape;
    // Setting the value of a field moves its caret.
    if (this.#name.value !== name) this.#name.value = name;
    if (this.#color.value !== color) this.#color.value = color;
    this.#fields.ariaLabel = name;
    this.place();
    for (const grips of this.#bands) {
      for (const [i, grip] of grips.entries()) {
        const end = String(this.#selected?.panel.endNames[i - 1]).toLowerCase();
        grip.ariaLabel = `${i === 0 ? "Move" : `Move ${end} of`} ${name}, ${place}`;
      }
    }
    for (const { field, end, axis } of this.#numbers) {
      field.number = this.#physical(axis, ends[end]![axis] ?? 0);
    }
  }

  /** Puts the grips on the shape in each band of the plot, or at the edge if they would lie outside. */
  place(): void {
    const { shape } = this;
    if (shape === null || this.#selected === null) return;
    const { width, height } = this.#pane.plot;
    if (this.#bands.length !== this.#pane.bandCount) {
      this.#removeGrips();
      const { panel } = this.#selected;
      this.#bands = Array.from({ length: this.#pane.bandCount }, () => this.#madeGrips(panel, shape));
      this.#pane.hold(...this.#bands.flat());
    }
    for (const [band, grips] of this.#bands.entries()) {
      grips.forEach((grip, i) => {
        const { x, y } = gripPlace(shape.ends, i, this.#pane.view);
        const [left, top] = this.#pane.toScreen(x, y);
        grip.style.left = `${Math.min(width, Math.max(0, left))}px`;
        grip.style.top = `${band * height + Math.min(height, Math.max(0, top))}px`;
        // Keys need only the grips of one band.
        grip.tabIndex = band === 0 ? 0 : -1;
      });
    }
  }

  /** The grips that keys reach. */
  get #grips() {
    return this.#bands[0] ?? [];
  }

  #removeGrips() {
    for (const grip of this.#bands.flat()) grip.remove();
    this.#bands = [];
  }

  #madeGrips({ endNames }: AnyPanel, { ends }: Shape) {
    const count = ends.length === 1 ? 1 : 1 + ends.length;
    return Array.from({ length: count }, (_, i) => {
      const name = i === 0 ? "whole" : String(endNames[i - 1]).toLowerCase();
      const grip = element("button", {
        type: "button",
        className: `grip ${name}`,
        "aria-describedby": "grip-help",
      });
      grip.addEventListener("pointerdown", (event) => this.#grab(event, grip, i));
      grip.addEventListener("pointermove", (event) => this.#pull(event, false));
      grip.addEventListener("pointerup", (event) => this.#pull(event, true));
      grip.addEventListener("pointercancel", () => this.#giveUp());
      grip.addEventListener("dblclick", (event) => event.stopPropagation());
      grip.addEventListener("keydown", (event) => this.#key(event, i));
      grip.addEventListener("keyup", () => this.emit("released"));
      return grip;
    });
  }

  #makeFields({ endNames }: AnyPanel, { ends, color }: Shape) {
    this.#color.hidden = color === undefined;
    const { isLineScan } = this.#scan as Scan;
    // Images list X first, which counts columns.
    const axes = isLineScan ? ["x", "y"] as const : ["y", "x"] as const;
    const rows = ends.map((end, i) =>
      axes.filter((axis) => end[axis] !== null)
        .map((axis, k) => ({ field: this.#numberField(i, axis, endNames[i]!, k === 0), end: i, axis }))
    );
    this.#numbers = rows.flat();
    // The edges of a band share a row.
    const lines = rows.every(({ length }) => length === 1) ? [this.#numbers] : rows;
    this.#places.replaceChildren(...lines.map((line) => fieldRow(...line.map(({ field }) => field.label))));
  }

  /** @param isFirst whether it is the first field of its end */
  #numberField(end: number, axis: "x" | "y", endName: string, isFirst: boolean) {
    const { step, unit, name, title = name } = this.#axis(axis);
    const { isLineScan } = this.#scan as Scan;
    const size = this.#size[axis === "x" ? 0 : 1];
    const [min, max] = [this.#physical(axis, 0), this.#physical(axis, size)];
    const field = numberField(
      [isFirst ? endName : "", isLineScan ? "" : title].join(" ").trim(),
      `shape-${endName.toLowerCase()}-${axis}`,
      0,
      (typed) => {
        const { shape } = this;
        const place = Math.min(size, Math.max(0, typed / step + 0.5));
        if (shape === null) return;
        this.#reshape({
          ends: shape.ends.map((other, i) => i === end ? { ...other, [axis]: place } : other),
        });
      },
      { min, max, unit: unitSymbol(unit) },
    );
    // Arrow keys go from pixel to pixel.
    field.input.step = String(step);
    if (!isFirst) field.input.ariaLabel = `${endName}: ${title}`;
    return field;
  }

  /** Rows and columns of the picture. */
  get #size() {
    return shapeOf(this.#scan as Scan);
  }

  #axis(axis: "x" | "y") {
    return (this.#scan as Scan).axes[axis === "x" ? 0 : 1];
  }

  /** Physical coordinate, to a hundredth of a pixel. */
  #physical(axis: "x" | "y", position: number) {
    const along = this.#axis(axis);
    const digits = Math.min(20, Math.max(0, 2 - Math.floor(Math.log10(along.step))));
    return Number(toPhysical(along, position).toFixed(digits));
  }

  #reshape(change: Change, isDone = true, by?: Element | null) {
    const selected = this.#selected;
    if (selected === null) return;
    if (change.ends !== undefined) this.emit("edit", { isDone, by });
    selected.panel.reshape(selected.id, change, isDone);
    this.refresh();
    this.emit("edited");
  }

  #duplicate() {
    if (this.#selected === null) return;
    const { panel, id } = this.#selected;
    const copy = panel.duplicate(id);
    if (copy !== null) this.select(panel, copy);
  }

  #grab(event: PointerEvent, grip: HTMLButtonElement, i: number) {
    // Otherwise the picture would zoom or draw.
    event.stopPropagation();
    const { shape } = this;
    if (event.button !== 0 || shape === null) return;
    grip.setPointerCapture(event.pointerId);
    // Safari does not focus a pressed button.
    grip.focus();
    this.#drag = { grip: i, ends: shape.ends, x: event.clientX, y: event.clientY };
  }

  #pull(event: PointerEvent, isDone: boolean) {
    const drag = this.#drag;
    if (drag === null) return;
    const shift = this.#pane.shift(event.clientX - drag.x, event.clientY - drag.y);
    if (isDone) this.#drag = null;
    this.#reshape({ ends: moved(drag.ends, drag.grip, shift, this.#size) }, isDone);
  }

  #giveUp() {
    const drag = this.#drag;
    this.#drag = null;
    if (drag !== null) this.#reshape({ ends: drag.ends });
    return drag !== null;
  }

  #key(event: KeyboardEvent, i: number) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { shape } = this;
    const arrow = ARROWS[event.key];
    if (event.key === "Tab") {
      if (!this.#leaves(i, event.shiftKey)) return;
    } else if (arrow !== undefined && shape !== null) {
      const grip = this.#grips[i];
      const shift = this.#pane.placed.arrow(...arrow, event.shiftKey);
      this.#reshape({ ends: moved(shape.ends, i, shift, this.#size) }, true, grip);
      this.#pane.reveal(gripPlace(this.shape?.ends ?? shape.ends, i, this.#pane.view));
      byId("announcer").textContent = this.shape?.place ?? "";
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.#selected?.panel.remove(this.#selected.id);
    } else if (event.key === "Enter") this.#numbers[0]?.field.input.select();
    else if (event.key === "Escape") {
      if (!this.#giveUp()) this.deselect();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Moves the focus from the last grip to the next shape, or from the first to the previous one; false if Tab keeps its default.
   */
  #leaves(i: number, isBack: boolean) {
    if (i !== (isBack ? 0 : this.#grips.length - 1)) return false;
    const all = this.#all;
    const at = all.findIndex(({ panel, shape }) => this.#isSelected(panel, shape.id));
    const next = all[at + (isBack ? -1 : 1)];
    if (next === undefined) return false;
    this.select(next.panel, next.shape.id);
    this.#grips.at(isBack ? -1 : 0)?.focus();
    return true;
  }

  get #all() {
    return this.#panels.flatMap((panel) => panel.shapes.map((shape) => ({ panel, shape })));
  }

  /** The shapes within reach of a position, topmost first. @param reach in CSS pixels */
  #near(at: Point, reach: number) {
    return this.#all.filter(({ shape: { ends, isArea = false } }) => {
      const points = ends.map(({ x, y }) => this.#pane.toScreen(x ?? at.x, y ?? at.y));
      const [start, end] = [points[0]!, points.at(-1) ?? points[0]!];
      return (isArea ? boxDistance : distance)(this.#pane.toScreen(at.x, at.y), start, end) <= reach;
    });
  }

  /**
   * Selects the pressed shape; if several overlap, each press selects the next one.
   *
   * @param reach in CSS pixels
   */
  #press(at: Point, reach: number) {
    const near = this.#near(at, reach);
    const now = near.findIndex(({ panel, shape }) => this.#isSelected(panel, shape.id));
    const next = near[(now + 1) % near.length];
    if (next === undefined) this.deselect();
    else this.select(next.panel, next.shape.id);
  }

  /** Moves the focus to the selected shape, else to one at the cursor, else to the first. */
  #enter() {
    const { cursor } = this.#pane;
    const at = cursor && { x: cursor.x + 0.5, y: cursor.y + 0.5 };
    if (this.#selected === null) {
      const [first] = [...at === null ? [] : this.#near(at, KEY_REACH), ...this.#all];
      if (first !== undefined) this.select(first.panel, first.shape.id);
    }
    this.#grips[0]?.focus();
  }
}

/** Largest distance from the cursor at which keys find a shape, in CSS pixels. */
const KEY_REACH = 16;

/** Position of grip i: grip 0 is in the middle of the shape, each other grip at its end. */
function gripPlace(
  ends: readonly End[],
  i: number,
  { x0, x1, y0, y1 }: { x0: number; x1: number; y0: number; y1: number },
) {
  // Grips lie side by side along an axis that the shape spans.
  const part = i === 0 ? 0.5 : i / (ends.length + 1);
  const mean = (axis: "x" | "y") => ends.reduce((sum, end) => sum + (end[axis] ?? NaN), 0) / ends.length;
  const end = i === 0 || ends.length === 1 ? { x: mean("x"), y: mean("y") } : ends[i - 1]!;
  const spanned = (value: number | null, low: number, high: number): number =>
    value === null || Number.isNaN(value) ? low + part * (high - low) : value;
  return { x: spanned(end.x, x0, x1), y: spanned(end.y, y0, y1) };
}

/**
 * Shifts all ends (grip 0) or one of them, and keeps them inside the picture.
 *
 * @param size rows and columns
 */
function moved(
  ends: readonly End[],
  grip: number,
  shift: Point,
  [rows, columns]: readonly [number, number],
): End[] {
  const moving = grip === 0 || ends.length === 1 ? ends : [ends[grip - 1]!];
  const room = (axis: "x" | "y", size: number) => {
    const places = moving.flatMap((end) => end[axis] ?? []);
    return Math.min(size - Math.max(...places), Math.max(-Math.min(...places), shift[axis]));
  };
  const [dx, dy] = [room("x", rows), room("y", columns)];
  return ends.map((end) =>
    moving.includes(end)
      ? { x: end.x === null ? null : end.x + dx, y: end.y === null ? null : end.y + dy }
      : end
  );
}

/** Distance of a point from the straight line between two others. */
function distance([x, y]: [number, number], [x0, y0]: [number, number], [x1, y1]: [number, number]) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const square = dx * dx + dy * dy;
  const part = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / square));
  return Math.hypot(x - x0 - part * dx, y - y0 - part * dy);
}

/** Distance of a point from the box with two opposite corners; 0 inside. */
function boxDistance(at: [number, number], corner: [number, number], other: [number, number]) {
  const [dx, dy] = at.map((place, i) =>
    Math.max(0, Math.min(corner[i]!, other[i]!) - place, place - Math.max(corner[i]!, other[i]!))
  ) as [number, number];
  return Math.hypot(dx, dy);
}
