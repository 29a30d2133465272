/**
 * Velocity in the middle of a window in which the velocity may change, as in pulsatile flow. The two halves are measured
 * separately. If they disagree, the streaks are curved: the lines are shifted so that the streaks become straight, and
 * the window is measured again.
 */
import { keepMeasured, makeUnmeasured, measureRoughly, type WindowVelocity } from "./window_velocity.ts";

/** Halves disagree if they differ by more than this many standard errors and by more than this fraction of the velocity. */
const [DISAGREEING, CHANGE] = [3, 0.02];

/** Error from streaks spread unevenly over the window, as a fraction of the change: straightened, and as recorded. */
const [UNEVEN, UNEVEN_CURVED] = [0.007, 0.035];

/** A part needs at least this many lines. */
const LEAST_LINES = 6;

/** Largest relative error of a part that is used. */
const GREATEST_PART_ERROR = 0.25;

/** By chance, the mean squared difference of four quarters from the curve reaches this multiple of their variance. */
const CHANCE = 2.4;

/**
 * If the velocity has a second derivative b, the least-squares slope of streaks over n lines is off by b n² / 40, and the
 * mean of both halves by b n² / 160 + b n² / 32. So the slope is off by -2 times its difference from that mean.
 */
const [BEND, SLOPE] = [2, 40];

/** Error that higher orders leave, as a fraction of this correction. */
const MISSED = 0.25;

/** Smallest relative error, from interpolation between lines: of a window, and of its parts. */
const [LEAST_WHOLE_ERROR, LEAST_ERROR] = [0.001, 0.003];

/** Largest relative error of a velocity that is reported. */
const GREATEST_ERROR = 0.1;

/**
 * Velocity in the middle of a window, in pixels per line.
 *
 * @param values row-major lines without background; NaN or infinite for missing samples
 * @param rows lines
 * @param columns pixels per line
 * @returns `changing` if the halves disagree; its velocity is NaN if it cannot be measured well enough
 */
export const measureChangingVelocity = (
  values: Float64Array,
  rows: number,
  columns: number,
): WindowVelocity => measureChangingFlow(values, rows, columns).found;

/**
 * Like {@linkcode measureChangingVelocity}, with the intermediate results.
 *
 * @returns `rough` velocities of the window and its halves, for any verdict; if the halves disagree, also
 *   the velocity if they agreed, `whole`, and their difference in standard errors, `change`, as these may
 *   turn out too small
 */
export function measureChangingFlow(
  values: Float64Array,
  rows: number,
  columns: number,
): {
  found: WindowVelocity;
  rough: WindowVelocity;
  halves: WindowVelocity[];
  whole?: WindowVelocity;
  change?: number;
} {
  const rough = measureRoughly(values, rows, columns);
  const whole = keepMeasured(rough);
  const parts = measureParts(values, rows, columns, 2);
  const seen = { rough, halves: parts };
  const halves = parts.filter(isUsable);
  if (halves.length < 2) return { found: whole, ...seen };
  const [first, second] = halves.map(({ velocity }) => velocity) as [number, number];
  const noise = Math.hypot(...halves.map(computeVelocityError));
  const [middle, change] = [(first + second) / 2, second - first];
  const isSame = Math.abs(change) <= Math.max(DISAGREEING * noise, CHANGE * Math.abs(middle));
  if (isSame) {
    const error = Math.hypot(whole.error, UNEVEN_CURVED * change / whole.velocity);
    return { found: { ...whole, error }, ...seen };
  }
  const disagreement = { ...seen, whole, change: Math.abs(change) / noise };
  const none = { found: makeUnmeasured("changing", whole.confidence), ...disagreement };
  const again = measureRoughly(straightenLines(values, rows, columns, change / (rows / 2)), rows, columns);
  const off = again.velocity - middle;
  if (!(Math.abs(off) <= Math.abs(change) / 2 + DISAGREEING * noise)) return none;
  const own = Math.abs(again.velocity) * Math.max(again.error, LEAST_WHOLE_ERROR);
  // The variances of the two estimates differ by the variance of their difference (Hausman).
  const chance = Math.max(0, noise * noise / 4 - own * own);
  const bend = BEND * off * Math.max(0, 1 - chance / (off * off));
  const velocity = again.velocity + bend;
  const curve = (place: number) => velocity + change * 2 * place - SLOPE * bend * place * place / 2;
  const quarters = measureParts(values, rows, columns, 4).filter(isUsable);
  const squares = quarters.map((part) =>
    (part.velocity - curve(part.place)) ** 2 - CHANCE * computeVelocityError(part) ** 2
  );
  // Root mean square difference of the quarters from the curve, minus what noise explains.
  const rest = Math.sqrt(
    Math.max(0, squares.reduce((sum, square) => sum + square, 0)) / Math.max(1, quarters.length),
  );
  const straight = { velocity: again.velocity, error: Math.hypot(own, UNEVEN * change, rest) };
  const error = Math.hypot(straight.error, BEND * Math.sqrt(chance), MISSED * bend) / Math.abs(velocity);
  straight.error /= Math.abs(straight.velocity);
  return error <= GREATEST_ERROR
    ? { found: { ...again, verdict: "changing", velocity, error, straight }, ...disagreement }
    : none;
}

/**
 * Velocities of equal parts of a window, with `place`, the middle of each part from -0.5 to 0.5; none if parts are too short.
 */
function measureParts(
  values: Float64Array,
  rows: number,
  columns: number,
  count: number,
): (WindowVelocity & { place: number })[] {
  const length = Math.floor(rows / count);
  if (length < LEAST_LINES) return [];
  return Array.from({ length: count }, (_, i) => {
    const row = Math.round(i * (rows - length) / (count - 1));
    const found = measureRoughly(values.subarray(row * columns, (row + length) * columns), length, columns);
    return { ...found, place: (row + length / 2) / rows - 0.5 };
  });
}

/** Whether a part has a clear velocity. */
const isUsable = ({ error }: WindowVelocity) => error < GREATEST_PART_ERROR;

/** Standard error in pixels per line. */
const computeVelocityError = ({ velocity, error }: WindowVelocity) =>
  Math.abs(velocity) * Math.max(error, LEAST_ERROR);

/** Shifts the lines so that a velocity growing by `growth` per line becomes constant; NaN beyond the ends of a line. */
function straightenLines(values: Float64Array, rows: number, columns: number, growth: number): Float64Array {
  const straight = new Float64Array(values.length);
  for (let row = 0; row < rows; row += 1) {
    const shift = growth * (row - (rows - 1) / 2) ** 2 / 2;
    const below = Math.floor(shift);
    const part = shift - below;
    for (let column = 0; column < columns; column += 1) {
      const at = column + below;
      const isInside = at >= 0 && at + (part > 0 ? 1 : 0) < columns;
      const left = values[row * columns + at]!;
      straight[row * columns + column] = !isInside
        ? NaN
        : part > 0
        ? (1 - part) * left + part * values[row * columns + at + 1]!
        : left;
    }
  }
  return straight;
}
