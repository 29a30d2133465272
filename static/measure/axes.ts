/**
 * Axes in physical units. Sample i of an axis sits at `i * step`; its pixel is centred there, so the axis begins half a
 * step before 0.
 */

/** An axis; `step` is in `unit`. */
export interface Axis {
  name: string;
  step: number;
  unit: string;
  /** Display name, set by {@linkcode titleAxes}. */
  title?: string;
}

const UNIT_SYMBOLS: Readonly<Record<string, string>> = { um: "µm", seconds: "s", Pixels: "px" };

/** Display form of a unit. */
export const chooseUnitSymbol = (unit: string): string => UNIT_SYMBOLS[unit] ?? unit;

/** Unit of a time axis without known times, as in a kymograph of images without time stamps. */
export const FRAMES = "frames";

/** Whether the axis counts time. */
export const isTime = (axis: Pick<Axis, "unit">): boolean => axis.unit === "seconds" || axis.unit === FRAMES;

/** Unit of an axis for tables, without Greek letters. */
export const formatTableUnit = ({ unit }: { unit: string }): string =>
  unit === "um" ? "um" : chooseUnitSymbol(unit);

/** A name or unit of a table as it is shown, with Greek letters. */
export const showGreek = (text: string): string =>
  text.replace(/\bum\b/g, "µm").replace(/\bdF\/F0\b/, "ΔF/F₀");

/** Title of an axis with its unit, such as `Time (s)`, `Position (µm)` or `Y (µm)`. */
export const formatAxisTitle = (axis: Pick<Axis, "name" | "unit" | "title">): string =>
  `${axis.title ?? (isTime(axis) ? "Time" : axis.name)} (${chooseUnitSymbol(axis.unit)})`;

/** Both axes of a plane with their titles: in a line scan, rows are time and columns are positions along the line. */
export function titleAxes<A extends Axis>(
  [rows, columns]: readonly [A, A],
): [A & { title: string }, A & { title: string }] {
  const [along, across] = isTime(rows) ? ["Time", "Position"] : [rows.name, columns.name];
  return [{ ...rows, title: along }, { ...columns, title: across }];
}

/** Digits of places along an axis: more than a file states of a step. */
const PLACE_DIGITS = 12;

/** Where something lies along an axis, without the last digits that a product adds: 3 steps of 0.1 are 0.3. */
export const placeAlong = (index: number, { step }: { readonly step: number }): number =>
  roundToDigits(index * step, PLACE_DIGITS);

/** Physical coordinate of a picture position (pixel i covers i to i + 1). */
export const toPhysical = (axis: Axis, position: number): number => (position - 0.5) * axis.step;

/**
 * Values at round distances (1, 2 or 5 times a power of ten) from `low` to `high`, at most `most + 1` of them; empty
 * if neighbouring values would be equal.
 */
export function placeTicks(
  low: number,
  high: number,
  most: number,
): { values: number[]; labels: string[]; step: number } {
  if (!(high > low) || !(most >= 1)) return { values: [], labels: [], step: 0 };
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((digit) => digit * power >= rough * (1 - 1e-9)) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return { values: [], labels: [], step: 0 };
  const count = Math.min(last - first, most) + 1;
  const values = Array.from({ length: Math.max(0, Math.floor(count)) }, (_, i) => (first + i) * step);
  const largest = Math.max(Math.abs(low), Math.abs(high));
  return { values, labels: values.map((value) => formatTick(value, step, largest)), step };
}

/** Formats a number with the decimals that `step`, the distance of neighbouring values, needs. */
export function formatAt(value: number, step: number): string {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  if (value === 0) return (0).toFixed(Math.min(decimals, 6));
  if (decimals > 6 || Math.abs(value) >= 1e7) return value.toExponential(3);
  return value.toFixed(decimals).replace(/^-(?=0(\.0*)?$)/, "");
}

/**
 * Formats a number with five significant digits, or with more if a thousandth of `span` needs them. Integers below 1e7
 * keep all digits.
 *
 * @param span range that the number belongs to
 */
export function formatDigits(value: number, span: number = Math.abs(value)): string {
  if (!Number.isFinite(value) || value === 0) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const size = Math.abs(value);
  const more = span > 0 ? Math.max(0, Math.ceil(Math.log10(size / span) - 1)) : 0;
  const short = Number(value.toPrecision(Math.min(17, 5 + more)));
  const [plain, exponential] = [String(short), short.toExponential()];
  return (size >= 1e7 || size < 1e-3) && exponential.length < plain.length ? exponential : plain;
}

/** Rounds to significant digits. */
export const roundToDigits = (value: number, digits: number): number => Number(value.toPrecision(digits));

/** Formats with four significant digits, more than any measurement here is precise to. */
export const formatRounded = (value: number): string =>
  Number.isFinite(value) ? formatDigits(roundToDigits(value, 4)) : "–";

/** Formats a count with its thousands apart, such as `1,000,000`. */
export const formatCount = (count: number): string => count.toLocaleString("en");

/** Formats a length or duration, such as `1.271 s`; short ones in nanometres and milliseconds. */
export function formatQuantity(value: number, { unit }: { unit: string }, digits = 4): string {
  const size = Math.abs(value);
  const smaller = unit === "seconds" && size < 1 ? "ms" : unit === "um" && size < 0.1 ? "nm" : "";
  const [scaled, symbol] = smaller !== "" && size > 0
    ? [1000 * value, smaller]
    : [value, chooseUnitSymbol(unit)];
  return `${formatDigits(roundToDigits(scaled, digits))} ${symbol}`;
}

function formatTick(value: number, step: number, largest: number) {
  if (largest >= 1e6 || step < 1e-5) {
    const digits = Math.min(15, Math.max(6, Math.ceil(Math.log10(largest / step)) + 1));
    return value === 0 ? "0" : String(Number(value.toPrecision(digits)));
  }
  return formatAt(value, step);
}
