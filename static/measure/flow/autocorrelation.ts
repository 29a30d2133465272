/** Autocorrelation of a window of a line scan, computed from the power spectrum (Wiener-Khinchin theorem). */

/** Lines that are transformed beside each other: few enough that they stay in the cache of a core. */
const BESIDE = 16;

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
  // The power spectrum of real values is even: half of the columns suffice.
  const half = width / 2 + 1;
  const spectrum: Complex = { real: new Float64Array(rows * half), imaginary: new Float64Array(rows * half) };
  const part = takeScratch(BESIDE * Math.max(width, height));
  for (let row = 0; row < rows; row += BESIDE) {
    const count = Math.min(BESIDE, rows - row);
    transformRows(values.subarray(row * columns, (row + count) * columns), columns, part, count, width);
    storeRows(part, spectrum, row, count, half);
  }
  for (let column = 0; column < half; column += BESIDE) {
    const count = Math.min(BESIDE, half - column);
    correlateColumns(spectrum, rows, half, column, part, count, height);
  }
  const products = new Float64Array(rows * width);
  const scale = 1 / (height * width);
  for (let row = 0; row < rows; row += BESIDE) {
    const count = Math.min(BESIDE, rows - row);
    transformBack(spectrum, row, part, count, width);
    for (let i = 0; i < width; i += 1) {
      for (let line = 0; line < count; line += 1) {
        products[(row + line) * width + i] = part.real[i * count + line]! * scale;
      }
    }
  }
  // Two forward transforms give the sums at the opposite lags, which are equal.
  return (lines, pixels) => products[lines * width + ((width + pixels) % width)]!;
}

/** Complex numbers, element by element. */
type Complex = Record<"real" | "imaginary", Float64Array>;

let scratch: Complex = { real: new Float64Array(0), imaginary: new Float64Array(0) };

/** Room for lines beside each other, which the next call gives again. */
function takeScratch(length: number): Complex {
  if (scratch.real.length < length) {
    scratch = { real: new Float64Array(length), imaginary: new Float64Array(length) };
  }
  return scratch;
}

/** Transforms `count` rows of real values, padded with zeros to `width`. */
function transformRows(
  values: Float64Array,
  columns: number,
  part: Complex,
  count: number,
  width: number,
): void {
  const { order } = makeTransformTable(width);
  part.real.fill(0, 0, width * count);
  part.imaginary.fill(0, 0, width * count);
  for (let column = 0; column < columns; column += 1) {
    const to = order[column]! * count;
    for (let row = 0; row < count; row += 1) part.real[to + row] = values[row * columns + column]!;
  }
  transformBeside(part, width, count);
}

/** Stores the first `half` numbers of each transformed row. */
function storeRows(part: Complex, spectrum: Complex, row: number, count: number, half: number): void {
  for (let line = 0; line < count; line += 1) {
    const to = (row + line) * half;
    for (let i = 0; i < half; i += 1) {
      spectrum.real[to + i] = part.real[i * count + line]!;
      spectrum.imaginary[to + i] = part.imaginary[i * count + line]!;
    }
  }
}

/** Transforms `count` columns, padded with zeros to `height`, and then their squared sizes. */
function correlateColumns(
  { real, imaginary }: Complex,
  rows: number,
  half: number,
  column: number,
  part: Complex,
  count: number,
  height: number,
): void {
  const { order } = makeTransformTable(height);
  part.real.fill(0, 0, height * count);
  part.imaginary.fill(0, 0, height * count);
  for (let row = 0; row < rows; row += 1) {
    const [to, from] = [order[row]! * count, row * half + column];
    for (let i = 0; i < count; i += 1) {
      part.real[to + i] = real[from + i]!;
      part.imaginary[to + i] = imaginary[from + i]!;
    }
  }
  transformBeside(part, height, count);
  squareInOrder(part, height, count, order);
  transformBeside(part, height, count);
  for (let row = 0; row < rows; row += 1) {
    const [from, to] = [row * count, row * half + column];
    for (let i = 0; i < count; i += 1) {
      real[to + i] = part.real[from + i]!;
      imaginary[to + i] = part.imaginary[from + i]!;
    }
  }
}

/** Replaces complex numbers by their squared sizes, in the order that {@linkcode transformBeside} takes. */
function squareInOrder(
  { real, imaginary }: Complex,
  length: number,
  count: number,
  order: Uint32Array,
): void {
  for (let i = 0; i < length; i += 1) {
    const j = order[i]!;
    if (j < i) continue;
    for (let line = 0; line < count; line += 1) {
      const a = i * count + line;
      const b = j * count + line;
      const one = real[a]! ** 2 + imaginary[a]! ** 2;
      real[a] = real[b]! ** 2 + imaginary[b]! ** 2;
      real[b] = one;
    }
  }
  imaginary.fill(0, 0, length * count);
}

/** Transforms `count` rows of which the first half is known; their transform is real. */
function transformBack(spectrum: Complex, row: number, part: Complex, count: number, width: number): void {
  const { order } = makeTransformTable(width);
  const half = width / 2 + 1;
  for (let i = 0; i < half; i += 1) {
    const to = order[i]! * count;
    // In the transform of real values, the upper half of a line is the conjugate of the lower half.
    const other = i > 0 && i < width / 2 ? order[width - i]! * count : -1;
    for (let line = 0; line < count; line += 1) {
      const from = (row + line) * half + i;
      part.real[to + line] = spectrum.real[from]!;
      part.imaginary[to + line] = spectrum.imaginary[from]!;
      if (other < 0) continue;
      part.real[other + line] = spectrum.real[from]!;
      part.imaginary[other + line] = -spectrum.imaginary[from]!;
    }
  }
  transformBeside(part, width, count);
}

const tables: Map<number, { cos: Float64Array; sin: Float64Array; order: Uint32Array }> = new Map();

/**
 * Fourier-transforms `count` lines of complex numbers in place: `length` numbers, a power of two, each beside those of the
 * other lines. They come in bit-reversed order and leave in their own. Takes two steps of the transform at once, without
 * arrays, which the inner loop would allocate.
 */
function transformBeside({ real, imaginary }: Complex, length: number, count: number): void {
  const { cos, sin } = makeTransformTable(length);
  let quarter = 1;
  if (Math.log2(length) % 2 === 1) {
    addPairs(real, imaginary, length, count);
    quarter = 2;
  }
  for (; quarter < length; quarter *= 4) {
    const [one, two] = [length / (2 * quarter), length / (4 * quarter)];
    const apart = quarter * count;
    for (let k = 0; k < quarter; k += 1) {
      const [c, s] = [cos[k * one]!, sin[k * one]!];
      const [c1, s1] = [cos[k * two]!, sin[k * two]!];
      const [c2, s2] = [cos[(k + quarter) * two]!, sin[(k + quarter) * two]!];
      for (let block = k; block < length; block += 4 * quarter) {
        const from = block * count;
        for (let a = from; a < from + count; a += 1) {
          const b = a + apart;
          const d = b + apart;
          const e = d + apart;
          let re = real[b]! * c + imaginary[b]! * s;
          let im = imaginary[b]! * c - real[b]! * s;
          const aRe = real[a]! + re;
          const aIm = imaginary[a]! + im;
          const bRe = real[a]! - re;
          const bIm = imaginary[a]! - im;
          re = real[e]! * c + imaginary[e]! * s;
          im = imaginary[e]! * c - real[e]! * s;
          const dRe = real[d]! + re;
          const dIm = imaginary[d]! + im;
          const eRe = real[d]! - re;
          const eIm = imaginary[d]! - im;
          re = dRe * c1 + dIm * s1;
          im = dIm * c1 - dRe * s1;
          real[a] = aRe + re;
          imaginary[a] = aIm + im;
          real[d] = aRe - re;
          imaginary[d] = aIm - im;
          re = eRe * c2 + eIm * s2;
          im = eIm * c2 - eRe * s2;
          real[b] = bRe + re;
          imaginary[b] = bIm + im;
          real[e] = bRe - re;
          imaginary[e] = bIm - im;
        }
      }
    }
  }
}

/** The first step of the transform: sums and differences of neighbours. */
function addPairs(real: Float64Array, imaginary: Float64Array, length: number, count: number): void {
  for (const values of [real, imaginary]) {
    for (let block = 0; block < length * count; block += 2 * count) {
      for (let a = block; a < block + count; a += 1) {
        const one = values[a]!;
        const other = values[a + count]!;
        values[a] = one + other;
        values[a + count] = one - other;
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
