/** Memory for bytes on their way from a file into a plane. */
import { MAX_READ_STEP } from "./limits.ts";

const PAGE = 4096;

/** Enough for most reads, wherever they begin. */
const USUAL_BYTES = MAX_READ_STEP + PAGE;

/** Kept for the next plane: to read into memory that was touched before takes a tenth of the time. */
let kept = new ArrayBuffer(0);

/**
 * Memory for so many bytes, with whatever stands in it; it holds until the next call.
 *
 * @param offset of the bytes in their file. Processors of AMD (Zen 3) copy 2.5 times as long where the place of the bytes in a
 * page of the file is a little behind the one in a page of memory, as when a plane begins at byte 8; so they get half a page
 * between these
 */
export function scratchBytes(length: number, offset: number): Uint8Array<ArrayBuffer> {
  const needed = Math.max(length + PAGE, USUAL_BYTES);
  // More than usual is kept as long as it is asked for.
  if (kept.byteLength < needed || kept.byteLength > USUAL_BYTES && needed === USUAL_BYTES) {
    kept = new ArrayBuffer(needed);
  }
  // A multiple of the size of every sample.
  const start = Math.floor((offset + PAGE / 2) % PAGE / 64) * 64;
  return new Uint8Array(kept, start, length);
}
