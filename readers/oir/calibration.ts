/** Physical steps of the axes of the main image. */
import { calibrated, type Calibration, UNCALIBRATED } from "../metadata/axes.ts";
import type { AxisLetter } from "../reader.ts";
import { warnIf, type Warning } from "../warning.ts";
import type { FrameDocuments, PositionAxis } from "./frame_documents.ts";
import type { ImageProperties } from "./image_properties.ts";
import type { StoredFrames } from "./main_image.ts";
import type { Metadata } from "./metadata.ts";

/**
 * Intervals of at least this many milliseconds are those of frames, not lines: 30 frames per second take 33 ms. The settings of
 * an unused scanner state such an interval.
 */
const LONGEST_LINE_INTERVAL = 30;

/**
 * Seconds per line; `null` if the file does not state it.
 *
 * @param others intervals stated elsewhere in the file, in milliseconds
 */
function linePeriod(properties: ImageProperties, others: readonly number[]): Calibration | null {
  const ofLine = (v: number) => v > 0 && v < LONGEST_LINE_INTERVAL;
  const stated = properties.seriesInterval;
  if (stated !== null && ofLine(stated)) return calibrated(stated, "ms");
  const smallest = [...properties.seriesIntervals, ...others].filter(ofLine)
    .reduce((least, v) => Math.min(least, v), Infinity);
  return smallest === Infinity ? null : calibrated(smallest, "ms");
}

/**
 * Steps along all axes. Those of T, L and Z come from the positions of the first two frames along the axis, else from the
 * configured axis. The step of a time axis that does not run freely has no known unit and is not used.
 */
export function axisSteps(
  { first, count }: StoredFrames,
  documents: FrameDocuments,
  { properties, channelIntervals }: Metadata,
  lineScan: boolean,
): {
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  readonly warnings: readonly Warning[];
} {
  const between = (letter: "t" | "l" | "z", axis: PositionAxis): number | null => {
    if (count[letter] < 2) return null;
    const from = documents.position(first, axis);
    const to = documents.position({ ...first, [letter]: first[letter] + 1 }, axis);
    return from === null || to === null || from === to ? null : Math.abs(to - from);
  };
  const step = (axis: PositionAxis) => Math.abs(properties.axes.get(axis)?.step ?? 0);
  const time = between("t", "TIMELAPSE") ?? (step("TIMELAPSE") === 0 ? properties.seriesInterval : null);
  const period = lineScan ? linePeriod(properties, channelIntervals()) : null;
  const text = "The file does not state the time of a line: rows have the spatial step instead";
  return {
    calibrations: {
      T: count.t > 1 ? calibrated(time, "ms") : UNCALIBRATED,
      L: calibrated(between("l", "LAMBDA") ?? step("LAMBDA"), "nm"),
      Z: calibrated(between("z", "ZSTACK") ?? step("ZSTACK"), "um"),
      Y: period ?? properties.pixel.y,
      X: properties.pixel.x,
    },
    warnings: warnIf(lineScan && period === null, "step_unknown", text),
  };
}
