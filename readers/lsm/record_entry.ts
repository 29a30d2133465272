/** Where the first directory of a TIFF has the record of Zeiss, found without the TIFF reader, before one is loaded. */
import type { ByteSource } from "../byte_source.ts";
import { MAX_ENTRIES } from "../tiff/bounds.ts";
import { TAG } from "../tiff/tags.ts";

const ENTRY_BYTES = 12;

/** Whether the first directory of a little-endian TIFF lists CZ_LSMINFO; `false` where it does not lie in the file. */
export function holdsLsmRecord(file: ByteSource): boolean {
  if (file.size < 8) return false;
  const word = (at: number, bytes: number) =>
    new DataView(file.read(at, bytes, "the first directory").buffer);
  const offset = word(4, 4).getUint32(0, true);
  if (offset + 2 > file.size) return false;
  const count = word(offset, 2).getUint16(0, true);
  const length = count * ENTRY_BYTES;
  if (count > MAX_ENTRIES || offset + 2 + length > file.size) return false;
  const entries = word(offset + 2, length);
  for (let at = 0; at < length; at += ENTRY_BYTES) {
    if (entries.getUint16(at, true) === TAG.CZ_LSMINFO) return true;
  }
  return false;
}
