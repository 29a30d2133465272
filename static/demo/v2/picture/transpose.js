/**
 * Transposes planes immediately before drawing; the server never transposes. In the resulting picture x counts the rows
 * of the plane and y its columns, and points over it swap alike: (x, y) is at (y, x). orientation.js then places the
 * picture on the screen.
 */

/** Block size: the lines of source and target fit into the first-level cache. */
const BLOCK_ROWS = 64;
const BLOCK_COLUMNS = 16;

/**
 * @param {Float32Array} samples row-major, `rows * columns`
 * @param {number} rows
 * @param {number} columns
 * @returns {Float32Array} row-major, `columns` rows of `rows` samples
 */
export function transpose(samples, rows, columns) {
  const turned = new Float32Array(rows * columns);
  for (let top = 0; top < rows; top += BLOCK_ROWS) {
    const bottom = Math.min(top + BLOCK_ROWS, rows);
    for (let left = 0; left < columns; left += BLOCK_COLUMNS) {
      const right = Math.min(left + BLOCK_COLUMNS, columns);
      for (let column = left; column < right; column += 1) {
        let from = top * columns + column;
        for (let to = column * rows + top; to < column * rows + bottom; to += 1) {
          turned[to] = samples[from];
          from += columns;
        }
      }
    }
  }
  return turned;
}
