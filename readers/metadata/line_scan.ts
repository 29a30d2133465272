/** Line scans, whose rows are lines in time. */
import type { Acquisition, LineScan } from "../reader.ts";
import type { Calibration } from "./axes.ts";

/** A line scan by the served calibration of its rows, its dwell time per pixel, and a direction such as `Oneway`, `Roundtrip`. */
export function buildLineScan(
  lines: Calibration | null | undefined,
  pixel?: Calibration | null,
  direction?: string | null,
): LineScan {
  return {
    secondsPerLine: readLineSeconds(lines),
    secondsPerPixel: readLineSeconds(pixel),
    bidirectional: ONE_WAY.test(direction ?? "") ? false : BOTH_WAYS.test(direction ?? "") || null,
  };
}

/** The line scan that an acquisition describes, with the step of its rows if they are in seconds; `null` for other images. */
export function describeLineScan(
  { axes, lineScan = null }: Pick<Acquisition, "axes" | "lineScan">,
): LineScan | null {
  const rows = buildLineScan(axes.find(({ name }) => name === "Y"));
  if (rows.secondsPerLine === null) return lineScan;
  return { ...rows, ...lineScan, secondsPerLine: lineScan?.secondsPerLine ?? rows.secondsPerLine };
}

const readLineSeconds = (time: Calibration | null | undefined) => time?.unit === "seconds" ? time.step : null;

const ONE_WAY = /^\s*(?:uni-?directional|one-?way)\s*$/i;
const BOTH_WAYS = /^\s*(?:bi-?directional|round-?trip)\s*$/i;
