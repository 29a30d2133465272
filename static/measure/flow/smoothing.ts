/**
 * Smooths the lines of a window to remove noise narrower than the streaks. The correlation of neighbouring samples
 * gives the width of the streaks and the strength of the noise.
 */

/** What {@linkcode measureLikeness} returns. */
export type Likeness = ReturnType<typeof measureLikeness>;

/** What {@linkcode smoothLine} returns. */
export type Smoothed = ReturnType<typeof smoothLine>;

/** A slow detector mixes only samples that are closer than this many pixels. */
const WIDE = 3;

/** Smoothing by half the width of the streaks costs a thirtieth of the information and removes nearly all of the noise. */
const GREATEST_PART = 0.5;

/** Ratio of noise to streak variance at which sigma is half of its largest: without noise, smoothing only costs. */
const HALF_SMOOTHED = 0.1;

/**
 * Width of the streaks and strength of the noise in a window.
 *
 * @param values row-major, with a mean of 0
 * @param significance standard deviations of white noise that the correlation must exceed
 * @returns `sigma` of the smoothing Gaussian in pixels, 0 if smoothing gains nothing; `part`, the same as a
 *   fraction of the sigma of the streaks; `isWide` if samples correlate over larger distances than a detector
 *   explains; `alike`, the mean products of samples at each distance
 */
export function measureLikeness(values: Float64Array, rows: number, columns: number, significance: number): {
  sigma: number;
  part: number;
  isWide: boolean;
  alike: Float64Array<ArrayBufferLike>;
} {
  const alike = averageProducts(values, rows, columns);
  const [whole = NaN, beside = NaN] = alike;
  const certain = significance * whole / Math.sqrt(rows * columns);
  const isWide = alike[WIDE]! > certain;
  if (!(beside > certain)) return { sigma: 0, part: 0, isWide, alike };
  // Models streaks as Gaussians, whose autocorrelation has twice the variance.
  let half = 1;
  while (half < alike.length && alike[half]! > beside / 2) half += 1;
  if (half < alike.length) {
    const [before, below] = [alike[half - 1]!, alike[half]!];
    half -= (beside / 2 - below) / (before - below);
  }
  const width = Math.sqrt(Math.max(0, half * half - 1) / (4 * Math.LN2));
  const streaks = estimateStreaks(alike);
  const noise = Math.max(0, whole - streaks);
  const part = GREATEST_PART * noise / (noise + HALF_SMOOTHED * streaks);
  // Below a third of a pixel the Gaussian has no effect.
  return part * width < 0.3
    ? { sigma: 0, part: 0, isWide, alike }
    : { sigma: part * width, part, isWide, alike };
}

/** Distances whose products are added up at once, which a core does faster than one after the other. */
const AT_ONCE = 4;

/** The correlation of neighbours at lag 0 without noise, which a parabola through the next two lags estimates. */
export function estimateStreaks([, one = NaN, two = NaN]: Float64Array): number {
  return one + (one - two) / 3;
}

/** Mean products at each distance along the lines, without changes common to whole lines, such as flicker. */
function averageProducts(values: Float64Array, rows: number, columns: number): Float64Array {
  const products = new Float64Array(Math.max(WIDE + 1, Math.ceil(columns / 2)));
  // Zeros follow each line, so that distances beyond its end add nothing.
  const line = new Float64Array(columns + products.length + AT_ONCE);
  for (let start = 0; start < rows * columns; start += columns) {
    let mean = 0;
    for (let at = start; at < start + columns; at += 1) mean += values[at]! / columns;
    for (let i = 0; i < columns; i += 1) line[i] = values[start + i]! - mean;
    for (let lag = 0; lag < products.length; lag += AT_ONCE) {
      addProducts(line, columns, lag, products);
    }
  }
  return products;
}

/** Adds the mean products of a line at {@linkcode AT_ONCE} distances from `lag` on. */
function addProducts(line: Float64Array, columns: number, lag: number, products: Float64Array): void {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let i = 0; i < columns - lag; i += 1) {
    const value = line[i]!;
    const at = i + lag;
    first += value * line[at]!;
    second += value * line[at + 1]!;
    third += value * line[at + 2]!;
    fourth += value * line[at + 3]!;
  }
  // Those beyond the last distance are not stored.
  products[lag]! += first / (columns - lag);
  products[lag + 1]! += second / (columns - lag - 1);
  products[lag + 2]! += third / (columns - lag - 2);
  products[lag + 3]! += fourth / (columns - lag - 3);
}

/**
 * Smooths with a Gaussian that is cut symmetrically near the ends of a line, so that nothing shifts.
 *
 * @param values row-major; NaN for missing samples
 * @param sigma pixels
 * @returns `values`, row-major, and for each column the remaining fraction of the variance of white noise,
 *   `gains`
 */
export function smoothLine(values: Float64Array, rows: number, columns: number, sigma: number): {
  values: Float64Array<ArrayBuffer>;
  gains: Float64Array<ArrayBuffer>;
} {
  const smooth = new Float64Array(rows * columns);
  const gains = new Float64Array(columns);
  const reach = Math.ceil(3 * sigma);
  for (let column = 0; column < columns; column += 1) {
    const side = Math.min(reach, column, columns - 1 - column);
    const weights = Float64Array.from(
      { length: 2 * side + 1 },
      (_, i) => i === side ? 1 : Math.exp(-(((i - side) / sigma) ** 2) / 2),
    );
    const whole = weights.reduce((sum, weight) => sum + weight);
    gains[column] = weights.reduce((sum, weight) => sum + (weight / whole) ** 2, 0);
    for (let at = column; at < rows * columns; at += columns) {
      let sum = 0;
      let there = 0;
      for (let i = 0; i <= 2 * side; i += 1) {
        const value = values[at + i - side]!;
        if (Number.isNaN(value)) continue;
        const weight = weights[i]!;
        sum += weight * value;
        there += weight;
      }
      smooth[at] = there > 0 ? sum / there : 0;
    }
  }
  return { values: smooth, gains };
}
