/** Steps of the axes of an image, and what is doubtful about them. */
import type { Axis, AxisLetter } from "../reader.ts";
import { axesOf, calibrated, type Calibration, known } from "../axes.ts";
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
  readonly warnings: readonly string[];
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
    T: whole(positions.t) ?? meanOf(times),
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

function meanOf(times: readonly number[] | null): Calibration | undefined {
  const last = times?.at(-1);
  return last === undefined || times === null ? undefined : known(calibrated(last / (times.length - 1), "s"));
}

/** Seconds from line to line, by the dimension, else by the hardware. */
function lineTime(
  rows: Joined,
  scan: ScanSettings | null,
): { readonly step: Calibration | undefined; readonly warnings: readonly string[] } {
  const own = stepOf(rows);
  const single = scan?.lineTime ?? null;
  const averaged = single === null ? null : single * (scan?.averaging ?? 1);
  if (!own) {
    const hardware = known(calibrated(averaged, "s"));
    return {
      step: hardware,
      warnings: [
        hardware
          ? "The time axis has no length: lines are as far apart as the hardware says that one takes"
          : "The file does not say how far apart its lines are in time",
      ],
    };
  }
  const stated = [single, averaged].filter((seconds) => seconds !== null && seconds > 0);
  const agrees = stated.length === 0 ||
    stated.some((seconds) => Math.abs(own.step / seconds! - 1) < AGREEMENT);
  return {
    step: own,
    warnings: agrees
      ? []
      : [`Lines are ${own.step} s apart, and the hardware says that one takes ${averaged} s`],
  };
}

const NAMES: Readonly<Record<number, string>> = {
  [DIM.rotation]: "rotations",
  [DIM.mosaic]: "tiles of a mosaic",
  [DIM.loop]: "loops",
};

const nameOf = ({ id }: Dimension) => NAMES[id] ?? `indices along dimension ${id}`;

/** What of the image is not what its axes are called, or is not served. */
function layoutWarnings({ rowAxis, zIsY, positions, rows, columns, others }: ImageLayout): string[] {
  const [fast, slow] = [positions.l.at(-1), positions.l.at(-2)];
  return [
    ...(columns.length === 0 && rows.length > 0 ? ["The image has no X, or one sample of it"] : []),
    ...(zIsY
      ? [`The focus planes are the indices along Y, and the rows those along ${rowAxis}`]
      : rowAxis === "Z"
      ? ["The image is a section without Y: its rows are the indices along Z"]
      : []),
    ...(rowAxis === "T" && rows.length > 1
      ? [`The line scan was cut into ${lengthOf(rows.slice(0, -1))} slices, which are joined`]
      : []),
    ...(fast && slow
      ? [
        `The spectral axis runs over ${slow.count} wavelengths of ${
          slow.id === DIM.excitation ? "excitation" : "emission"
        }, and for each over ${fast.count} of the other kind`,
      ]
      : []),
    ...others.map((dimension) => `The first of ${dimension.count} ${nameOf(dimension)} is served`),
  ];
}
