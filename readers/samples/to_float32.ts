/** Converts stored samples to float32: rounded once to nearest, ties to even; overflow becomes infinity, NaN stays NaN. */
import * as kernel from "../codecs/kernels/samples.wasm";
import type { SampleType } from "../reader.ts";

/** Arrays by type of their samples; a `bool` is a byte. */
export const ARRAYS = {
  bool: Uint8Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float16: Float16Array,
  float32: Float32Array,
  float64: Float64Array,
} as const satisfies Record<SampleType, { readonly BYTES_PER_ELEMENT: number }>;

/** Bytes per stored sample. */
export const SAMPLE_BYTES = Object.fromEntries(
  Object.entries(ARRAYS).map(([type, { BYTES_PER_ELEMENT }]) => [type, BYTES_PER_ELEMENT]),
) as Record<SampleType, number>;

/**
 * A plane of zeros, in the first of some `buffers` of released planes that is large enough, which is removed. If every sample will
 * be written, it need not be `cleared`.
 */
export function allocatePlane(
  samples: number,
  buffers: ArrayBuffer[],
  cleared = true,
): Float32Array<ArrayBuffer> {
  const at = buffers.findIndex(({ byteLength }) => byteLength >= 4 * samples);
  if (at < 0) return new Float32Array(samples);
  const plane = new Float32Array(buffers.splice(at, 1)[0]!, 0, samples);
  return cleared ? plane.fill(0) : plane;
}

/** True for the name of a {@linkcode SampleType}. */
export const isSampleType = (name: unknown): name is SampleType =>
  typeof name === "string" && Object.hasOwn(SAMPLE_BYTES, name);

type Words = InstanceType<(typeof ARRAYS)[Exclude<SampleType, "int64" | "uint64">]>;

interface WordsConstructor {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): Words;
}

/** Array types for reading stored samples; 64-bit integers are pairs of words. */
const VIEWS: Readonly<Record<SampleType, WordsConstructor>> = {
  ...ARRAYS,
  uint64: Uint32Array,
  int64: Uint32Array,
};

/** Contiguous stored samples. */
export interface PackedSamples {
  /** Bytes that may be overwritten: big-endian samples are swapped in place. */
  readonly bytes: Uint8Array;
  /** Type of the samples; a `bool` is a byte, which becomes 1 unless it is 0. */
  readonly sampleType: SampleType;
  readonly littleEndian: boolean;
}

/** Equally spaced samples among packed ones. */
export interface SampleRun {
  /** Index of the first sample. */
  readonly from: number;
  /** Distance between neighbours in samples: 1, or the number of interleaved channels. */
  readonly step: number;
  readonly count: number;
}

/** Converts runs of packed samples: rows of a block, or one of several interleaved channels. */
export class SampleArray {
  readonly #type: SampleType;
  readonly #bytes: Uint8Array;
  #view: Words | null = null;

  /** If the samples are big-endian, swaps all of them in place, once. */
  constructor({ bytes, sampleType, littleEndian }: PackedSamples) {
    const width = SAMPLE_BYTES[sampleType];
    if (!littleEndian && width > 1) swapBytes(bytes, width);
    this.#type = sampleType;
    this.#bytes = bytes;
  }

  get #words(): Words {
    if (this.#view !== null) return this.#view;
    // Typed views need an aligned start.
    const bytes = this.#bytes.byteOffset % SAMPLE_BYTES[this.#type] === 0 ? this.#bytes : this.#bytes.slice();
    const View = VIEWS[this.#type];
    return this.#view = new View(bytes.buffer, bytes.byteOffset, bytes.length / View.BYTES_PER_ELEMENT);
  }

  /**
   * Converts a run and writes it from index `at` of a float32 plane on.
   *
   * @throws {RangeError} the run ends after the samples or the plane; the memory after them belongs to others
   */
  convert({ from, step, count }: SampleRun, target: Float32Array, at: number): void {
    const end = count === 0 ? 0 : from + (count - 1) * step + 1;
    if (end * SAMPLE_BYTES[this.#type] > this.#bytes.length || at + count > target.length) {
      throw new RangeError(`${count} samples from ${from} on are not among ${this.#bytes.length} bytes`);
    }
    const packed = { bytes: this.#bytes, sampleType: this.#type };
    if (convertByVectors(packed, { from, step, count }, target, at)) return;
    const words = this.#words;
    if (this.#type === "uint64" || this.#type === "int64") {
      const convert = this.#type === "uint64" ? convertUint64 : convertInt64;
      for (let i = 0, word = 2 * from; i < count; i += 1, word += 2 * step) {
        target[at + i] = convert(words[word]!, words[word + 1]!);
      }
    } else if (this.#type === "bool") {
      for (let i = 0; i < count; i += 1) target[at + i] = words[from + i * step] === 0 ? 0 : 1;
    } else if (step === 1) {
      target.set(words.length === count ? words : words.subarray(from, from + count), at);
    } else {
      for (let i = at, end = at + count, next = from; i < end; i += 1, next += step) target[i] = words[next]!;
    }
  }
}

/** Converts all of some packed samples, and writes them from index `at` of a float32 plane on. */
export function convertSamples(samples: PackedSamples, target: Float32Array, at: number): void {
  const count = samples.bytes.length / SAMPLE_BYTES[samples.sampleType];
  new SampleArray(samples).convert({ from: 0, step: 1, count }, target, at);
}

/**
 * Nearest float32 of an unsigned 64-bit integer, given as two 32-bit words. Rounding to a double first would round
 * twice. From 2^53 on, the lowest 11 bits are therefore folded into one sticky bit, which leaves 53 bits: the double is
 * exact, and only the store into float32 rounds.
 */
export function convertUint64(low: number, high: number): number {
  if (high < 0x200000) return Math.fround(high * 0x1_0000_0000 + low);
  const kept = (low & ~0x7ff) >>> 0;
  const sticky = (low & 0x7ff) === 0 ? 0 : 0x800;
  return Math.fround(high * 0x1_0000_0000 + ((kept | sticky) >>> 0));
}

/** Nearest float32 of a signed 64-bit integer, given as two 32-bit words. */
export function convertInt64(low: number, high: number): number {
  if (high < 0x8000_0000) return convertUint64(low, high);
  const negatedLow = (~low + 1) >>> 0;
  const negatedHigh = (~high + (low === 0 ? 1 : 0)) >>> 0;
  return -convertUint64(negatedLow, negatedHigh);
}

/** Reverses the byte order of each `width`-byte word in place. */
export function swapBytes(bytes: Uint8Array, width: number): void {
  if (width === 2 || width === 4) return swapByVectors(bytes, width);
  for (let start = 0; start + width <= bytes.length; start += width) {
    for (let a = start, b = start + width - 1; a < b; a += 1, b -= 1) {
      [bytes[a], bytes[b]] = [bytes[b]!, bytes[a]!];
    }
  }
}

// WebAssembly vectors convert common samples twice as fast as typed arrays. Samples outside the kernel's memory are copied first.

const buffer = kernel.memory.buffer as ArrayBuffer;

const staged = new Uint8Array(buffer, kernel.staged, 4 * kernel.BLOCK);
const floats = new Float32Array(buffer, kernel.floats, kernel.BLOCK);

/** Smallest number of samples to copy to the kernel: copying fewer takes as long as converting them. */
const MIN_STAGED = 256;

/** Converts `count` samples from an address into {@linkcode floats}. */
type Widen = (from: number, count: number) => void;

/** For adjacent samples: bytes per sample and the converter. */
const WIDENERS = new Map<SampleType, { readonly width: number; readonly widen: Widen }>([
  ["uint8", { width: 1, widen: kernel.widenUint8 }],
  ["uint16", { width: 2, widen: kernel.widenUint16 }],
  ["int16", { width: 2, widen: kernel.widenInt16 }],
]);

/** Converter for every second 16-bit sample. */
const SECOND = { width: 2, widen: kernel.widenSecondUint16 };

/** Converts a run of little-endian samples; false without writing if the kernel cannot, or copying is not worthwhile. */
function convertByVectors(
  { bytes, sampleType }: { readonly bytes: Uint8Array; readonly sampleType: SampleType },
  { from, step, count }: SampleRun,
  target: Float32Array,
  at: number,
): boolean {
  const isSecond = step === 2 && sampleType === "uint16";
  const way = isSecond ? SECOND : step === 1 ? WIDENERS.get(sampleType) : undefined;
  const isHere = bytes.buffer === buffer;
  if (way === undefined || !isHere && count < MIN_STAGED) return false;
  const { width, widen } = way;
  for (let done = 0; done < count; done += kernel.BLOCK) {
    const some = Math.min(kernel.BLOCK, count - done);
    const start = (from + done * step) * width;
    if (!isHere) staged.set(bytes.subarray(start, start + ((some - 1) * step + 1) * width));
    widen(isHere ? bytes.byteOffset + start : kernel.staged, some);
    target.set(some === kernel.BLOCK ? floats : floats.subarray(0, some), at + done);
  }
  return true;
}

function swapByVectors(bytes: Uint8Array, width: 2 | 4): void {
  const swap = width === 2 ? kernel.swapPairs : kernel.swapFours;
  if (bytes.buffer === buffer) return swap(bytes.byteOffset, bytes.length);
  for (let done = 0; done < bytes.length; done += staged.length) {
    const part = bytes.subarray(done, done + staged.length);
    staged.set(part);
    swap(kernel.staged, part.length);
    part.set(staged.subarray(0, part.length));
  }
}

// Memory for stored bytes, which the kernel converts in place.

/** Buffer for one read of at most `MAX_READ_STEP` bytes. */
const READ_MEMORY = new Uint8Array(buffer, kernel.stored, kernel.STORED_BYTES);

/** Buffer for longer rows. It is kept between reads, since reading into fresh memory takes ten times as long. */
let large = new Uint8Array(0);

/** Memory for `length` bytes, with arbitrary content; valid until the next call. */
export function borrowScratch(length: number): Uint8Array<ArrayBuffer> {
  const isUsual = length <= READ_MEMORY.length;
  if (isUsual || large.length < length) large = new Uint8Array(isUsual ? 0 : length);
  return (isUsual ? READ_MEMORY : large).subarray(0, length);
}
