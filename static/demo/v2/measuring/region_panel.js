/** Rectangles drawn over an image, and regions of an image document that no tool of this page draws, saved as they are. */
import { element } from "../controls/element.js";
import { removeButton, tables } from "../controls/fields.js";
import { meanOver } from "../../../measure/image_parts.js";
import { SPACE } from "./drawn.js";
import { panel, ShapePanel } from "./panel.js";
import { meansText, shapeOf } from "./scan.js";

/** @import { Mark } from "../picture/marks.js" */
/** @import { Region } from "./bands.js" */
/** @import { End } from "./panel.js" */
/** @import { Scan } from "./scan.js" */

const COLOR = "#ffffff";

/** Arm of the cross of a point, in CSS pixels. */
const ARM = 6;

/** @extends {ShapePanel<Region>} */
export class RegionPanel extends ShapePanel {
  /** @override */
  endNames = ["Start", "Stop"];
  #rows = element("div");
  element = panel(this.#rows, this.slot);
  /** Elements that show the means of rectangles. @type {Map<Region, HTMLElement>} */
  #means = new Map();

  /** @param {Scan} scan @param {readonly Region[]} regions in it */
  begin(scan, regions) {
    this.scan = scan;
    this.set(regions);
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
    if (isDone) this.#append(region);
  }

  /** A number that is free in the ids that this page gives. */
  get #nextNumber() {
    const given = this.all.map(({ id }) => Number(/^(?:rectangle|region)-(\d+)$/.exec(id)?.[1] ?? 0));
    return 1 + Math.max(0, ...given);
  }

  /** @override @param {Region} region */
  described(region) {
    const { type, position, start = [0, 0], stop = [0, 0] } = region;
    const isArea = type === "rectangle";
    // Rectangles end at pixel edges, other regions in the middle of pixels.
    const middle = isArea ? 0 : 0.5;
    const ends = (position ? [position] : [start, stop])
      .map(([column, row]) => ({ x: row + middle, y: column + middle }));
    return { name: titleOf(region), ends, isArea, place: placeText(region) };
  }

  /** @override @param {Region} region @param {readonly End[]} ends */
  placed(region, ends) {
    const [rows, columns] = shapeOf(/** @type {Scan} */ (this.scan));
    const isArea = region.type === "rectangle";
    const pixel = (/** @type {number | null} */ place, /** @type {number} */ size) =>
      isArea ? Math.round(Number(place)) : Math.min(size - 1, Math.floor(Number(place)));
    const [start, stop] = /** @type {[[number, number], [number, number]]} */ (
      ends.map(({ x, y }) => [pixel(y, columns), pixel(x, rows)])
    );
    if (region.position) return { position: start };
    return isArea && (start[0] >= stop[0] || start[1] >= stop[1]) ? {} : { start, stop };
  }

  /** @override @param {Region} region */
  add(region) {
    return this.#append({ ...region, id: `region-${this.#nextNumber}` });
  }

  /** @param {Region} region */
  #append(region) {
    this.set([...this.all, region]);
    this.emit("select", { id: region.id });
    return region.id;
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @returns {Mark[]} */
  marks(toScreen) {
    return this.shown.flatMap((region) => {
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

  /** @override */
  list() {
    const { all } = this;
    this.#means = new Map(all.map((region) => [region, element("div", { className: "means" })]));
    const rows = all.map((region) => [
      this.pick(region.id, titleOf(region)),
      region.type,
      element("div", {}, placeText(region), /** @type {HTMLElement} */ (this.#means.get(region))),
      removeButton(`region ${titleOf(region)}`, () => this.remove(region.id)),
    ]);
    this.#rows.replaceChildren(...tables("Regions", ["Name", "Kind", "Column, row (px)", ""], rows));
    this.refresh();
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
