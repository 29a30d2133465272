/** Synthetic recordings whose truth is what made them (cells, vessels, pulses and sparks), and what is measured in them. */
import type { DiameterAt } from "../../static/measure/diameter/diameter.ts";
import type { FluxAt } from "../../static/measure/flow/flux.ts";
import { type Band, completeSettings, measureInThread } from "../../static/measure/measurement.ts";
import type { ScanSamples } from "../../static/measure/line_scan.ts";
import { MEASUREMENTS } from "../../static/measure/measurements.ts";
import type { RejectedSpark, Spark } from "../../static/measure/sparks/sparks.ts";
import { PLAIN_TRACE } from "../../static/measure/light/band_trace.ts";
import type { VelocityAt } from "../../static/measure/flow/velocity.ts";

interface Items {
  velocity: VelocityAt;
  diameter: DiameterAt;
  flux: FluxAt;
  sparks: Spark;
}

/** Measures as the page does, by default whole lines of 1 ms, and columns of 1 µm, with the settings that the page suggests. */
export function measuredIn<K extends keyof Items>(
  key: K,
  plane: ScanSamples,
  settings: Readonly<Record<string, unknown>> = {},
  part: Partial<Band> = {},
): {
  found: Items[K][];
  settings: Readonly<Record<string, unknown>> & { window: number };
  rejected?: RejectedSpark[];
} {
  const measurement = MEASUREMENTS.find((one) => one.key === key)!;
  const band = bandOf(plane, part);
  return measureInThread(
    measurement,
    plane,
    band,
    completeSettings(measurement, settings, band),
  ) as ReturnType<
    typeof measuredIn<K>
  >;
}

/** Whole lines of 1 ms, and columns of 1 µm, with other facts. */
export const bandOf = ({ shape }: ScanSamples, part: Partial<Band> = {}): Band => ({
  columns: [0, shape[1]!],
  axes: [{ step: 0.001, unit: "seconds" }, { step: 1, unit: "um" }],
  lines: shape[0]!,
  pixelTime: 0,
  isTyped: false,
  trace: PLAIN_TRACE,
  ...part,
});

/** Repeatable normal deviates (Box and Muller, over a linear congruential generator). */
export function noise(seed: number): { uniform(): number; normal(): number } {
  const uniform = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) + 0.5) / 2 ** 32;
  return { uniform, normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()) };
}

/** An edge that a Gaussian blurs; the error function by Abramowitz and Stegun 7.1.26, to 2e-7. */
export function edge(x: number, blur: number): number {
  const z = Math.abs(x) / (Math.SQRT2 * blur);
  // Beyond, 1 less the tail is 1 in double precision.
  if (z > 6.5) return x < 0 ? 0 : 1;
  const t = 1 / (1 + 0.3275911 * z);
  const tail = t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const erf = 1 - tail * Math.exp(-z * z);
  return (1 + Math.sign(x) * erf) / 2;
}

/**
 * Cells in single file, of `length` columns with a standard deviation of a tenth of that, and the lines at which their
 * middles pass the middle column. `velocity` in columns a line changes by `pulse` of itself, over 200 lines. `coverage` is
 * the mean part of the line under cells; gaps are exponential, so that some cells touch.
 */
export function cells(
  { lines, columns, velocity, pulse = 0, length, coverage, snr, seed }:
    & Record<"lines" | "columns" | "velocity" | "length" | "coverage" | "snr" | "seed", number>
    & { pulse?: number },
) {
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
  return { plane: { samples, shape: [lines, columns] as const }, passed };
}

/** A vessel of 100 counts over 100, whose diameter pulses by a tenth with a period of 200 lines; 1000 lines of 64 columns. */
export function vessel({ diameter, blur, snr }: { diameter: number; blur: number; snr: number }) {
  const [rows, columns] = [1000, 64];
  const { normal } = noise(7);
  const truth = Float64Array.from(
    { length: rows },
    (_, row) => diameter * (1 + 0.1 * Math.sin(Math.PI * row / 100)),
  );
  const samples = Float32Array.from({ length: rows * columns }, (_, i) => {
    const [x, half] = [i % columns - 32, truth[Math.floor(i / columns)]! / 2];
    return 100 + 100 * (edge(x + half, blur) - edge(x - half, blur)) + normal() * 100 / snr;
  });
  return { plane: { samples, shape: [rows, columns] as const }, truth };
}

/** A trace with a harmonic, drift, gaps and noise of `share` of the amplitude. */
export function pulse(
  { step, duration, frequency, share, seed }: Record<
    "step" | "duration" | "frequency" | "share" | "seed",
    number
  >,
) {
  const { uniform, normal } = noise(seed);
  const phase = 2 * Math.PI * uniform();
  return Float64Array.from({ length: Math.round(duration / step) }, (_, i) => {
    const angle = 2 * Math.PI * frequency * i * step + phase;
    const beat = Math.sin(angle) + 0.4 * Math.sin(2 * angle + 0.7) + share * normal();
    return uniform() < 0.05 ? NaN : 500 + 0.2 * i + 100 * beat;
  });
}

/** Rise and decay as exponentials, with a greatest value of 1. */
export function course(rise: number, decay: number) {
  const shape = (t: number) => t <= 0 ? 0 : (1 - Math.exp(-t / rise)) * Math.exp(-t / decay);
  // Where the slope is 0: exp(-t / rise) = rise / (rise + decay).
  const peak = rise * Math.log((rise + decay) / rise);
  /** Where the shape has half its height, between a place below and one above. */
  const half = (below: number, above: number): number => {
    const middle = (below + above) / 2;
    if (Math.abs(above - below) < 1e-6) return middle;
    return shape(middle) < shape(peak) / 2 ? half(middle, above) : half(below, middle);
  };
  const top = shape(peak);
  const at = (t: number) => shape(t) / top;
  return { at, peak, duration: half(20 * decay, peak) - half(0, peak) };
}

/** 40 sparks of ΔF/F₀ 1 in 2000 lines of 200 columns, a signal-to-noise of `snr` in a sample. */
export function sparks(
  { width, rise, decay, snr, seed }: Record<"width" | "rise" | "decay" | "snr" | "seed", number>,
) {
  const [rows, columns] = [2000, 200];
  const { uniform, normal } = noise(seed);
  const { at, peak, duration } = course(rise, decay);
  const sigma = width / (2 * Math.sqrt(2 * Math.LN2));
  const starts: { line: number; column: number }[] = [];
  while (starts.length < 40) {
    const line = 60 + uniform() * (rows - 160);
    const column = 15 + uniform() * (columns - 30);
    const isApart = starts.every((one) =>
      Math.abs(one.line - line) > 90 || Math.abs(one.column - column) > 35
    );
    if (isApart) starts.push({ line, column });
  }
  const samples = Float32Array.from({ length: rows * columns }, () => 100 + 100 / snr * normal());
  for (const { line, column } of starts) {
    for (let y = Math.ceil(line); y < Math.min(rows, line + 12 * decay); y += 1) {
      for (let x = 0; x < columns; x += 1) {
        samples[y * columns + x]! += 100 * at(y - line) * Math.exp(-((x - column) ** 2) / (2 * sigma ** 2));
      }
    }
  }
  const peaks = starts.map(({ line, column }) => ({ line: line + peak, column }));
  return { plane: { samples, shape: [rows, columns] as const }, peaks, duration };
}
