/**
 * Rows of a strip or tile on their way into the planes. Predictors: horizontal differencing (TIFF 6.0, section 14) and floating
 * point (Adobe Technical Note 3).
 */
import { DecodeFailed } from "../errors.ts";
import { swapBytes } from "../samples/to_float32.ts";
import { unpack, type Wanted } from "./samples.ts";
import type { SegmentTable } from "./segment_table.ts";
import { TAG, tagName } from "./tags.ts";

/** Some decompressed rows of one strip or tile. */
export interface SegmentRows {
  /** Index of the strip or tile. */
  readonly index: number;
  /** First row, counted in the strip or tile. */
  readonly first: number;
  /** How many rows. */
  readonly count: number;
  /** Each row begins at a whole byte; scratch, changed in place. */
  readonly bytes: Uint8Array;
  /** Bits of each interleaved sample. */
  readonly bits: readonly number[];
  /** Byte order of the samples. */
  readonly littleEndian: boolean;
}

/** Undoes the predictor of a page in place. @throws {DecodeFailed} it is unknown, or undefined for such samples */
export function withoutPredictor({ page }: SegmentTable, rows: SegmentRows): SegmentRows {
  const { bits } = rows;
  if (page.predictor === 1) return rows;
  if (bits.some((width) => width !== bits[0])) {
    throw new DecodeFailed(
      `${tagName(TAG.Predictor)} is ${page.predictor} with samples of ${bits.join(", ")} bits, which differ`,
    );
  }
  unpredict(page.predictor, {
    bytes: rows.bytes,
    rows: rows.count,
    rowSamples: page.segmentWidth * bits.length,
    samples: bits.length,
    bits: bits[0]!,
    float: page.kind === "float",
    littleEndian: rows.littleEndian,
  });
  return { ...rows, littleEndian: true };
}

/** Writes rows into the wanted planes, which begin with the first wanted row; what lies beyond a plane is left out. */
export function placeRows(table: SegmentTable, rows: SegmentRows, wanted: readonly Wanted[]): void {
  const { page } = table;
  const { top, left, set } = table.place(rows.index);
  const from = top + rows.first;
  if (from >= page.height) return;
  const held = page.planar
    ? wanted.filter(({ sample }) => sample === set).map(({ plane }) => ({ sample: 0, plane }))
    : wanted;
  unpack({
    bytes: rows.bytes,
    littleEndian: rows.littleEndian,
    width: page.segmentWidth,
    bits: rows.bits,
    kind: page.kind,
    rows: Math.min(rows.count, page.height - from),
    columns: Math.min(page.segmentWidth, page.width - left),
    at: (from - table.shown.start) * page.width + left,
    stride: page.width,
  }, held);
}

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let reversed = 0;
  for (let bit = 0; bit < 8; bit += 1) if (byte & (1 << bit)) reversed |= 0x80 >> bit;
  return reversed;
});

/** Reverses the bits of each byte in place (FillOrder 2). */
export function reverseBits(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = REVERSED[bytes[i]!]!;
}

/** Rows of samples of one width, changed in place. */
interface PredictedRows {
  /** Row after row without padding, aligned to the size of a sample in their buffer. */
  readonly bytes: Uint8Array;
  /** How many rows. */
  readonly rows: number;
  /** Columns times interleaved samples. */
  readonly rowSamples: number;
  /** Interleaved samples: the distance between values that are differenced. */
  readonly samples: number;
  /** Stored bits of each sample. */
  readonly bits: number;
  /** Whether the samples are floats. */
  readonly float: boolean;
  /** Byte order before the predictor is undone. */
  readonly littleEndian: boolean;
}

/**
 * Undoes a predictor in place. The result is little-endian.
 *
 * @throws {DecodeFailed} the predictor is unknown, or undefined for samples of this width
 */
function unpredict(predictor: number, rows: PredictedRows): void {
  if (predictor === 2) return undoDifferences(rows);
  if (predictor === 3) return undoFloatingPoint(rows);
  throw new DecodeFailed(`${tagName(TAG.Predictor)} is ${predictor}; 1, 2 and 3 are read`);
}

function undoDifferences({ bytes, rows, rowSamples, samples, bits, littleEndian }: PredictedRows): void {
  if (bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64) {
    throw new DecodeFailed(`${tagName(TAG.Predictor)} is 2 with ${bits} bits; 8, 16, 32 and 64 are read`);
  }
  const width = bits / 8;
  const length = rows * rowSamples;
  if (!littleEndian && width > 1) swapBytes(bytes.subarray(0, length * width), width);
  const start = bytes.byteOffset;
  const words = width === 1
    ? bytes
    : width === 2
    ? new Uint16Array(bytes.buffer, start, length)
    : width === 4
    ? new Uint32Array(bytes.buffer, start, length)
    : new BigUint64Array(bytes.buffer, start, length);
  for (let y = 0; y < rows; y += 1) {
    const [first, end] = [y * rowSamples + samples, (y + 1) * rowSamples];
    if (words instanceof BigUint64Array) {
      for (let i = first; i < end; i += 1) words[i]! += words[i - samples]!;
    } else {
      for (let i = first; i < end; i += 1) words[i]! += words[i - samples]!;
    }
  }
}

/** Each row holds the highest bytes of all its samples first, then the next ones and so on, differenced as bytes. */
function undoFloatingPoint({ bytes, rows, rowSamples, samples, bits, float }: PredictedRows): void {
  if (!float) throw new DecodeFailed(`${tagName(TAG.Predictor)} is 3 with samples that are not floats`);
  const width = bits / 8;
  const size = rowSamples * width;
  const row = new Uint8Array(size);
  for (let y = 0; y < rows; y += 1) {
    const start = y * size;
    row.set(bytes.subarray(start, start + size));
    for (let i = samples; i < size; i += 1) row[i]! += row[i - samples]!;
    for (let b = 0; b < width; b += 1) {
      let from = b * rowSamples;
      for (let to = start + width - 1 - b; to < start + size; to += width) bytes[to] = row[from++]!;
    }
  }
}
