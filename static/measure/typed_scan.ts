/** A line scan whose axes the user typed, since the file does not state them. */

import { isTime } from "./axes.ts";

/** What the user typed. */
export interface TypedScan {
  /** Axis along which time passes. */
  time: "rows" | "columns";
  secondsPerLine: number;
  micrometresPerPixel: number;
  /** Seconds from one pixel of a line to the next. */
  secondsPerPixel?: number | undefined;
  /** Name of the file that the numbers were taken from. */
  textFile?: string | undefined;
}

/** What decides whether a typed calibration counts: an answer to an open. */
type DescribedPlanes = {
  readonly plane: { readonly axes: readonly { readonly unit: string }[] };
  readonly header: { readonly sizes: Readonly<Record<string, number>> };
};

/** Whether a file is a single image whose rows are not time. */
export const isPlainImage = ({ plane, header: { sizes } }: DescribedPlanes): boolean =>
  !isTime(plane.axes[0]!) && ["T", "Z", "L"].every((name) => (sizes[name] ?? 1) === 1);

/**
 * The typed calibration if it counts for a file: that of a plain image, also one that states lengths, or of any other where the user
 * replaces the file's own on purpose. Else `null`.
 */
export const chooseTyped = <Typed extends TypedScan>(
  info: DescribedPlanes,
  typed: (Typed & { readonly replace?: boolean | undefined }) | null,
): Typed | null => typed !== null && (typed.replace === true || isPlainImage(info)) ? typed : null;

/**
 * The plane of an image as that of a line scan, with its axes; the samples are copied only if rows and columns change
 * places.
 *
 * @returns rows are lines
 * @throws {RangeError} a step is not positive
 */
export function makeTypedScan(
  { samples, shape: [rows, columns] }: { samples: Float32Array; shape: readonly [number, number] },
  { time, secondsPerLine, micrometresPerPixel }: TypedScan,
): {
  plane: { samples: Float32Array; shape: [number, number] };
  axes: [{ name: string; step: number; unit: string }, { name: string; step: number; unit: string }];
} {
  if (!(time === "rows" || time === "columns")) {
    throw new RangeError(`Time passes along rows or columns, not ${time}`);
  }
  if (!(secondsPerLine > 0 && micrometresPerPixel > 0)) {
    throw new RangeError("A line scan needs a time per line and a distance per pixel above 0");
  }
  const turned = () => samples.map((_, i) => samples[i % rows * columns + Math.floor(i / rows)]!);
  return {
    plane: time === "columns"
      ? { samples: turned(), shape: [columns, rows] }
      : { samples, shape: [rows, columns] },
    axes: [
      { name: "T", step: secondsPerLine, unit: "seconds" },
      { name: "X", step: micrometresPerPixel, unit: "um" },
    ],
  };
}

/**
 * Seconds from one pixel of a line to the next; 0 if not stated, if too long for a line, or if lines run in both directions.
 */
export function computeTimeAlongLine(
  stated:
    | { secondsPerPixel?: number | null | undefined; bidirectional?: boolean | null | undefined }
    | null
    | undefined,
  time: { step: number },
  columns: number,
): number {
  const pixelTime = stated?.secondsPerPixel ?? 0;
  return stated?.bidirectional !== true && pixelTime * columns <= time.step ? pixelTime : 0;
}
