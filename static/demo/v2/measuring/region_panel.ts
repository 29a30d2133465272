/** Rectangles drawn over an image, and regions of an image document that no tool of this page draws, saved as they are. */
import { element } from "../controls/element.ts";
import { removeButton, tables } from "../controls/fields.ts";
import { meanOver } from "../../../measure/image_parts.ts";
import { SPACE } from "./drawn.ts";
import { type End, panel, ShapePanel } from "./panel.ts";
import { meansText, type Scan, shapeOf } from "./scan.ts";
import type { Mark } from "../picture/marks.ts";
import type { Region } from "./bands.ts";

const COLOR = "#ffffff";

/** Arm of the cross of a point, in CSS pixels. */
const ARM = 6;

/** The list of rectangles and other regions; emits `change` and `select`. */
export class RegionPanel extends ShapePanel<Region> {
  override readonly endNames: string[] = ["Start", "Stop"];
  readonly #rows = element("div");
  readonly element: HTMLDivElement = panel(this.#rows, this.slot);
  /** Elements that show the means of rectangles. */
  #means: Map<Region, HTMLElement> = new Map();

  /** @param regions in it */
  begin(scan: Scan, regions: readonly Region[]): void {
    this.scan = scan;
    this.set(regions);
  }

  /** Follows a rectangle being drawn, in positions of the picture. */
  draw(from: { x: number; y: number }, to: { x: number; y: number }, isDone: boolean): void {
    if (this.scan === null) return;
    const [rows, columns] = shapeOf(this.scan);
    const edges = (one: number, other: number, size: number): [number, number] => [
      Math.max(0, Math.floor(Math.min(one, other))),
      Math.min(size, Math.ceil(Math.max(one, other))),
    ];
    // Rows lie along x of the picture.
    const [[left, right], [top, bottom]] = [edges(from.y, to.y, columns), edges(from.x, to.x, rows)];
    if (right <= left || bottom <= top) return;
    const number = this.#nextNumber;
    const region: Region = {
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

  override described(region: Region): {
    name: string;
    ends: {
      x: number;
      y: number;
    }[];
    isArea: boolean;
    place: string;
  } {
    const { type, position, start = [0, 0], stop = [0, 0] } = region;
    const isArea = type === "rectangle";
    // Rectangles end at pixel edges, other regions in the middle of pixels.
    const middle = isArea ? 0 : 0.5;
    const ends = (position ? [position] : [start, stop])
      .map(([column, row]) => ({ x: row + middle, y: column + middle }));
    return { name: titleOf(region), ends, isArea, place: placeText(region) };
  }

  override placed(region: Region, ends: readonly End[]): {
    position: [number, number];
    start?: never;
    stop?: never;
  } | {
    position?: never;
    start?: never;
    stop?: never;
  } | {
    start: [number, number];
    stop: [number, number];
    position?: never;
  } {
    const [rows, columns] = shapeOf(this.scan as Scan);
    const isArea = region.type === "rectangle";
    const pixel = (place: number | null, size: number) =>
      isArea ? Math.round(Number(place)) : Math.min(size - 1, Math.floor(Number(place)));
    const [start, stop] = ends.map(({ x, y }) => [pixel(y, columns), pixel(x, rows)]) as [
      [number, number],
      [number, number],
    ];
    if (region.position) return { position: start };
    return isArea && (start[0] >= stop[0] || start[1] >= stop[1]) ? {} : { start, stop };
  }

  override add(region: Region): string {
    return this.#append({ ...region, id: `region-${this.#nextNumber}` });
  }

  #append(region: Region) {
    this.set([...this.all, region]);
    this.emit("select", { id: region.id });
    return region.id;
  }

  marks(toScreen: (x: number, y: number) => [number, number]): Mark[] {
    return this.shown.flatMap((region) => {
      const paths = pathsOf(region, toScreen);
      const [at] = paths[0]! as [[number, number]];
      const style = { color: COLOR, halo: true };
      return [
        ...paths.map((points) => ({ points, width: 1.5, dash: "5 3", ...style })),
        {
          text: titleOf(region),
          at: [at[0] + 6, at[1] + 9] as [number, number],
          anchor: "start" as const,
          ...style,
        },
      ];
    });
  }

  /** Shows the means of the rectangles. Call when the samples have changed. */
  refresh(): void {
    const { scan } = this;
    for (const [{ type, start, stop }, mean] of this.#means) {
      if (!scan || scan.isLineScan || type !== "rectangle" || !start || !stop) continue;
      mean.textContent = `mean ${meansText(scan, meanOver(shapeOf(scan), { start, stop }))}`;
    }
  }

  override list(): void {
    const { all } = this;
    this.#means = new Map(all.map((region) => [region, element("div", { className: "means" })]));
    const rows = all.map((region) => [
      this.pick(region.id, titleOf(region)),
      region.type,
      element("div", {}, placeText(region), this.#means.get(region) as HTMLElement),
      removeButton(`region ${titleOf(region)}`, () => this.remove(region.id)),
    ]);
    this.#rows.replaceChildren(...tables("Regions", ["Name", "Kind", "Column, row (px)", ""], rows));
    this.refresh();
  }
}

const titleOf = ({ id, name }: Region) => name || id;

const placeText = ({ position, start, stop }: Region) =>
  position ? position.join(", ") : `${start?.join(", ")} to ${stop?.join(", ")}`;

/** Lines of a region. */
function pathsOf(
  { type, position, start = [0, 0], stop = [0, 0] }: Region,
  toScreen: (x: number, y: number) => [number, number],
): [number, number][][] {
  if (type === "rectangle") {
    const [[left, top], [right, bottom]] = [start, stop];
    const corners = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]] as const;
    return [corners.map(([column, row]) => toScreen(row, column))];
  }
  const middle = ([column, row]: readonly [number, number]) => toScreen(row + 0.5, column + 0.5);
  if (type === "line") return [[middle(start), middle(stop)]];
  const [x, y] = middle(position ?? [0, 0]);
  return [[[x - ARM, y], [x + ARM, y]], [[x, y - ARM], [x, y + ARM]]];
}
