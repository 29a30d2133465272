/** Whether the step that a file states along time agrees with its time stamps, which readers take from different places. */
import type { Acquisition } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";

/** Share by which they may differ. */
const TOLERANCE = 0.01;

/** A warning where the mean distance of the time stamps is not the step of the axis that they belong to: `T`, or the lines of a line scan. */
export function timeDoubts({ axes, times, lineScan }: Acquisition): Warning[] {
  const axis = axes.find(({ name }) => name === "T") ??
    (lineScan ? axes.find(({ name }) => name === "Y") : undefined);
  if (times === null || times.length < 2 || axis?.size !== times.length || axis.unit !== "seconds") return [];
  const mean = (times.at(-1)! - times[0]!) / (times.length - 1);
  if (Math.abs(mean - axis.step) <= TOLERANCE * Math.max(Math.abs(mean), axis.step)) return [];
  return [
    warning(
      "metadata_disagree",
      `The step along ${axis.name} is stated as ${digits(axis.step)} seconds; the time stamps are ${
        digits(mean)
      } seconds apart on average`,
    ),
  ];
}

const digits = (seconds: number) => Number(seconds.toPrecision(6));
