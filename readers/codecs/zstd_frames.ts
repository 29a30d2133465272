/** Zstandard frames (RFC 8878, section 3.1), by their structure alone. */

const FRAME_MAGIC = 0xfd2fb528;
/** Magic number of skippable frames (section 3.1.2); its lowest four bits are arbitrary. */
const SKIPPED_MAGIC = 0x184d2a50;
/** Magic number, descriptor and a size; of fewer bytes the decoder of the runtime makes an empty output. */
const MIN_FRAME_BYTES = 6;

/** Block types (section 3.1.1.2.2). */
const RUN = 1;
const COMPRESSED = 2;
const RESERVED = 3;

/** Largest number of bytes that a block decodes to (section 3.1.1.2.4). */
const MAX_BLOCK_BYTES = 128 << 10;

/** Consecutive frames. */
export interface Frames {
  /**
   * Their end. It exceeds the number of bytes if these end within a frame: the decoder of the runtime also accepts a stream
   * that ends before its last block or its checksum. 0 if there is no frame.
   */
  readonly end: number;
  /** Largest number of bytes that their blocks can hold. */
  readonly mostBytes: number;
  /** Stated size of their content; `null` if one of them does not state it. */
  readonly contentBytes: number | null;
}

/** Measures the frames at the start of some bytes. @throws {Error} a block has a reserved type */
export function measureFrames(bytes: Uint8Array): Frames {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [at, mostBytes] = [0, 0];
  let contentBytes: number | null = 0;
  const cut = (end: number): Frames => ({ end, mostBytes, contentBytes });
  if (bytes.length < MIN_FRAME_BYTES) return cut(MIN_FRAME_BYTES);
  for (; at + 4 <= bytes.length;) {
    const magic = view.getUint32(at, true);
    if ((magic & ~0xf) >>> 0 === SKIPPED_MAGIC) {
      if (at + 8 > bytes.length) return cut(at + 8);
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== FRAME_MAGIC) break;
    if (at + 5 > bytes.length) return cut(at + 5);
    const descriptor = view.getUint8(at + 4);
    // Followed (section 3.1.1.1) by window, dictionary, size of the content.
    at += 5 + Number(!isSingle(descriptor)) + ((1 << (descriptor & 3)) >> 1);
    const size = contentSizeBytes(descriptor);
    if (at + size > bytes.length) return cut(at + size);
    if (size === 0 || contentBytes === null) contentBytes = null;
    else contentBytes += readContentSize(view, at, size);
    at += size;
    for (let last = false; !last;) {
      if (at + 3 > bytes.length) return cut(at + 3);
      const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
      const [type, size] = [(header >> 1) & 3, header >> 3];
      if (type === RESERVED) throw new Error(`the block at ${at} has a reserved type`);
      last = (header & 1) !== 0;
      at += 3 + (type === RUN ? 1 : size);
      mostBytes += type === COMPRESSED ? MAX_BLOCK_BYTES : Math.min(size, MAX_BLOCK_BYTES);
    }
    if (descriptor & 4) at += 4;
  }
  return { end: at, mostBytes, contentBytes };
}

/** Bytes of the size of the content, at the end of a frame header (section 3.1.1.1.1.1). */
const contentSizeBytes = (descriptor: number): number =>
  descriptor < 0x40 ? Number(isSingle(descriptor)) : 1 << (descriptor >> 6);

/** Whether there is no window but the content. */
const isSingle = (descriptor: number): boolean => (descriptor & 0x20) !== 0;

/** Reads the content size from a field of a given width (section 3.1.1.1.4). */
function readContentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}
