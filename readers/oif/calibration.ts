/** Physical steps of the axes. */
import { calibrated, type Calibration, known, UNCALIBRATED } from "../metadata/axes.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import { differ } from "../metadata/text.ts";
import { meanStep } from "../metadata/time_stamps.ts";
import type { AxisLetter, LineScan } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import type { MainSettings, PlannedAxis } from "./main_settings.ts";
import { IMAGE, SCAN } from "./plane_settings.ts";
import type { Settings } from "./settings.ts";

/** Section of the main settings that, despite its name, has the calibration of the main image. */
const MAIN_IMAGE = "Reference Image Parameter";

/** Sources of the steps. */
export interface StepSources {
  /** The text of `main`. */
  readonly settings: Settings;
  readonly main: MainSettings;
  readonly plane: Settings | null;
  /** Seconds of each time point since the first, or `null`. */
  readonly times: readonly number[] | null;
}

/** The known steps. */
export interface Steps {
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  /** Warnings about contradictions, and about an unknown line period. */
  readonly warnings: readonly Warning[];
}

/** Steps of all axes of the main image. */
export function stepsOf(sources: StepSources): Steps {
  const { main, settings, plane, times } = sources;
  const { axes } = main;
  const warnings: Warning[] = [];
  const length = (letter: "X" | "Y") => {
    const key = letter === "X" ? "Width" : "Height";
    const [ofMain, ofPlane] = [imageStep(settings, MAIN_IMAGE, key), imageStep(plane, IMAGE, key)];
    if (ofMain && ofPlane && ofMain.unit === ofPlane.unit && differ(ofMain.step, ofPlane.step)) {
      const text = `The step along ${letter} is stated as ${ofMain.step} and, for the first plane, as`;
      warnings.push(warning("metadata_disagree", `${text} ${ofPlane.step} ${ofMain.unit}`));
    }
    // For a line scan, the main settings may state the size of the frame in which the line was drawn.
    const [first, second] = main.rows === "Y" ? [ofMain, ofPlane] : [ofPlane, ofMain];
    return first ?? second ?? planned(axes.get(letter));
  };
  const spaced = (letter: "Z" | "L") => {
    const axis = axes.get(letter);
    return known(calibrated(Math.abs(axis?.interval ?? 0), axis?.unit)) ?? planned(axis);
  };
  const steps: Partial<Record<string, Calibration>> = {
    X: length("X"),
    Z: spaced("Z"),
    L: spaced("L"),
    T: known(calibrated(meanStep(times), "s")) ?? planned(axes.get("T")),
  };
  const rows = main.rows === "Y"
    ? length("Y")
    : main.rows === "T"
    ? linePeriod(sources)
    : steps[main.rows] ?? planned(axes.get(main.rows));
  if (main.rows === "T" && rows === undefined) {
    warnings.push(warning("step_unknown", "The file does not state the line time"));
  }
  const calibrations = Object.entries({ ...steps, Y: rows }).filter(([, step]) => step !== undefined);
  return { calibrations: Object.fromEntries(calibrations), warnings };
}

/** Facts of a line scan, from the settings of the first plane and the main settings. */
export const lineScanIn = ({ plane, settings }: StepSources, { calibrations }: Steps): LineScan =>
  lineScanOf(
    calibrations.Y,
    calibrated(plane?.number(SCAN, "Time Per Pixel"), "us"),
    settings.text(SCAN, "ScanDirection"),
  );

/** Seconds per line: from the scanner, else from the planned series, else from the image. */
function linePeriod({ main, plane, settings }: StepSources): Calibration | undefined {
  const ofImage = imageStep(plane, IMAGE, "Height") ?? imageStep(settings, MAIN_IMAGE, "Height");
  return known(calibrated(plane?.number(SCAN, "Time Per Line"), "us")) ??
    planned(main.axes.get("T")) ??
    (ofImage?.unit === "seconds" ? ofImage : undefined);
}

/** Steps of an image, from its own settings. */
export function imageSteps(settings: Settings | null): { readonly y: Calibration; readonly x: Calibration } {
  return {
    y: imageStep(settings, IMAGE, "Height") ?? UNCALIBRATED,
    x: imageStep(settings, IMAGE, "Width") ?? UNCALIBRATED,
  };
}

const imageStep = (settings: Settings | null, section: string, key: "Width" | "Height") =>
  known(
    calibrated(settings?.number(section, `${key}ConvertValue`), settings?.text(section, `${key}Unit`)),
  );

/** The mean step from the first to the last planned sample. */
function planned(axis: PlannedAxis | undefined): Calibration | undefined {
  if (axis === undefined || axis.start === null || axis.end === null || axis.size < 2) return undefined;
  return known(calibrated(Math.abs(axis.end - axis.start) / (axis.size - 1), axis.unit));
}
