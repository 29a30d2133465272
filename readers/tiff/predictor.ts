/** Predictors: horizontal differencing (TIFF 6.0, section 14) and floating point (Adobe Technical Note 3). */
import { DecodeFailed } from "../errors.ts";
import { swapBytes } from "../samples/to_float32.ts";
import { TAG, tagName } from "./tags.ts";

/** Rows of samples of one width, changed in place. */
export interface PredictedRows {
  /** Row after row, without padding; they begin at a multiple of the sample's size in their buffer. */
  readonly bytes: Uint8Array;
  /** How many rows. */
  readonly rows: number;
  /** Columns times interleaved samples. */
  readonly rowSamples: number;
  /** Interleaved samples: the distance between values that are differenced. */
  readonly samples: number;
  /** Stored bits of each sample. */
  readonly bits: number;
  /** True for samples that are floats. */
  readonly float: boolean;
  /** Byte order before the predictor is undone. */
  readonly littleEndian: boolean;
}

/**
 * Undoes a predictor in place. The result is little-endian.
 *
 * @throws {DecodeFailed} an unknown predictor, or one that is not defined for samples of this width
 */
export function unpredict(predictor: number, rows: PredictedRows): void {
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

/** Each row holds the highest bytes of all its samples, then the next ones, and so on, differenced as bytes. */
function undoFloatingPoint({ bytes, rows, rowSamples, samples, bits, float }: PredictedRows): void {
  if (!float) throw new DecodeFailed(`${tagName(TAG.Predictor)} is 3 with samples that are no floats`);
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
