/** Runs a measurement for measurement_panel.js in a worker. */
import { MEASUREMENTS } from "../../../measure/measurements.js";

addEventListener("message", ({ data: { key, plane, band, settings, at } }) => {
  try {
    const { run, at: measureAt } = /** @type {import("../../../measure/measurement.js").Measurement} */ (
      MEASUREMENTS.find((measurement) => measurement.key === key)
    );
    postMessage(at === undefined ? run(plane, band, settings) : measureAt?.(plane, band, settings, at));
  } catch (error) {
    postMessage({ fault: /** @type {Error} */ (error).message });
  }
});
