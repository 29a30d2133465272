/** Least squares by the Levenberg-Marquardt algorithm. */
import { findGreatest } from "./traces.ts";

/** The normal equations of a model at its present parameters. */
export interface Equations {
  /** Sum of the squared differences. */
  misfit: number;
  /** Sums of products of the model's derivatives by two parameters. */
  bend: number[][];
  /** Sums of products of each derivative and the difference. */
  slope: readonly number[];
}

/** The sums of normal equations, to which one value after the other is added. */
export class EquationSums {
  #misfit = 0;
  readonly #slope: Float64Array;
  /** The lower triangle of a symmetric table, row-major. */
  readonly #bend: Float64Array;

  /** @param size number of parameters */
  constructor(size: number) {
    this.#slope = new Float64Array(size);
    this.#bend = new Float64Array(size * size);
  }

  /**
   * Adds a value.
   *
   * @param by the model's derivatives by each parameter
   * @param off the value less that of the model
   */
  add(by: ArrayLike<number>, off: number, weight = 1): void {
    const [slope, bend] = [this.#slope, this.#bend];
    const { length } = slope;
    this.#misfit += weight * off * off;
    for (let i = 0; i < length; i += 1) {
      const one = weight * by[i]!;
      slope[i]! += one * off;
      for (let j = 0; j <= i; j += 1) bend[i * length + j]! += one * by[j]!;
    }
  }

  equations(): Equations {
    const { length } = this.#slope;
    const at = (i: number, j: number) => this.#bend[Math.max(i, j) * length + Math.min(i, j)]!;
    const bend = Array.from({ length }, (_, i) => Array.from({ length }, (_, j) => at(i, j)));
    return { misfit: this.#misfit, bend, slope: [...this.#slope] };
  }
}

/** A factor `e^power`, at most `e^most` and at least its inverse, so that a step cannot overflow. */
export const boundFactor = (power: number, most: number): number =>
  Math.exp(Math.min(most, Math.max(-most, power)));

/** Largest number of steps of a fit; most fits end after ten. */
const MOST_STEPS = 40;

/**
 * Fits the parameters of a model, from a start; `misfit` is the sum of the squared differences.
 *
 * @param moved adds a move and keeps parameters within their bounds
 */
export function fitLeastSquares<P>(
  start: P,
  equations: (parameters: P) => Equations,
  moved: (parameters: P, move: readonly number[]) => P,
): {
  best: P;
  misfit: number;
} {
  let best = start;
  let { misfit, bend, slope } = equations(best);
  let damping = 1e-2;
  for (let step = 0; step < MOST_STEPS && damping < 1e9; step += 1) {
    const damped = bend.map((row, i) => row.map((value, j) => i === j ? value * (1 + damping) : value));
    const move = solveEquations(damped, slope);
    const next = move === null ? null : moved(best, move);
    const found = next === null ? null : equations(next);
    if (next === null || found === null || !(found.misfit < misfit)) {
      damping *= 6;
      continue;
    }
    const gain = (misfit - found.misfit) / misfit;
    best = next;
    ({ misfit, bend, slope } = found);
    if (gain < 1e-7) break;
    damping /= 8;
  }
  return { best, misfit };
}

/** A Gaussian on a constant level; `centre` and `sigma` in values. */
type Gaussian = { level: number; size: number; centre: number; sigma: number };

/** Fits a Gaussian to values one place apart, from a start. @param bounded keeps parameters within their bounds */
export const fitGaussian = (
  values: Float64Array,
  start: Gaussian,
  bounded: (model: Gaussian) => Gaussian,
): Gaussian =>
  fitLeastSquares(
    start,
    (model) => writeGaussianEquations(values, model),
    (model, [level = 0, size = 0, centre = 0, power = 0]) =>
      bounded({
        level: model.level + level,
        size: model.size + size,
        centre: model.centre + centre,
        sigma: model.sigma * boundFactor(power, 1),
      }),
  ).best;

/** Equations of a Gaussian; the last parameter is the logarithm of `sigma`. */
function writeGaussianEquations(values: Float64Array, { level, size, centre, sigma }: Gaussian): Equations {
  const sums = new EquationSums(4);
  for (const [x, value] of values.entries()) {
    const distance = (x - centre) / sigma;
    const shape = Math.exp(-distance * distance / 2);
    const difference = value - level - size * shape;
    const slopes = [1, shape, size * shape * distance / sigma, size * shape * distance * distance];
    sums.add(slopes, difference);
  }
  return sums.equations();
}

/** Solves symmetric linear equations by Gaussian elimination; 0 for a parameter without influence. */
function solveEquations(rows: number[][], right: readonly number[]): number[] | null {
  const size = right.length;
  const table = rows.map((row, i) => Float64Array.of(...row, right[i] ?? NaN));
  const swap = (i: number, j: number) => [table[i], table[j]] = [table[j]!, table[i]!];
  for (let i = 0; i < size; i += 1) {
    const column = table.map((row) => Math.abs(row[i]!));
    swap(i, findGreatest(column, i, size));
    const row = table[i]!;
    const lead = row[i]!;
    if (!(Math.abs(lead) > 0)) {
      table[i] = row.map((_, j) => j === i ? 1 : 0);
      continue;
    }
    for (const [j, other] of table.entries()) {
      if (j === i) continue;
      const part = other[i]! / lead;
      for (let k = i; k <= size; k += 1) other[k]! -= part * row[k]!;
    }
  }
  const found = table.map((row, i) => row[size]! / row[i]!);
  return found.every(Number.isFinite) ? found : null;
}
