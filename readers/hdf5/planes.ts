/** Planes of a dataset: two of its axes are rows and columns, the others have one index. */
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { PlanePlan, RowRange } from "../reader.ts";
import { SampleArray } from "../samples/to_float32.ts";
import type { Dataset } from "./dataset.ts";
import { Hdf5File } from "./file.ts";
import { chunkBytes, decodeChunk, hasForeignFilter, mostStored, requireFilters } from "./filters.ts";

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

/** Bytes of a block that is fetched at once, unless its chunks are larger. */
const BLOCK_BYTES = 1 << 20;

const product = (lengths: readonly number[]) => lengths.reduce((all, length) => all * length, 1);

/** Checks that planes of a dataset can be decoded. @throws {DecodeFailed} */
export function requireReadable(dataset: Dataset): void {
  requireFilters(dataset);
  const bytes = chunkBytes(dataset);
  if (bytes > MAX_CHUNK_BYTES) {
    throw new DecodeFailed(`the chunks of ${dataset.path} have ${bytes} bytes, more than ${MAX_CHUNK_BYTES}`);
  }
}

/** Rows that are fetched at once: whole chunks, so that each is decoded once. */
function rowsAtOnce({ dataset: { chunks, width }, rowAxis, columns }: DatasetPlane): number {
  const own = chunks?.[rowAxis] ?? 1;
  return own * Math.max(1, Math.floor(BLOCK_BYTES / (own * columns * width)));
}

/** Bytes that the library needs for a plane beside its own. */
const libraryBytes = (plane: DatasetPlane): number =>
  4 * chunkBytes(plane.dataset) + 2 * rowsAtOnce(plane) * plane.columns * plane.dataset.width;

/** Memory of an instance of the library from its start, and of what it reads to find a chunk. */
const INSTANCE_BYTES = 24 << 20;

/**
 * Plans planes of datasets that {@linkcode requireReadable} has passed.
 *
 * @param planes one for each wanted channel
 * @param rowRange rows to fill; all by default
 * @param convert changes the samples of a plane, which is given by its index
 */
export function planOf(
  source: ByteSource,
  { rows, columns }: { readonly rows: number; readonly columns: number },
  planes: readonly DatasetPlane[],
  rowRange?: RowRange,
  convert: (target: Float32Array, plane: number) => void = () => {},
): PlanePlan {
  const filled = rowRange ?? { start: 0, end: rows };
  const bytes = planes.map(libraryBytes).reduce((most, own) => Math.max(most, own), 0);
  return {
    rows,
    columns,
    filled,
    warnings: [],
    working: { bytes: INSTANCE_BYTES + bytes, endsWithWorker: false },
    overwrites: true,
    async decode(targets) {
      using file = await Hdf5File.open(source, bytes);
      for (const [i, plane] of planes.entries()) {
        const target = targets[i]!;
        readPlane(file, plane, filled, target);
        convert(target.subarray(0, (filled.end - filled.start) * columns), i);
      }
    },
  };
}

/** A block of samples: the bytes of an array of this shape, whose first sample is at `from` in the dataset. */
interface Block {
  readonly from: readonly number[];
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
  readonly littleEndian: boolean;
}

/** A block without its bytes. */
type Extent = Pick<Block, "from" | "shape">;

/**
 * Reads rows of a plane.
 *
 * @param plane of a dataset that {@linkcode requireReadable} has passed
 * @param target `columns` samples for each row
 * @throws {DecodeFailed | Stopped}
 */
function readPlane(file: Hdf5File, plane: DatasetPlane, rows: RowRange, target: Float32Array): void {
  const { dataset } = plane;
  const foreign = hasForeignFilter(dataset);
  const size = chunkBytes(dataset);
  const blocks = foreign ? chunksOf(plane, rows) : bandsOf(plane, rows);
  for (const { from, shape } of blocks) {
    const place = (block: Block) => placeBlock(plane, rows, block, target);
    if (!foreign) {
      // The library gives little-endian samples, whatever the file has.
      file.fetch(
        dataset,
        { from, count: shape },
        (bytes) => place({ from, shape, bytes, littleEndian: true }),
      );
      continue;
    }
    const stored = file.fetch(dataset, { from, count: from.map(() => 1) }, (_, { last, lacksFilter }) =>
      // The library reads a chunk last, before it misses the filter.
      lacksFilter ? last : null);
    if (stored === null) {
      // A chunk that was never written, or stored without its filters.
      const count = shape.map((length, axis) => Math.min(length, dataset.shape[axis]! - from[axis]!));
      file.fetch(dataset, { from, count }, (bytes, { lacksFilter }) => {
        if (lacksFilter) throw new DecodeFailed(`a chunk of ${dataset.path} cannot be found`);
        place({ from, shape: count, bytes, littleEndian: true });
      });
      continue;
    }
    if (stored.length > mostStored(size)) {
      throw new DecodeFailed(`a chunk of ${dataset.path} of ${size} bytes takes ${stored.length} bytes`);
    }
    const read = file.source.read(stored.position, stored.length, `a chunk of ${dataset.path}`);
    const { littleEndian } = dataset;
    place({ from, shape, bytes: decodeChunk(dataset, read, size), littleEndian });
  }
}

/** Bands of whole rows. */
function* bandsOf(plane: DatasetPlane, { start, end }: RowRange): Generator<Extent> {
  const { rowAxis, columnAxis, at, columns } = plane;
  const step = rowsAtOnce(plane);
  for (let row = start; row < end;) {
    const next = Math.min(end, (Math.floor(row / step) + 1) * step);
    yield {
      from: at.map((index, axis) => axis === rowAxis ? row : axis === columnAxis ? 0 : index),
      shape: at.map((_, axis) => axis === rowAxis ? next - row : axis === columnAxis ? columns : 1),
    };
    row = next;
  }
}

/** The chunks that a plane touches. */
function* chunksOf(
  { dataset: { chunks }, rowAxis, columnAxis, at, columns }: DatasetPlane,
  { start, end }: RowRange,
): Generator<Extent> {
  const [rows, across] = [chunks![rowAxis]!, chunks![columnAxis]!];
  for (let row = start - start % rows; row < end; row += rows) {
    for (let column = 0; column < columns; column += across) {
      const from = at.map((index, axis) =>
        axis === rowAxis ? row : axis === columnAxis ? column : index - index % chunks![axis]!
      );
      yield { from, shape: chunks! };
    }
  }
}

/** Converts what a block has of the wanted rows. */
function placeBlock(
  { dataset: { sampleType }, rowAxis, columnAxis, at, columns }: DatasetPlane,
  rows: RowRange,
  { from, shape, bytes, littleEndian }: Block,
  target: Float32Array,
): void {
  const strides = shape.map((_, axis) => product(shape.slice(axis + 1)));
  const samples = new SampleArray({ bytes, sampleType: sampleType!, littleEndian });
  const first = at.reduce(
    (offset, index, axis) =>
      axis === rowAxis || axis === columnAxis ? offset : offset + (index - from[axis]!) * strides[axis]!,
    0,
  );
  const [top, left] = [from[rowAxis]!, from[columnAxis]!];
  const count = Math.min(shape[columnAxis]!, columns - left);
  const last = Math.min(rows.end, top + shape[rowAxis]!);
  for (let row = Math.max(rows.start, top); row < last; row += 1) {
    const run = { from: first + (row - top) * strides[rowAxis]!, step: strides[columnAxis]!, count };
    samples.convert(run, target, (row - rows.start) * columns + left);
  }
}
