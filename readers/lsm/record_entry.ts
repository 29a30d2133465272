/** Where the first directory of a TIFF has the record of Zeiss, found without the TIFF reader, before one is loaded. */
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_ENTRIES } from "../tiff/bounds.ts";
import { TAG } from "../tiff/tags.ts";

const ENTRY_BYTES = 12;

/** Enough for most directories, so that one read tells. */
const FIRST_READ = 512;

/**
 * Whether the first directory of a little-endian TIFF lists CZ_LSMINFO; `false` where it does not lie in the file.
 *
 * @param head the first bytes of the file
 */
export function holdsLsmRecord(file: ByteSource, head: Uint8Array): boolean {
  if (head.length < 8) return false;
  const offset = new DataView(head.buffer, head.byteOffset).getUint32(4, true);
  if (offset + 2 > file.size) return false;
  let view = viewAt(file, offset, FIRST_READ);
  const count = view.getUint16(0, true);
  const length = 2 + count * ENTRY_BYTES;
  if (count > MAX_ENTRIES || offset + length > file.size) return false;
  if (length > view.byteLength) view = viewAt(file, offset, length);
  for (let at = 2; at < length; at += ENTRY_BYTES) {
    if (view.getUint16(at, true) === TAG.CZ_LSMINFO) return true;
  }
  return false;
}

function viewAt(file: ByteSource, offset: number, most: number): DataView {
  return new DataView(file.read(offset, Math.min(most, file.size - offset), "the first directory").buffer);
}
