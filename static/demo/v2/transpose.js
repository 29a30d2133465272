/**
 * Transposition, done immediately before drawing: the server never transposes. Rows of a line scan are time, so that
 * afterwards time runs to the right and space runs down. Points over the picture swap in the same way: (x, y) is
 * drawn at (y, x).
 */

/** Edge of the square that is moved at once; 32 x 32 floats of source and target stay in the first-level cache. */
const BLOCK = 32;

/**
 * @param {Float32Array} samples row-major, `rows * columns`
 * @param {number} rows
 * @param {number} columns
 * @returns {Float32Array} row-major, `columns` rows of `rows` samples
 */
export function transpose(samples, rows, columns) {
  const turned = new Float32Array(rows * columns);
  for (let top = 0; top < rows; top += BLOCK) {
    const bottom = Math.min(top + BLOCK, rows);
    for (let left = 0; left < columns; left += BLOCK) {
      const right = Math.min(left + BLOCK, columns);
      for (let row = top; row < bottom; row += 1) {
        for (let column = left; column < right; column += 1) {
          turned[column * rows + row] = samples[row * columns + column];
        }
      }
    }
  }
  return turned;
}
