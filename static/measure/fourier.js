/** The discrete Fourier transform of lengths that are powers of two, in place. */

/** @type {Map<number, {cos: Float64Array, sin: Float64Array, order: Uint32Array}>} */
const tables = new Map();

/** Rounds a length up to a power of two. @type {(length: number) => number} */
export const paddedLength = (length) => 2 ** Math.ceil(Math.log2(Math.max(1, length)));

/**
 * Transforms one line of complex numbers.
 *
 * @param {Float64Array} real
 * @param {Float64Array} imaginary
 * @param {number} start index of the first number
 * @param {number} stride distance of neighbouring numbers
 * @param {number} length power of two
 */
export function transformLine(real, imaginary, start, stride, length) {
  const { cos, sin, order } = tableOf(length);
  for (let i = 0; i < length; i += 1) {
    const j = order[i];
    if (j <= i) continue;
    const a = start + i * stride;
    const b = start + j * stride;
    const re = real[a];
    const im = imaginary[a];
    real[a] = real[b];
    imaginary[a] = imaginary[b];
    real[b] = re;
    imaginary[b] = im;
  }
  for (let size = 2; size <= length; size *= 2) {
    const half = size / 2;
    const apart = half * stride;
    for (let k = 0; k < half; k += 1) {
      const c = cos[k * (length / size)];
      const s = sin[k * (length / size)];
      for (let block = k; block < length; block += size) {
        const a = start + block * stride;
        const b = a + apart;
        const re = real[b] * c + imaginary[b] * s;
        const im = imaginary[b] * c - real[b] * s;
        real[b] = real[a] - re;
        imaginary[b] = imaginary[a] - im;
        real[a] += re;
        imaginary[a] += im;
      }
    }
  }
}

/** Angles and the order of bit reversal. @param {number} length */
function tableOf(length) {
  const known = tables.get(length);
  if (known !== undefined) return known;
  const half = Math.max(1, length / 2);
  const angle = (/** @type {number} */ k) => 2 * Math.PI * k / length;
  const made = {
    cos: Float64Array.from({ length: half }, (_, k) => Math.cos(angle(k))),
    sin: Float64Array.from({ length: half }, (_, k) => Math.sin(angle(k))),
    order: new Uint32Array(length),
  };
  for (let i = 1; i < length; i += 1) made.order[i] = (made.order[i >> 1] >> 1) + (i & 1 ? half : 0);
  tables.set(length, made);
  return made;
}
