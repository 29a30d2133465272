/** Line scans, whose rows are lines in time. */
import type { LineScan, PlanePlan, RowRange } from "../reader.ts";
import { warnIf } from "../warning.ts";
import type { Calibration } from "./axes.ts";

/**
 * Describes a line scan.
 *
 * @param lines served calibration of the rows
 * @param pixel dwell time per pixel
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
    bidirectional: ONE_WAY.test(direction ?? "") ? false : BOTH_WAYS.test(direction ?? "") || null,
  };
}

const secondsOf = (time: Calibration | null | undefined) => time?.unit === "seconds" ? time.step : null;

const ONE_WAY = /^\s*(?:uni-?directional|one-?way)\s*$/i;
const BOTH_WAYS = /^\s*(?:bi-?directional|round-?trip)\s*$/i;

/** The rows of a plane plan. */
export type ServedLines = Required<Pick<PlanePlan, "rows" | "filled" | "warnings">>;

/**
 * The lines that all wanted channels have; an interrupted scan may have fewer in one channel than in another.
 *
 * @param stored number of complete lines of each wanted channel
 * @param planned number of lines of a complete scan
 * @param wanted rows to fill; all by default
 */
export function servedLines(stored: readonly number[], planned: number, wanted?: RowRange): ServedLines {
  const rows = stored.reduce((fewest, own) => Math.min(fewest, own), Infinity);
  return {
    rows,
    filled: { start: Math.min(wanted?.start ?? 0, rows), end: Math.min(wanted?.end ?? rows, rows) },
    warnings: warnIf(
      rows < planned,
      "lines_missing",
      `${rows} of ${planned} lines are stored in every requested channel`,
    ),
  };
}
