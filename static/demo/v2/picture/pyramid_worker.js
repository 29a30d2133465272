/** Builds pyramids for pyramids.js in a worker. */
import { buildPyramid, wholePlane } from "./pyramid.js";

addEventListener("message", ({ data: { samples, rows, columns, isFinite, statistic } }) => {
  const levels = buildPyramid({ ...wholePlane(samples, rows, columns), isFinite }, statistic);
  postMessage(levels, { transfer: levels.map((level) => level.samples.buffer) });
});
