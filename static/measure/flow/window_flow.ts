/**
 * What flows in one window of a line scan: one velocity (changing_velocity.ts), two, or none, as the cells stand still.
 * Brightness that changes for whole lines, and the wall, are taken out of each line. A second flow is looked for where the
 * first leaves much of the pattern unexplained. The errors of the velocity count what residuals of one line, and of the
 * lines near it, have in common.
 */
import { measureChangingFlow, measureChangingVelocity } from "./changing_velocity.ts";
import { estimateStreaks, measureLikeness } from "./smoothing.ts";
import { computeMean } from "../traces.ts";
import { LEAST_MOVE, measureMovingShare, measureRoughly, type WindowVelocity } from "./window_velocity.ts";

/** The velocity of a window with what else flows in it. */
export type WindowFlow = WindowVelocity & Flow;

/** What one window shows beside its velocity. */
export interface Flow {
  /** The other of two velocities, the lesser one; `velocity` is the greater. */
  second?: number;
  /** Relative standard error of `second`. */
  secondError?: number;
  /** Fraction of the window in which the cells stand still: 0, 0.5 or 1. */
  rest: number;
  /** Variance of the velocity relative to that with independent residuals. */
  spread: number;
  /** Correlation of the residuals of neighbouring pixels and lines. */
  likeness: number;
  /** Variance that moves. */
  strength: number;
  /** Whether the brightness breaks off. */
  isBroken: boolean;
  /** Whether a pattern stands still that the whole recording shows, and nothing else is seen. */
  stands: boolean;
  /** Velocity of a changing window if its halves agreed. */
  whole?: WindowVelocity;
  /** Difference of the halves in standard errors. */
  change?: number;
  /** Velocity for any verdict, with its standard error, both in pixels per line. */
  rough: { velocity: number; error: number };
}

/** What stands still moves less than this many pixels in the window, with an error below. */
const [STILL, STILL_ERROR] = [0.5, 0.35];

/** A second direction has more than this part of the variance that moves. */
const LEAST_PART = 1 / 3;

/** A part of the pattern is unexplained if the velocity explains less than this part of it. */
const EXPLAINED = 0.75;

/** Largest relative standard error of each of two velocities. */
const GREATEST_ERROR = 0.05;

/** Two velocities differ by at least this part of the greater. */
const APART = 0.5;

/** The gain of the wall in a line differs from 1 by about this much. */
const GAIN = 0.3;

/** Brightness breaks off if means of lines differ by more than this many standard deviations of the pattern. */
const BROKEN = 3;

/** Lines of a mean of brightness. */
const BLOCK = 8;

/** Standard deviations that a pattern exceeds noise by. */
const SIGNIFICANT = 8;

/**
 * Measures what flows in one window.
 *
 * @param samples row-major lines; NaN or infinite for missing samples
 * @param wall stationary part of each column, with mean 0
 */
export function measureWindowFlow(
  samples: Float64Array,
  rows: number,
  columns: number,
  wall: Float64Array,
): WindowFlow {
  const { values, isBroken, stands } = withoutWall(samples, rows, columns, wall);
  const whole = values.map((value) => Number.isFinite(value) ? value : 0);
  const variance = whole.reduce((sum, value) => sum + value * value, 0) / whole.length;
  const facts = { rest: 0, spread: 1, likeness: 0, strength: 0, isBroken, stands: false };
  const { found: one, rough, halves, ...change } = measureChangingFlow(values, rows, columns);
  const { isStructured, pattern } = measurePattern(whole, rows, columns);
  const isNumber = Number.isFinite(one.velocity);
  if (isNumber && one.confidence >= EXPLAINED * pattern) {
    const { velocity } = one;
    return {
      ...one,
      ...facts,
      ...change,
      strength: one.confidence * variance,
      ...one.verdict === "measured" && measureResiduals(whole, rows, columns, velocity),
      rough: { velocity, error: one.error * Math.abs(velocity) },
    };
  }
  const error = rough.error * Math.abs(rough.velocity);
  const seen = {
    ...facts,
    strength: Math.max(0, rough.confidence) * variance,
    rough: { velocity: rough.velocity, error },
  };
  const rests = halves.map((half) => Number(isStillAt(half, rows >> 1)) / 2);
  if (isStillAt(rough, rows)) {
    const other = measureBesidePattern(values, rows, columns, rough.velocity);
    if (other === null) {
      return { verdict: "standing", velocity: 0, confidence: rough.confidence, error: NaN, ...seen, rest: 1 };
    }
    return {
      ...other,
      ...seen,
      rough: { velocity: other.velocity, error: other.error * Math.abs(other.velocity) },
    };
  }
  const both = isStructured ? measureTwoVelocities(values, whole, rows, columns, rough.velocity) : null;
  if (both !== null) return { ...both, ...seen };
  return {
    ...one,
    ...seen,
    ...change,
    rest: rests.reduce((sum, rest) => sum + rest, 0),
    stands: stands && !isStructured && !isNumber,
  };
}

/**
 * Takes the wall out of each line; its gain follows the line as far as the wall is bright. If the brightness flickers, also
 * takes out the mean and the tilt of each line and, of the wall, a gain that tilts along the line, as a line takes time.
 */
function withoutWall(
  samples: Float64Array,
  rows: number,
  columns: number,
  wall: Float64Array,
): { values: Float64Array; isBroken: boolean; stands: boolean } {
  const means = Float64Array.from(
    { length: rows },
    (_, row) => computeMean(samples, row * columns, (row + 1) * columns),
  );
  const isFlickering = isFlicker(samples, means, columns);
  const middle = computeMean(means);
  const tilt = Float64Array.from({ length: columns }, (_, column) => 2 * (column + 0.5) / columns - 1);
  const flat = isFlickering ? removeShape(wall, tilt) : wall;
  const tilted = removeShape(
    removeShape(subtractMiddle(wall.map((value, column) => value * tilt[column]!)), tilt),
    flat,
  );
  const values = samples.map((value, at) =>
    value - (isFlickering ? means[Math.floor(at / columns)]! : middle)
  );
  const gains = (shape: Float64Array) => measureGains(values, rows, columns, shape);
  const subtract = (shape: Float64Array, gain: (row: number) => number): void => {
    for (let row = 0; row < rows; row += 1) {
      const size = gain(row);
      for (let column = 0; column < columns; column += 1) {
        values[row * columns + column]! -= size * shape[column]!;
      }
    }
  };
  if (isFlickering) {
    const own = gains(tilt);
    subtract(tilt, (row) => own[row]!);
  }
  const power = multiplyProfiles(flat, flat);
  const own = gains(flat);
  // A gain near 1 is likely: what moves may resemble a faint wall.
  subtract(flat, () => 1);
  const variance = computeVariance(values);
  const most = (power: number) => power > 0 ? 1 / (1 + variance / (GAIN * GAIN * power)) : 0;
  if (power > 0) subtract(flat, (row) => (own[row]! - 1) * most(power));
  if (isFlickering) {
    const others = gains(tilted);
    subtract(tilted, (row) => others[row]! * most(multiplyProfiles(tilted, tilted)));
  }
  const present = computeMean(own);
  return {
    values,
    isBroken: isBrokenOff(means, Math.sqrt(variance)),
    stands: present > 0.5 && present > SIGNIFICANT * Math.sqrt(variance / (power * rows)),
  };
}

const multiplyProfiles = (one: Float64Array, other: Float64Array): number =>
  one.reduce((sum, value, i) => sum + value * other[i]!, 0);

/** Mean square of the values that are there. */
const computeVariance = (values: Float64Array) => computeMean(values.map((value) => value * value));

/** Values about their mean. */
const subtractMiddle = (values: Float64Array) => {
  const middle = computeMean(values);
  return values.map((value) => value - middle);
};

/** The part of a shape that is orthogonal to another. */
function removeShape(shape: Float64Array, other: Float64Array): Float64Array {
  const power = multiplyProfiles(other, other);
  const part = power > 0 ? multiplyProfiles(shape, other) / power : 0;
  return shape.map((value, i) => value - part * other[i]!);
}

/** Size of a shape in each line; 0 without a shape. */
function measureGains(
  values: Float64Array,
  rows: number,
  columns: number,
  shape: Float64Array,
): Float64Array {
  const power = multiplyProfiles(shape, shape);
  return Float64Array.from({ length: rows }, (_, row) => {
    let sum = 0;
    for (let column = 0; column < columns; column += 1) {
      const value = values[row * columns + column]!;
      if (Number.isFinite(value)) sum += value * shape[column]!;
    }
    return power > 0 ? sum / power : 0;
  });
}

/**
 * Whether means of lines differ more than pixels do that are independent: from line to line, and over a quarter of the
 * window, where cells resemble each other over some pixels.
 */
function isFlicker(samples: Float64Array, means: Float64Array, columns: number): boolean {
  return ([[1, 3], [Math.max(2, means.length >> 2), 12]] as const).some(([lag, most]) => {
    let [ofMeans, ofPixels, count] = [0, 0, 0];
    for (let row = 0; row + lag < means.length; row += 1) {
      const change = (means[row + lag]! - means[row]!) ** 2;
      if (!Number.isFinite(change)) continue;
      for (let at = row * columns; at < (row + 1) * columns; at += 1) {
        const difference = samples[at + lag * columns]! - samples[at]!;
        if (!Number.isFinite(difference)) continue;
        ofPixels += difference * difference;
        ofMeans += change;
        count += 1;
      }
    }
    return count > 0 && ofMeans * columns > most * ofPixels;
  });
}

/** Whether means of neighbouring lines break off. */
function isBrokenOff(means: Float64Array, spread: number) {
  const size = Math.max(1, Math.min(BLOCK, means.length >> 2));
  const blocks = Array.from(
    { length: Math.floor(means.length / size) },
    (_, i) => computeMean(means, i * size, (i + 1) * size),
  )
    .filter(Number.isFinite);
  return Math.max(...blocks) - Math.min(...blocks) > BROKEN * spread;
}

/**
 * Share of the variance that neighbours along a line have in common, `pattern`; and whether it exceeds what noise does.
 */
function measurePattern(
  values: Float64Array,
  rows: number,
  columns: number,
): { isStructured: boolean; pattern: number } {
  const { isWide, alike } = measureLikeness(values, rows, columns, 6);
  const [whole = NaN] = alike;
  const share = Math.min(1, Math.max(0, estimateStreaks(alike) / whole));
  return { isStructured: isWide, pattern: isWide ? share : 0 };
}

/** Whether a rough velocity means that nothing moves. */
const isStillAt = ({ velocity, error, confidence }: WindowVelocity, rows: number) =>
  Math.abs(velocity) * rows < STILL && error * Math.abs(velocity) * rows < STILL_ERROR && confidence > 0.1;

/** The velocity of what moves beside a pattern that stands or drifts; null if nothing does. */
function measureBesidePattern(
  values: Float64Array,
  rows: number,
  columns: number,
  slow: number,
): WindowVelocity | null {
  const rest = removeMoving(values, rows, columns, slow);
  const whole = rest.map((value) => Number.isFinite(value) ? value : 0);
  if (!measurePattern(whole, rows, columns).isStructured) return null;
  const found = measureChangingVelocity(rest, rows, columns);
  return Number.isFinite(found.velocity) ? found : null;
}

/**
 * Two velocities, if a second direction has more than a third of the variance that moves, in both halves of the window.
 */
function measureTwoVelocities(
  values: Float64Array,
  whole: Float64Array,
  rows: number,
  columns: number,
  first: number,
): (WindowVelocity & { second?: number; secondError?: number }) | null {
  if (!Number.isFinite(first)) return null;
  const other = measureRoughly(removeMoving(values, rows, columns, first), rows, columns);
  if (!Number.isFinite(other.velocity)) return null;
  const one = measureRoughly(removeMoving(values, rows, columns, other.velocity), rows, columns);
  const two = measureRoughly(removeMoving(values, rows, columns, one.velocity), rows, columns);
  const isMoving = ({ velocity, error }: WindowVelocity) =>
    Math.abs(velocity) * rows >= LEAST_MOVE && columns / Math.abs(velocity) >= LEAST_MOVE &&
    error <= GREATEST_ERROR;
  const [high, low] = one.velocity > two.velocity ? [one, two] : [two, one];
  const speed = Math.max(Math.abs(high.velocity), Math.abs(low.velocity));
  if (!isMoving(one) || !isMoving(two) || high.velocity - low.velocity < APART * speed) return null;
  const half = (rows >> 1) * columns;
  const parts = [whole, whole.subarray(0, half), whole.subarray(half, 2 * half)];
  const shares = parts.map((part) => {
    const [first = NaN, second = NaN] = [one, two].map(({ velocity }) =>
      measureMovingShare(part, part.length / columns, columns, velocity)
    );
    return { least: Math.min(first, second), both: first + second };
  });
  // Halves hold fewer cells.
  const isIn = shares.every(({ least, both }, i) => least > (i === 0 ? LEAST_PART : LEAST_PART / 2) * both);
  const confidence = shares[0]?.both ?? NaN;
  if (!isIn || !(confidence > 0.1)) return null;
  return {
    verdict: "two velocities",
    velocity: high.velocity,
    error: high.error,
    confidence: Math.min(1, confidence),
    second: low.velocity,
    secondError: low.error,
  };
}

/** Means along a direction: places along the line at the middle of the window, a pixel apart. */
function stripOf(
  values: Float64Array,
  rows: number,
  columns: number,
  velocity: number,
): { low: number; means: Float64Array; times: Float64Array } {
  const reach = Math.ceil(Math.abs(velocity) * rows / 2) + 2;
  const [sums, counts, times] = Array.from(
    { length: 3 },
    () => new Float64Array(columns + 2 * reach + 1),
  ) as [Float64Array<ArrayBuffer>, Float64Array<ArrayBuffer>, Float64Array<ArrayBuffer>];
  for (let row = 0; row < rows; row += 1) {
    const time = row - (rows - 1) / 2;
    for (let column = 0; column < columns; column += 1) {
      const value = values[row * columns + column]!;
      if (!Number.isFinite(value)) continue;
      const place = column - velocity * time + reach;
      const left = Math.floor(place);
      const part = place - left;
      sums[left]! += (1 - part) * value;
      counts[left]! += 1 - part;
      times[left]! += (1 - part) * time;
      sums[left + 1]! += part * value;
      counts[left + 1]! += part;
      times[left + 1]! += part * time;
    }
  }
  // 0 where nothing is.
  const perCount = (of: Float64Array) => of.map((sum, i) => sum / counts[i]! || 0);
  return { low: -reach, means: perCount(sums), times: perCount(times) };
}

/** Without what moves at a velocity. */
function removeMoving(values: Float64Array, rows: number, columns: number, velocity: number): Float64Array {
  const { low, means } = stripOf(values, rows, columns, velocity);
  return values.map((value, i) => {
    const place = i % columns - velocity * (Math.floor(i / columns) - (rows - 1) / 2) - low;
    const left = Math.floor(place);
    const part = place - left;
    return value - (1 - part) * means[left]! - part * means[left + 1]!;
  });
}

/**
 * `spread`, the variance of the least-squares slope relative to that with independent residuals: lines are clusters, and
 * near lines have residuals in common (Newey and West 1987). `measureLikeness`, the correlation of neighbouring residuals.
 */
function measureResiduals(
  values: Float64Array,
  rows: number,
  columns: number,
  velocity: number,
): { spread: number; likeness: number } {
  const { low, means, times } = stripOf(values, rows, columns, velocity);
  const [scores, rests] = [new Float64Array(rows), new Float64Array(values.length)];
  let [squares, weights, beside, below] = [0, 0, 0, 0];
  for (let row = 0; row < rows; row += 1) {
    const time = row - (rows - 1) / 2;
    for (let column = 0; column < columns; column += 1) {
      const place = column - velocity * time - low;
      const left = Math.floor(place);
      const part = place - left;
      const before = means[left]!;
      const after = means[left + 1]!;
      const weight = (after - before) * (time - (1 - part) * times[left]! - part * times[left + 1]!);
      const at = row * columns + column;
      const rest = rests[at] = values[at]! - (1 - part) * before - part * after;
      scores[row]! += weight * rest;
      squares += rest * rest;
      weights += weight * weight;
      if (column > 0) beside += rest * rests[at - 1]!;
      if (row > 0) below += rest * rests[at - columns]!;
    }
  }
  const reach = Math.max(2, Math.round(rows / 6));
  let sum = 0;
  for (let lag = 0; lag <= reach; lag += 1) {
    const part = (lag === 0 ? 1 : 2) * (1 - lag / (reach + 1));
    for (let row = 0; row + lag < rows; row += 1) sum += part * scores[row]! * scores[row + lag]!;
  }
  return {
    // The fit takes out part of what residuals of near lines have in common.
    spread: sum / (weights * squares / values.length) / (1 - (reach + 1) / rows),
    likeness: Math.max(beside, below) / squares,
  };
}
