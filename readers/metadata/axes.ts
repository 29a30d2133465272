/**
 * Converts the calibrations of all formats to one form: lengths in micrometres (`um`), durations in seconds
 * (`seconds`), any other unit as written; without a calibration, step 1 and unit `Pixels`.
 */
import { type Axis, AXIS_ORDER, type AxisLetter } from "../reader.ts";
import { addWarning, type Warning } from "../warning.ts";

/** A factor as `[multiply, divide]`, so that 100 nm becomes exactly 0.1 um. */
type Factor = readonly [number, number];

/** SI prefixes: names, and symbols by power of ten. */
const NAMES =
  "yocto zepto atto femto pico nano micro milli centi deci deca hecto kilo mega giga tera peta exa zetta yotta";
const POWERS = {
  y: -24,
  z: -21,
  a: -18,
  f: -15,
  p: -12,
  n: -9,
  u: -6,
  m: -3,
  c: -2,
  d: -1,
  da: 1,
  h: 2,
  k: 3,
};
const LARGE_POWERS = { M: 6, G: 9, T: 12, P: 15, E: 18, Z: 21, Y: 24 };
const PREFIXES: readonly (readonly [symbol: string, name: string, power: number])[] = [
  ["", "", 0],
  ...Object.entries({ ...POWERS, ...LARGE_POWERS })
    .map(([symbol, power], i) => [symbol, NAMES.split(" ")[i]!, power] as const),
];

/** Factors of a unit with every prefix, by symbol and by name. The plain unit is `10 ** exponent` served units. */
function prefixed(symbol: string, name: string, exponent: number): Record<string, Factor> {
  return Object.fromEntries(PREFIXES.flatMap(([letter, prefix, power]) => {
    const ten = power + exponent;
    // Powers of ten up to 1e22 are exact, so dividing by them rounds only once.
    const factor: Factor = ten < 0 && ten >= -22 ? [1, Number(`1e${-ten}`)] : [Number(`1e${ten}`), 1];
    return [[letter + symbol, factor], [prefix + name, factor]];
  }));
}

/** Factors of units by their names, which blanks separate. */
const unprefixed = (units: Record<string, Factor>): Record<string, Factor> =>
  Object.fromEntries(
    Object.entries(units).flatMap(([names, factor]) => names.split(" ").map((name) => [name, factor])),
  );

/** Units of length: symbols as in the SI, names in lower case. */
const LENGTHS: Record<string, Factor> = {
  ...prefixed("m", "meter", 6),
  ...unprefixed({
    micron: [1, 1],
    "å angstrom": [1, 1e4],
    'in inch inches "': [25_400, 1],
    thou: [25.4, 1],
    li: [25_400, 12],
    "ft foot": [304_800, 1],
    "yd yard": [914_400, 1],
    "mi mile": [1_609_344_000, 1],
    pt: [25_400, 72],
    // IAU 2015, resolution B2: 648000 / pi astronomical units of 149597870700 m.
    ua: [1.495978707e17, 1],
    ly: [9.4607304725808e21, 1],
    "pc parsec": [3.0856775814913673e22, 1],
  }),
};

const DURATIONS: Record<string, Factor> = {
  ...prefixed("s", "second", 0),
  ...unprefixed({
    usec: [1, 1e6],
    msec: [1, 1e3],
    sec: [1, 1],
    "min minute": [60, 1],
    "h hr hour": [3600, 1],
    "d day": [86_400, 1],
  }),
};

/** Prefixed symbols that are accepted in any case. In all others the case counts (Mm and mm, Gs and gs). */
const ANY_CASE = new Set(["pm", "nm", "um", "mm", "cm", "dm", "km", "fs", "ps", "ns", "us", "ms"]);

/** Units that mean that there is no calibration. */
const NO_UNIT = new Set(["", "pixel", "pixels", "px", "reference frame", "null", "undefined", "none"]);

/** True for a letter of an axis in place of a unit. */
export const namesAxis = (unit: string): boolean => /^[TCZYX]$/i.test(unit.trim());

/** A step with its unit. */
export interface Calibration {
  readonly step: number;
  readonly unit: string;
}

/** Step and unit if there is no calibration. */
export const UNCALIBRATED: Calibration = { step: 1, unit: "Pixels" };

function findFactor(table: Record<string, Factor>, unit: string): Factor | undefined {
  // Accepts both code points of the micro sign, British spelling and the plural.
  const plain = unit.replace(/[µμ]/g, "u").replace(/metre(s?)$/, "meter$1");
  const singular = plain.length > 2 ? plain.replace(/s$/, "") : plain;
  return table[[plain, singular].find((name) => Object.hasOwn(table, name)) ?? ""];
}

/**
 * Converts a step and its unit to the served units. {@linkcode UNCALIBRATED} unless the step is finite and positive.
 *
 * @param unit as in the file: a symbol or an English name, singular or plural, in any case
 */
export function convertStep(step: number | null | undefined, unit: string | null | undefined): Calibration {
  if (step === null || step === undefined || !Number.isFinite(step) || step <= 0) return UNCALIBRATED;
  const written = (unit ?? "").trim();
  const lower = written.toLowerCase();
  if (NO_UNIT.has(lower)) return UNCALIBRATED;
  for (const key of lower === written || isSymbolOfCase(lower) ? [written] : [written, lower]) {
    const length = findFactor(LENGTHS, key);
    if (length) return applyFactor(step, length, "um", written);
    const duration = findFactor(DURATIONS, key);
    if (duration) return applyFactor(step, duration, "seconds", written);
  }
  return { step, unit: written };
}

/** True for a symbol in which the case counts: `Am` is not an attometre. */
const isSymbolOfCase = (lower: string) => /^(?:[a-z]|da)[ms]$/.test(lower) && !ANY_CASE.has(lower);

function applyFactor(step: number, [multiply, divide]: Factor, unit: string, written: string): Calibration {
  const value = step * multiply / divide;
  return Number.isFinite(value) && value > 0 ? { step: value, unit } : { step, unit: written };
}

/** The calibration; `undefined` for {@linkcode UNCALIBRATED}. */
export const keepCalibrated = (calibration: Calibration): Calibration | undefined =>
  calibration === UNCALIBRATED ? undefined : calibration;

/** A warning that counts only where an axis is longer than 1 and nothing else gives its step. */
export interface StepDoubt extends Warning {
  readonly unlessStepOf: AxisLetter;
}

/**
 * The step that a file states along an axis, or `undefined`. The sign of a Z step is its direction, so only its amount counts. Zero,
 * numbers that are not finite, and negative numbers along other axes are not steps.
 *
 * @param warnings receives a {@linkcode StepDoubt} about a number that is not a step
 */
export function statedStep(
  letter: AxisLetter,
  step: number | null | undefined,
  unit: string | null | undefined,
  warnings: Warning[],
): Calibration | undefined {
  if (step === null || step === undefined) return undefined;
  const amount = letter === "Z" ? Math.abs(step) : step;
  if (!(Number.isFinite(amount) && amount > 0)) {
    const text =
      `The file states a step of ${step} along ${letter}, which is not a step; the step is unknown`;
    const doubt: StepDoubt = { code: "step_unknown", text, unlessStepOf: letter };
    addWarning(warnings, doubt);
  }
  return keepCalibrated(convertStep(amount, unit));
}

/** The known calibrations, by axis letter. @param warnings as for {@linkcode statedStep} */
export function selectCalibrations(
  steps: Partial<
    Record<AxisLetter, readonly [step: number | null | undefined, unit: string | null | undefined]>
  >,
  warnings: Warning[],
): Partial<Record<AxisLetter, Calibration>> {
  const result: Partial<Record<AxisLetter, Calibration>> = {};
  for (const [letter, [step, unit]] of Object.entries(steps)) {
    const calibration = statedStep(letter as AxisLetter, step, unit, warnings);
    if (calibration) result[letter as AxisLetter] = calibration;
  }
  return result;
}

const isDoubt = (one: Warning): one is StepDoubt => Object.hasOwn(one, "unlessStepOf");

/**
 * The warnings with those doubts that count: about axes that are longer than 1 and are served without a step.
 *
 * @param stored axes as the file has them
 * @param served the same axes with the steps that stamps give; in place of `T`, `Y` may be time
 */
export function settledWarnings(
  warnings: readonly Warning[],
  stored: readonly Axis[],
  served: readonly Axis[],
): readonly Warning[] {
  const axisOf = (axes: readonly Axis[], letter: AxisLetter) => axes.find(({ name }) => name === letter);
  const counts = ({ unlessStepOf: letter }: StepDoubt) =>
    (axisOf(stored, letter)?.size ?? 1) > 1 &&
    (axisOf(served, letter) ?? axisOf(served, "Y"))?.unit === UNCALIBRATED.unit;
  return warnings.flatMap((one) =>
    !isDoubt(one) ? [one] : counts(one) ? [{ code: one.code, text: one.text }] : []
  );
}

/**
 * The axes of an array in the served order. Axes of length 1 are left out, except `Y` and `X`. `C` has no calibration.
 *
 * @param sizes length per letter; an absent letter has length 1
 * @param calibrations step and unit per letter, in served units
 */
export function buildAxes(
  sizes: Partial<Record<AxisLetter, number>>,
  calibrations: Partial<Record<AxisLetter, Calibration>>,
): Axis[] {
  return AXIS_ORDER.filter((name) => name === "Y" || name === "X" || (sizes[name] ?? 1) > 1).map((name) => {
    const { step, unit } = name === "C" ? UNCALIBRATED : calibrations[name] ?? UNCALIBRATED;
    return { name, size: sizes[name] ?? 1, step, unit };
  });
}
