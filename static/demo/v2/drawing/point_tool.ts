/** Draws a region from point to point, by clicks or by keys at the cursor. */
import { KINDS } from "./kinds.ts";
import { type End, type KindName, type Region, withRegion } from "./region.ts";
import { makeRegion } from "./table.ts";
import type { Drawn } from "./drawn.ts";
import type { PicturePoint } from "../picture/placed_view.ts";
import type { DrawingStore } from "./store.ts";

/** Largest distance of the clicks of a double click, which are one point, in CSS pixels. */
const REACH = 4;

/** The points of one region before it is recorded. */
export class PointTool {
  readonly #store;
  readonly #kind;
  readonly #toScreen;
  #points: readonly End[] = [];

  /** @param toScreen CSS pixels of a position */
  constructor(
    store: DrawingStore<Drawn>,
    kind: KindName,
    toScreen: (x: number, y: number) => [number, number],
  ) {
    this.#store = store;
    this.#kind = kind;
    this.#toScreen = toScreen;
  }

  get isDrawing(): boolean {
    return this.#points.length > 0;
  }

  /** The region so far; null without a point, or when there are `most` of its kind. */
  get region(): Region | null {
    const { regions } = this.#store.document;
    return this.isDrawing ? makeRegion(regions, this.#kind, this.#points) : null;
  }

  /** Adds a point, unless the last one lies within reach. @param reach in CSS pixels; 0 for keys */
  add({ x, y }: PicturePoint, reach = REACH): void {
    const [last = { x: NaN, y: NaN }] = this.#points.slice(-1);
    const [left, top] = this.#toScreen(Number(last.x), Number(last.y));
    const [across, down] = this.#toScreen(x, y);
    if (Math.hypot(across - left, down - top) <= reach) return;
    this.#points = [...this.#points, { x, y }];
    this.#show();
  }

  /** Takes the last point back. */
  removeLast(): true {
    this.#points = this.#points.slice(0, -1);
    this.#show();
    return true;
  }

  /** Records the region; without enough points nothing. @returns the region */
  finish(): Region | null {
    const { region } = this;
    this.#points = [];
    if (region === null || region.ends.length < KINDS[this.#kind].least) {
      this.#store.preview(null);
      return null;
    }
    this.#store.draw(withRegion(this.#store.document.regions, region));
    return region;
  }

  /** @returns whether there was anything to cancel */
  cancel(): boolean {
    const { isDrawing } = this;
    this.#points = [];
    if (isDrawing) this.#store.preview(null);
    return isDrawing;
  }

  #show() {
    const { region } = this;
    const { document } = this.#store;
    this.#store.preview(region && { ...document, regions: withRegion(document.regions, region) });
  }
}
