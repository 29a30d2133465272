/** Numbers in text. */

/** A text as a finite number, or `null`; surrounding blanks are ignored. */
export function numberOf(text: string | null | undefined): number | null {
  const value = text?.trim() ? Number(text) : NaN;
  return Number.isFinite(value) ? value : null;
}

/** The finite number at the start of a text, or `null`. */
export function leadingNumber(text: string | null | undefined): number | null {
  const value = Number.parseFloat(text ?? "");
  return Number.isFinite(value) ? value : null;
}
