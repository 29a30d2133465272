/** Physical steps of the axes, and the times of the frames. */
import { type Calibration, calibrationsOf } from "../metadata/axes.ts";
import type { PvFrame, PvScan } from "../pvscan/document.ts";
import { settingOf } from "../pvscan/state.ts";
import { meanStep, timesFrom } from "../metadata/time_stamps.ts";
import type { AxisLetter } from "../reader.ts";
import { type CycleGroup, type FrameGrid, levelsOf } from "./cycles.ts";
import type { LineSettings } from "./line_settings.ts";

/** Share by which the mean distance of frames may differ from the period that is stated for them. */
const TOLERANCE = 0.05;

/**
 * Steps of the axes of a scene by letter, those that are known.
 *
 * @param times seconds of its time points from the first, or `null`
 * @param line settings of a line scan, or `null`
 */
export function stepsOf(
  scan: PvScan,
  group: CycleGroup,
  grid: FrameGrid,
  { times, line }: { readonly times: readonly number[] | null; readonly line: LineSettings | null },
): Partial<Record<AxisLetter, Calibration>> {
  const [sequence] = group.sequences;
  const levels = sequence === undefined ? [scan.state] : levelsOf(scan, sequence);
  const value = (key: string) => settingOf(levels, key);
  if (line !== null) {
    return calibrationsOf({ T: [meanStep(times), "s"], Y: [line.period, "s"], X: [line.pixel, "um"] });
  }
  return calibrationsOf({
    T: [group.axis === "T" ? frameStep(value("framePeriod"), times) : meanStep(times), "s"],
    Z: [focusStep(scan, group, grid) ?? value("micronsPerPixel/ZAxis"), "um"],
    Y: [value("micronsPerPixel/YAxis"), "um"],
    X: [value("micronsPerPixel/XAxis"), "um"],
  });
}

/** Seconds of each time point from the first; `null` where the document does not say, or where they do not ascend. */
export function timesOf(grid: FrameGrid): number[] | null {
  const starts = (timeOf: (frame: PvFrame) => number | null) =>
    timesFrom(Array.from(grid.starts, (frame) => (frame && timeOf(frame)) ?? NaN));
  if (grid.times < 2) return null;
  return starts((frame) => frame.relativeTime) ?? starts((frame) => frame.absoluteTime);
}

/** The stated period of a frame, unless frames follow one another otherwise, as where they are averaged or waited for. */
function frameStep(period: number | null, times: readonly number[] | null): number | null {
  const mean = meanStep(times);
  if (period === null || mean === null) return period ?? mean;
  return Math.abs(mean - period) <= TOLERANCE * period ? period : mean;
}

/** Mean distance of the focus planes in um. */
function focusStep(scan: PvScan, { sequences }: CycleGroup, grid: FrameGrid): number | null {
  const [sequence] = sequences;
  if (sequence === undefined || grid.slices < 2) return null;
  const [first, last] = [grid.at(0, 0), grid.at(0, grid.slices - 1)].map((frame) =>
    frame === undefined ? null : settingOf(levelsOf(scan, sequence, frame), "positionCurrent/ZAxis")
  );
  if (typeof first !== "number" || typeof last !== "number" || first === last) return null;
  return Math.abs(last - first) / (grid.slices - 1);
}
