/**
 * Conversion of the usual samples by WebAssembly with vectors, which takes half of the time of the typed arrays of the
 * runtime, and the memory in which it finds raw samples where they are read into it.
 */
import * as kernel from "./kernels/samples.wasm";

const buffer = kernel.memory.buffer as ArrayBuffer;

/** Memory for what is read, at the start of a page. */
export const READ_MEMORY: Uint8Array<ArrayBuffer> = new Uint8Array(
  buffer,
  kernel.stored,
  kernel.STORED_BYTES,
);

const staged = new Uint8Array(buffer, kernel.staged, 4 * kernel.BLOCK);
const floats = new Float32Array(buffer, kernel.floats, kernel.BLOCK);

/** Fewer samples that lie elsewhere are converted as soon as they are copied to where vectors find them. */
const MIN_STAGED = 256;

/** Samples as they are stored, in the byte order of the machine. */
type Words = Uint8Array | Uint16Array | Int16Array;

/** Converts as many samples from a place in the memory on into {@linkcode floats}. */
type Widen = (from: number, count: number) => void;

/** For samples side by side. */
const WIDENERS = new Map<unknown, Widen>([
  [Uint8Array, kernel.widenUint8],
  [Uint16Array, kernel.widenUint16],
  [Int16Array, kernel.widenInt16],
]);

/**
 * Converts `count` samples, from index `from` on every one or every second one, and writes them from index `at` of a float32
 * plane on.
 *
 * @returns `false` where this is not done here, and nothing is written
 */
export function convertByVectors(
  words: ArrayBufferView,
  { from, step, count }: { readonly from: number; readonly step: number; readonly count: number },
  target: Float32Array,
  at: number,
): boolean {
  const widen = step === 1
    ? WIDENERS.get(words.constructor)
    : step === 2 && words instanceof Uint16Array
    ? kernel.widenSecondUint16
    : undefined;
  const isHere = words.buffer === buffer;
  if (widen === undefined || !isHere && count < MIN_STAGED) return false;
  const { BYTES_PER_ELEMENT: width } = words as Words;
  for (let done = 0; done < count; done += kernel.BLOCK) {
    const some = Math.min(kernel.BLOCK, count - done);
    const start = words.byteOffset + (from + done * step) * width;
    if (!isHere) staged.set(new Uint8Array(words.buffer, start, ((some - 1) * step + 1) * width));
    widen(isHere ? start : kernel.staged, some);
    target.set(some === kernel.BLOCK ? floats : floats.subarray(0, some), at + done);
  }
  return true;
}

/**
 * Reverses the bytes of each word of two or four bytes in place.
 *
 * @returns `false` where this is not done here, and nothing is changed
 */
export function swapByVectors(bytes: Uint8Array, width: number): boolean {
  if (bytes.buffer !== buffer || width !== 2 && width !== 4) return false;
  (width === 2 ? kernel.swapPairs : kernel.swapFours)(bytes.byteOffset, bytes.length);
  return true;
}
