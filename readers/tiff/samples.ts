/**
 * Writes decoded rows of a strip or tile into float32 planes. Predictors: horizontal differencing (TIFF 6.0, section 14) and
 * floating point (Adobe Technical Note 3).
 */
import { DecodeFailed } from "../errors.ts";
import type { SampleType } from "../reader.ts";
import { isSampleType, SAMPLE_BYTES, SampleArray, swapBytes } from "../samples/to_float32.ts";
import { convertInt64, convertUint64 } from "../samples/to_float32.ts";
import type { PageLayout, SampleKind } from "./page.ts";
import { countRowBytes, type SegmentTable } from "./segment_table.ts";
import { TAG, tagName } from "./tags.ts";

/** Some decoded rows of one strip or tile. */
export interface SegmentRows {
  readonly index: number;
  /** First row, counted from the top of the strip or tile. */
  readonly first: number;
  readonly count: number;
  /** Bytes of the rows, which each begin at a whole byte; they are changed in place. */
  readonly bytes: Uint8Array;
  readonly bits: readonly number[];
  readonly littleEndian: boolean;
}

/** A wanted sample, by its index among the interleaved ones, and its plane. */
type SampleTarget = Readonly<{ sample: number; plane: Float32Array }>;

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let reversed = 0;
  for (let bit = 0; bit < 8; bit += 1) if (byte & (1 << bit)) reversed |= 0x80 >> bit;
  return reversed;
});

/** Reverses the bits of each byte in place (FillOrder 2). */
export function reverseBits(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = REVERSED[bytes[i]!]!;
}

/** Undoes the predictor of a page in place. @throws {DecodeFailed} it is unknown, or undefined for such samples */
export function withoutPredictor(page: PageLayout, rows: SegmentRows): SegmentRows {
  const { predictor, kind } = page;
  const [bits = 0] = rows.bits;
  if (predictor === 1) return rows;
  const refuse = (why: string) => new DecodeFailed(`${tagName(TAG.Predictor)} is ${predictor}${why}`);
  if (rows.bits.some((width) => width !== bits)) {
    throw refuse(` with samples of ${rows.bits.join(", ")} bits, which differ`);
  }
  if (predictor === 2) {
    if (![8, 16, 32, 64].includes(bits)) throw refuse(` with ${bits} bits; 8, 16, 32 and 64 are read`);
    undoDifferences(rows, page.segmentWidth);
  } else if (predictor === 3) {
    if (kind !== "float") throw refuse(" with samples that are not floats");
    undoFloatingPoint(rows, page.segmentWidth);
  } else throw refuse("; 1, 2 and 3 are read");
  return { ...rows, littleEndian: true };
}

function undoDifferences({ bytes, count, bits, littleEndian }: SegmentRows, columns: number): void {
  const samples = bits.length;
  const [sampleBits = 0] = bits;
  const width = sampleBits / 8;
  const rowSamples = columns * samples;
  const length = count * rowSamples;
  if (!littleEndian && width > 1) swapBytes(bytes.subarray(0, length * width), width);
  const start = bytes.byteOffset;
  const Words = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[width]!;
  const words = new Words(bytes.buffer as ArrayBuffer, start, length);
  for (let y = 0; y < count; y += 1) {
    const [first, end] = [y * rowSamples + samples, (y + 1) * rowSamples];
    if (words instanceof BigUint64Array) {
      for (let i = first; i < end; i += 1) words[i]! += words[i - samples]!;
    } else {
      for (let i = first; i < end; i += 1) words[i]! += words[i - samples]!;
    }
  }
}

/** Each row holds the highest bytes of all its samples, then the next bytes and so on, all differenced as bytes. */
function undoFloatingPoint({ bytes, count, bits }: SegmentRows, columns: number): void {
  const samples = bits.length;
  const [sampleBits = 0] = bits;
  const width = sampleBits / 8;
  const rowSamples = columns * samples;
  const size = rowSamples * width;
  const row = new Uint8Array(size);
  for (let y = 0; y < count; y += 1) {
    const start = y * size;
    row.set(bytes.subarray(start, start + size));
    for (let i = samples; i < size; i += 1) row[i]! += row[i - samples]!;
    for (let b = 0; b < width; b += 1) {
      let from = b * rowSamples;
      for (let to = start + width - 1 - b; to < start + size; to += width) bytes[to] = row[from++]!;
    }
  }
}

/** Writes rows into the planes, which begin with the first wanted row. Rows and columns beyond a plane are left out. */
export function placeRows(table: SegmentTable, stored: SegmentRows, planes: readonly Float32Array[]): void {
  const { page, wanted } = table;
  const { top, left, set } = table.place(stored.index);
  const from = top + stored.first;
  if (from >= page.height) return;
  const held = wanted.filter(({ sample }) => !page.planar || sample === set)
    .map(({ sample, target }) => ({ sample: page.planar ? 0 : sample, plane: planes[target]! }));
  const place: RowDestination = {
    rows: Math.min(stored.count, page.height - from),
    columns: Math.min(page.segmentWidth, page.width - left),
    at: (from - table.shown.start) * page.width + left,
  };
  const { bits } = stored;
  const sampleType = `${page.kind}${bits[0]}`;
  if (isSampleType(sampleType) && bits.every((width) => width === bits[0])) {
    unpackMachineType(page, { ...stored, sampleType }, held, place);
  } else unpackBits(page, stored, held, place);
}

/** Destination of rows: the numbers of rows and columns to keep, and the index of their first sample in the planes. */
type RowDestination = Readonly<Record<"rows" | "columns" | "at", number>>;

function unpackMachineType(
  { segmentWidth, width }: PageLayout,
  { bytes, bits, littleEndian, sampleType }: SegmentRows & { readonly sampleType: SampleType },
  wanted: readonly SampleTarget[],
  { rows, columns, at }: RowDestination,
): void {
  const step = bits.length;
  const stored = bytes.subarray(0, rows * segmentWidth * step * SAMPLE_BYTES[sampleType]);
  const samples = new SampleArray({ bytes: stored, sampleType, littleEndian });
  // If stored rows are as long as those of the planes, all are converted at once.
  const whole = columns === segmentWidth && width === segmentWidth;
  for (const { sample, plane } of wanted) {
    if (whole) samples.convert({ from: sample, step, count: rows * columns }, plane, at);
    for (let y = 0; !whole && y < rows; y += 1) {
      const from = y * segmentWidth * step + sample;
      samples.convert({ from, step, count: columns }, plane, at + y * width);
    }
  }
}

/** Unpacks samples of any width, highest bit first for either byte order. */
function unpackBits(
  { kind, segmentWidth, width }: PageLayout,
  { bytes, bits, littleEndian }: SegmentRows,
  wanted: readonly SampleTarget[],
  { rows, columns, at }: RowDestination,
): void {
  const row = countRowBytes(segmentWidth, bits);
  const pixel = bits.reduce((sum, b) => sum + b, 0);
  let first = 0;
  for (const [sample, size] of bits.entries()) {
    const read = makeBitReader(bytes, size, kind, littleEndian);
    for (const { plane } of wanted.filter((one) => one.sample === sample)) {
      for (let y = 0; y < rows; y += 1) {
        let bit = y * row * 8 + first;
        const to = at + y * width;
        for (let x = 0; x < columns; x += 1, bit += pixel) plane[to + x] = read(bit);
      }
    }
    first += size;
  }
}

/** Reads a sample at a bit. */
function makeBitReader(bytes: Uint8Array, size: number, kind: SampleKind, littleEndian: boolean) {
  if (kind === "float") return (bit: number) => decodeFloat24(readWord(bytes, bit / 8), littleEndian);
  if (size <= 24) {
    const mask = 2 ** size - 1;
    const sign = kind === "int" ? 32 - size : 0;
    return (bit: number) => {
      const value = (readWord(bytes, Math.floor(bit / 8)) >>> (32 - size - bit % 8)) & mask;
      return sign ? (value << sign) >> sign : value;
    };
  }
  const upper = size - 32;
  return (bit: number) => {
    const low = take(bytes, bit + Math.max(upper, 0), Math.min(size, 32));
    const negative = kind === "int" && take(bytes, bit, 1) === 1;
    if (upper <= 0) return negative ? low - 2 ** size : low;
    const high = take(bytes, bit, upper) + (negative ? 2 ** 32 - 2 ** upper : 0);
    return kind === "int" ? convertInt64(low, high) : convertUint64(low, high);
  };
}

/** Four bytes from `at` on, big-endian; bytes beyond the end are 0. */
function readWord(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0);
}

/** `count` bits from `bit` on as an unsigned number; at most 32 bits. */
function take(bytes: Uint8Array, bit: number, count: number): number {
  if (count > 16) return take(bytes, bit, count - 16) * 0x1_0000 + take(bytes, bit + count - 16, 16);
  return (readWord(bytes, Math.floor(bit / 8)) >>> (32 - count - bit % 8)) & (2 ** count - 1);
}

/**
 * A 24-bit float: sign, 7 bits of exponent with bias 63, 16 bits of mantissa (Adobe Photoshop TIFF Technical Note 3), exact in
 * float32. `stored` holds its three bytes and the next one, big-endian.
 */
function decodeFloat24(stored: number, littleEndian: boolean): number {
  const word = littleEndian
    ? (stored >>> 24) | ((stored >>> 8) & 0xff00) | ((stored << 8) & 0xff0000)
    : stored >>> 8;
  const exponent = (word >>> 16) & 0x7f;
  const mantissa = (word & 0xffff) / 0x10000;
  const sign = word >>> 23 ? -1 : 1;
  if (exponent === 0x7f) return mantissa === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? mantissa * 2 ** -62 : (1 + mantissa) * 2 ** (exponent - 63));
}
