/**
 * Conversion of the usual samples by WebAssembly with vectors, which takes half of the time of the typed arrays of the
 * runtime. It finds samples where they were read (`scratch.ts`); others are copied to it.
 */
import * as kernel from "../codecs/kernels/samples.wasm";
import type { SampleType } from "../reader.ts";

const buffer = kernel.memory.buffer as ArrayBuffer;

const staged = new Uint8Array(buffer, kernel.staged, 4 * kernel.BLOCK);
const floats = new Float32Array(buffer, kernel.floats, kernel.BLOCK);

/** Fewer samples that lie elsewhere are converted as soon as they are copied to where vectors find them. */
const MIN_STAGED = 256;

/** Converts as many samples from a place in the memory on into {@linkcode floats}. */
type Widen = (from: number, count: number) => void;

/** For samples side by side: their bytes, and what converts them. */
const WIDENERS = new Map<SampleType, { readonly width: number; readonly widen: Widen }>([
  ["uint8", { width: 1, widen: kernel.widenUint8 }],
  ["uint16", { width: 2, widen: kernel.widenUint16 }],
  ["int16", { width: 2, widen: kernel.widenInt16 }],
]);

/** For every second sample of 16 bits. */
const SECOND = { width: 2, widen: kernel.widenSecondUint16 };

/**
 * Converts `count` little-endian samples, from index `from` on every one or every second one, and writes them from index `at` of
 * a float32 plane on.
 *
 * @param bytes from any place on; not changed
 * @returns `false` where this is not done here, and nothing is written
 */
export function convertByVectors(
  { bytes, sampleType }: { readonly bytes: Uint8Array; readonly sampleType: SampleType },
  { from, step, count }: { readonly from: number; readonly step: number; readonly count: number },
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
