/** Memory for stored bytes, which `samples/to_float32.ts` converts in place. */
import * as kernel from "../codecs/kernels/samples.wasm";

/** Buffer for one read of at most `MAX_READ_STEP` bytes. */
const READ_MEMORY = new Uint8Array(kernel.memory.buffer as ArrayBuffer, kernel.stored, kernel.STORED_BYTES);

/** Buffer for longer rows. It is kept between reads, since reading into fresh memory takes ten times as long. */
let large = new Uint8Array(0);

/** Memory for `length` bytes, with arbitrary content; valid until the next call. */
export function scratchBytes(length: number): Uint8Array<ArrayBuffer> {
  const isUsual = length <= READ_MEMORY.length;
  if (isUsual || large.length < length) large = new Uint8Array(isUsual ? 0 : length);
  return (isUsual ? READ_MEMORY : large).subarray(0, length);
}
