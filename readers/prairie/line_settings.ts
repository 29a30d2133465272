/**
 * What a document says of the lines of a line scan. Version 5 does not repeat in a frame what equals the setting of the
 * document, and of a line scan those of the document are the settings of the frame that the line was drawn on. So what a
 * frame does not state is taken from the document only where it fits the line.
 */
import { isStraight, type PvLine, type PvScan, type PvSequence } from "../pvscan/document.ts";
import { settingOf } from "../pvscan/state.ts";
import { type Warning, warning } from "../warning.ts";
import { pixelsBetween } from "./scan_path.ts";

/** How far two numbers that stand for the same may be apart. */
const AGREEMENT = 0.01;

/** Settings of a line scan, `null` each where they are not known. */
export interface LineSettings {
  /** Lines that were to be scanned. */
  readonly lines: number | null;
  /** Seconds from row to row. */
  readonly period: number | null;
  /** Microseconds that the laser stays on a pixel. */
  readonly dwell: number | null;
  /** Micrometres from column to column. */
  readonly pixel: number | null;
  /** What is missing, and what does not agree. */
  readonly warnings: readonly Warning[];
}

/** Size that a sequence itself states for its line scan, `null` each where it does not. */
export function statedSize(
  sequence: PvSequence,
): { readonly lines: number | null; readonly columns: number | null } {
  const levels = ownLevels(sequence);
  return { lines: settingOf(levels, "linesPerFrame"), columns: settingOf(levels, "pixelsPerLine") };
}

/** The settings of a line scan. @param size of its images */
export function lineSettings(
  scan: PvScan,
  sequence: PvSequence,
  size: { readonly rows: number; readonly columns: number },
): LineSettings {
  const general = settingOf([scan.state], "linesPerFrame");
  const lines = statedSize(sequence).lines ?? (general === size.rows ? general : null);
  const period = periodOf(scan, sequence, lines);
  const pixel = pixelOf(scan, sequence, size.columns);
  return {
    lines,
    period,
    dwell: settingOf([...ownLevels(sequence), scan.state], "dwellTime"),
    pixel: pixel.step,
    warnings: [
      ...period === null
        ? [warning("step_unknown", "The PVScan document does not say how long a line takes")]
        : [],
      ...pixel.warnings,
    ],
  };
}

/** From the frame outwards, without the document. */
const ownLevels = ({ state, frames: [first] }: PvSequence) =>
  first === undefined ? [state] : [first.state, state];

const positive = (value: number | null | undefined): number | null =>
  typeof value === "number" && value > 0 ? value : null;

/** Seconds of a row. The period of a frame is that of its lines, or a whole part of it where lines are averaged. */
function periodOf(scan: PvScan, sequence: PvSequence, lines: number | null): number | null {
  const levels = ownLevels(sequence);
  const own = settingOf(levels, "scanLinePeriod");
  if (own !== null) return positive(own);
  const general = positive(settingOf([scan.state], "scanLinePeriod"));
  const frame = positive(settingOf(levels, "framePeriod"));
  if (general === null || frame === null || lines === null) return null;
  const averaged = lines * general / frame;
  const whole = Math.round(averaged);
  return whole >= 1 && Math.abs(averaged - whole) <= AGREEMENT ? general : null;
}

/** Micrometres of a column. They make up the length of the line; a straight line may have the pixels of its image. */
function pixelOf(
  scan: PvScan,
  sequence: PvSequence,
  columns: number,
): { readonly step: number | null; readonly warnings: readonly Warning[] } {
  const own = settingOf(ownLevels(sequence), "micronsPerPixel/XAxis");
  if (own !== null) return { step: positive(own), warnings: [] };
  const general = positive(settingOf([scan.state], "micronsPerPixel/XAxis"));
  const length = positive(sequence.line?.length);
  const byLength = length === null ? null : length / columns;
  if (byLength === null) {
    return general !== null && coversPixels(sequence.line, columns) ? { step: general, warnings: [] } : {
      step: null,
      warnings: [warning("step_unknown", "The PVScan document does not say how wide a column is")],
    };
  }
  if (general === null || Math.abs(general / byLength - 1) <= AGREEMENT) {
    return { step: general ?? byLength, warnings: [] };
  }
  return {
    step: byLength,
    warnings: [
      warning(
        "metadata_disagree",
        `Columns are ${byLength} um wide by the length of the line, pixels of the frame that it was drawn on ${general} um`,
      ),
    ],
  };
}

/** Whether a straight line has one column for each pixel of the image that it was drawn on. */
function coversPixels(line: PvLine | null, columns: number): boolean {
  if (line === null || !isStraight(line)) return false;
  const pixels = pixelsBetween(line.straight);
  return pixels !== null && Math.abs(pixels - columns) < 1;
}
