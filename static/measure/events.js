/**
 * Events of a trace: peaks above a threshold that stand out from their surroundings, with the times at which they cross
 * parts of their height. Peaks, prominence and crossings are defined as by `scipy.signal` (`find_peaks`,
 * `peak_prominences`, `peak_widths`). NaN bounds the surroundings of a peak like an end of the trace.
 *
 * @typedef {object} Threshold
 * @property {number} height least value of a peak
 * @property {number} [prominence] least height above the higher of the two valleys beside it
 * @property {number} [distance] least distance between two peaks in samples; the higher peak stays
 *
 * @typedef {object} TraceEvent all places and lengths are samples, fractions included
 * @property {number} peak index; of a plateau its middle, rounded down
 * @property {number} value at the peak
 * @property {number} amplitude height above the higher of the two valleys beside it (prominence)
 * @property {number} halfWidth width at half of the amplitude
 * @property {number} rise from 10 to 90 % of the amplitude before the peak
 * @property {number} decay from the peak until 1/e of the amplitude is left, or the valley is reached
 */

/**
 * @param {Float64Array} trace
 * @param {Threshold} threshold
 * @returns {TraceEvent[]} in the order of time
 */
export function findEvents(trace, { height, prominence = 0, distance = 1 }) {
  const high = peaksOf(trace).filter((peak) => trace[peak] >= height);
  return apart(trace, high, distance)
    .map((peak) => measureEvent(trace, peak))
    .filter(({ amplitude }) => amplitude >= prominence);
}

/**
 * Measures the event at a known peak, found or added by hand.
 *
 * @param {Float64Array} trace
 * @param {number} peak index
 * @returns {TraceEvent} an amplitude of 0 where nothing rises
 */
export function measureEvent(trace, peak) {
  const valleys = valleysAround(trace, peak);
  const amplitude = trace[peak] - Math.max(trace[valleys.left], trace[valleys.right]);
  const [before, after] = [-1, 1].map((step) => (/** @type {number} */ part) =>
    crossing(trace, peak, step, trace[peak] - part * amplitude, step < 0 ? valleys.left : valleys.right)
  );
  return {
    peak,
    value: trace[peak],
    amplitude,
    halfWidth: after(0.5) - before(0.5),
    rise: before(0.1) - before(0.9),
    decay: after(1 - 1 / Math.E) - peak,
  };
}

/** Finds the highest sample near a position. @type {(trace: Float64Array, place: number, reach: number) => number} */
export function highestNear(trace, place, reach) {
  const middle = Math.min(trace.length - 1, Math.max(0, Math.round(place)));
  let best = middle;
  for (let i = Math.max(0, middle - reach); i <= Math.min(trace.length - 1, middle + reach); i += 1) {
    if (!(trace[i] <= trace[best])) best = Number.isNaN(trace[i]) ? best : i;
  }
  return best;
}

/** Indices of the local maxima; the middle of a plateau. @param {Float64Array} trace */
function peaksOf(trace) {
  const peaks = [];
  for (let i = 1; i < trace.length - 1; i += 1) {
    if (!(trace[i - 1] < trace[i])) continue;
    let end = i;
    while (end + 1 < trace.length && trace[end + 1] === trace[i]) end += 1;
    if (end + 1 < trace.length && trace[end + 1] < trace[i]) peaks.push(Math.floor((i + end) / 2));
    i = end;
  }
  return peaks;
}

/** Removes peaks nearer than `distance` to a higher one. @param {Float64Array} trace @param {number[]} peaks @param {number} distance */
function apart(trace, peaks, distance) {
  const taken = new Set(peaks);
  // The later of two equal peaks stays.
  const byHeight = peaks.map((peak, i) => ({ peak, i }))
    .sort((a, b) => trace[b.peak] - trace[a.peak] || b.i - a.i);
  for (const { peak, i } of byHeight) {
    if (!taken.has(peak)) continue;
    for (let j = i - 1; j >= 0 && peak - peaks[j] < distance; j -= 1) taken.delete(peaks[j]);
    for (let j = i + 1; j < peaks.length && peaks[j] - peak < distance; j += 1) taken.delete(peaks[j]);
  }
  return peaks.filter((peak) => taken.has(peak));
}

/** Finds the lowest sample on each side, up to the next higher sample. @param {Float64Array} trace @param {number} peak */
function valleysAround(trace, peak) {
  const [left, right] = [-1, 1].map((step) => {
    let lowest = peak;
    for (let i = peak; i >= 0 && i < trace.length && trace[i] <= trace[peak]; i += step) {
      if (trace[i] < trace[lowest]) lowest = i;
    }
    return lowest;
  });
  return { left, right };
}

/** Finds where the trace falls to a level on its way to a valley, interpolated between samples. */
function crossing(
  /** @type {Float64Array} */ trace,
  /** @type {number} */ peak,
  /** @type {number} */ step,
  /** @type {number} */ level,
  /** @type {number} */ valley,
) {
  let i = peak;
  while (i !== valley && level < trace[i]) i += step;
  if (!(trace[i] < level)) return i;
  return i - step * (level - trace[i]) / (trace[i - step] - trace[i]);
}
