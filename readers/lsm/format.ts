/** Zeiss LSM. */
import { type FileFormat, FORMAT_NAMES, startsWith } from "../format.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_ENTRIES, TAG } from "../tiff/tags.ts";

/** LSM: a TIFF with a Zeiss record, whatever its extension. Databases (MDB) beside such files are not read. */
export const LSM: FileFormat = {
  ...FORMAT_NAMES.lsm,
  container: "file",
  // LSM is always a little-endian TIFF with offsets of 32 bits.
  recognises: (head) => startsWith(head, 0x49, 0x49, 42, 0),
  isDialect: holdsLsmRecord,
  relatives: [".mdb"],
  explains: explainLsmRelative,
  load: () => import("./mod.ts"),
};

const ENTRY_BYTES = 12;

/** Number of bytes of the first read, enough for most directories. */
const FIRST_READ = 512;

/**
 * True if the first directory of a little-endian TIFF contains CZ_LSMINFO. Does not load the TIFF reader.
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

/** Marks of a Microsoft Access database, at byte 4. */
const DATABASES = ["Standard Jet DB", "Standard ACE DB"];

/** Explains that a file is a database and what to open instead; `null` for other content. */
export function explainLsmRelative(head: Uint8Array): string | null {
  const text = String.fromCharCode(...head.subarray(4, 19));
  return DATABASES.includes(text)
    ? "it is a database without pixels: open an .lsm that it lists, each is complete by itself"
    : null;
}
