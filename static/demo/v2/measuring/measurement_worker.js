/** Runs a measurement for workers.js, follows one of its orders, or measures at one place. */
import { MEASUREMENTS } from "../../../measure/measurements.js";

/** @import { Measurement } from "../../../measure/measurement.js" */

addEventListener("message", ({ data: { key, plane, band, settings, at, order } }) => {
  const measurement = /** @type {Measurement} */ (MEASUREMENTS.find((one) => one.key === key));
  try {
    postMessage(
      order !== undefined
        ? measurement.follow?.(plane, order)
        : at !== undefined
        ? measurement.at?.(plane, band, settings, at)
        : measurement.run?.(plane, band, settings),
    );
  } catch (error) {
    postMessage({ fault: /** @type {Error} */ (error).message });
  }
});
