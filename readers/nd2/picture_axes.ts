/** What rows, columns and loops of frames mean, and their steps. */
import { calibrated, type Calibration, known } from "../metadata/axes.ts";
import type { AxisLetter } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { numberIn, positiveIn, type VariantObject } from "./variant.ts";

/** What `ePictureXAxis` and `ePictureYAxis` name; 0 and 1 are the axes of the picture. */
const AXIS = { time: 2, depth: 3, point: 4 } as const;

/** Steps of rows and columns. */
export interface PictureAxes {
  /** Steps of `Y` and `X`. */
  readonly steps: Partial<Record<AxisLetter, Calibration>>;
  /** True where rows are lines in time. */
  readonly lineScan: boolean;
  /** What rows or columns are, where it is not what pictures have. */
  readonly warnings: readonly Warning[];
}

/**
 * Steps of rows and columns. Pixels are square; an axis of time has its own step in milliseconds, one of depth its own in
 * micrometres, and none where the file does not state it: that of the pixels is along the other axis.
 */
export function pictureAxes(picture: VariantObject): PictureAxes {
  const real = numberIn(picture, "bCalibrated") !== 0;
  const pixel = known(calibrated(real ? positiveIn(picture, "dCalibration") : null, "um"));
  const time = known(calibrated(positiveIn(picture, "dTimeAxisCalibration"), "ms"));
  const depth = known(calibrated(positiveIn(picture, "dZAxisCalibration"), "um"));
  const steps: Partial<Record<AxisLetter, Calibration>> = {};
  const warnings: Warning[] = [];
  for (
    const [letter, key, what] of [["Y", "ePictureYAxis", "Rows"], ["X", "ePictureXAxis", "Columns"]] as const
  ) {
    const axis = numberIn(picture, key);
    const step = axis === AXIS.time
      ? time
      : axis === AXIS.depth
      ? depth
      : axis === AXIS.point
      ? undefined
      : pixel;
    if (step) steps[letter] = step;
    if (axis === AXIS.time && !time) {
      warnings.push(
        warning(
          "step_unknown",
          `${what} are points in time, and the file does not state the time between them`,
        ),
      );
    } else if (axis === AXIS.time && letter === "X") {
      warnings.push(warning("axis_replaced", "Columns are points in time"));
    }
    if (axis === AXIS.depth) {
      warnings.push(
        depth
          ? warning("axis_replaced", `${what} are focus planes`)
          : warning("step_unknown", `${what} are focus planes, and the file does not state their distance`),
      );
    }
    if (axis === AXIS.point) {
      warnings.push(warning("axis_replaced", `${what} are points in time at one place`));
    }
  }
  return { steps, lineScan: numberIn(picture, "ePictureYAxis") === AXIS.time, warnings };
}
