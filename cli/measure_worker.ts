/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/** Entry point of a worker that runs measurements for `acq-server measure --jobs`. It has no permissions. */
import { measured, type Measurement } from "../static/measure/measurement.ts";
import { MEASUREMENTS } from "../static/measure/measurements.ts";
import type { Answer, Question } from "./measure_workers.ts";

self.onmessage = ({ data: { key, plane, band, settings } }: MessageEvent<Question>) => {
  const measurement = MEASUREMENTS.find((one) => one.key === key) as Measurement;
  let answer: Answer;
  try {
    answer = { found: measured(measurement, plane, band, settings) };
  } catch (error) {
    answer = error instanceof RangeError
      ? { fault: error.message }
      : { bug: (error as Error).stack ?? String(error) };
  }
  self.postMessage(answer);
};
