/**
 * Brings the calibration of every format to one form: lengths in micrometres (`um`), durations in seconds
 * (`seconds`), any other unit as written, and step 1 `Pixels` where there is none.
 */
import { type Axis, AXIS_ORDER, type AxisLetter } from "./reader.ts";

/** Factors as `[multiply, divide]`, so that 100 nm becomes exactly 0.1 um. */
type Factor = readonly [number, number];

const LENGTHS: Record<string, Factor> = {
  pm: [1, 1e6],
  picometer: [1, 1e6],
  "å": [1, 1e4],
  angstrom: [1, 1e4],
  nm: [1, 1e3],
  nanometer: [1, 1e3],
  um: [1, 1],
  micrometer: [1, 1],
  micron: [1, 1],
  mm: [1e3, 1],
  millimeter: [1e3, 1],
  cm: [1e4, 1],
  centimeter: [1e4, 1],
  dm: [1e5, 1],
  decimeter: [1e5, 1],
  m: [1e6, 1],
  meter: [1e6, 1],
  km: [1e9, 1],
  kilometer: [1e9, 1],
  in: [25_400, 1],
  inch: [25_400, 1],
  inches: [25_400, 1],
  '"': [25_400, 1],
  thou: [25.4, 1],
  li: [25_400, 12],
  ft: [304_800, 1],
  foot: [304_800, 1],
  yd: [914_400, 1],
  yard: [914_400, 1],
  pt: [25_400, 72],
};

const DURATIONS: Record<string, Factor> = {
  fs: [1, 1e15],
  femtosecond: [1, 1e15],
  ps: [1, 1e12],
  picosecond: [1, 1e12],
  ns: [1, 1e9],
  nanosecond: [1, 1e9],
  us: [1, 1e6],
  usec: [1, 1e6],
  microsecond: [1, 1e6],
  ms: [1, 1e3],
  msec: [1, 1e3],
  millisecond: [1, 1e3],
  s: [1, 1],
  sec: [1, 1],
  second: [1, 1],
  min: [60, 1],
  minute: [60, 1],
  h: [3600, 1],
  hr: [3600, 1],
  hour: [3600, 1],
  d: [86_400, 1],
  day: [86_400, 1],
};

/** Units that say that there is no calibration. */
const NO_UNIT = new Set(["", "pixel", "pixels", "px", "reference frame", "null", "undefined", "none"]);

/** A step with its unit. */
export interface Calibration {
  /** Physical step per sample. */
  readonly step: number;
  /** Unit of the step. */
  readonly unit: string;
}

/** What an axis without calibration has. */
export const UNCALIBRATED: Calibration = { step: 1, unit: "Pixels" };

function factorOf(table: Record<string, Factor>, unit: string): Factor | undefined {
  // Both code points of the micro sign, British spelling and the plural.
  const plain = unit.replace(/[µμ]/g, "u").replace(/metre(s?)$/, "meter$1");
  const singular = plain.length > 2 ? plain.replace(/s$/, "") : plain;
  return Object.hasOwn(table, plain)
    ? table[plain]
    : Object.hasOwn(table, singular)
    ? table[singular]
    : undefined;
}

/**
 * Step and unit of a file in the served vocabulary.
 *
 * @param step physical step per sample in `unit`; what is not finite and positive counts as no calibration
 * @param unit as the file writes it; symbols of both micro signs, English names, singular or plural, any case
 */
export function calibrated(step: number | null | undefined, unit: string | null | undefined): Calibration {
  if (step === null || step === undefined || !Number.isFinite(step) || step <= 0) return UNCALIBRATED;
  const written = (unit ?? "").trim();
  const lower = written.toLowerCase();
  if (NO_UNIT.has(lower)) return UNCALIBRATED;
  // Symbols are told apart by case only where they collide: Mm and Ms are no millimetres and milliseconds.
  const key = written === "Mm" || written === "Ms" || written === "Pm" ? written : lower;
  const [factor, name] = [factorOf(LENGTHS, key), "um"] as const;
  if (factor) return scaled(step, factor, name, written);
  const duration = factorOf(DURATIONS, key);
  if (duration) return scaled(step, duration, "seconds", written);
  return { step, unit: written };
}

function scaled(step: number, [multiply, divide]: Factor, unit: string, written: string): Calibration {
  const value = step * multiply / divide;
  return Number.isFinite(value) && value > 0 ? { step: value, unit } : { step, unit: written };
}

/**
 * The axes of an array in the served order, without those of length 1 (but `Y` and `X`). `C` has no calibration.
 *
 * @param sizes length per letter; a letter that is absent has length 1
 * @param calibrations step and unit per letter, already brought to the served vocabulary
 */
export function axesOf(
  sizes: Partial<Record<AxisLetter, number>>,
  calibrations: Partial<Record<AxisLetter, Calibration>>,
): Axis[] {
  return AXIS_ORDER.filter((name) => name === "Y" || name === "X" || (sizes[name] ?? 1) > 1).map((name) => {
    const { step, unit } = name === "C" ? UNCALIBRATED : calibrations[name] ?? UNCALIBRATED;
    return { name, size: sizes[name] ?? 1, step, unit };
  });
}
