/** Least squares by the Levenberg-Marquardt algorithm. */

/** The normal equations of a model at its present parameters. */
export interface Equations {
  /** Sum of the squared differences. */
  misfit: number;
  /** Sums of products of the model's derivatives by two parameters. */
  bend: number[][];
  /** Sums of products of each derivative and the difference. */
  slope: readonly number[];
}

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
  fitLeastSquares(start, (model) => writeGaussianEquations(values, model), (model, move) =>
    bounded({
      level: model.level + move[0]!,
      size: model.size + move[1]!,
      centre: model.centre + move[2]!,
      sigma: model.sigma * Math.exp(Math.min(1, Math.max(-1, move[3]!))),
    })).best;

/** Equations of a Gaussian; the last parameter is the logarithm of `sigma`. */
function writeGaussianEquations(values: Float64Array, { level, size, centre, sigma }: Gaussian): Equations {
  const slope = [0, 0, 0, 0];
  const bend = slope.map(() => [0, 0, 0, 0]);
  let misfit = 0;
  for (const [x, value] of values.entries()) {
    const distance = (x - centre) / sigma;
    const shape = Math.exp(-distance * distance / 2);
    const difference = value - level - size * shape;
    const slopes = [1, shape, size * shape * distance / sigma, size * shape * distance * distance];
    misfit += difference * difference;
    for (const [i, one] of slopes.entries()) {
      slope[i]! += one * difference;
      for (const [j, other] of slopes.entries()) bend[i]![j]! += one * other;
    }
  }
  return { misfit, bend, slope };
}

/** Solves symmetric linear equations by Gaussian elimination; 0 for a parameter without influence. */
function solveEquations(rows: number[][], right: readonly number[]): number[] | null {
  const size = right.length;
  const table = rows.map((row, i) => [...row, right[i]]);
  for (let i = 0; i < size; i += 1) {
    let most = i;
    for (let j = i + 1; j < size; j += 1) if (Math.abs(table[j]![i]!) > Math.abs(table[most]![i]!)) most = j;
    [table[i], table[most]] = [table[most]!, table[i]!];
    if (!(Math.abs(table[i]![i]!) > 0)) {
      table[i] = table[i]!.map((_, j) => j === i ? 1 : 0);
      continue;
    }
    for (let j = 0; j < size; j += 1) {
      if (j === i) continue;
      const part = table[j]![i]! / table[i]![i]!;
      for (let k = i; k <= size; k += 1) table[j]![k]! -= part * table[i]![k]!;
    }
  }
  const found = table.map((row, i) => row[size]! / row[i]!);
  return found.every(Number.isFinite) ? found : null;
}
