/** Numbers written as text. */

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
