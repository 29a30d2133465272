/**
 * Summary of the velocities of a recording. In pulsatile flow a median means little unless the recording covers whole
 * cycles, which this tells.
 *
 * @typedef {import("./velocity.js").VelocityAt} VelocityAt
 *
 * @typedef {object} Summary
 * @property {number} windows
 * @property {number} numbers windows with a velocity
 * @property {number} median pixels a line; NaN without numbers
 * @property {Cycle | null} cycle null where the velocity does not change by more than its error
 *
 * @typedef {object} Cycle
 * @property {number} cycles of the best sine within the recording; below 1, part of a cycle
 * @property {number} period lines
 * @property {number} mean over the greatest number of whole cycles from the first window on; NaN below one
 */

/** Whether a window has a velocity that counts; as JSON, NaN is null. @param {VelocityAt} found */
export const isNumber = ({ velocity, isLeftOut = false }) => Number.isFinite(velocity) && !isLeftOut;

/** Fewer numbers show no cycle. */
const LEAST_NUMBERS = 5;

/** A change is larger than this part of the velocity, and than so many errors. */
const [LEAST_CHANGE, ERRORS] = [0.03, 2];

/** Part of the variance that a sine explains in flow that pulses. */
const LEAST_EXPLAINED = 0.5;

/** A cycle is looked for in so many numbers: work grows by their square. */
const MOST_NUMBERS = 2000;

/** Tried frequencies for each cycle within the recording. */
const FINE = 8;

/** @param {readonly VelocityAt[]} found @param {number} window lines @returns {Summary} */
export function velocitySummary(found, window) {
  const numbers = found.filter(isNumber);
  const sorted = numbers.map(({ velocity }) => velocity).sort((a, b) => a - b);
  // An even count has the mean of both middle values.
  const median = (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.floor(sorted.length / 2)]) / 2;
  return { windows: found.length, numbers: numbers.length, median, cycle: cycleOf(numbers, window) };
}

/** @param {readonly VelocityAt[]} numbers @param {number} window @returns {Cycle | null} */
function cycleOf(numbers, window) {
  if (numbers.length > MOST_NUMBERS) return cycleOfLong(numbers, window);
  if (numbers.length < LEAST_NUMBERS) return null;
  const mean = meanOf(numbers.map(({ velocity }) => velocity));
  const variance = meanOf(numbers.map(({ velocity }) => (velocity - mean) ** 2));
  const noise = meanOf(numbers.map(({ velocity, error }) => !(error > 0) ? 0 : (velocity * error) ** 2));
  if (!(variance > Math.max((LEAST_CHANGE * mean) ** 2, ERRORS ** 2 * noise))) return null;
  const [first, last] = [numbers[0].line, numbers[numbers.length - 1].line];
  const duration = last - first + window;
  const step = (last - first) / (numbers.length - 1);
  let best = { explained: 0, cycles: 0 };
  // From a quarter of a cycle to two and a half numbers a cycle.
  for (let i = FINE / 4; i <= FINE * duration / (2.5 * step); i += 1) {
    const cycles = i / FINE;
    const explained = explainedBy(numbers, mean, cycles / duration) / variance;
    if (explained > best.explained) best = { explained, cycles };
  }
  if (best.explained < LEAST_EXPLAINED) return null;
  return cyclesOf(numbers, window, duration / best.cycles);
}

/** By the cycle in the first numbers. @param {readonly VelocityAt[]} numbers @param {number} window @returns {Cycle | null} */
function cycleOfLong(numbers, window) {
  const cycle = cycleOf(numbers.slice(0, MOST_NUMBERS), window);
  return cycle && cyclesOf(numbers, window, cycle.period);
}

/** @param {readonly VelocityAt[]} numbers @param {number} window @param {number} period lines @returns {Cycle} */
function cyclesOf(numbers, window, period) {
  const first = numbers[0].line;
  const cycles = (numbers[numbers.length - 1].line - first + window) / period;
  const whole = Math.floor(cycles * (1 + 1 / FINE)) * period;
  const within = numbers.filter(({ line }) => line - first < whole).map(({ velocity }) => velocity);
  return { cycles, period, mean: cycles < 1 ? NaN : meanOf(within) };
}

/** @param {readonly number[]} values */
const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Variance that a constant and a sine explain beyond the mean, by least squares. @param {readonly VelocityAt[]} numbers @param {number} mean @param {number} frequency cycles a line */
function explainedBy(numbers, mean, frequency) {
  // Sums of products of sine, cosine and 1 with each other and with the velocities.
  let [ss, sc, cc, s, c, vs, vc] = [0, 0, 0, 0, 0, 0, 0];
  const count = numbers.length;
  for (const { line, velocity } of numbers) {
    const angle = 2 * Math.PI * frequency * (line - numbers[0].line);
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
    ss += sine * sine;
    sc += sine * cosine;
    cc += cosine * cosine;
    s += sine;
    c += cosine;
    vs += (velocity - mean) * sine;
    vc += (velocity - mean) * cosine;
  }
  // About their means, the constant drops out.
  ss -= s * s / count;
  sc -= s * c / count;
  cc -= c * c / count;
  const determinant = ss * cc - sc * sc;
  if (!(determinant > 1e-6 * count * count)) return 0;
  return (vs * vs * cc - 2 * vs * vc * sc + vc * vc * ss) / determinant / count;
}
