/** Line scans with cells in single file, whose number is known. */
import { noise } from "./noise.ts";

/** An edge that a Gaussian blurs; the error function by Abramowitz and Stegun 7.1.26, to 2e-7. */
export function edge(x: number, blur: number): number {
  const z = Math.abs(x) / (Math.SQRT2 * blur);
  const t = 1 / (1 + 0.3275911 * z);
  const tail = t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const erf = 1 - tail * Math.exp(-z * z);
  return (1 + Math.sign(x) * erf) / 2;
}

/** Parameters of the cells. */
export interface Cells {
  readonly lines: number;
  readonly columns: number;
  /** Columns a line. */
  readonly velocity: number;
  /** The velocity changes by this part of itself, over 200 lines. */
  readonly pulse?: number;
  /** Columns of a cell; its standard deviation is a tenth of that. */
  readonly length: number;
  /** Mean part of the line under cells; gaps are exponential, so that some cells touch. */
  readonly coverage: number;
  /** Depth of a cell over the noise of a sample. */
  readonly snr: number;
  readonly seed: number;
}

/** Samples, and the lines at which the middles of cells pass the middle column. */
export function cells({ lines, columns, velocity, pulse = 0, length, coverage, snr, seed }: Cells) {
  const { uniform, normal } = noise(seed);
  const way = (line: number) =>
    velocity * (line + pulse * 200 / (2 * Math.PI) * (1 - Math.cos(2 * Math.PI * line / 200)));
  const [blur, fine, margin] = [1, 8, 100];
  const span = Math.abs(way(lines)) + columns + 2 * margin;
  const low = Math.min(0, -way(lines)) - margin;
  const depth = new Float64Array(Math.ceil(span * fine));
  const middles: number[] = [];
  for (let at = low + 20; at < low + span - 20;) {
    const end = at + length * (1 + 0.1 * normal());
    middles.push((at + end) / 2);
    const [first, last] = [
      Math.max(0, (at - 5 - low) * fine),
      Math.min(depth.length, (end + 5 - low) * fine),
    ];
    for (let i = Math.floor(first); i < last; i += 1) {
      const place = i / fine + low;
      depth[i]! += edge(place - at, blur) - edge(place - end, blur);
    }
    at = end - Math.log(1 - uniform()) * length * (1 - coverage) / coverage;
  }
  const samples = Float32Array.from({ length: lines * columns }, (_, i) => {
    const place = (i % columns - way(Math.floor(i / columns)) - low) * fine;
    const left = Math.floor(place);
    const value = depth[left]! * (left + 1 - place) + depth[left + 1]! * (place - left);
    return 200 - 100 * value + normal() * 100 / snr;
  });
  const passed: number[] = [];
  for (let line = 1; line < lines; line += 1) {
    const [before, after] = [line - 1, line].map((one) => (columns - 1) / 2 - way(one));
    const [from, to] = [Math.min(before!, after!), Math.max(before!, after!)];
    for (const middle of middles) if (middle > from && middle <= to) passed.push(line);
  }
  return { plane: { samples, shape: [lines, columns] }, passed };
}
