/** Reads numbers that people and other programs write with a decimal point or a decimal comma. */

/** A number that was read from a text. */
export interface ReadNumber {
  readonly value: number;
  /** Whether a comma was read as the decimal sign; it may have been meant otherwise. */
  readonly hasComma: boolean;
}

/**
 * Reads a number. A single comma with digits on both sides and no point is a decimal comma, however many digits follow it; two
 * commas, or a comma and a point, are not a number, nor is anything beside the number but white space.
 *
 * @returns `null` for what is not a finite number
 */
export function readNumber(text: string): ReadNumber | null {
  const typed = text.trim().replace("\u2212", "-");
  if (!/^[+-]?(\d+([.]\d*)?|\d+,\d+|\.\d+)(e[+-]?\d+)?$/i.test(typed)) return null;
  const value = Number(typed.replace(",", "."));
  return Number.isFinite(value) ? { value, hasComma: typed.includes(",") } : null;
}
