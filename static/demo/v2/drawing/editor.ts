/**
 * Edits the selected region: grips over the picture, for mouse, finger and keys, and fields for name, properties and place
 * below its list.
 */
import { chooseUnitSymbol, toPhysical } from "../../../measure/axes.ts";
import { byId, element } from "../controls/element.ts";
import { button, fieldRow, numberField, textField } from "../controls/fields.ts";
import { ARROWS } from "../picture/picture_input.ts";
import { findShape, type Scan } from "./scan.ts";
import { findPropertyValue, KINDS, nameRegion, type Property } from "./kinds.ts";
import {
  type End,
  findRegion,
  KIND_NAMES,
  type Region,
  selectKinds,
  withoutRegion,
  withRegion,
} from "./region.ts";
import { makeRegion } from "./table.ts";
import type { Drawn } from "./drawn.ts";
import type { Pane } from "../picture/pane.ts";
import type { PicturePoint } from "../picture/placed_view.ts";
import type { DrawingStore } from "./store.ts";

/** The grips and fields of one picture. */
export class RegionEditor {
  readonly #store;
  readonly #pane;
  readonly #slotOf;
  #scan: Scan | null = null;
  /** Id of the region with grips and fields. */
  #selected: string | null = null;
  /** Grips in each band of the plot; the first moves the whole region, the others its ends. */
  #bands: HTMLButtonElement[][] = [];
  #drag: { grip: number; ends: readonly End[]; x: number; y: number } | null = null;
  readonly #name = textField("Name", "", 80, (name) => this.#change({ name }, this.#name));
  #properties: { property: Property; input: HTMLInputElement | HTMLSelectElement }[] = [];
  readonly #looks = element("span", { className: "looks" });
  #numbers: { field: ReturnType<typeof numberField>; end: number; axis: "x" | "y" }[] = [];
  readonly #places = element("div", { className: "places" });
  readonly #fields = element(
    "div",
    { className: "shape", role: "group" },
    fieldRow(this.#looks, this.#name),
    this.#places,
    fieldRow(
      button("Duplicate", () => this.#duplicate(), { id: "shape-duplicate" }),
      button("Done", () => this.deselect(), { id: "shape-done" }),
    ),
  );

  /** @param slotOf the element for the fields of a region */
  constructor(store: DrawingStore<Drawn>, pane: Pane, slotOf: (region: Region) => HTMLElement) {
    this.#store = store;
    this.#pane = pane;
    this.#slotOf = slotOf;
    this.#name.id = "shape-name";
    this.#fields.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.#grips[0]?.focus();
      event.stopPropagation();
    });
    store.on("select", () => this.#follow());
    for (const type of ["change", "preview"] as const) store.on(type, () => this.refresh());
  }

  /** Starts with a picture. @param isSame as before, perhaps with other samples */
  begin(scan: Scan, isSame: boolean): void {
    this.#scan = scan;
    const { selected } = this.#store;
    this.deselect();
    if (isSame && findRegion(this.#store.document.regions, selected) !== undefined) {
      this.#store.select(selected);
    }
  }

  /** Returns whether a region was selected. */
  deselect(): boolean {
    const wasSelected = this.#store.selected !== null;
    this.#store.select(null);
    return wasSelected;
  }

  /** The selected region, as it is shown. */
  get region(): Region | null {
    return findRegion(this.#store.shown.regions, this.#selected) ?? null;
  }

  /** Shows grips and fields of the region that is selected now. */
  #follow() {
    const hadFocus = this.#bands.flat().some((grip) => grip === document.activeElement);
    this.#drag = null;
    this.#removeGrips();
    this.#fields.remove();
    this.#selected = this.#store.selected;
    const { region } = this;
    if (hadFocus) this.#pane.focus();
    if (region === null) return;
    this.#makeFields(region);
    this.#slotOf(region).append(this.#fields);
    const fold = this.#fields.closest("details");
    if (fold) fold.open = true;
    this.refresh();
    // On a narrow page this would scroll the picture away.
    if (matchMedia("(min-width: 761px)").matches) this.#fields.scrollIntoView({ block: "nearest" });
  }

  /** Updates grips and fields after a change of the region, also by Undo. */
  refresh(): void {
    const { region } = this;
    if (region === null) {
      if (this.#selected !== null) this.deselect();
      return;
    }
    const title = nameRegion(region);
    const names = nameEnds(region);
    // Setting the value of a field moves its caret.
    if (this.#name.value !== title) this.#name.value = title;
    for (const { property, input } of this.#properties) {
      const value = findPropertyValue(property, region);
      if (input.value !== value) input.value = value;
    }
    this.#fields.ariaLabel = title;
    if (this.#numbers.at(-1)?.end !== region.ends.length - 1) {
      this.#removeGrips();
      this.#makeFields(region);
    }
    this.place();
    const place = KINDS[region.kind].place(region, this.#scan!);
    for (const grips of this.#bands) {
      for (const [i, grip] of grips.entries()) {
        grip.ariaLabel = `${i === 0 ? "Move" : `Move ${names[i - 1]!.toLowerCase()} of`} ${title}, ${place}`;
      }
    }
    for (const { field, end, axis } of this.#numbers) {
      field.number = this.#physical(axis, region.ends[end]![axis] ?? 0);
    }
  }

  /** Puts the grips on the region in each band of the plot, or at the edge if they would lie outside. */
  place(): void {
    const { region } = this;
    if (region === null) return;
    const { width, height } = this.#pane.plot;
    if (this.#bands.length !== this.#pane.bandCount) {
      this.#removeGrips();
      this.#bands = Array.from({ length: this.#pane.bandCount }, () => this.#madeGrips(region));
      this.#pane.hold(...this.#bands.flat());
    }
    for (const [band, grips] of this.#bands.entries()) {
      grips.forEach((grip, i) => {
        const { x, y } = findGripPlace(region.ends, i, this.#pane.view);
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

  #madeGrips(region: Region) {
    const { length } = region.ends;
    const names = nameEnds(region);
    return Array.from({ length: length === 1 ? 1 : 1 + length }, (_, i) => {
      const name = i === 0 ? "whole" : inIds(names[i - 1]!);
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
      grip.addEventListener("keyup", () => this.#store.endTyping());
      return grip;
    });
  }

  #makeFields(region: Region) {
    const { ends, kind } = region;
    const names = nameEnds(region);
    this.#properties = KINDS[kind].properties.map((property) => {
      const { key, label, choices } = property;
      const settings = { id: `shape-${key}`, "aria-label": label };
      const options = Object.entries(choices ?? {})
        .map(([value, textContent]) => element("option", { value, textContent }));
      const input = choices === undefined
        ? element("input", { type: "color", ...settings })
        : element("select", settings, ...options);
      input.addEventListener("input", () => this.#change({ [key]: input.value }, input));
      return { property, input };
    });
    this.#looks.hidden = this.#properties.length === 0;
    this.#looks.replaceChildren(
      ...this.#properties.map(({ property: { label }, input }) =>
        input.matches("select") ? element("label", { className: "choice" }, `${label} `, input) : input
      ),
    );
    const { isLineScan } = this.#scan as Scan;
    // Images list X first, which counts columns.
    const axes = isLineScan ? ["x", "y"] as const : ["y", "x"] as const;
    const rows = ends.map((end, i) =>
      axes.filter((axis) => end[axis] !== null)
        .map((axis, k) => ({ field: this.#numberField(i, axis, names[i]!, k === 0), end: i, axis }))
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
      `shape-${inIds(endName)}-${axis}`,
      0,
      (typed) => {
        const place = Math.min(size, Math.max(0, typed / step + 0.5));
        const { ends = [] } = this.region ?? {};
        this.#move(ends.map((other, i) => i === end ? { ...other, [axis]: place } : other));
      },
      { min, max, unit: chooseUnitSymbol(unit) },
    );
    // Arrow keys go from pixel to pixel.
    field.arrowStep = step;
    if (!isFirst) field.input.ariaLabel = `${endName}: ${title}`;
    return field;
  }

  /** Rows and columns of the picture. */
  get #size() {
    return findShape(this.#scan as Scan);
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

  /** @param field that is being typed in */
  #change(change: Partial<Region>, field: unknown) {
    const { region } = this;
    if (region === null) return;
    this.#store.draw(withRegion(this.#store.document.regions, { ...region, ...change }), field);
  }

  /**
   * Moves the ends of the selected region.
   *
   * @param isDone false while it is being moved
   * @param field the grip that a key moves until it is released
   */
  #move(ends: readonly End[], isDone = true, field: unknown = null) {
    const { document } = this.#store;
    const region = findRegion(document.regions, this.#selected);
    if (region === undefined) return;
    const moved = { ...region, ends: KINDS[region.kind].moved(region, ends, this.#size) };
    const regions = withRegion(document.regions, moved);
    if (isDone) this.#store.draw(regions, field);
    else this.#store.preview({ ...document, regions });
    this.refresh();
  }

  #duplicate() {
    const { region } = this;
    if (region === null) return;
    const { id: _, kind, ends, written: __, ...properties } = region;
    const name = `${nameRegion(region)} copy`.slice(0, 80);
    const copy = makeRegion(this.#store.document.regions, kind, ends, { ...properties, name });
    if (copy === null) return;
    this.#store.draw(withRegion(this.#store.document.regions, copy));
    this.#store.select(copy.id);
  }

  #grab(event: PointerEvent, grip: HTMLButtonElement, i: number) {
    // Otherwise the picture would zoom or draw.
    event.stopPropagation();
    const { region } = this;
    if (event.button !== 0 || region === null) return;
    grip.setPointerCapture(event.pointerId);
    // Safari does not focus a pressed button.
    grip.focus();
    this.#drag = { grip: i, ends: region.ends, x: event.clientX, y: event.clientY };
  }

  #pull(event: PointerEvent, isDone: boolean) {
    const drag = this.#drag;
    if (drag === null) return;
    const shift = this.#pane.shift(event.clientX - drag.x, event.clientY - drag.y);
    if (isDone) this.#drag = null;
    this.#move(shiftEnds(drag.ends, drag.grip, shift, this.#size), isDone);
  }

  #giveUp() {
    const wasDragging = this.#drag !== null;
    this.#drag = null;
    if (wasDragging) this.#store.preview(null);
    return wasDragging;
  }

  #key(event: KeyboardEvent, i: number) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { region } = this;
    const arrow = ARROWS[event.key];
    if (region === null) return;
    if (event.key === "Tab") {
      if (!this.#leaves(i, event.shiftKey)) return;
    } else if (arrow !== undefined) {
      const grip = this.#grips[i];
      const shift = this.#pane.placed.arrow(...arrow, event.shiftKey);
      this.#move(shiftEnds(region.ends, i, shift, this.#size), true, grip);
      const { region: moved = region } = this;
      if (moved === null) return;
      this.#pane.reveal(findGripPlace(moved.ends, i, this.#pane.view));
      byId("announcer").textContent = KINDS[moved.kind].place(moved, this.#scan!);
    } else if (event.key === "Delete" || event.key === "Backspace") this.#remove(region, i);
    else if (event.key === "Enter") this.#numbers[0]?.field.input.select();
    else if (event.key === "Escape") {
      if (!this.#giveUp()) this.deselect();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Removes the region, or from one of many points the point of a grip. */
  #remove(region: Region, grip: number) {
    const { regions } = this.#store.document;
    const { isOpen = false, least } = KINDS[region.kind];
    if (grip === 0 || !isOpen || region.ends.length <= least) {
      return void this.#store.draw(withoutRegion(regions, region.id));
    }
    const ends = region.ends.filter((_, i) => i !== grip - 1);
    this.#store.draw(withRegion(regions, { ...region, ends }));
    this.#grips[Math.min(grip, ends.length)]?.focus();
  }

  /**
   * Moves the focus from the last grip to the next region, or from the first to the previous one; false if Tab keeps its default.
   */
  #leaves(i: number, isBack: boolean) {
    if (i !== (isBack ? 0 : this.#grips.length - 1)) return false;
    const all = this.#all;
    const next = all[all.findIndex(({ id }) => id === this.#selected) + (isBack ? -1 : 1)];
    if (next === undefined) return false;
    this.#store.select(next.id);
    this.#grips.at(isBack ? -1 : 0)?.focus();
    return true;
  }

  /** All regions with grips, topmost first. */
  get #all() {
    const { regions } = this.#store.document;
    return KIND_NAMES.toReversed().flatMap((kind) => KINDS[kind].isFixed ? [] : selectKinds(regions, kind));
  }

  /** The regions within reach of a position, topmost first. @param reach in CSS pixels */
  #near(at: PicturePoint, reach: number) {
    const [x, y] = this.#pane.toScreen(at.x, at.y);
    return this.#all.filter(({ kind, ends }) => {
      const points = ends.map((end) => this.#pane.toScreen(end.x ?? at.x, end.y ?? at.y));
      if (KINDS[kind].isArea) return measureDistanceToBox([x, y], points[0]!, points[1]!) <= reach;
      return points.some((point, i) => measureDistanceToLine([x, y], points[i - 1] ?? point, point) <= reach);
    });
  }

  /**
   * Selects the pressed region; if several overlap, each press selects the next one.
   *
   * @param reach in CSS pixels
   * @returns whether a region was pressed
   */
  press(at: PicturePoint, reach: number): boolean {
    const near = this.#near(at, reach);
    const now = near.findIndex(({ id }) => id === this.#selected);
    this.#store.select(near[(now + 1) % near.length]?.id ?? null);
    return near.length > 0;
  }

  /** Moves the focus to the selected region, else to one at the cursor, else to the first. */
  enter(): void {
    const { cursor } = this.#pane;
    const at = cursor && { x: cursor.x + 0.5, y: cursor.y + 0.5 };
    if (this.#selected === null) {
      const [first] = [...at === null ? [] : this.#near(at, KEY_REACH), ...this.#all];
      if (first !== undefined) this.#store.select(first.id);
    }
    this.#grips[0]?.focus();
  }

  /** Moves the focus to the fields of the selected region. */
  type(): void {
    this.#numbers[0]?.field.input.select();
  }
}

const nameEnds = ({ kind, ends }: Region) => KINDS[kind].endNames(ends.length);

/** A name of an end in ids and classes, such as `point-1`. */
const inIds = (name: string) => name.toLowerCase().replaceAll(" ", "-");

/** Largest distance from the cursor at which keys find a region, in CSS pixels. */
const KEY_REACH = 16;

/** Position of grip i: grip 0 is in the middle of the region, each other grip at its end. */
function findGripPlace(
  ends: readonly End[],
  i: number,
  { x0, x1, y0, y1 }: { x0: number; x1: number; y0: number; y1: number },
) {
  // Grips lie side by side along an axis that the region spans.
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
function shiftEnds(
  ends: readonly End[],
  grip: number,
  shift: PicturePoint,
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

/** Distance of a point from the straight line between two others, all in CSS pixels. */
export function measureDistanceToLine(
  [x, y]: readonly [number, number],
  [x0, y0]: readonly [number, number],
  [x1, y1]: readonly [number, number],
): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const square = dx * dx + dy * dy;
  const part = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / square));
  return Math.hypot(x - x0 - part * dx, y - y0 - part * dy);
}

/** Distance of a point from the box with two opposite corners; 0 inside. */
function measureDistanceToBox(at: [number, number], corner: [number, number], other: [number, number]) {
  const [dx, dy] = at.map((place, i) =>
    Math.max(0, Math.min(corner[i]!, other[i]!) - place, place - Math.max(corner[i]!, other[i]!))
  ) as [number, number];
  return Math.hypot(dx, dy);
}
