/**
 * Autocorrelation of a window of a line scan: for each lag in lines and pixels, the sum of the products of all pairs of
 * samples that far apart, computed from the power spectrum (Wiener and Khinchin).
 */
import { paddedLength, transformLine } from "./fourier.js";

/**
 * @typedef {object} Lags
 * @property {number} rows
 * @property {number} columns
 * @property {(lines: number, pixels: number) => number} at sum of the products of samples at this lag;
 *   `lines` from 0 to `rows - 1`, `pixels` from `1 - columns` to `columns - 1`
 */

/**
 * @param {Float64Array} values row-major, 0 where there is no sample
 * @param {number} rows
 * @param {number} columns
 * @returns {Lags}
 */
export function autocorrelation(values, rows, columns) {
  const [height, width] = [paddedLength(2 * rows), paddedLength(2 * columns)];
  const real = new Float64Array(height * width);
  const imaginary = new Float64Array(height * width);
  for (let row = 0; row < rows; row += 1) {
    real.set(values.subarray(row * columns, (row + 1) * columns), row * width);
  }
  for (let row = 0; row < rows; row += 1) transformLine(real, imaginary, row * width, 1, width);
  // The power spectrum of real values is even: half of the columns suffice.
  for (let column = 0; column <= width / 2; column += 1) {
    transformLine(real, imaginary, column, width, height);
    for (let at = column; at < height * width; at += width) {
      real[at] = real[at] ** 2 + imaginary[at] ** 2;
      imaginary[at] = 0;
    }
    transformLine(real, imaginary, column, width, height);
  }
  const scale = 1 / (height * width);
  for (let row = 0; row < rows; row += 1) {
    mirror(real, imaginary, row * width, width);
    transformLine(real, imaginary, row * width, 1, width);
  }
  // Both transforms ran forwards, which gives the sums at opposite lags; both are the same.
  const at = (/** @type {number} */ lines, /** @type {number} */ pixels) =>
    real[lines * width + ((width + pixels) % width)] * scale;
  return { rows, columns, at };
}

/** Fills the upper half of a line: the transform of real values has conjugate halves. */
function mirror(
  /** @type {Float64Array} */ real,
  /** @type {Float64Array} */ imaginary,
  /** @type {number} */ start,
  /** @type {number} */ width,
) {
  for (let k = 1; k < width / 2; k += 1) {
    real[start + width - k] = real[start + k];
    imaginary[start + width - k] = -imaginary[start + k];
  }
}
