/** Blocks, the rectangles of a plane that subblocks fill, and the painting of blocks. */
import { MAX_READ_STEP } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { RowRange } from "../reader.ts";
import { SampleArray } from "../samples/to_float32.ts";
import type { SubblockTable } from "./directory.ts";
import { type SceneLayout, spanOf } from "./scene.ts";
import type { PixelType } from "./storage.ts";

/** The indices of a plane in the file, by letter. */
export type FixedIndices = ReadonlyMap<string, number>;

/** A rectangle of a plane, and the stored pixels that fill it. Steps are in pixels. */
export interface Block {
  /** Index of its subblock in the table. */
  readonly entry: number;
  /** First column in the plane. */
  readonly x: number;
  /** First row in the plane. */
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly storedWidth: number;
  readonly storedHeight: number;
  /** Index of its first pixel among the stored pixels. */
  readonly first: number;
  /** Step from one column to the next. */
  readonly columnStep: number;
  /** Step from one row to the next. */
  readonly rowStep: number;
  /** Number of stored pixels of the whole subblock. */
  readonly pixels: number;
}

/** The stored index for an index, if `stored` samples represent `size` indices. */
function storedIndex(index: number, size: number, stored: number): number {
  if (stored === size) return index;
  // Fewer samples are repeated a whole number of times; surplus samples are skipped.
  const found = stored < size
    ? Math.floor(index / Math.round(size / stored))
    : Math.floor(index * stored / size);
  return Math.min(found, stored - 1);
}

/** The block of a subblock, in the plane at `fixed`. */
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

/** True if pixels are repeated or skipped. */
export const isScaled = ({ width, height, storedWidth, storedHeight }: Block): boolean =>
  width !== storedWidth || height !== storedHeight;

/** True if rows are painted as they are stored. */
export const isPlain = (block: Block): boolean => !isScaled(block) && block.columnStep === 1;

/** Number of stored pixels from the first to the last of a row. */
export const rowPixels = ({ storedWidth, columnStep }: Block): number => (storedWidth - 1) * columnStep + 1;

/** A plane, and which sample of each pixel fills it. */
export interface Target {
  /** Index among the stored samples of a pixel. */
  readonly sample: number;
  /** The filled rows of the plane. */
  readonly plane: Float32Array;
}

/** The planes to fill. */
export interface Canvas {
  /** Number of samples per row. */
  readonly columns: number;
  /** The rows in the planes' arrays. */
  readonly filled: RowRange;
  readonly targets: readonly Target[];
  readonly stop: StopFlag;
}

/** Returns true for stored pixels to paint. */
export type PixelMask = (x: number, y: number) => boolean;

/** The stored pixels of a subblock. */
export interface StoredPixels {
  readonly pixel: PixelType;
  /** The valid pixels; `null` if all are. */
  readonly mask: PixelMask | null;
  /** Returns the bytes of `count` pixels from `first` on, valid until the next call. */
  bytes(first: number, count: number): Uint8Array;
}

/** Paints the rows of a block that lie in a canvas. @throws {DecodeFailed | Stopped} */
export function paint(block: Block, stored: StoredPixels, canvas: Canvas): void {
  const first = Math.max(0, canvas.filled.start - block.y);
  const end = Math.min(block.height, canvas.filled.end - block.y);
  if (isPlain(block) && stored.mask === null) paintPlain(block, stored, canvas, { start: first, end });
  else paintMapped(block, stored, canvas, { start: first, end });
}

/** Index of the first sample of a row in the arrays of a canvas. */
const startOf = (block: Block, { columns, filled }: Canvas, row: number) =>
  (block.y + row - filled.start) * columns + block.x;

function paintPlain(block: Block, { pixel, bytes }: StoredPixels, canvas: Canvas, rows: RowRange): void {
  const { width, rowStep, first } = block;
  const { samples, sampleType } = pixel;
  // Contiguous rows are read together.
  const adjoining = rowStep === width || rows.end - rows.start === 1;
  const atOnce = adjoining ? Math.max(1, Math.floor(MAX_READ_STEP / (width * pixel.bytes))) : 1;
  for (let row = rows.start; row < rows.end; row += atOnce) {
    canvas.stop.check();
    const count = Math.min(atOnce, rows.end - row);
    const words = new SampleArray({
      bytes: bytes(first + row * rowStep, count * width),
      sampleType,
      littleEndian: true,
    });
    const at = startOf(block, canvas, row);
    for (const { sample, plane } of canvas.targets) {
      if (width === canvas.columns) {
        words.convert({ from: sample, step: samples, count: count * width }, plane, at);
        continue;
      }
      for (let y = 0; y < count; y += 1) {
        const run = { from: y * width * samples + sample, step: samples, count: width };
        words.convert(run, plane, at + y * canvas.columns);
      }
    }
  }
}

/** Paints rows whose pixels are repeated, skipped, masked or not contiguous. */
function paintMapped(block: Block, stored: StoredPixels, canvas: Canvas, rows: RowRange): void {
  const { width, height, storedWidth, storedHeight, columnStep } = block;
  const { pixel, mask } = stored;
  const { samples, sampleType } = pixel;
  const columns = Int32Array.from({ length: width }, (_, x) => storedIndex(x, width, storedWidth));
  const line = new Float32Array(storedWidth);
  for (let row = rows.start; row < rows.end; row += 1) {
    canvas.stop.check();
    const storedRow = storedIndex(row, height, storedHeight);
    const bytes = stored.bytes(block.first + storedRow * block.rowStep, rowPixels(block));
    const words = new SampleArray({ bytes, sampleType, littleEndian: true });
    const at = startOf(block, canvas, row);
    for (const { sample, plane } of canvas.targets) {
      words.convert({ from: sample, step: samples * columnStep, count: storedWidth }, line, 0);
      for (let x = 0; x < width; x += 1) {
        const column = columns[x]!;
        if (mask === null || mask(column, storedRow)) plane[at + x] = line[column]!;
      }
    }
  }
}
