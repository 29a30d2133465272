/** Blocks, the rectangles of a plane that subblocks fill, and the painting of blocks. */
import type { Codec } from "../codecs/segment.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { RowRange } from "../reader.ts";
import { readStrided } from "../samples/strided.ts";
import { borrowScratch, SAMPLE_BYTES, SampleArray } from "../samples/to_float32.ts";
import type { SubblockTable } from "./directory.ts";
import { measureSpan, type PixelType, type SceneLayout } from "./scene.ts";

/** A rectangle of a plane, and the pixels of a subblock that fill it. Steps are in pixels. */
export interface PlaneBlock {
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

/** A block with the place of its bytes. */
export interface StoredBlock extends PlaneBlock {
  readonly pixel: PixelType;
  readonly file: ByteSource;
  /** Offset and length of its samples; an attachment, such as a mask, follows them. */
  readonly data: number;
  readonly dataSize: number;
  readonly blobSize: number;
  readonly metadata: number;
  readonly metadataSize: number;
  /** `null` for raw samples. */
  readonly codec: Codec | null;
  /** Whether colours are stored as blue, green, red. */
  readonly blueFirst: boolean;
  /** Number of its rows in the file: all, or the first rows of a truncated line scan. */
  readonly rows: number;
  readonly what: string;
}

/** The stored index for an index, if `stored` samples represent `size` indices. */
function findStoredIndex(index: number, size: number, stored: number): number {
  if (stored === size) return index;
  // Fewer samples are repeated a whole number of times; surplus samples are skipped.
  const found = stored < size
    ? Math.floor(index / Math.round(size / stored))
    : Math.floor(index * stored / size);
  return Math.min(found, stored - 1);
}

/** The block of a subblock, in the plane at these indices in the file. */
export function placeBlock(
  table: SubblockTable,
  entry: number,
  layout: SceneLayout,
  fixed: ReadonlyMap<string, number>,
): PlaneBlock {
  const { rowAxis } = layout;
  let [pixels, first] = [1, 0];
  let [columnStep, rowStep] = [1, 0];
  for (const letter of table.subblocks[entry]!.order) {
    const stored = table.stored(letter, entry);
    if (letter === "X") columnStep = pixels;
    else if (letter === rowAxis) rowStep = pixels;
    else {
      const index = (fixed.get(letter) ?? 0) - table.start(letter, entry);
      first += pixels * findStoredIndex(index, table.size(letter, entry), stored);
    }
    pixels *= stored;
  }
  return {
    x: table.start("X", entry) - measureSpan(layout, "X").start,
    y: table.start(rowAxis, entry) - measureSpan(layout, rowAxis).start,
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
export const isScaled = ({ width, height, storedWidth, storedHeight }: PlaneBlock): boolean =>
  width !== storedWidth || height !== storedHeight;

/** True if rows are painted as they are stored. */
export const isUnscaled = (block: PlaneBlock): boolean => !isScaled(block) && block.columnStep === 1;

/** Number of stored pixels from the first to the last of a row. */
export const countRowPixels = ({ storedWidth, columnStep }: PlaneBlock): number =>
  (storedWidth - 1) * columnStep + 1;

/** The planes to fill. */
export interface Canvas {
  readonly columns: number;
  /** The rows in the planes' arrays. */
  readonly filled: RowRange;
  /** Planes, and the index among the stored samples of a pixel that fills each of them. */
  readonly targets: readonly { readonly sample: number; readonly plane: Float32Array }[];
  readonly stop: StopFlag;
}

/** The pixels of a block: their bytes, the offset of the first, and the valid ones, or `null` if all are. */
export interface Pixels {
  readonly source: ByteSource;
  readonly start: number;
  readonly mask: ((x: number, y: number) => boolean) | null;
}

/** Paints the stored rows of a block that lie in a canvas. @throws {DecodeFailed | Stopped} */
export function paint(block: StoredBlock, pixels: Pixels, canvas: Canvas): void {
  const { columns, filled, targets, stop } = canvas;
  const { pixel: { bytes, samples, sampleType }, rowStep, columnStep, width, height, storedWidth, what } =
    block;
  const { source, mask } = pixels;
  const first = Math.max(0, filled.start - block.y);
  const end = Math.min(block.rows, filled.end - block.y);
  /** Index of the first sample of a row in the planes, and offset of its first pixel in the source. */
  const indexOf = (row: number) => (block.y + row - filled.start) * columns + block.x;
  const offsetOf = (storedRow: number) => pixels.start + (block.first + storedRow * rowStep) * bytes;
  if (!isScaled(block) && mask === null) {
    const strided = {
      ...{ file: source, sampleType, what, stop },
      offsets: targets.map(({ sample }) => offsetOf(first) + sample * SAMPLE_BYTES[sampleType]),
      rows: { count: end - first, step: rowStep * bytes },
      columns: { count: width, step: columnStep * bytes },
    };
    return readStrided(strided, targets.map(({ plane }) => plane), indexOf(first), columns);
  }
  const storedColumns = Int32Array.from({ length: width }, (_, x) => findStoredIndex(x, width, storedWidth));
  const line = new Float32Array(storedWidth);
  for (let row = first; row < end; row += 1) {
    stop.check();
    const storedRow = findStoredIndex(row, height, block.storedHeight);
    const read = borrowScratch(countRowPixels(block) * bytes);
    source.readInto(offsetOf(storedRow), read, what);
    const words = new SampleArray({ bytes: read, sampleType, littleEndian: true });
    const at = indexOf(row);
    for (const { sample, plane } of targets) {
      words.convert({ from: sample, step: samples * columnStep, count: storedWidth }, line, 0);
      storedColumns.forEach((column, x) => {
        if (mask === null || mask(column, storedRow)) plane[at + x] = line[column]!;
      });
    }
  }
}
