/**
 * Velocities by two published methods as they were described, without an error or a verdict, for comparison and citation.
 *
 * Drew, Blinder, Cauwenberghs, Shih and Kleinfeld (2010), J. Comput. Neurosci. 29, 5-11: the direction along which the
 * integrals of the Radon transform have the greatest variance.
 *
 * Kim, Yang, Blinder and Kleinfeld (2012), PLoS ONE 7, e38590 (line-scanning particle image velocimetry): the phase
 * correlation of lines a few lines apart, averaged over the window.
 */
import { fitGaussian } from "../least_squares.ts";
import { computeMean } from "../traces.ts";

/** Coarse and fine step of the angle, and the reach of the fine search on each side, in degrees. */
const [COARSE, FINE, NEAR] = [1, 0.25, 2];

/** Distance in lines between the two lines that are correlated, as published. */
const PIV_LINES = 5;

/**
 * Velocity by the Radon transform, in steps of a quarter of a degree.
 *
 * @param values row-major; missing values count as the mean
 * @param rows lines
 * @returns pixels per line; NaN without any variance
 */
export function measureByRadon(values: Float64Array, rows: number, columns: number): number {
  const centred = subtractMean(values);
  if (!centred.some((value) => value !== 0)) return NaN;
  const best = (from: number, to: number, step: number) => {
    let [angle, variance] = [NaN, -1];
    for (let i = 0; from + i * step <= to + 1e-9; i += 1) {
      const found = computeVarianceAlong(centred, rows, columns, from + i * step);
      if (found > variance) [angle, variance] = [from + i * step, found];
    }
    return angle;
  };
  const coarse = best(-89, 90, COARSE);
  return Math.tan(best(coarse - NEAR, coarse + NEAR, FINE) * Math.PI / 180);
}

/** Variance of the integrals along a direction; `angle` in degrees, 0 for a velocity of 0. */
function computeVarianceAlong(values: Float64Array, rows: number, columns: number, angle: number): number {
  const [cos, sin] = [Math.cos(angle * Math.PI / 180), Math.sin(angle * Math.PI / 180)];
  const size = Math.ceil(Math.hypot(rows, columns)) + 2;
  const sums = new Float64Array(size);
  for (let row = 0; row < rows; row += 1) {
    const start = size / 2 - (row - (rows - 1) / 2) * sin - (columns - 1) / 2 * cos;
    for (let column = 0; column < columns; column += 1) {
      const place = start + column * cos;
      const below = Math.floor(place);
      const value = values[row * columns + column]!;
      sums[below]! += value * (below + 1 - place);
      sums[below + 1]! += value * (place - below);
    }
  }
  const middle = computeMean(sums);
  return sums.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}

/**
 * Velocity by the phase correlation of lines that are {@linkcode PIV_LINES} apart, averaged over all such pairs of the
 * window. A Gaussian on a constant level is fitted to the average.
 *
 * @param values row-major; missing values count as the mean of their column
 * @param rows lines, more than {@linkcode PIV_LINES}
 * @returns pixels per line, below half of the columns divided by {@linkcode PIV_LINES}; NaN without any
 *   variance
 */
export function measureByPiv(values: Float64Array, rows: number, columns: number): number {
  const waves = Array.from({ length: columns }, (_, i) => {
    const turn = 2 * Math.PI * i / columns;
    return { cosine: Math.cos(turn), sine: Math.sin(turn) };
  });
  // Without the mean of each column, which is the stationary part.
  const moving = new Float64Array(values.length);
  for (let column = 0; column < columns; column += 1) {
    const line = Float64Array.from({ length: rows }, (_, row) => values[row * columns + column]!);
    subtractMean(line).forEach((value, row) => moving[row * columns + column] = value);
  }
  const spectra = transformLines(moving, rows, columns, waves);
  // Sums the pairs before the inverse transform, which is linear.
  const [real, imaginary] = [new Float64Array(columns), new Float64Array(columns)];
  for (let row = 0; row + PIV_LINES < rows; row += 1) {
    for (let i = 0; i < columns; i += 1) {
      const [one, other] = [row * columns + i, (row + PIV_LINES) * columns + i];
      const [a, b] = [spectra.real[one]!, spectra.imaginary[one]!];
      const [c, d] = [spectra.real[other]!, spectra.imaginary[other]!];
      // This weighting, as published, lies between a plain correlation and one of phases alone.
      const size = Math.sqrt(Math.hypot(a, b) * Math.hypot(c, d));
      if (!(size > 0)) continue;
      real[i]! += (a * c + b * d) / size;
      imaginary[i]! += (a * d - b * c) / size;
    }
  }
  const correlation = Float64Array.from({ length: columns }, (_, shift) => {
    let sum = 0;
    for (let i = 0; i < columns; i += 1) {
      const { cosine, sine } = waves[i * shift % columns]!;
      sum += real[i]! * cosine - imaginary[i]! * sine;
    }
    return sum / columns;
  });
  return findCorrelationTop(correlation) / PIV_LINES;
}

/** Centre of a Gaussian fitted to a circular correlation, counted from `-columns / 2`; NaN without a positive value. */
function findCorrelationTop(correlation: Float64Array) {
  const { length } = correlation;
  const half = length >> 1;
  const greatest = Math.max(...correlation);
  if (!(greatest > 0)) return NaN;
  const shifted = Float64Array.from(
    { length },
    (_, i) => correlation[(i + length - half) % length]! / greatest,
  );
  const middle = shifted.indexOf(1);
  let width = 1;
  while (shifted[middle + width]! > 1 / Math.E) width += 1;
  const start = { level: 0, size: 1, centre: middle, sigma: width / Math.SQRT2 };
  const { centre } = fitGaussian(shifted, start, (model) => ({
    level: Math.min(1, Math.max(0, model.level)),
    size: Math.max(0, model.size),
    centre: Math.min(length - 1, Math.max(0, model.centre)),
    sigma: Math.max(0.1, model.sigma),
  }));
  return centre - half;
}

/** Discrete Fourier transforms of all lines. */
function transformLines(
  values: Float64Array,
  rows: number,
  columns: number,
  waves: readonly { cosine: number; sine: number }[],
): Record<"real" | "imaginary", Float64Array> {
  const [real, imaginary] = [new Float64Array(rows * columns), new Float64Array(rows * columns)];
  for (let row = 0; row < rows; row += 1) {
    // Transforms of real values have conjugate halves.
    for (let i = 0; i <= columns / 2; i += 1) {
      let [a, b] = [0, 0];
      for (let column = 0; column < columns; column += 1) {
        const { cosine, sine } = waves[i * column % columns]!;
        a += values[row * columns + column]! * cosine;
        b -= values[row * columns + column]! * sine;
      }
      const mirror = row * columns + (columns - i) % columns;
      [real[mirror], imaginary[mirror]] = [a, -b];
      [real[row * columns + i], imaginary[row * columns + i]] = [a, b];
    }
  }
  return { real, imaginary };
}

function subtractMean(values: Float64Array) {
  const middle = computeMean(values);
  return values.map((value) => Number.isFinite(value) ? value - middle : 0);
}
