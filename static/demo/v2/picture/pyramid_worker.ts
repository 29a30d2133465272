/** Builds pyramids for pyramid.ts in a worker. */
import { buildPyramid } from "./pyramid.ts";

addEventListener("message", ({ data: { plane, statistic } }) => {
  const levels = buildPyramid(plane, statistic);
  postMessage(levels, { transfer: levels.map((level) => level.samples.buffer) });
});
