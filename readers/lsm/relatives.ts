/** The databases (MDB) that programs of Zeiss keep beside LSM files. */

/** Header of a Microsoft Access database, from byte 4 on. */
const DATABASES = ["Standard Jet DB", "Standard ACE DB"];

/** What content of a relative of LSM is and what to open instead, or `null` for any other content. */
export function explainLsmRelative(head: Uint8Array): string | null {
  const text = String.fromCharCode(...head.subarray(4, 19));
  return DATABASES.includes(text)
    ? "it is a database, as .mdb is, and holds no pixels: open an .lsm that it lists, each of which is complete"
    : null;
}
