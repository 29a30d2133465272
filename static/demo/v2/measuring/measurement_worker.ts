/** Runs a measurement for workers.ts, follows one of its orders, or measures at one place. */
import { MEASUREMENTS } from "../../../measure/measurements.ts";
import type { Measurement } from "../../../measure/measurement.ts";

addEventListener("message", ({ data: { key, plane, band, settings, at, order } }) => {
  const measurement = MEASUREMENTS.find((one) => one.key === key) as Measurement;
  try {
    postMessage(
      order !== undefined
        ? measurement.follow?.(plane, order)
        : at !== undefined
        ? measurement.at?.(plane, band, settings, at)
        : measurement.run?.(plane, band, settings),
    );
  } catch (error) {
    postMessage({ fault: (error as Error).message });
  }
});
