/** Texts of the XML metadata: UTF-8, in rare files UTF-16, in older ones the code page of the computer. */

import { allowedXml } from "../metadata/xml.ts";

/** Bytes in which the declaration of a document names its encoding. */
const DECLARATION_BYTES = 200;

/** The text of a document, without its declaration; what XML forbids is replaced. */
export function metadataText(bytes: Uint8Array): string {
  const text = decoded(bytes).replace(/^\ufeff/, "").replace(/^\s*<\?xml[^>]*\?>/, "");
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  return allowedXml(text.slice(0, end).trim());
}

function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe || bytes[0] === 0x3c && bytes[1] === 0) {
    return new TextDecoder("utf-16le").decode(bytes);
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const unicode = new TextDecoder("utf-8").decode(bytes, { stream: true });
  // Damaged characters among whole ones do not make it a code page, where no two letters beyond ASCII are UTF-8.
  return /\ufffd/.test(unicode) && !/[^\0-\x7f\ufffd]/.test(unicode)
    ? new TextDecoder(codePage(bytes)).decode(bytes)
    : unicode;
}

/** The encoding that the declaration names, where it is one other than Unicode; else that of Western Windows. */
function codePage(bytes: Uint8Array): string {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARATION_BYTES));
  const declared = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/i.exec(head)?.[1];
  try {
    const { encoding } = new TextDecoder(declared ?? "windows-1252");
    return encoding.startsWith("utf-") ? "windows-1252" : encoding;
  } catch {
    return "windows-1252";
  }
}
