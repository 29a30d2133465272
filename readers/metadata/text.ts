/** Text whose encoding is not declared or wrongly declared, and numbers written as text. */
import { readNumber } from "../../schemas/decimal_number.ts";

// Making a decoder takes longer than decoding a line.
const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true });
const WESTERN = new TextDecoder("windows-1252");

/** Decodes UTF-16 with a byte order mark, else UTF-8, else the code page of Western Windows. Drops the mark. */
export function decodeAnyText(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    return WESTERN.decode(bytes);
  }
}

/** The text as a finite number with a decimal point or comma, or `null`; surrounding blanks are ignored. */
export const numberOf = (text: string | null | undefined): number | null =>
  readNumber(text ?? "")?.value ?? null;

/** Digits, points and commas at the start of a text, with a sign and an exponent. */
const LEADING = /^\s*[+-]?(?:\d[\d.,]*|\.\d+)(?:e[+-]?\d+)?/i;

/** The text of the number that a text starts with, as in `0.5 um` or `1,5 ms`; `""` without one. */
export const leadingText = (text: string | null | undefined): string =>
  LEADING.exec(text ?? "")?.[0].replace(/,$/, "") ?? "";

/** The finite number at the start of a text, or `null`. */
export const leadingNumber = (text: string | null | undefined): number | null => numberOf(leadingText(text));

/** Whether two values of one quantity differ by more than one percent. */
export const differsByPercent = (a: number, b: number): boolean => Math.abs(a - b) > 0.01 * Math.max(a, b);

/** Decodes `\u00B5`: ImageJ and SCIFIO escape characters beyond ASCII. */
export const unescapeText = (text: string): string =>
  text.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
