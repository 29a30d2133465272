/** Zstandard frames (RFC 8878, section 3.1), by their structure alone. */

const FRAME_MAGIC = 0xfd2fb528;
const DICTIONARY_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];

/** Block types (section 3.1.1.2.2). */
const RUN = 1;
const RESERVED = 3;

/**
 * Checks that a stream is whole: the decoder of the runtime takes one that ends before its last block, or before its
 * checksum, for whole as well.
 *
 * @throws {Error} it ends within a frame
 */
export function requireWholeFrames(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const need = (end: number) => {
    if (end > bytes.length) throw new Error(`the stream of ${bytes.length} bytes ends early`);
  };
  // What is no frame is judged by the decoder.
  for (let at = 0; at + 4 <= bytes.length && view.getUint32(at, true) === FRAME_MAGIC;) {
    need(at + 5);
    const descriptor = bytes[at + 4]!;
    const single = (descriptor & 0x20) !== 0;
    const contentSize = descriptor >> 6 === 0 ? Number(single) : CONTENT_SIZE_BYTES[descriptor >> 6]!;
    at += 5 + Number(!single) + DICTIONARY_BYTES[descriptor & 3]! + contentSize;
    for (let last = false; !last;) {
      need(at + 3);
      const header = view.getUint16(at, true) | (bytes[at + 2]! << 16);
      const type = (header >> 1) & 3;
      if (type === RESERVED) throw new Error(`a block at ${at} is of no known type`);
      last = (header & 1) !== 0;
      at += 3 + (type === RUN ? 1 : header >> 3);
    }
    if (descriptor & 4) at += 4;
    need(at);
  }
}
