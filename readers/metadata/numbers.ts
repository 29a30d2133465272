/** Numbers that stand in texts. */

/** The finite number that a whole text is, or `null`; blanks around it do not count. */
export function numberOf(text: string | null | undefined): number | null {
  const value = text?.trim() ? Number(text) : NaN;
  return Number.isFinite(value) ? value : null;
}

/** The number that a text starts with, or `null`. */
export function leadingNumber(text: string | null | undefined): number | null {
  const value = Number.parseFloat(text ?? "");
  return Number.isFinite(value) ? value : null;
}

/** Whether two sources of one value differ by more than one percent. */
export const differ = (a: number, b: number): boolean => Math.abs(a - b) > 0.01 * Math.max(a, b);
