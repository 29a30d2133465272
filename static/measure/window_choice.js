/** Chooses the window length for velocities by trying several in a few places of a recording. */
import { isNumber } from "./velocity_summary.js";
import { SHORTEST_WINDOW, velocitiesAt } from "./velocity.js";

/** @typedef {import("./velocity.js").VelocityAt} VelocityAt */

/** Method of the trials: the published methods have no error to choose by. */
export const TRIAL_METHOD = "autocorrelation";

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

/** @typedef {{window: number, starts: number[]}} Trial `starts` are the first lines of the windows */

/**
 * Chooses in steps; the trials of one step can be measured at the same time.
 *
 * @param {number} rows lines of the recording
 * @param {number | null} lineTime seconds per line, null if unknown
 * @returns {Generator<Trial[], number, VelocityAt[][]>} takes the velocities of the trials of a step, and returns the lines
 *   of a window. Among windows of tens of milliseconds that measure most places, that with the least error is chosen;
 *   otherwise the shortest longer one that measures most places; otherwise the one that measures the most places.
 */
export function* windowChoice(rows, lineTime) {
  const trials = (/** @type {readonly number[]} */ durations) => {
    const lengths = new Set(durations.map((duration) => linesOf(duration, lineTime, rows)));
    return [...lengths].map((window) => ({ window, starts: placesOf(rows - window) }));
  };
  const short = trials(DURATIONS);
  const all = judged(short, yield short);
  const good = all.filter(({ share }) => share >= LEAST_SHARE);
  if (good.length > 0) return good.reduce((one, other) => other.error < one.error ? other : one).window;
  for (const trial of trials(LONGER)) {
    const [found] = judged([trial], yield [trial]);
    if (found.share >= LEAST_SHARE) return found.window;
    all.push(found);
  }
  const greatest = all.reduce((one, other) => other.share > one.share ? other : one);
  return greatest.share > 0 ? greatest.window : short[Math.min(1, short.length - 1)].window;
}

/**
 * @param {import("./velocity.js").Plane} plane
 * @param {Omit<import("./velocity.js").Windows, "window" | "step">} windows
 * @param {number | null} lineTime seconds per line, null if unknown
 * @returns {number} lines
 * @throws {RangeError} invalid columns or time along the line
 */
export function chosenWindow(plane, windows, lineTime) {
  const choice = windowChoice(plane.shape[0], lineTime);
  let step = choice.next();
  while (!step.done) {
    step = choice.next(
      step.value.map(({ window, starts }) =>
        velocitiesAt(plane, { ...windows, window, method: TRIAL_METHOD }, starts)
      ),
    );
  }
  return step.value;
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

/** Share of the places with a velocity, and their median error, for each trial. @param {readonly Trial[]} trials @param {readonly VelocityAt[][]} found */
function judged(trials, found) {
  return trials.map(({ window }, i) => {
    const errors = found[i].filter(isNumber).map(({ error }) => error).sort((a, b) => a - b);
    return {
      window,
      share: errors.length / PLACES,
      error: errors[Math.floor(errors.length / 2)] ?? Infinity,
    };
  });
}
