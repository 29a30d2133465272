/**
 * Velocity of a window in which it may change, as in pulsatile flow. Both halves are measured on their own; where they
 * disagree, the streaks are curved. The lines are shifted so that the streaks become straight, and measured again: the
 * velocity is that in the middle of the window.
 */
import { roughVelocity, windowVelocity } from "./window_velocity.js";

/** @typedef {import("./window_velocity.js").WindowVelocity} WindowVelocity */

/** Halves disagree when they differ by more than this many standard errors and this part of the velocity. */
const [DISAGREEING, CHANGE] = [3, 0.02];

/** Streaks are not spread evenly over a window: its middle is off by about this part of the change. */
const UNEVEN = 0.007;

/** Fewer lines are no half. */
const LEAST_LINES = 6;

/** A half with a larger relative error says nothing. */
const GREATEST_HALF_ERROR = 0.25;

/**
 * Where the change itself changes, by b a line and line, the slope of streaks over n lines is off by b n² / 40 (least
 * squares), and the mean of both halves by b n² / 160 + b n² / 32. The slope is off by -2 times the difference of both.
 */
const BEND = 2;

/** Higher orders are left, as a part of this correction. */
const MISSED = 0.25;

/** Interpolation between few lines is off by about this part, whatever the noise. */
const LEAST_ERROR = 0.003;

/** A number with a larger relative error is none. */
const GREATEST_ERROR = 0.1;

/**
 * @param {Float64Array} values row-major lines without background; NaN or infinite where there is no sample
 * @param {number} rows lines
 * @param {number} columns pixels of a line
 * @returns {WindowVelocity} `changing` where the halves disagree, without a velocity where they change too much
 */
export function changingVelocity(values, rows, columns) {
  const whole = windowVelocity(values, rows, columns);
  const half = Math.floor(rows / 2);
  if (half < LEAST_LINES) return whole;
  const halves = [0, rows - half].map((row) =>
    roughVelocity(values.subarray(row * columns, (row + half) * columns), half, columns)
  );
  if (!halves.every(({ error }) => error < GREATEST_HALF_ERROR)) return whole;
  const [first, second] = halves.map(({ velocity }) => velocity);
  const noise = Math.hypot(...halves.map(({ velocity, error }) => velocity * Math.max(error, LEAST_ERROR)));
  const [middle, change] = [(first + second) / 2, second - first];
  const isSame = Math.abs(change) <= Math.max(DISAGREEING * noise, CHANGE * Math.abs(middle));
  if (isSame) return whole;
  const none = {
    verdict: /** @type {const} */ ("changing"),
    velocity: NaN,
    confidence: whole.confidence,
    error: NaN,
  };
  const again = roughVelocity(straightened(values, rows, columns, change / (rows - half)), rows, columns);
  const off = again.velocity - middle;
  if (!(Math.abs(off) <= Math.abs(change) / 2 + DISAGREEING * noise)) return none;
  const own = again.velocity * again.error;
  // The better of two estimates has less variance by that of their difference (Hausman).
  const chance = noise * noise / 4 - own * own;
  const bend = BEND * off * Math.max(0, 1 - Math.max(0, chance) / (off * off));
  const velocity = again.velocity + bend;
  const error = Math.hypot(own, BEND * Math.sqrt(Math.max(0, chance)), MISSED * bend, UNEVEN * change) /
    Math.abs(velocity);
  return error <= GREATEST_ERROR ? { ...again, verdict: "changing", velocity, error } : none;
}

/** Lines shifted as by a velocity that grows by so much from line to line; NaN where nothing was sampled. */
function straightened(
  /** @type {Float64Array} */ values,
  /** @type {number} */ rows,
  /** @type {number} */ columns,
  /** @type {number} */ growth,
) {
  const straight = new Float64Array(values.length);
  for (let row = 0; row < rows; row += 1) {
    const shift = growth * (row - (rows - 1) / 2) ** 2 / 2;
    const below = Math.floor(shift);
    const part = shift - below;
    for (let column = 0; column < columns; column += 1) {
      const at = column + below;
      const isInside = at >= 0 && at + (part > 0 ? 1 : 0) < columns;
      const left = values[row * columns + at];
      straight[row * columns + column] = !isInside
        ? NaN
        : part > 0
        ? (1 - part) * left + part * values[row * columns + at + 1]
        : left;
    }
  }
  return straight;
}
