/** From the decoded bytes of a strip or tile to float32 samples of planes. */
import type { SampleType } from "../reader.ts";
import { convertSamples, int64ToFloat32, SAMPLE_BYTES, swapBytes, uint64ToFloat32 } from "../to_float32.ts";
import type { PageLayout, SampleKind } from "./page.ts";

/** A rectangle of decoded samples and where it goes. */
export interface Block {
  /** Decoded bytes; scratch, since bytes may be swapped in place. Each row begins at a whole byte. */
  readonly bytes: Uint8Array;
  readonly littleEndian: boolean;
  /** Columns and interleaved samples per row of `bytes`. */
  readonly width: number;
  /** Stored bits of each interleaved sample. */
  readonly bits: readonly number[];
  readonly kind: SampleKind;
  /** Rows and columns to keep. */
  readonly rows: number;
  readonly columns: number;
  /** Index in the planes of the first kept sample, and samples per row of the planes. */
  readonly at: number;
  readonly stride: number;
}

/** Where one interleaved sample goes. */
export interface Wanted {
  readonly sample: number;
  readonly plane: Float32Array;
}

/** Bytes of one row: samples are packed, rows padded to a whole byte (TIFF 6.0, section 9). */
export function rowBytes(width: number, bits: readonly number[]): number {
  let pixel = 0;
  for (const b of bits) pixel += b;
  return Math.ceil(width * pixel / 8);
}

/** The type whose arrays hold these samples as they are stored, or `null` for widths that are no machine type. */
export function machineType(kind: SampleKind, bits: readonly number[]): SampleType | null {
  const width = bits[0]!;
  if (bits.some((b) => b !== width)) return null;
  if (kind === "float") return width === 24 ? null : `float${width as 16 | 32 | 64}`;
  return width === 8 || width === 16 || width === 32 || width === 64 ? `${kind}${width}` : null;
}

/** Samples per row of one block of a page. */
export function blockBits(page: PageLayout, sample: number): readonly number[] {
  return page.planar ? [page.bits[sample]!] : page.bits;
}

/** Writes the wanted samples of a block into their planes. */
export function unpack(block: Block, wanted: readonly Wanted[]): void {
  const type = machineType(block.kind, block.bits);
  if (type === null) return unpackBits(block, wanted);
  const samples = block.bits.length;
  if (samples > 1) return unpackInterleaved(block, type, wanted);
  const { bytes, littleEndian, rows, columns, at, stride, width } = block;
  const row = width * SAMPLE_BYTES[type];
  for (const { plane } of wanted) {
    if (columns === width && stride === width) {
      convertSamples(bytes.subarray(0, rows * row), type, littleEndian, plane, at);
      continue;
    }
    const kept = columns * SAMPLE_BYTES[type];
    for (let y = 0; y < rows; y += 1) {
      convertSamples(bytes.subarray(y * row, y * row + kept), type, littleEndian, plane, at + y * stride);
    }
  }
}

/** Interleaved samples of a machine type. */
function unpackInterleaved(block: Block, type: SampleType, wanted: readonly Wanted[]): void {
  const { rows, columns, at, stride, width, bits } = block;
  const samples = bits.length;
  const used = block.bytes.subarray(0, rows * width * samples * SAMPLE_BYTES[type]);
  if (!block.littleEndian) swapBytes(used, SAMPLE_BYTES[type]);
  if (type === "uint64" || type === "int64") {
    const words = new Uint32Array(aligned(used, 4).buffer, aligned(used, 4).byteOffset, used.length >> 2);
    const convert = type === "uint64" ? uint64ToFloat32 : int64ToFloat32;
    for (const { sample, plane } of wanted) {
      for (let y = 0; y < rows; y += 1) {
        let from = (y * width * samples + sample) * 2;
        const to = at + y * stride;
        for (let x = 0; x < columns; x += 1, from += samples * 2) {
          plane[to + x] = convert(words[from]!, words[from + 1]!);
        }
      }
    }
    return;
  }
  const values = typedView(used, type);
  for (const { sample, plane } of wanted) {
    for (let y = 0; y < rows; y += 1) {
      let from = y * width * samples + sample;
      const to = at + y * stride;
      for (let x = 0; x < columns; x += 1, from += samples) plane[to + x] = values[from]!;
    }
  }
}

const aligned = (bytes: Uint8Array, width: number) => bytes.byteOffset % width === 0 ? bytes : bytes.slice();

type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float16Array
  | Float32Array
  | Float64Array;

function typedView(bytes: Uint8Array, type: SampleType): Numbers {
  const width = SAMPLE_BYTES[type];
  const { buffer, byteOffset, length } = aligned(bytes, width);
  const count = length / width;
  switch (type) {
    case "int8":
      return new Int8Array(buffer, byteOffset, count);
    case "uint16":
      return new Uint16Array(buffer, byteOffset, count);
    case "int16":
      return new Int16Array(buffer, byteOffset, count);
    case "uint32":
      return new Uint32Array(buffer, byteOffset, count);
    case "int32":
      return new Int32Array(buffer, byteOffset, count);
    case "float16":
      return new Float16Array(buffer, byteOffset, count);
    case "float32":
      return new Float32Array(buffer, byteOffset, count);
    case "float64":
      return new Float64Array(buffer, byteOffset, count);
    default:
      return new Uint8Array(buffer, byteOffset, count);
  }
}

/** Samples of any width, highest bit first, whatever the byte order. */
function unpackBits(block: Block, wanted: readonly Wanted[]): void {
  const { bytes, bits, kind, rows, columns, at, stride, width } = block;
  const row = rowBytes(width, bits);
  const pixel = bits.reduce((sum, b) => sum + b, 0);
  for (const { sample, plane } of wanted) {
    const size = bits[sample]!;
    const read = reader(bytes, size, kind, block.littleEndian);
    const first = bits.slice(0, sample).reduce((sum, b) => sum + b, 0);
    for (let y = 0; y < rows; y += 1) {
      let bit = y * row * 8 + first;
      const to = at + y * stride;
      for (let x = 0; x < columns; x += 1, bit += pixel) plane[to + x] = read(bit);
    }
  }
}

/** Reads one sample by the number of its first bit. */
function reader(
  bytes: Uint8Array,
  size: number,
  kind: SampleKind,
  littleEndian: boolean,
): (bit: number) => number {
  if (kind === "float") return (bit) => float24(bytes, bit / 8, littleEndian);
  if (size <= 24) {
    const mask = 2 ** size - 1;
    const sign = kind === "int" ? 32 - size : 0;
    return (bit) => {
      const from = Math.floor(bit / 8);
      const window = (bytes[from]! << 24) | ((bytes[from + 1] ?? 0) << 16) | ((bytes[from + 2] ?? 0) << 8) |
        (bytes[from + 3] ?? 0);
      const value = (window >>> (32 - size - bit % 8)) & mask;
      return sign ? (value << sign) >> sign : value;
    };
  }
  const upper = size - 32;
  return (bit) => {
    const low = take(bytes, bit + Math.max(upper, 0), Math.min(size, 32));
    const negative = kind === "int" && (bytes[Math.floor(bit / 8)]! << (bit % 8)) & 0x80;
    if (upper <= 0) return negative ? low - 2 ** size : low;
    const high = take(bytes, bit, upper) + (negative ? 2 ** 32 - 2 ** upper : 0);
    return kind === "int" ? int64ToFloat32(low, high) : uint64ToFloat32(low, high);
  };
}

/** `count` bits from `bit` on as an unsigned number; 32 at most. */
function take(bytes: Uint8Array, bit: number, count: number): number {
  if (count > 16) return take(bytes, bit, count - 16) * 0x1_0000 + take(bytes, bit + count - 16, 16);
  const from = Math.floor(bit / 8);
  const window = (bytes[from]! << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
  return (window >>> (24 - count - bit % 8)) & (2 ** count - 1);
}

/**
 * A float of 24 bits: sign, 7 bits of exponent with bias 63, 16 bits of mantissa (Adobe Photoshop TIFF Technical
 * Note 3); every value is exact in float32.
 */
function float24(bytes: Uint8Array, at: number, littleEndian: boolean): number {
  const word = littleEndian
    ? bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)
    : (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
  const exponent = (word >>> 16) & 0x7f;
  const mantissa = (word & 0xffff) / 0x10000;
  const sign = word >>> 23 ? -1 : 1;
  if (exponent === 0x7f) return mantissa === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? mantissa * 2 ** -62 : (1 + mantissa) * 2 ** (exponent - 63));
}
