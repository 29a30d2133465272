/** Prepares and measures velocities for velocities.js in a worker. */
import { standingPart } from "../../../measure/standing.js";
import { velocitiesAt } from "../../../measure/velocity.js";
import { chosenWindow } from "../../../measure/window_choice.js";

addEventListener("message", ({ data: { plane, windows, starts } }) => {
  try {
    postMessage(starts === undefined ? prepared(plane, windows) : velocitiesAt(plane, windows, starts));
  } catch (error) {
    postMessage({ fault: /** @type {Error} */ (error).message });
  }
});

/** What the windows of the whole recording share. @param {import("../../../measure/velocity.js").Plane} plane @param {import("./velocities.js").Wanted} windows */
function prepared(plane, windows) {
  const window = windows.window ?? chosenWindow(plane, windows, windows.lineTime);
  const step = windows.window === null ? Math.max(1, Math.floor(window / 2)) : windows.step;
  const [rows, columns] = plane.shape;
  return { window, step, standing: standingPart(plane.samples, rows, columns, window) };
}
