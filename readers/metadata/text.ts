/** Text whose encoding is not declared or wrongly declared, and numbers written as text. */

// Making a decoder takes longer than decoding a line.
const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true });
const WESTERN = new TextDecoder("windows-1252");

/** Decodes UTF-16 with a byte order mark, else UTF-8, else the code page of Western Windows. Drops the mark. */
export function textFrom(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    return WESTERN.decode(bytes);
  }
}

/** The text as a finite number, or `null`; surrounding blanks are ignored. */
export function numberOf(text: string | null | undefined): number | null {
  const value = text?.trim() ? Number(text) : NaN;
  return Number.isFinite(value) ? value : null;
}

/** The finite number at the start of a text, or `null`. */
export function leadingNumber(text: string | null | undefined): number | null {
  const value = Number.parseFloat(text ?? "");
  return Number.isFinite(value) ? value : null;
}

/** Whether two values of one quantity differ by more than one percent. */
export const differ = (a: number, b: number): boolean => Math.abs(a - b) > 0.01 * Math.max(a, b);

/** Decodes `\u00B5`: ImageJ and SCIFIO escape characters beyond ASCII. */
export const unescaped = (text: string): string =>
  text.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
