/** Steps of the frame on which the line of a line scan was drawn. */
import { calibrated, type Calibration } from "../metadata/axes.ts";
import { isStraight, type PvScan } from "./document.ts";
import { settingOf } from "./state.ts";

/**
 * Those of the document; version 4 has only those of the line, which are the same for a straight one. Points of a line drawn
 * by hand are as far apart as its length says, whatever the pixels of the frame.
 */
export function sourceSteps(
  scan: PvScan,
  cycle: number | null,
): { readonly y: Calibration; readonly x: Calibration } {
  const sequence = scan.sequences.find((one) => one.cycle === cycle) ?? scan.sequences[0];
  const inner = sequence === undefined || sequence.line !== null && !isStraight(sequence.line)
    ? []
    : [sequence.frames[0]?.state ?? sequence.state, sequence.state];
  const step = (axis: string) =>
    calibrated(settingOf([scan.state, ...inner], `micronsPerPixel/${axis}`), "um");
  return { y: step("YAxis"), x: step("XAxis") };
}
