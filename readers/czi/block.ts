/** A subblock as the array that a plane takes some rows of: where its samples stand, and where they go. */
import { type SceneLayout, spanOf } from "./scene_layout.ts";
import type { SubblockTable } from "./subblock_table.ts";

/** Where a plane lies, in the numbers of the file. */
export type FixedIndices = ReadonlyMap<string, number>;

/** A rectangle of the plane and the stored pixels that it is painted with; distances are in pixels. */
export interface Block {
  /** Index in the table. */
  readonly entry: number;
  /** First column in the plane. */
  readonly x: number;
  /** First row in the plane. */
  readonly y: number;
  /** Columns in the plane. */
  readonly width: number;
  /** Rows in the plane. */
  readonly height: number;
  /** Columns that are stored for them. */
  readonly storedWidth: number;
  /** Rows that are stored for them. */
  readonly storedHeight: number;
  /** The first pixel among all that are stored. */
  readonly first: number;
  /** From a column to the next. */
  readonly columnStep: number;
  /** From a row to the next. */
  readonly rowStep: number;
  /** All pixels that are stored. */
  readonly pixels: number;
}

/** The stored index that an index shows, where `stored` samples stand for `size`. */
export function storedIndex(index: number, size: number, stored: number): number {
  if (stored === size) return index;
  // Fewer are repeated by a whole number; of more, every so many is taken.
  const found = stored < size
    ? Math.floor(index / Math.round(size / stored))
    : Math.floor(index * stored / size);
  return Math.min(found, stored - 1);
}

/** How a subblock lies in the plane at some indices, which it spans. */
export function blockOf(
  table: SubblockTable,
  entry: number,
  layout: SceneLayout,
  fixed: FixedIndices,
): Block {
  const { rowAxis } = layout;
  let [pixels, first] = [1, 0];
  let [columnStep, rowStep] = [1, 0];
  for (const letter of table.order(entry)) {
    const stored = table.stored(letter, entry);
    if (letter === "X") columnStep = pixels;
    else if (letter === rowAxis) rowStep = pixels;
    else {
      const index = (fixed.get(letter) ?? 0) - table.start(letter, entry);
      first += pixels * storedIndex(index, table.size(letter, entry), stored);
    }
    pixels *= stored;
  }
  return {
    entry,
    x: table.start("X", entry) - spanOf(layout, "X").start,
    y: table.start(rowAxis, entry) - spanOf(layout, rowAxis).start,
    width: table.size("X", entry),
    height: table.size(rowAxis, entry),
    storedWidth: table.stored("X", entry),
    storedHeight: table.stored(rowAxis, entry),
    first,
    columnStep,
    rowStep,
    pixels,
  };
}

/** True where a pixel of the plane is not one stored pixel. */
export const isScaled = ({ width, height, storedWidth, storedHeight }: Block): boolean =>
  width !== storedWidth || height !== storedHeight;

/** True where it is, and neighbours in a row are neighbours in the file. */
export const isPlain = (block: Block): boolean => !isScaled(block) && block.columnStep === 1;

/** Pixels from the first of a row to its last. */
export const rowPixels = ({ storedWidth, columnStep }: Block): number => (storedWidth - 1) * columnStep + 1;
