/** Blocks, the rectangles of a plane that subblocks fill, and the painting of blocks. */
import type { ByteSource } from "../io/byte_source.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { RowRange } from "../reader.ts";
import { readStrided } from "../samples/strided.ts";
import { SAMPLE_BYTES, SampleArray, scratchBytes } from "../samples/to_float32.ts";
import type { SubblockTable } from "./directory.ts";
import { type SceneLayout, spanOf } from "./scene.ts";
import type { PixelType } from "./storage.ts";

/** The indices of a plane in the file, by letter. */
export type FixedIndices = ReadonlyMap<string, number>;

/** A rectangle of a plane, and the stored pixels that fill it. Steps are in pixels. */
export interface Block {
  /** Index of its subblock in the table. */
  readonly entry: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly storedWidth: number;
  readonly storedHeight: number;
  /** Index of its first pixel among the stored pixels. */
  readonly first: number;
  readonly columnStep: number;
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

/** The planes to fill. */
export interface Canvas {
  readonly columns: number;
  /** The rows in the planes' arrays. */
  readonly filled: RowRange;
  /** Planes, and the index among the stored samples of a pixel that fills each of them. */
  readonly targets: readonly { readonly sample: number; readonly plane: Float32Array }[];
  readonly stop: StopFlag;
}

/** Returns true for stored pixels to paint. */
export type PixelMask = (x: number, y: number) => boolean;

/** The stored pixels of a subblock. */
export interface StoredPixels {
  readonly pixel: PixelType;
  /** The valid pixels; `null` if all are. */
  readonly mask: PixelMask | null;
  readonly source: ByteSource;
  /** Offset of the first pixel in the source. */
  readonly start: number;
  readonly what: string;
}

/** Paints the rows of a block that lie in a canvas. @throws {DecodeFailed | Stopped} */
export function paint(block: Block, stored: StoredPixels, canvas: Canvas): void {
  const { columns, filled, targets, stop } = canvas;
  const { pixel: { bytes, sampleType }, source, start, what } = stored;
  const first = Math.max(0, filled.start - block.y);
  const end = Math.min(block.height, filled.end - block.y);
  if (isScaled(block) || stored.mask !== null) {
    return paintMapped(block, stored, canvas, { start: first, end });
  }
  const at = start + (block.first + first * block.rowStep) * bytes;
  const samples = {
    ...{ file: source, sampleType, what, stop },
    offsets: targets.map(({ sample }) => at + sample * SAMPLE_BYTES[sampleType]),
    rows: { count: end - first, step: block.rowStep * bytes },
    columns: { count: block.width, step: block.columnStep * bytes },
  };
  readStrided(samples, targets.map(({ plane }) => plane), startOf(block, canvas, first), columns);
}

/** Index of the first sample of a row in the arrays of a canvas. */
const startOf = (block: Block, { columns, filled }: Canvas, row: number) =>
  (block.y + row - filled.start) * columns + block.x;

/** Paints rows whose pixels are repeated, skipped or masked. */
function paintMapped(block: Block, stored: StoredPixels, canvas: Canvas, rows: RowRange): void {
  const { width, height, storedWidth, storedHeight, columnStep } = block;
  const { pixel: { bytes, samples, sampleType }, mask, source, start, what } = stored;
  const columns = Int32Array.from({ length: width }, (_, x) => storedIndex(x, width, storedWidth));
  const line = new Float32Array(storedWidth);
  for (let row = rows.start; row < rows.end; row += 1) {
    canvas.stop.check();
    const storedRow = storedIndex(row, height, storedHeight);
    const read = scratchBytes(rowPixels(block) * bytes);
    source.readInto(start + (block.first + storedRow * block.rowStep) * bytes, read, what);
    const words = new SampleArray({ bytes: read, sampleType, littleEndian: true });
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
