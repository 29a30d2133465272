/** Orders to the workers of the page and of `acq-server measure`, and their answers. */
import {
  type Band,
  type Found,
  type Item,
  type LineOrder,
  measureInThread,
  type Measurement,
  type Settings,
} from "./measurement.ts";
import { MEASUREMENTS } from "./measurements.ts";
import type { ScanSamples } from "./line_scan.ts";

/** Measures a band, measures at a place in it, or carries out an order of a measurement that divides its work. */
export type WorkerOrder =
  & { readonly key: string; readonly plane: ScanSamples }
  & (
    | { readonly band: Band; readonly settings: Settings; readonly at?: { line: number; column: number } }
    | { readonly order: LineOrder }
  );

/** What was found, which setting does not fit, or the stack trace of a bug. */
export type WorkerAnswer<Answer> =
  | { readonly found: Answer }
  | { readonly fault: string }
  | { readonly bug: string };

/** Carries out an order in a worker. */
export function answerOrder(order: WorkerOrder): WorkerAnswer<Found | readonly Item[] | Item | null> {
  try {
    return { found: resultOf(order) };
  } catch (error) {
    return error instanceof RangeError
      ? { fault: error.message }
      : { bug: (error as Error).stack ?? String(error) };
  }
}

function resultOf(asked: WorkerOrder) {
  const measurement = MEASUREMENTS.find(({ key }) => key === asked.key) as Measurement;
  const { plane } = asked;
  if ("order" in asked) return measurement.follow?.(plane, asked.order) ?? [];
  const { band, settings, at } = asked;
  return at === undefined
    ? measureInThread(measurement, plane, band, settings)
    : measurement.at?.(plane, band, settings, at) ?? null;
}

/** What a worker found. @throws {RangeError} a setting does not fit @throws {Error} a bug */
export function foundIn<Answer>(answer: WorkerAnswer<Answer>): Answer {
  if ("fault" in answer) throw new RangeError(answer.fault);
  if ("bug" in answer) throw new Error(answer.bug);
  return answer.found;
}
