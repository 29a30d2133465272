/** Steps of the axes of an image, and what is doubtful about them. */
import type { Axis, AxisLetter } from "../reader.ts";
import { axesOf, calibrated, type Calibration, known } from "../metadata/axes.ts";
import { meanStep } from "../metadata/time_stamps.ts";
import { type Warning, warning } from "../warning.ts";
import type { ScanSettings } from "./image_description.ts";
import { DIM, type Dimension, type ImageLayout, type Joined, lengthOf } from "./image_layout.ts";

/** Metres and seconds of a step that is none: results of lifetimes number their pixels and call the numbers metres. */
const NO_STEP_METRES = 0.01;

/** How far the time of a line may be from what the hardware states. */
const AGREEMENT = 0.01;

/** The axes with their steps. */
export interface CalibratedAxes {
  /** In the served order. */
  readonly axes: readonly Axis[];
  /** What is unusual about them. */
  readonly warnings: readonly Warning[];
}

/** The distance of neighbours: `Length` is that from the first sample to the last. */
function stepOf(joined: Joined): Calibration | undefined {
  // Slices of a recording need not follow each other at once.
  const dimension = joined.at(-1);
  if (!dimension) return undefined;
  const { length, unit } = dimension.described;
  const step = length === null ? null : Math.abs(length) / (dimension.count - 1);
  if (step !== null && unit.trim() === "m" && step >= NO_STEP_METRES) return undefined;
  return known(calibrated(step, unit));
}

const whole = (joined: Joined): Calibration | undefined => joined.length === 1 ? stepOf(joined) : undefined;

const lengthsOf = ({ positions, rows, columns, channels }: ImageLayout) => ({
  T: lengthOf(positions.t),
  L: lengthOf(positions.l),
  Z: lengthOf(positions.z),
  C: channels.length,
  Y: lengthOf(rows),
  X: lengthOf(columns),
});

/** Axes of a layout, as far as it tells of them without their steps: a file may list thousands. */
export const plainAxes = (layout: ImageLayout): readonly Axis[] => axesOf(lengthsOf(layout), {});

/** Axes of a layout. @param times seconds of each time point, or `null` */
export function calibratedAxes(
  layout: ImageLayout,
  scan: ScanSettings | null,
  times: readonly number[] | null,
): CalibratedAxes {
  const { positions, rows, rowAxis, columns } = layout;
  const line = rowAxis === "T" ? lineTime(rows, scan) : { step: undefined, warnings: [] };
  const steps: Partial<Record<AxisLetter, Calibration | undefined>> = {
    T: whole(positions.t) ?? known(calibrated(meanStep(times), "s")),
    L: whole(positions.l),
    Z: whole(positions.z),
    Y: rowAxis === "T" ? line.step : whole(rows),
    X: whole(columns),
  };
  const calibrations = Object.fromEntries(Object.entries(steps).filter(([, step]) => step !== undefined));
  return {
    axes: axesOf(lengthsOf(layout), calibrations),
    warnings: [...line.warnings, ...layoutWarnings(layout)],
  };
}

/** Seconds from line to line, by the dimension, else by the hardware. */
function lineTime(
  rows: Joined,
  scan: ScanSettings | null,
): { readonly step: Calibration | undefined; readonly warnings: readonly Warning[] } {
  const own = stepOf(rows);
  const single = scan?.lineTime ?? null;
  const averaged = single === null ? null : single * (scan?.averaging ?? 1);
  if (!own) {
    const hardware = known(calibrated(averaged, "s"));
    return {
      step: hardware,
      warnings: [
        hardware
          ? warning(
            "metadata_missing",
            "The time axis has no length; the step is the line time of the hardware settings",
          )
          : warning("step_unknown", "The file does not state the time between lines"),
      ],
    };
  }
  const stated = [single, averaged].filter((seconds) => seconds !== null && seconds > 0);
  const agrees = stated.length === 0 ||
    stated.some((seconds) => Math.abs(own.step / seconds! - 1) < AGREEMENT);
  return {
    step: own,
    warnings: agrees ? [] : [
      warning(
        "metadata_disagree",
        `Lines are ${own.step} s apart, but the hardware settings state ${averaged} s per line`,
      ),
    ],
  };
}

const NAMES: Readonly<Record<number, string>> = {
  [DIM.rotation]: "rotations",
  [DIM.mosaic]: "tiles of a mosaic",
  [DIM.loop]: "loops",
};

const nameOf = ({ id }: Dimension) => NAMES[id] ?? `indices along dimension ${id}`;

/** What of the image is not what its axes are called, or is not served. */
function layoutWarnings({ rowAxis, zIsY, positions, rows, columns, others }: ImageLayout): Warning[] {
  const [fast, slow] = [positions.l.at(-1), positions.l.at(-2)];
  return [
    ...(columns.length === 0 && rows.length > 0
      ? [warning("axis_replaced", "The image has no X axis, or a single column")]
      : []),
    ...(zIsY
      ? [warning("axis_replaced", `Rows run along ${rowAxis}, and Y is served as Z`)]
      : rowAxis === "Z"
      ? [warning("axis_replaced", "The image has no Y axis: rows run along Z")]
      : []),
    ...(rowAxis === "T" && rows.length > 1
      ? [
        warning(
          "axis_replaced",
          `The line scan consists of ${lengthOf(rows.slice(0, -1))} slices, which are joined`,
        ),
      ]
      : []),
    ...(fast && slow
      ? [
        warning(
          "axis_replaced",
          `The spectral axis runs over ${slow.count} wavelengths of ${
            slow.id === DIM.excitation ? "excitation" : "emission"
          }, and for each over ${fast.count} of the other kind`,
        ),
      ]
      : []),
    ...others.map((dimension) =>
      warning("axis_reduced", `Only the first of ${dimension.count} ${nameOf(dimension)} is served`)
    ),
  ];
}
