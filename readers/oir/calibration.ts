/** Physical steps of the axes of the main image. */
import { calibrated, type Calibration, UNCALIBRATED } from "../metadata/axes.ts";
import type { AxisLetter } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import type { FrameDocuments, PositionAxis } from "./frame_documents.ts";
import type { ImageProperties } from "./image_properties.ts";
import { firstFrame, type StoredFrames } from "./stored_frames.ts";

/**
 * Line intervals from this on, in milliseconds, are those of frames: 30 frames a second take 33 ms. The settings of
 * an unused scanner state one.
 */
const LONGEST_LINE_INTERVAL = 30;

/**
 * Seconds per line, or `null` when the file does not say.
 *
 * @param others intervals stated elsewhere in the file, in milliseconds
 */
export function linePeriod(properties: ImageProperties, others: readonly number[]): Calibration | null {
  const ofLine = (v: number) => v > 0 && v < LONGEST_LINE_INTERVAL;
  const stated = properties.seriesInterval;
  if (stated !== null && ofLine(stated)) return calibrated(stated, "ms");
  const smallest = [...properties.seriesIntervals, ...others].filter(ofLine)
    .reduce((least, v) => Math.min(least, v), Infinity);
  return smallest === Infinity ? null : calibrated(smallest, "ms");
}

/** Differences between stated steps from which on there is a warning, as a share and in the unit of the axis. */
const TOLERANCE: Readonly<Record<PositionAxis, readonly [share: number, unit: number]>> = {
  TIMELAPSE: [0.1, 0],
  ZSTACK: [0.02, 0.02],
  LAMBDA: [0.02, 0.02],
};
const UNITS: Readonly<Record<PositionAxis, string>> = { TIMELAPSE: "ms", ZSTACK: "um", LAMBDA: "nm" };

/**
 * Steps of T, L and Z from the positions of the first two frames along each, else from the configured axis.
 * The step of a time axis that does not run free is stated in no known unit and is not used.
 */
export function frameSteps(
  frames: StoredFrames,
  documents: FrameDocuments,
  properties: ImageProperties,
): { readonly steps: Partial<Record<AxisLetter, Calibration>>; readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const first = firstFrame(frames);
  const between = (letter: "t" | "l" | "z", axis: PositionAxis): number | null => {
    if (frames[letter].length < 2) return null;
    // Beside the first frame, its neighbours along the other axes: each states the step once more.
    const bases = (["t", "l", "z"] as const).filter((other) => other !== letter)
      .flatMap((other) => frames[other].slice(1, 2).map((second) => ({ ...first, [other]: second })));
    const known: number[] = [];
    const stated = { some: false, all: true };
    for (const base of [first, ...bases]) {
      const places = frames[letter].slice(0, base === first ? 3 : 2).map((n) =>
        documents.position({ ...base, [letter]: n }, axis)
      );
      for (const [i, to] of places.entries()) {
        const from = places[i - 1] ?? null;
        if (to === null) stated.all = false;
        else stated.some = true;
        if (to !== null && from !== null && to !== from) known.push(Math.abs(to - from));
      }
    }
    const name = letter.toUpperCase();
    if (stated.some && !stated.all) {
      warnings.push(
        warning("metadata_missing", `Some of the first frames along ${name} do not state their position`),
      );
    }
    const [found] = known;
    if (found === undefined) return null;
    const configured = axis === "TIMELAPSE" ? 0 : step(axis);
    const [share, unit] = TOLERANCE[axis];
    const other = [...known, ...(configured === 0 ? [] : [configured])]
      .find((value) => Math.abs(value - found) > share * found + unit);
    if (other !== undefined) {
      warnings.push(
        warning(
          "metadata_disagree",
          `Steps along ${name} are stated as ${found} and as ${other} ${UNITS[axis]}; the first is served`,
        ),
      );
    }
    return found;
  };
  const step = (axis: PositionAxis) => Math.abs(properties.axes.get(axis)?.step ?? 0);
  const time = between("t", "TIMELAPSE") ?? (step("TIMELAPSE") === 0 ? properties.seriesInterval : null);
  const steps = {
    T: frames.t.length > 1 ? calibrated(time, "ms") : UNCALIBRATED,
    L: calibrated(between("l", "LAMBDA") ?? step("LAMBDA"), "nm"),
    Z: calibrated(between("z", "ZSTACK") ?? step("ZSTACK"), "um"),
  };
  return { steps, warnings };
}
