/** From the decoded bytes of a strip or tile to float32 planes. */
import type { SampleType } from "../reader.ts";
import {
  int64ToFloat32,
  isSampleType,
  SAMPLE_BYTES,
  SampleArray,
  uint64ToFloat32,
} from "../samples/to_float32.ts";
import type { PageLayout, SampleKind } from "./page.ts";

/** A rectangle of decoded samples and its place in the planes. */
export interface Block {
  /** Decoded bytes, which may be swapped in place. Each row begins at a whole byte. */
  readonly bytes: Uint8Array;
  /** Byte order of machine types. */
  readonly littleEndian: boolean;
  /** Columns and interleaved samples per row of `bytes`. */
  readonly width: number;
  /** Stored bits of each interleaved sample. */
  readonly bits: readonly number[];
  /** Number format of the samples. */
  readonly kind: SampleKind;
  /** Rows to keep. */
  readonly rows: number;
  /** Columns to keep. */
  readonly columns: number;
  /** Index of the first kept sample in the planes. */
  readonly at: number;
  /** Samples per row of the planes. */
  readonly stride: number;
}

/** One interleaved sample and its plane. */
export interface Wanted {
  /** Index among the interleaved samples. */
  readonly sample: number;
  /** Takes the sample, row after row. */
  readonly plane: Float32Array;
}

/** Bytes of one row: samples are packed, rows padded to a whole byte (TIFF 6.0, section 9). */
export function rowBytes(width: number, bits: readonly number[]): number {
  let pixel = 0;
  for (const b of bits) pixel += b;
  return Math.ceil(width * pixel / 8);
}

/** The machine type of the samples, or `null` for other widths. */
function machineType(kind: SampleKind, bits: readonly number[]): SampleType | null {
  const type = `${kind}${bits[0]}`;
  return isSampleType(type) && bits.every((width) => width === bits[0]) ? type : null;
}

/** Bits of each interleaved sample in a strip or tile; in planar pages those of one sample. */
export function blockBits(page: PageLayout, sample: number): readonly number[] {
  return page.planar ? page.bits.slice(sample, sample + 1) : page.bits;
}

/** Writes the wanted samples of a block into their planes. */
export function unpack(block: Block, wanted: readonly Wanted[]): void {
  const sampleType = machineType(block.kind, block.bits);
  if (sampleType === null) return unpackBits(block, wanted);
  const { littleEndian, rows, columns, at, stride, width } = block;
  const step = block.bits.length;
  const bytes = block.bytes.subarray(0, rows * width * step * SAMPLE_BYTES[sampleType]);
  const samples = new SampleArray({ bytes, sampleType, littleEndian });
  // Rows as long as those of the planes are converted at once.
  const whole = columns === width && stride === width;
  for (const { sample, plane } of wanted) {
    if (whole) samples.convert({ from: sample, step, count: rows * columns }, plane, at);
    else {
      for (let y = 0; y < rows; y += 1) {
        samples.convert({ from: y * width * step + sample, step, count: columns }, plane, at + y * stride);
      }
    }
  }
}

/** Samples of any width, highest bit first, whatever the byte order. */
function unpackBits(block: Block, wanted: readonly Wanted[]): void {
  const { bytes, bits, kind, rows, columns, at, stride, width } = block;
  const row = rowBytes(width, bits);
  const pixel = bits.reduce((sum, b) => sum + b, 0);
  let first = 0;
  for (const [sample, size] of bits.entries()) {
    const read = reader(bytes, size, kind, block.littleEndian);
    for (const { plane } of wanted.filter((one) => one.sample === sample)) {
      for (let y = 0; y < rows; y += 1) {
        let bit = y * row * 8 + first;
        const to = at + y * stride;
        for (let x = 0; x < columns; x += 1, bit += pixel) plane[to + x] = read(bit);
      }
    }
    first += size;
  }
}

/** Reads one sample by the number of its first bit. */
function reader(
  bytes: Uint8Array,
  size: number,
  kind: SampleKind,
  littleEndian: boolean,
): (bit: number) => number {
  if (kind === "float") return (bit) => float24(word(bytes, bit / 8), littleEndian);
  if (size <= 24) {
    const mask = 2 ** size - 1;
    const sign = kind === "int" ? 32 - size : 0;
    return (bit) => {
      const value = (word(bytes, Math.floor(bit / 8)) >>> (32 - size - bit % 8)) & mask;
      return sign ? (value << sign) >> sign : value;
    };
  }
  const upper = size - 32;
  return (bit) => {
    const low = take(bytes, bit + Math.max(upper, 0), Math.min(size, 32));
    const negative = kind === "int" && take(bytes, bit, 1) === 1;
    if (upper <= 0) return negative ? low - 2 ** size : low;
    const high = take(bytes, bit, upper) + (negative ? 2 ** 32 - 2 ** upper : 0);
    return kind === "int" ? int64ToFloat32(low, high) : uint64ToFloat32(low, high);
  };
}

/** Four bytes from `at` on, big-endian; bytes past the end are 0. */
function word(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0);
}

/** `count` bits from `bit` on as an unsigned number; 32 at most. */
function take(bytes: Uint8Array, bit: number, count: number): number {
  if (count > 16) return take(bytes, bit, count - 16) * 0x1_0000 + take(bytes, bit + count - 16, 16);
  return (word(bytes, Math.floor(bit / 8)) >>> (32 - count - bit % 8)) & (2 ** count - 1);
}

/**
 * A float of 24 bits: sign, 7 bits of exponent with bias 63, 16 bits of mantissa (Adobe Photoshop TIFF Technical
 * Note 3); every value is exact in float32.
 *
 * @param stored the three bytes and the next one, big-endian
 */
function float24(stored: number, littleEndian: boolean): number {
  const word = littleEndian
    ? (stored >>> 24) | ((stored >>> 8) & 0xff00) | ((stored << 8) & 0xff0000)
    : stored >>> 8;
  const exponent = (word >>> 16) & 0x7f;
  const mantissa = (word & 0xffff) / 0x10000;
  const sign = word >>> 23 ? -1 : 1;
  if (exponent === 0x7f) return mantissa === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? mantissa * 2 ** -62 : (1 + mantissa) * 2 ** (exponent - 63));
}
