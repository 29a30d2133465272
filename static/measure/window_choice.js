/** Chooses the window of velocities by trying several in a few places of a recording. */
import { isNumber } from "./velocity_summary.js";
import { SHORTEST_WINDOW, velocitiesAt } from "./velocity.js";

/** Windows of tens of milliseconds resolve the pulse of a mouse; slow flow needs the longer ones. */
const DURATIONS = [0.02, 0.04, 0.08];
const LONGER = [0.16, 0.32, 0.64, 1.28];

/** Seconds of a line where its time is not known, so that windows have 25 lines and more. */
const LINE_TIME = 0.0008;

/** Fewer lines do not show whether the velocity changes within them. */
const LEAST_LINES = 16;

/** Places that are tried. */
const PLACES = 12;

/** Share of the tried windows that need a number. */
const LEAST_SHARE = 0.8;

/**
 * @param {import("./velocity.js").Plane} plane
 * @param {Omit<import("./velocity.js").Windows, "window" | "step">} windows
 * @param {number | null} lineTime seconds, null where not known
 * @returns {number} lines: of tens of milliseconds those with the least error, else the shortest longer ones that measure
 *   most places, else those that measure most of them
 * @throws {RangeError} invalid columns or time along the line
 */
export function chosenWindow(plane, windows, lineTime) {
  const most = Math.max(SHORTEST_WINDOW, Math.floor(plane.shape[0] / 3));
  const lengths = (/** @type {readonly number[]} */ durations) => [
    ...new Set(
      durations.map((duration) =>
        Math.min(most, Math.max(LEAST_LINES, Math.round(duration / (lineTime ?? LINE_TIME))))
      ),
    ),
  ];
  const short = lengths(DURATIONS).map((window) => tried(plane, { ...windows, window }));
  const good = short.filter(({ share }) => share >= LEAST_SHARE);
  if (good.length > 0) return good.reduce((one, other) => other.error < one.error ? other : one).window;
  const all = [...short];
  for (const window of lengths(LONGER)) {
    const found = tried(plane, { ...windows, window });
    if (found.share >= LEAST_SHARE) return window;
    all.push(found);
  }
  const greatest = all.reduce((one, other) => other.share > one.share ? other : one);
  return greatest.share > 0 ? greatest.window : lengths(DURATIONS.slice(1))[0];
}

/** Lines of a window before anything is measured: 40 ms. @param {number | null} lineTime seconds @param {number} rows of the recording */
export const firstWindow = (lineTime, rows) =>
  Math.max(
    SHORTEST_WINDOW,
    Math.min(Math.floor(rows / 3), Math.max(LEAST_LINES, Math.round(DURATIONS[1] / (lineTime ?? LINE_TIME)))),
  );

/** Share of the places with a number, and their median error. @param {import("./velocity.js").Plane} plane @param {Omit<import("./velocity.js").Windows, "step">} windows */
function tried(plane, windows) {
  const { window } = windows;
  const last = plane.shape[0] - window;
  const starts = last < 0
    ? []
    : Array.from({ length: PLACES }, (_, i) => Math.round(last * i / (PLACES - 1)));
  // Published methods have no error to choose by.
  const found = velocitiesAt(plane, { ...windows, method: "autocorrelation" }, starts);
  const errors = found.filter(isNumber).map(({ error }) => error).sort((a, b) => a - b);
  return { window, share: errors.length / PLACES, error: errors[Math.floor(errors.length / 2)] ?? Infinity };
}
