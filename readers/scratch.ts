/** Memory for bytes on their way from a file into a plane. */
import { MAX_READ_STEP } from "./limits.ts";

/** Kept for the next plane: to read into memory that was touched before takes a tenth of the time. */
let kept = new ArrayBuffer(0);

/** Memory for so many bytes, with whatever stands in it; it holds until the next call. */
export function scratchBytes(length: number): Uint8Array<ArrayBuffer> {
  if (length > MAX_READ_STEP) return new Uint8Array(length);
  if (kept.byteLength < length) kept = new ArrayBuffer(MAX_READ_STEP);
  return new Uint8Array(kept, 0, length);
}
