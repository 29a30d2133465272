/** Physical steps of the axes of the main image. */
import { calibrated, type Calibration, UNCALIBRATED } from "../axes.ts";
import type { AxisLetter } from "../reader.ts";
import type { FrameDocuments, PositionAxis } from "./frame_documents.ts";
import type { ImageProperties } from "./image_properties.ts";
import type { StoredFrames } from "./stored_frames.ts";

/**
 * Line intervals from this on, in milliseconds, are those of frames: 30 frames a second take 33 ms. The settings of
 * a scanner that is not in use state such a value.
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

/** Steps between frames that differ by more than this share have a warning; the clock of a free run varies less. */
const UNEVEN = 0.1;

/**
 * Steps of T, L and Z from the positions of the first two frames along each, else from the configured axis.
 * The step of a time axis that does not run free is stated in no known unit and is not used.
 */
export function frameSteps(
  frames: StoredFrames,
  documents: FrameDocuments,
  properties: ImageProperties,
): { readonly steps: Partial<Record<AxisLetter, Calibration>>; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const first = { t: frames.t[0]!, l: frames.l[0]!, z: frames.z[0]! };
  const between = (letter: "t" | "l" | "z", axis: PositionAxis): number | null => {
    const [from, to, next] = frames[letter].slice(0, 3).map((n) =>
      documents.position({ ...first, [letter]: n }, axis)
    );
    if (to === undefined) return null;
    if ((from === null) !== (to === null)) {
      warnings.push(`Only one of the first two frames along ${letter.toUpperCase()} states its position`);
    }
    if (from === null || to === null || from === undefined || from === to) return null;
    const others = axis === "TIMELAPSE" ? [] : [step(axis)].filter((s) => s !== 0);
    if (next !== null && next !== undefined) others.push(Math.abs(next - to));
    const found = Math.abs(to - from);
    const uneven = others.find((other) => Math.abs(other - found) > UNEVEN * found);
    if (uneven !== undefined) {
      warnings.push(
        `Steps along ${letter.toUpperCase()} are stated as ${found} and as ${uneven} ` +
          `${axis === "TIMELAPSE" ? "ms" : axis === "LAMBDA" ? "nm" : "um"}; the first is served`,
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
