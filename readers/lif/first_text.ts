/** The text with which a file of Leica begins: its XML, or what kind of file it is. */

const MAGIC = 0x70;
const TEXT = 0x2a;

/** Where the first text of a file begins, in UTF-16. */
const TEXT_AT = 13;

/** What a file of one object begins with in place of its XML. */
export const OBJECT_FILE = "LMS_Object_File";

/** The text with which a file of Leica begins, as far as the first bytes hold it, or `null`. */
export function firstText(head: Uint8Array): string | null {
  if (head.length < TEXT_AT || head[0] !== MAGIC || head[1] || head[2] || head[3] || head[8] !== TEXT) {
    return null;
  }
  const whole = head.length - (head.length - TEXT_AT) % 2;
  return new TextDecoder("utf-16le").decode(head.subarray(TEXT_AT, whole));
}
