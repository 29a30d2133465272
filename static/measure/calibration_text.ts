/**
 * Reads the calibration of a line scan from a text that another program wrote: numbers with units, such as
 * `0.284 [um/pixel]`, `2 ms/line` or `Time per line: 2 ms`, or the image size and duration that Olympus FluoView writes
 * beside a TIFF.
 */
import { readNumber } from "./decimal_number.ts";

const DIGITS = String.raw`(\d+(?:[.,]\d+)?(?:e[+-]?\d+)?)`;
const NUMBER = `(?<![\\w.,])${DIGITS}`;

const SECONDS: Record<string, number> = {
  ns: 1e-9,
  us: 1e-6,
  "\u00b5s": 1e-6,
  "\u03bcs": 1e-6,
  ms: 1e-3,
  s: 1,
};
const MICROMETRES: Record<string, number> = { nm: 1e-3, um: 1, "\u00b5m": 1, "\u03bcm": 1, mm: 1e3 };

/** Numbers are undefined if the text does not state them. */
export const readCalibration = (text: string): {
  secondsPerLine: number | undefined;
  micrometresPerPixel: number | undefined;
  secondsPerPixel: number | undefined;
} => ({
  secondsPerLine: findStated(text, SECONDS, "line", "time per line|line (?:time|period)") ??
    readOlympusLineTime(text),
  micrometresPerPixel: findStated(
    text,
    MICROMETRES,
    "pixel|px|column",
    "(?:distance|size) per (?:pixel|column)|pixel size",
  ),
  secondsPerPixel: findStated(text, SECONDS, "pixel|px", "time per pixel|(?:pixel|dwell) time"),
});

/**
 * The first number with a unit per `per`, such as `2 ms/line`; if there is none, the first one after one of `names`.
 *
 * @param per regular expression for what the unit is divided by
 * @param names regular expression for the words before a number with a plain unit, such as `time per line`
 */
function findStated(text: string, units: Record<string, number>, per: string, names: string) {
  const unit = `\\s*\\[?(${Object.keys(units).join("|")})`;
  const divided = new RegExp(`${NUMBER}${unit}\\s*/\\s*(?:${per})\\b`, "i").exec(text);
  const named = divided ??
    new RegExp(`(?:${names})[^\\d\\n]{0,20}${DIGITS}${unit}(?![\\w/])`, "i").exec(text);
  if (named === null) return undefined;
  const [, number = "", symbol = ""] = named;
  const value = parseDigits(number) * (units[symbol.toLowerCase()] ?? NaN);
  return value > 0 ? Number(value.toPrecision(12)) : undefined;
}

/**
 * Divides the duration in `"T Dimension" "1, 0.000 - 53.910 [s], ..."` by the lines in `"Image Size" "38 * 30000 [pixel]"`.
 */
function readOlympusLineTime(text: string) {
  const range = new RegExp(`"T Dimension"[^\\n]*?${NUMBER}\\s*-\\s*${NUMBER}\\s*\\[(ms|s)\\]`).exec(text);
  const size = /"Image Size"[^\n\d]*\d+\s*\*\s*(\d+)/.exec(text);
  if (range === null || size === null) return undefined;
  const [, from = "", to = "", unit = ""] = range;
  const value = (parseDigits(to) - parseDigits(from)) * (SECONDS[unit] ?? NaN) / Number(size[1]);
  return value > 0 ? value : undefined;
}

/** Units of `tunit`, by which ImageJ counts its frame interval; without one it is in seconds. */
const FRAME_UNITS: Record<string, number> = {
  ...SECONDS,
  sec: 1,
  second: 1,
  seconds: 1,
  min: 60,
  h: 3600,
  hour: 3600,
};

/**
 * The seconds between frames in the description of an ImageJ file, `finterval`: of an image whose rows are time, such as one that
 * _Reslice_ made of a series, the time between its rows. Undefined if the text is of another program or states none.
 */
export function readFrameInterval(text: string): number | undefined {
  if (!text.startsWith("ImageJ=")) return undefined;
  const field = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1]?.trim();
  const number = new RegExp(`^${DIGITS}$`, "i").exec(field("finterval") ?? "")?.[1];
  const unit = FRAME_UNITS[field("tunit")?.replace("\\u00B5", "\u00b5") || "s"];
  const value = number === undefined || unit === undefined ? 0 : parseDigits(number) * unit;
  return value > 0 ? Number(value.toPrecision(12)) : undefined;
}

/** @param text of {@link DIGITS} */
const parseDigits = (text: string) => readNumber(text)?.value ?? NaN;
