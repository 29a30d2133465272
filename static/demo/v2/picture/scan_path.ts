/**
 * The path of a line scan over its reference image. It maps columns of the line scan to positions on the path and back,
 * and links the cursors of both pictures: pointing into the line scan marks the position on the path, and pointing at the
 * path marks the column of the line scan.
 *
 * Columns are spread evenly by length over the path, or one per point when their numbers are equal. Coordinates are pixels
 * of the reference plane: x counts columns, y counts rows.
 */
import type { Mark } from "./marks.ts";
import type { Pane } from "./pane.ts";
import type { PicturePoint } from "./placed_view.ts";

/** Name of a pane. */
export type Name = "source" | "reference";

const PATH_COLOR = "#ffd84d";
const LINK_COLOR = "#ff7a1a";

/** Distance from the edge of the plot, and half the size, of the arrow to a mark outside the view, in CSS pixels. */
const EDGE = 12;
const ARROW = 6;

/** Largest distance of the pointer from the path, in CSS pixels. */
const REACH = 16;

/** Position of each point along the path, 0 to 1. @param columns of the line scan */
function computePathFractions(points: readonly PicturePoint[], columns: number) {
  if (points.length === columns) return points.map((_, i) => i / Math.max(1, columns - 1));
  const lengths = [0];
  for (let i = 1; i < points.length; i += 1) {
    lengths.push(
      lengths[i - 1]! + Math.hypot(points[i]!.x - points[i - 1]!.x, points[i]!.y - points[i - 1]!.y),
    );
  }
  const whole = lengths[lengths.length - 1] || 1;
  return lengths.map((length) => length / whole);
}

/** Position of a column of the line scan on a path of at least one point. */
export function placeOfColumn(
  points: readonly PicturePoint[],
  columns: number,
  column: number,
): PicturePoint {
  const fractions = computePathFractions(points, columns);
  const wanted = column / Math.max(1, columns - 1);
  const next = fractions.findIndex((fraction) => fraction >= wanted);
  if (next <= 0) return points[next === 0 ? 0 : points.length - 1]!;
  const [a, b] = [points[next - 1]!, points[next]!];
  const part = (wanted - fractions[next - 1]!) / (fractions[next]! - fractions[next - 1]!);
  return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
}

/**
 * Column of the line scan nearest to a position of the reference image, and its distance in reference pixels.
 *
 * @param points at least one
 */
export function findColumnNear(points: readonly PicturePoint[], columns: number, place: PicturePoint): {
  column: number;
  distance: number;
} {
  const fractions = computePathFractions(points, columns);
  let best = { fraction: 0, distance: Math.hypot(place.x - points[0]!.x, place.y - points[0]!.y) };
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1]!, points[i]!];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const square = dx * dx + dy * dy;
    const along = square > 0 ? ((place.x - a.x) * dx + (place.y - a.y) * dy) / square : 0;
    const part = Math.min(1, Math.max(0, along));
    const distance = Math.hypot(place.x - a.x - part * dx, place.y - a.y - part * dy);
    if (distance < best.distance) {
      best = { fraction: fractions[i - 1]! + part * (fractions[i]! - fractions[i - 1]!), distance };
    }
  }
  return { column: Math.round(best.fraction * (columns - 1)), distance: best.distance };
}

/** The path of the open line scan in both panes, over which it puts its marks. */
export class LinkedPanes {
  readonly #source;
  readonly #reference;
  #points: readonly PicturePoint[] = [];
  #columns = 1;
  #isPathShown = true;
  /** The marked column, its position on the path and the pane under the pointer. */
  #linked: { from: Name; column: number; place: PicturePoint } | null = null;

  constructor({ source, reference }: { source: Pane; reference: Pane }) {
    this.#source = source;
    this.#reference = reference;
    source.overlay = () => this.#columnMarks();
    reference.overlay = () => this.#pathMarks();
  }

  /** Sets the path and the number of columns of another acquisition. */
  begin(points: readonly PicturePoint[], columns: number): void {
    [this.#points, this.#columns, this.#linked] = [points, columns, null];
  }

  /** Shows or hides the path; the link stays. */
  showPath(isShown: boolean): void {
    this.#isPathShown = isShown;
    this.#draw();
  }

  /** Describes the linked position in the other pane; empty without a link. */
  text(from: Name): string {
    const linked = this.#linked;
    if (linked?.from !== from) return "";
    if (from === "reference") return `line scan column ${linked.column}`;
    return `reference row ${Math.round(linked.place.y)}, column ${Math.round(linked.place.x)}`;
  }

  /** Moves the cursor of a pane to a pixel of its picture, or removes it. */
  follow(from: Name, cursor: PicturePoint | null): void {
    const [points, columns] = [this.#points, this.#columns];
    if (points.length === 0) return;
    this.#linked = null;
    if (cursor !== null && from === "source") {
      this.#linked = { from, column: cursor.y, place: placeOfColumn(points, columns, cursor.y) };
    } else if (cursor !== null) {
      // The picture's x is the plane's row.
      const { column, distance } = findColumnNear(points, columns, { x: cursor.y, y: cursor.x });
      if (distance * this.#reference.zoom <= REACH) {
        this.#linked = { from, column, place: placeOfColumn(points, columns, column) };
      }
    }
    this.#draw();
  }

  /** The column of the line scan under the pointer in the reference image. */
  #columnMarks(): Mark[] {
    const source = this.#source;
    if (this.#linked?.from !== "reference") return [];
    const { x0, x1 } = source.view;
    const { column } = this.#linked;
    const [start, end] = [source.toScreen(x0, column + 0.5), source.toScreen(x1, column + 0.5)];
    const middle: [number, number] = [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2];
    if (!isInsidePlot(middle, source.plot)) return drawArrowTo(middle, source.plot, `column ${column}`);
    return [{ points: [start, end], color: LINK_COLOR, width: 2, halo: true }];
  }

  /** The path in the reference image, and the linked position. */
  #pathMarks(): Mark[] {
    const reference = this.#reference;
    // The picture counts rows along x; points lie at the centres of their pixels.
    const screen = ({ x, y }: PicturePoint) => reference.toScreen(y + 0.5, x + 0.5);
    const marks: Mark[] = [];
    const [first] = this.#points;
    if (this.#isPathShown && first !== undefined) {
      const style = { color: PATH_COLOR, width: 2, halo: true };
      marks.push({ points: this.#points.map(screen), ...style }, { ring: [...screen(first), 4], ...style });
    }
    if (this.#linked !== null) {
      const at = screen(this.#linked.place);
      if (isInsidePlot(at, reference.plot)) {
        marks.push({ ring: [...at, 6], color: LINK_COLOR, width: 3, halo: true });
      } else marks.push(...drawArrowTo(at, reference.plot));
    }
    return marks;
  }

  #draw() {
    this.#source.drawMarks();
    this.#reference.drawMarks();
  }
}

const isInsidePlot = (
  [x, y]: readonly [number, number],
  { width, height }: { width: number; height: number },
): boolean => x >= 0 && x <= width && y >= 0 && y <= height;

/**
 * Marks at the edge of a plot that point to a position outside it.
 *
 * @param place CSS pixels of the plot
 * @param text beside the arrow
 */
function drawArrowTo(
  [x, y]: [number, number],
  { width, height }: { width: number; height: number },
  text = "",
) {
  const inside = (value: number, size: number) =>
    Math.min(Math.max(value, EDGE), Math.max(EDGE, size - EDGE));
  const [left, top] = [inside(x, width), inside(y, height)];
  const [dx, dy] = [x - left, y - top];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [ARROW * dx / length, ARROW * dy / length];
  // The tip points ahead, both wings end behind and to the sides.
  const points = [[left - ux - uy, top - uy + ux], [left + ux, top + uy], [left - ux + uy, top - uy - ux]];
  const style = { color: LINK_COLOR, halo: true };
  const marks: Mark[] = [{ points, width: 3, ...style }];
  if (text !== "") marks.push({ text, at: [left + 2 * ARROW, top], anchor: "start", ...style });
  return marks;
}
