/** Paints the samples of a subblock into float32 planes. */
import { MAX_READ_STEP } from "../io/limits.ts";
import type { RowRange } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { SampleArray } from "../samples/to_float32.ts";
import { type Block, isPlain, rowPixels, storedIndex } from "./block.ts";
import type { PixelType } from "./pixel_type.ts";
import type { PixelMask } from "./subblock.ts";

/** A sample of the pixels, in the order in which they are stored, and the plane that it fills. */
export interface Target {
  /** Index among the stored samples of a pixel. */
  readonly sample: number;
  /** The rows that are wanted of the plane. */
  readonly plane: Float32Array;
}

/** The planes to be filled. */
export interface Canvas {
  /** Samples of a row. */
  readonly columns: number;
  /** Rows of the plane that the arrays hold. */
  readonly filled: RowRange;
  /** Which samples go where. */
  readonly targets: readonly Target[];
  /** Looked at every mebibyte or so. */
  readonly stop: StopFlag;
}

/** The stored pixels of a subblock. */
export interface StoredPixels {
  /** What they are. */
  readonly pixel: PixelType;
  /** Which of them count, `null` for all. */
  readonly mask: PixelMask | null;
  /** Bytes of some of them, counted in pixels; they hold until the next call. */
  bytes(first: number, count: number): Uint8Array;
}

/** Paints the rows that a canvas wants. @throws {DecodeFailed | Stopped} */
export function paint(block: Block, stored: StoredPixels, canvas: Canvas): void {
  const first = Math.max(0, canvas.filled.start - block.y);
  const end = Math.min(block.height, canvas.filled.end - block.y);
  if (isPlain(block) && stored.mask === null) paintPlain(block, stored, canvas, { start: first, end });
  else paintMapped(block, stored, canvas, { start: first, end });
}

/** Where a row of a block begins in the arrays of a canvas. */
const startOf = (block: Block, { columns, filled }: Canvas, row: number) =>
  (block.y + row - filled.start) * columns + block.x;

function paintPlain(block: Block, { pixel, bytes }: StoredPixels, canvas: Canvas, rows: RowRange): void {
  const { width, rowStep, first } = block;
  const { samples, sampleType } = pixel;
  // Rows that follow each other are taken together.
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

/** Rows whose pixels are repeated, left out, not valid, or not neighbours. */
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
        if (mask === null || mask.valid(column, storedRow)) plane[at + x] = line[column]!;
      }
    }
  }
}
