/** Planes of a dataset: two of its axes are rows and columns, the others have one index. */
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { beginPlane, MOST_CHUNK_BYTES } from "../io/last_chunks.ts";
import type { PlanePlan, RowRange } from "../reader.ts";
import { SampleArray } from "../samples/to_float32.ts";
import type { Dataset } from "./dataset.ts";
import { type Block, computeStrides } from "./elements.ts";
import { Hdf5File } from "./file.ts";
import { countChunkBytes, requireFilters } from "./filters.ts";

/** A plane of a dataset. */
export interface DatasetPlane {
  readonly dataset: Dataset;
  /** Axes of rows and columns. */
  readonly rowAxis: number;
  readonly columnAxis: number;
  /** Index along each axis, 0 along rows and columns. */
  readonly at: readonly number[];
  readonly columns: number;
}

/** Largest chunk, which is decoded as a whole. */
const MAX_CHUNK_BYTES = 128 << 20;

/** Checks that planes of a dataset can be decoded. @throws {DecodeFailed} */
export function requireReadable(dataset: Dataset): void {
  if (dataset.sampleType === null) {
    throw new DecodeFailed(`${dataset.path} has ${dataset.type.name}, which are not read as samples`);
  }
  requireFilters(dataset);
  const bytes = countChunkBytes(dataset);
  if (bytes > MAX_CHUNK_BYTES) {
    throw new DecodeFailed(`the chunks of ${dataset.path} have ${bytes} bytes, more than ${MAX_CHUNK_BYTES}`);
  }
}

/** Bytes beside a plane: a chunk as it is stored, after each of two filters, and in other words; and the chunks that are kept. */
const estimateDecoding = (plane: DatasetPlane): number =>
  4 * countChunkBytes(plane.dataset) + (isOfVolume(plane) ? MOST_CHUNK_BYTES : 0);

/** Bytes of the index of chunks and of what is read without chunks. */
const READING_BYTES = 8 << 20;

/**
 * Plans planes of datasets that {@linkcode requireReadable} has passed.
 *
 * @param planes one for each wanted channel
 * @param rowRange rows to fill; all by default
 * @param convert changes the samples of a plane, which is given by its index
 */
export function planDatasets(
  source: ByteSource,
  { rows, columns }: { readonly rows: number; readonly columns: number },
  planes: readonly DatasetPlane[],
  rowRange?: RowRange,
  convert: (target: Float32Array, plane: number) => void = () => {},
): PlanePlan {
  const filled = rowRange ?? { start: 0, end: rows };
  const bytes = planes.map(estimateDecoding).reduce((most, own) => Math.max(most, own), 0);
  return {
    rows,
    columns,
    filled,
    warnings: [],
    working: { bytes: READING_BYTES + bytes, endsWithWorker: false },
    overwrites: true,
    async decode(targets) {
      await Promise.resolve();
      using file = new Hdf5File(source);
      beginPlane(source);
      for (const [i, plane] of planes.entries()) {
        const target = targets[i]!;
        readDatasetPlane(file, plane, filled, target);
        convert(target.subarray(0, (filled.end - filled.start) * columns), i);
      }
    },
  };
}

/**
 * Reads rows of a plane.
 *
 * @param plane of a dataset that {@linkcode requireReadable} has passed
 * @param target `columns` samples for each row
 * @throws {DecodeFailed | Stopped}
 */
function readDatasetPlane(file: Hdf5File, plane: DatasetPlane, rows: RowRange, target: Float32Array): void {
  const { dataset, rowAxis, columnAxis, at, columns } = plane;
  const region = {
    from: at.map((index, axis) => axis === rowAxis ? rows.start : axis === columnAxis ? 0 : index),
    count: at.map((_, axis) => axis === rowAxis ? rows.end - rows.start : axis === columnAxis ? columns : 1),
  };
  for (const block of file.blocksOf(dataset, region, isOfVolume(plane))) {
    copyBlock(plane, rows, block, target);
  }
}

/** Whether chunks of a plane have samples of further planes. */
const isOfVolume = ({ dataset: { chunks }, rowAxis, columnAxis }: DatasetPlane): boolean =>
  chunks?.some((length, axis) => axis !== rowAxis && axis !== columnAxis && length > 1) ?? false;

/** Converts what a block has of the wanted rows. */
function copyBlock(
  { dataset: { sampleType }, rowAxis, columnAxis, at, columns }: DatasetPlane,
  rows: RowRange,
  { from, count: shape, bytes, isFill }: Block,
  target: Float32Array,
): void {
  const samples = new SampleArray({ bytes, sampleType: sampleType!, littleEndian: true });
  const strides = computeStrides(shape);
  const along = (axis: number) => ({ start: from[axis]!, length: shape[axis]!, stride: strides[axis]! });
  const [{ start: top, ...down }, { start: left, ...across }] = [along(rowAxis), along(columnAxis)];
  const count = Math.min(across.length, columns - left);
  const last = Math.min(rows.end, top + down.length);
  const place = (row: number) => (row - rows.start) * columns + left;
  if (isFill) {
    const fill = new Float32Array(1);
    samples.convert({ from: 0, step: 1, count: 1 }, fill, 0);
    const [value = NaN] = fill;
    for (let row = Math.max(rows.start, top); row < last; row += 1) {
      target.fill(value, place(row), place(row) + count);
    }
    return;
  }
  const first = at.reduce((offset, index, axis) => {
    const { start, stride } = along(axis);
    return axis === rowAxis || axis === columnAxis ? offset : offset + (index - start) * stride;
  }, 0);
  for (let row = Math.max(rows.start, top); row < last; row += 1) {
    const run = { from: first + (row - top) * down.stride, step: across.stride, count };
    samples.convert(run, target, place(row));
  }
}
