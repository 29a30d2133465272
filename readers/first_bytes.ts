/** What the first bytes of a file say, for formats that are recognised by them. */

/** True if `head` starts with these bytes. */
export const startsWith = (head: Uint8Array, ...bytes: number[]): boolean =>
  bytes.every((byte, i) => head[i] === byte);

/** True if `head` starts with this ASCII text. */
export const startsWithText = (head: Uint8Array, text: string): boolean =>
  startsWith(head, ...new TextEncoder().encode(text));

/** TIFF 6.0 section 2 and the BigTIFF design: byte order, then 42 or 43 in that order. */
export const startsTiff = (head: Uint8Array): boolean =>
  [42, 43].some((n) => startsWith(head, 0x49, 0x49, n, 0) || startsWith(head, 0x4d, 0x4d, 0, n));

/** Header of the first entry; an archive without entries begins with its end record. */
export const startsZip = (head: Uint8Array): boolean =>
  startsWith(head, 0x50, 0x4b, 3, 4) || startsWith(head, 0x50, 0x4b, 5, 6);

/** True if a text may begin with XML, after any byte order mark. */
export const startsWithTag = (text: string): boolean => /^\uFEFF?\s*</.test(text);

/** The ASCII characters of a text with one or two bytes per character; drops byte order marks. */
export const asciiOf = (bytes: Uint8Array): string =>
  String.fromCharCode(...bytes.filter((byte) => byte > 0 && byte < 0x80));
