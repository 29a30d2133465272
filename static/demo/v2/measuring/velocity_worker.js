/** Measures velocities for velocities.js in a worker. */
import { velocitiesAt } from "../../../measure/velocity.js";

addEventListener("message", ({ data: { plane, windows, starts } }) => {
  try {
    postMessage(velocitiesAt(plane, windows, starts));
  } catch (error) {
    postMessage({ fault: /** @type {Error} */ (error).message });
  }
});
