/** Autocorrelation of a window of a line scan, computed from the power spectrum (Wiener-Khinchin theorem). */

/**
 * The sum of the products of all pairs of samples at a lag: `lines` from 0 to `rows - 1`, `pixels` from `1 - columns` to
 * `columns - 1`.
 *
 * @param values row-major, 0 for a missing sample
 */
export function makeAutocorrelation(
  values: Float64Array,
  rows: number,
  columns: number,
): (lines: number, pixels: number) => number {
  const paddedLength = (length: number) => 2 ** Math.ceil(Math.log2(Math.max(1, length)));
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
      real[at] = real[at]! ** 2 + imaginary[at]! ** 2;
      imaginary[at] = 0;
    }
    transformLine(real, imaginary, column, width, height);
  }
  const scale = 1 / (height * width);
  for (let row = 0; row < rows; row += 1) {
    // In the transform of real values, the upper half of a line is the conjugate of the lower half.
    for (let k = 1; k < width / 2; k += 1) {
      real[row * width + width - k] = real[row * width + k]!;
      imaginary[row * width + width - k] = -imaginary[row * width + k]!;
    }
    transformLine(real, imaginary, row * width, 1, width);
  }
  // Two forward transforms give the sums at the opposite lags, which are equal.
  return (lines, pixels) => real[lines * width + ((width + pixels) % width)]! * scale;
}

const tables: Map<number, { cos: Float64Array; sin: Float64Array; order: Uint32Array }> = new Map();

/**
 * Fourier-transforms one line of complex numbers in place: `length`, a power of two, from `start` on, `stride` apart.
 */
function transformLine(
  real: Float64Array,
  imaginary: Float64Array,
  start: number,
  stride: number,
  length: number,
): void {
  const { cos, sin, order } = makeTransformTable(length);
  for (let i = 0; i < length; i += 1) {
    const j = order[i]!;
    if (j <= i) continue;
    const a = start + i * stride;
    const b = start + j * stride;
    const re = real[a]!;
    const im = imaginary[a]!;
    real[a] = real[b]!;
    imaginary[a] = imaginary[b]!;
    real[b] = re;
    imaginary[b] = im;
  }
  for (let size = 2; size <= length; size *= 2) {
    const half = size / 2;
    const apart = half * stride;
    for (let k = 0; k < half; k += 1) {
      const c = cos[k * (length / size)]!;
      const s = sin[k * (length / size)]!;
      for (let block = k; block < length; block += size) {
        const a = start + block * stride;
        const b = a + apart;
        const re = real[b]! * c + imaginary[b]! * s;
        const im = imaginary[b]! * c - real[b]! * s;
        real[b] = real[a]! - re;
        imaginary[b] = imaginary[a]! - im;
        real[a]! += re;
        imaginary[a]! += im;
      }
    }
  }
}

/** Cosines, sines and the bit-reversed order. */
function makeTransformTable(length: number) {
  const known = tables.get(length);
  if (known !== undefined) return known;
  const half = Math.max(1, length / 2);
  const angle = (k: number) => 2 * Math.PI * k / length;
  const made = {
    cos: Float64Array.from({ length: half }, (_, k) => Math.cos(angle(k))),
    sin: Float64Array.from({ length: half }, (_, k) => Math.sin(angle(k))),
    order: new Uint32Array(length),
  };
  for (let i = 1; i < length; i += 1) made.order[i] = (made.order[i >> 1]! >> 1) + (i & 1 ? half : 0);
  tables.set(length, made);
  return made;
}
