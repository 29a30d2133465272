/** Measures velocities for velocities.js in a worker. */
import { velocityOverTime } from "../../../measure/velocity.js";

addEventListener("message", ({ data: { plane, windows } }) => {
  try {
    const found = velocityOverTime(plane, windows, (done, of) => postMessage({ done, of }));
    postMessage({ found });
  } catch (error) {
    postMessage({ fault: /** @type {Error} */ (error).message });
  }
});
