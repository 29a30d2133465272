/** Rectangles drawn over an image, and regions of an image document that no tool of this page draws, saved as they are. */
import { element } from "../controls/element.js";
import { removeButton, tables } from "../controls/fields.js";
import { SPACE } from "./drawn.js";
import { Panel } from "./panel.js";
import { shapeOf } from "./scan.js";

/** @import { Mark } from "../picture/marks.js" */
/** @import { Region } from "./bands.js" */
/** @import { Scan } from "./scan.js" */

const COLOR = "#ffffff";

/** Arm of the cross of a point, in CSS pixels. */
const ARM = 6;

export class RegionPanel extends Panel {
  /** @type {readonly Region[]} */
  regions = [];
  element = element("div", { className: "panel" });
  /** The rectangle being drawn. @type {Region | null} */
  #draft = null;

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
    // The picture counts rows along x.
    const [[left, right], [top, bottom]] = [edges(from.y, to.y, columns), edges(from.x, to.x, rows)];
    if (right <= left || bottom <= top) return;
    const used = this.regions.map(({ id }) => Number(/^rectangle-(\d+)$/.exec(id)?.[1] ?? 0));
    const number = Math.max(0, ...used) + 1;
    /** @type {Region} */
    const region = {
      id: `rectangle-${number}`,
      type: "rectangle",
      name: `Rectangle ${number}`,
      coordinate_space: SPACE,
      start: [left, top],
      stop: [right, bottom],
    };
    this.#draft = isDone ? null : region;
    if (isDone) this.#set([...this.regions, region]);
  }

  /** Cancels the rectangle being drawn. */
  giveUp() {
    this.#draft = null;
  }

  /** @param {(x: number, y: number) => [number, number]} toScreen @returns {Mark[]} */
  marks(toScreen) {
    const draft = this.#draft === null ? [] : [this.#draft];
    return [...this.regions, ...draft].flatMap((region) => {
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

  /** @param {readonly Region[]} regions */
  #set(regions) {
    this.regions = regions;
    const rows = regions.map((region) => [
      titleOf(region),
      region.type,
      placeText(region),
      removeButton(
        `region ${titleOf(region)}`,
        () => this.#set(this.regions.filter((other) => other !== region)),
      ),
    ]);
    this.element.replaceChildren(...tables("Regions", ["Name", "Kind", "Column, row (px)", ""], rows));
    this.changed();
  }
}

/** @param {Region} region */
const titleOf = ({ id, name }) => name ?? id;

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
