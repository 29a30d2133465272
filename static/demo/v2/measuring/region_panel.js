/** Rectangles drawn over an image, and regions of an image document that no tool of this page draws, saved as they are. */
import { element } from "../controls/element.js";
import { removeButton, tables } from "../controls/fields.js";
import { meanOver } from "../../../measure/image_parts.js";
import { SPACE } from "./drawn.js";
import { panel, ShapePanel } from "./panel.js";
import { meansText, shapeOf } from "./scan.js";

/** @import { Mark } from "../picture/marks.js" */
/** @import { Region } from "./bands.js" */
/** @import { Change, Id } from "./panel.js" */
/** @import { Scan } from "./scan.js" */

const COLOR = "#ffffff";

/** Arm of the cross of a point, in CSS pixels. */
const ARM = 6;

/** @extends {ShapePanel<Region>} */
export class RegionPanel extends ShapePanel {
  endNames = ["Start", "Stop"];
  /** @type {readonly Region[]} */
  regions = [];
  #rows = element("div");
  element = panel(this.#rows, this.slot);
  /** Elements that show the means of rectangles. @type {Map<Region, HTMLElement>} */
  #means = new Map();

  /** @param {Scan} scan @param {readonly Region[]} regions in it */
  begin(scan, regions) {
    this.scan = scan;
    this.#set(regions);
  }

  /** Follows a rectangle being drawn, in positions of the picture. @param {{x: number, y: number}} from @param {{x: number, y: number}} to @param {boolean} isDone */
  draw(from, to, isDone) {
    if (this.scan === null) return;
    const [rows, columns] = shapeOf(this.scan);
    const edges = (/** @type {number} */ one, /** @type {number} */ other, /** @type {number} */ size) => [
      Math.max(0, Math.floor(Math.min(one, other))),
      Math.min(size, Math.ceil(Math.max(one, other))),
    ];
    // Rows lie along x of the picture.
    const [[left, right], [top, bottom]] = [edges(from.y, to.y, columns), edges(from.x, to.x, rows)];
    if (right <= left || bottom <= top) return;
    const number = this.#nextNumber;
    /** @type {Region} */
    const region = {
      id: `rectangle-${number}`,
      type: "rectangle",
      name: `Rectangle ${number}`,
      coordinate_space: SPACE,
      start: [left, top],
      stop: [right, bottom],
    };
    this.draft = isDone ? null : region;
    if (isDone) this.#add(region);
  }

  /** A number that is free in the ids that this page gives. */
  get #nextNumber() {
    const given = this.regions.map(({ id }) => Number(/^(?:rectangle|region)-(\d+)$/.exec(id)?.[1] ?? 0));
    return 1 + Math.max(0, ...given);
  }

  get shapes() {
    return this.regions.map((region) => {
      const shown = region.id === this.draft?.id ? this.draft : region;
      const { id, type, position, start = [0, 0], stop = [0, 0] } = shown;
      const isArea = type === "rectangle";
      // Rectangles end at pixel edges, other regions in the middle of pixels.
      const middle = isArea ? 0 : 0.5;
      const ends = (position ? [position] : [start, stop])
        .map(([column, row]) => ({ x: row + middle, y: column + middle }));
      return { id, name: titleOf(shown), ends, isArea, place: placeText(shown) };
    });
  }

  /** @param {Id} id @param {Change} change @param {boolean} isDone */
  reshape(id, { name, ends = [] }, isDone) {
    const region = this.regions.find((region) => region.id === id);
    if (region === undefined || this.scan === null) return;
    const [rows, columns] = shapeOf(this.scan);
    const isArea = region.type === "rectangle";
    const pixel = (/** @type {number | null} */ place, /** @type {number} */ size) =>
      isArea ? Math.round(Number(place)) : Math.min(size - 1, Math.floor(Number(place)));
    const [start, stop = start] = ends.map((
      { x, y },
    ) => /** @type {[number, number]} */ ([pixel(y, columns), pixel(x, rows)]));
    const isEmpty = isArea && start && (start[0] >= stop[0] || start[1] >= stop[1]);
    const places = !start || isEmpty ? {} : region.position ? { position: start } : { start, stop };
    const other = { ...region, ...name !== undefined && { name }, ...places };
    this.draft = isDone ? null : other;
    if (isDone) this.#set(this.regions.map((former) => former === region ? other : former));
  }

  /** @param {Id} id */
  duplicate(id) {
    const region = this.regions.find((region) => region.id === id);
    if (region === undefined) return null;
    const copy = `region-${this.#nextNumber}`;
    this.#add({ ...region, id: copy, name: `${titleOf(region)} copy`.slice(0, 80) });
    return copy;
  }

  /** @param {Id} id */
  remove(id) {
    this.#set(this.regions.filter((region) => region.id !== id));
  }

  /** @param {Region} region */
  #add(region) {
    this.#set([...this.regions, region]);
    this.emit("select", { id: region.id });
  }

  /** Cancels the rectangle being drawn. */
  giveUp() {
    this.draft = null;
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @returns {Mark[]} */
  marks(toScreen) {
    return this.withDraft(this.regions).flatMap((region) => {
      const paths = pathsOf(region, toScreen);
      const [at] = paths[0];
      const style = { color: COLOR, halo: true };
      return [
        ...paths.map((points) => ({ points, width: 1.5, dash: "5 3", ...style })),
        {
          text: titleOf(region),
          at: /** @type {[number, number]} */ ([at[0] + 6, at[1] + 9]),
          anchor: /** @type {const} */ ("start"),
          ...style,
        },
      ];
    });
  }

  /** Shows the means of the rectangles. Call when the samples have changed. */
  refresh() {
    const { scan } = this;
    for (const [{ type, start, stop }, mean] of this.#means) {
      if (!scan || scan.isLineScan || type !== "rectangle" || !start || !stop) continue;
      mean.textContent = `mean ${meansText(scan, meanOver(shapeOf(scan), { start, stop }))}`;
    }
  }

  /** @param {readonly Region[]} regions */
  #set(regions) {
    this.regions = regions;
    this.#means = new Map(regions.map((region) => [region, element("div", { className: "means" })]));
    const rows = regions.map((region) => [
      this.pick(region.id, titleOf(region)),
      region.type,
      element("div", {}, placeText(region), /** @type {HTMLElement} */ (this.#means.get(region))),
      removeButton(`region ${titleOf(region)}`, () => this.remove(region.id)),
    ]);
    this.#rows.replaceChildren(...tables("Regions", ["Name", "Kind", "Column, row (px)", ""], rows));
    this.refresh();
    this.changed();
  }
}

/** @param {Region} region */
const titleOf = ({ id, name }) => name || id;

/** @param {Region} region */
const placeText = ({ position, start, stop }) =>
  position ? position.join(", ") : `${start?.join(", ")} to ${stop?.join(", ")}`;

/** Lines of a region. @param {Region} region @param {(x: number, y: number) => [number, number]} toScreen @returns {[number, number][][]} */
function pathsOf({ type, position, start = [0, 0], stop = [0, 0] }, toScreen) {
  if (type === "rectangle") {
    const [[left, top], [right, bottom]] = [start, stop];
    const corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
    return [corners.map(([column, row]) => toScreen(row, column))];
  }
  const middle = (/** @type {readonly [number, number]} */ [column, row]) =>
    toScreen(row + 0.5, column + 0.5);
  if (type === "line") return [[middle(start), middle(stop)]];
  const [x, y] = middle(position ?? [0, 0]);
  return [[[x - ARM, y], [x + ARM, y]], [[x, y - ARM], [x, y + ARM]]];
}
