/** Memory for bytes on their way from a file into a plane, where `sample_vectors.ts` converts them. */
import * as kernel from "../codecs/kernels/samples.wasm";

const buffer = kernel.memory.buffer as ArrayBuffer;

/** For what a read takes, from any place in a page on. */
const READ_MEMORY = new Uint8Array(buffer, kernel.stored, kernel.STORED_BYTES);

/** For a small file as a whole. */
export const HELD_MEMORY: Uint8Array<ArrayBuffer> = new Uint8Array(buffer, kernel.held, kernel.HELD_BYTES);

const PAGE = 4096;

/** For more bytes than a read takes; to read into memory that was touched before takes a tenth of the time. */
let large = new Uint8Array(0);

/**
 * Memory for so many bytes, with whatever stands in it; it holds until the next call.
 *
 * @param offset of the bytes in their file. Processors of AMD (Zen 3) copy 2.5 times as long where the place of the bytes in a
 * page of the file is a little behind the one in a page of memory, as when a plane begins at byte 8; so they get half a page
 * between these
 */
export function scratchBytes(length: number, offset: number): Uint8Array<ArrayBuffer> {
  const needed = length + PAGE;
  const isUsual = needed <= READ_MEMORY.length;
  // It is kept as long as it is asked for.
  if (isUsual || large.length < needed) large = new Uint8Array(isUsual ? 0 : needed);
  // A multiple of the size of every sample.
  const start = Math.floor((offset + PAGE / 2) % PAGE / 64) * 64;
  return (isUsual ? READ_MEMORY : large).subarray(start, start + length);
}
