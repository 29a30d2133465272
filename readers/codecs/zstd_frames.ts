/** Zstandard frames (RFC 8878, section 3.1), by their structure alone. */

const FRAME_MAGIC = 0xfd2fb528;
/** Of frames that are passed over (section 3.1.2), in the lowest four bits of which anything may stand. */
const SKIPPED_MAGIC = 0x184d2a50;
/** Magic number, descriptor and a size; of fewer bytes the decoder of the runtime makes an empty output. */
const MIN_FRAME_BYTES = 6;

/** Block types (section 3.1.1.2.2). */
const RUN = 1;
const RESERVED = 3;

/**
 * Where a stream of frames would have to end: the decoder of the runtime takes one that ends before its last block, or
 * before its checksum, for whole as well.
 *
 * @returns more than the length of the bytes when they end within a frame
 * @throws {Error} a block is of no known type
 */
export function endOfFrames(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  if (bytes.length < MIN_FRAME_BYTES) return MIN_FRAME_BYTES;
  // What is no frame is judged by the decoder.
  for (; at + 4 <= bytes.length;) {
    const magic = view.getUint32(at, true);
    if ((magic & ~0xf) >>> 0 === SKIPPED_MAGIC) {
      if (at + 8 > bytes.length) return at + 8;
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== FRAME_MAGIC) break;
    if (at + 5 > bytes.length) return at + 5;
    const descriptor = view.getUint8(at + 4);
    at += 5 + headerBytes(descriptor);
    for (let last = false; !last;) {
      if (at + 3 > bytes.length) return at + 3;
      const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
      const type = (header >> 1) & 3;
      if (type === RESERVED) throw new Error(`a block at ${at} is of no known type`);
      last = (header & 1) !== 0;
      at += 3 + (type === RUN ? 1 : header >> 3);
    }
    if (descriptor & 4) at += 4;
  }
  return at;
}

/** Bytes of a frame header behind its descriptor (section 3.1.1.1): window, dictionary, size of the content. */
function headerBytes(descriptor: number): number {
  const single = (descriptor & 0x20) !== 0;
  const dictionary = (1 << (descriptor & 3)) >> 1;
  const contentSize = descriptor < 0x40 ? Number(single) : 1 << (descriptor >> 6);
  return Number(!single) + dictionary + contentSize;
}
