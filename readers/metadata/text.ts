/** Text in files whose encoding is not declared or wrongly declared. */

/** Decodes UTF-16 with a byte order mark, else UTF-8, else the code page of Western Windows. Drops the mark. */
export function textFrom(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
