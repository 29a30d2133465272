/** How a line scan was made, by what its file states. */
import type { Calibration } from "./axes.ts";
import type { LineScan } from "../reader.ts";

/**
 * The facts of a line scan; what the file does not state is absent.
 *
 * @param lines step of the rows as it is served
 * @param pixel time that the laser stays on a pixel, from `calibrated`
 * @param direction such as `Unidirectional`, `Oneway`, `Bidirectional`, `Roundtrip`
 */
export function lineScanOf(
  lines: Calibration | null | undefined,
  pixel?: Calibration | null,
  direction?: string | null,
): LineScan {
  return {
    secondsPerLine: secondsOf(lines),
    secondsPerPixel: secondsOf(pixel),
    bidirectional: isBidirectional(direction ?? ""),
  };
}

const secondsOf = (time: Calibration | null | undefined) => time?.unit === "seconds" ? time.step : null;

function isBidirectional(direction: string): boolean | null {
  if (/^\s*(?:uni-?directional|one-?way)\s*$/i.test(direction)) return false;
  return /^\s*(?:bi-?directional|round-?trip)\s*$/i.test(direction) ? true : null;
}
