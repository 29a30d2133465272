/** Chooses the window length for velocities by trying several in a few places of a recording. */
import { standingPart } from "./standing.js";
import { isNumber } from "./velocity_summary.js";
import { SHORTEST_WINDOW } from "./velocity.js";

/** @import { Order, Plane } from "./measurement.js" */
/** @import { VelocityAt, Windows } from "./velocity.js" */

/** Seconds of a window: tens of milliseconds resolve the pulse of a mouse; slow flow needs the longer ones. */
const DURATIONS = [0.02, 0.04, 0.08];
const LONGER = [0.16, 0.32, 0.64, 1.28];

/** Assumed seconds per line if unknown, so that windows have at least 25 lines. */
const LINE_TIME = 0.0008;

/** A window needs at least this many lines to show whether the velocity changes in it. */
const LEAST_LINES = 16;

/** Number of places in which each length is tried. */
const PLACES = 12;

/** A length measures most places if at least this share of its windows has a velocity. */
const LEAST_SHARE = 0.8;

/**
 * Yields orders that try lengths, and returns the lines of a window. Among windows of tens of milliseconds that measure
 * most places, that with the least error is chosen; otherwise the shortest longer one that measures most places;
 * otherwise the one that measures the most places.
 *
 * @param {Plane} plane
 * @param {Omit<Windows, "window" | "method" | "standing">} windows
 * @param {number | null} lineTime seconds per line, null if unknown
 * @returns {Generator<Order[], number, VelocityAt[][]>}
 */
export function* chosenWindow(plane, windows, lineTime) {
  const [rows] = plane.shape;
  const lengthsOf = (/** @type {readonly number[]} */ durations) => [
    ...new Set(durations.map((duration) => linesOf(duration, lineTime, rows))),
  ];
  /** @type {(lengths: readonly number[]) => Generator<Order[], {window: number, share: number, error: number}[], VelocityAt[][]>} */
  const tried = function* (lengths) {
    const trials = lengths.map((window) =>
      // The published methods have no error to choose by.
      ordersOf(plane, { ...windows, window, method: "autocorrelation" }, placesOf(rows - window), 1)
    );
    const found = (yield trials.flat().map((order) => ({ ...order, isTrial: true }))).flat();
    return lengths.map((window, i) => {
      const own = found.splice(0, trials[i].length);
      const errors = own.filter(isNumber).map(({ error }) => error).sort((a, b) => a - b);
      const error = errors[Math.floor(errors.length / 2)] ?? Infinity;
      return { window, share: errors.length / PLACES, error };
    });
  };
  const short = lengthsOf(DURATIONS);
  const all = yield* tried(short);
  const good = all.filter(({ share }) => share >= LEAST_SHARE);
  if (good.length > 0) return good.reduce((one, other) => other.error < one.error ? other : one).window;
  for (const window of lengthsOf(LONGER)) {
    const [found] = yield* tried([window]);
    if (found.share >= LEAST_SHARE) return window;
    all.push(found);
  }
  const greatest = all.reduce((one, other) => other.share > one.share ? other : one);
  return greatest.share > 0 ? greatest.window : short[Math.min(1, short.length - 1)];
}

/** Lines of a window before anything is measured: 40 ms. @param {number | null} lineTime seconds @param {number} rows of the recording */
export const firstWindow = (lineTime, rows) => linesOf(DURATIONS[1], lineTime, rows);

/** Lines of a window of some seconds. @type {(duration: number, lineTime: number | null, rows: number) => number} */
const linesOf = (duration, lineTime, rows) =>
  Math.min(
    Math.max(SHORTEST_WINDOW, Math.floor(rows / 3)),
    Math.max(LEAST_LINES, Math.round(duration / (lineTime ?? LINE_TIME))),
  );

/** @param {number} last first line of the last window */
const placesOf = (last) =>
  last < 0 ? [] : Array.from({ length: PLACES }, (_, i) => Math.round(last * i / (PLACES - 1)));

/**
 * Divides the windows that begin at the given lines into orders of `size` windows.
 *
 * @type {(plane: Plane, windows: Omit<Windows, "standing">, starts: readonly number[], size: number) => Order[]}
 */
export function ordersOf({ samples, shape: [rows, columns] }, windows, starts, size) {
  const standing = standingPart(samples, rows, columns, windows.window);
  return Array.from({ length: Math.ceil(starts.length / size) }, (_, i) => {
    const own = starts.slice(i * size, (i + 1) * size);
    const lines = /** @type {const} */ ([own[0], own[own.length - 1] + windows.window]);
    return { lines, windows: { ...windows, standing }, starts: own.map((start) => start - lines[0]) };
  });
}
