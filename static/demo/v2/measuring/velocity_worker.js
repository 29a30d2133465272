/** Measures velocities for velocities.js in a worker. */
import { velocityOverTime } from "../../../measure/velocity.js";
import { chosenWindow } from "../../../measure/window_choice.js";

addEventListener("message", ({ data: { plane, windows } }) => {
  try {
    const window = windows.window ?? chosenWindow(plane, windows, windows.lineTime);
    const step = windows.window === null ? Math.max(1, Math.floor(window / 2)) : windows.step;
    const found = velocityOverTime(
      plane,
      { ...windows, window, step },
      (done, of) => postMessage({ done, of }),
    );
    postMessage({ found, window, step });
  } catch (error) {
    postMessage({ fault: /** @type {Error} */ (error).message });
  }
});
