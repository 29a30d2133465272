import { deepEqual } from "node:assert/strict";
import { parseScan } from "./document.ts";
import { sourceSteps } from "./source_steps.ts";

const shard = (pixel: number) =>
  `<PVStateShard><Key key="micronsPerPixel_XAxis" value="${pixel}"/><Key key="micronsPerPixel_YAxis" value="${pixel}"/></PVStateShard>`;

const steps = (root: string, mode: string, frame: string) => {
  const { y, x } = sourceSteps(
    parseScan(
      `<PVScan>${root}<Sequence cycle="1"><PVLinescanDefinition mode="${mode}"/><Frame>${frame}</Frame></Sequence></PVScan>`,
    ),
    1,
  );
  return [y.step, y.unit, x.step, x.unit];
};

Deno.test("steps of the frame that a line was drawn on are those of the document, or of a straight line", () => {
  deepEqual(steps(shard(0.3), "freeHand", shard(0.5)), [0.3, "um", 0.3, "um"]);
  deepEqual(steps(shard(0.3), "straightLine", ""), [0.3, "um", 0.3, "um"]);
  deepEqual(steps("", "straightLine", shard(0.5)), [0.5, "um", 0.5, "um"]);
  deepEqual(steps("", "freeHand", shard(0.5)), [1, "Pixels", 1, "Pixels"]);
});
