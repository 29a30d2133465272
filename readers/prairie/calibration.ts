/** Physical steps of the axes, and the times of the frames. */
import { type Calibration, selectCalibrations } from "../metadata/axes.ts";
import { scaleStamps } from "../metadata/time_stamps.ts";
import { findSetting, isStraight, type PvFrame, type PvScan, type PvSequence } from "../metadata/pvscan.ts";
import type { AxisLetter, TimeStamps } from "../reader.ts";
import { warnIf, type Warning, warning } from "../warning.ts";
import { type CycleGroup, type FrameGrid, listLevelsOutwards } from "./cycles.ts";
import { countPixelsBetween } from "./reference_image.ts";

/** The stated steps of a scene's axes, by letter; for a line scan, from its settings. */
export function readPrairieSteps(
  scan: PvScan,
  group: CycleGroup,
  grid: FrameGrid,
  line: LineSettings | null,
  warnings: Warning[],
): Partial<Record<AxisLetter, Calibration>> {
  if (line !== null) {
    return selectCalibrations({ Y: [line.period, "s"], X: [line.pixel, "um"] }, warnings);
  }
  const levels = listLevelsOutwards(scan, group.sequences[0]!);
  const value = (key: string) => findSetting(levels, key);
  return selectCalibrations({
    T: [group.axis === "T" ? value("framePeriod") : null, "s"],
    Z: [focusStep(scan, group, grid) ?? value("micronsPerPixel/ZAxis"), "um"],
    Y: [value("micronsPerPixel/YAxis"), "um"],
    X: [value("micronsPerPixel/XAxis"), "um"],
  }, warnings);
}

/** The times of the time points: relative ones, or absolute ones where the relative times start again in each sequence. */
export function readPrairieTimes(grid: FrameGrid): TimeStamps | null {
  if (grid.times < 2) return null;
  const starts = (timeOf: (frame: PvFrame) => number | null) =>
    Array.from(grid.starts, (frame) => (frame && timeOf(frame)) ?? NaN);
  const rise = (times: readonly number[]) => times.every((time, i) => i === 0 || time > times[i - 1]!);
  const relative = starts((frame) => frame.relativeTime);
  const absolute = starts((frame) => frame.absoluteTime);
  const chosen = !rise(relative) && rise(absolute) ? absolute : relative;
  return chosen.every(Number.isNaN) ? null : scaleStamps(chosen);
}

function focusStep(scan: PvScan, { sequences }: CycleGroup, grid: FrameGrid): number | null {
  if (grid.slices < 2) return null;
  const [first, last] = [grid.at(0, 0), grid.at(0, grid.slices - 1)].map((frame) =>
    frame === undefined
      ? null
      : findSetting(listLevelsOutwards(scan, sequences[0]!, frame), "positionCurrent/ZAxis")
  );
  return first == null || last == null || first === last ? null : Math.abs(last - first) / (grid.slices - 1);
}

/** Largest relative difference between two statements of one value. */
const AGREEMENT = 0.01;

/** Settings of a line scan; each is `null` if unknown. */
export interface LineSettings {
  readonly lines: number | null;
  /** Seconds per row. */
  readonly period: number | null;
  /** Pixel dwell time in microseconds. */
  readonly dwell: number | null;
  /** Micrometres per column. */
  readonly pixel: number | null;
  readonly warnings: readonly Warning[];
}

/** The settings of a line scan, whose images have this size. */
export function findLineSettings(
  scan: PvScan,
  sequence: PvSequence,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): LineSettings {
  const general = findSetting([scan.state], "linesPerFrame");
  const lines = findSetting(listOwnLevels(sequence), "linesPerFrame") ?? (general === rows ? general : null);
  const period = computeRowPeriod(scan, sequence, lines);
  const text = "The PVScan document does not say how long a line takes";
  const warnings = warnIf(period === null, "step_unknown", text);
  const pixel = computePixelSize(scan, sequence, columns, warnings);
  return {
    lines,
    period,
    dwell: findSetting(listLevelsOutwards(scan, sequence), "dwellTime"),
    pixel,
    warnings,
  };
}

/** Levels from the frame outwards, without the document. */
const listOwnLevels = ({ state, frames: [first] }: PvSequence) =>
  first === undefined ? [state] : [first.state, state];

const requirePositive = (value: number | null | undefined): number | null =>
  typeof value === "number" && value > 0 ? value : null;

/** Seconds per row. All lines together take the period of the frame or, if lines are averaged, an integer multiple of it. */
function computeRowPeriod(scan: PvScan, sequence: PvSequence, lines: number | null): number | null {
  const levels = listOwnLevels(sequence);
  const own = findSetting(levels, "scanLinePeriod");
  if (own !== null) return requirePositive(own);
  const general = requirePositive(findSetting([scan.state], "scanLinePeriod"));
  const frame = requirePositive(findSetting(levels, "framePeriod"));
  if (general === null || frame === null || lines === null) return null;
  const averaged = lines * general / frame;
  const whole = Math.round(averaged);
  return whole >= 1 && Math.abs(averaged - whole) <= AGREEMENT ? general : null;
}

/** Micrometres per column, from the length of the line; a column of a straight line may be a pixel of its image. */
function computePixelSize(
  scan: PvScan,
  sequence: PvSequence,
  columns: number,
  warnings: Warning[],
): number | null {
  const own = findSetting(listOwnLevels(sequence), "micronsPerPixel/XAxis");
  if (own !== null) return requirePositive(own);
  const general = requirePositive(findSetting([scan.state], "micronsPerPixel/XAxis"));
  const { line } = sequence;
  const length = requirePositive(line?.length);
  if (length === null) {
    const pixels = line !== null && isStraight(line) ? countPixelsBetween(line.straight) : null;
    const step = pixels !== null && Math.abs(pixels - columns) < 1 ? general : null;
    const text = "The PVScan document does not say how wide a column is";
    warnings.push(...warnIf(step === null, "step_unknown", text));
    return step;
  }
  const byLength = length / columns;
  if (general === null || Math.abs(general / byLength - 1) <= AGREEMENT) return general ?? byLength;
  const text =
    `The length of the line gives columns of ${byLength} um, but pixels of its frame have ${general} um`;
  warnings.push(warning("metadata_disagree", text));
  return byLength;
}
