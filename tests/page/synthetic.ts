/** Synthetic recordings whose truth is what made them: vessels, pulses and sparks. */
import { edge } from "./cells.ts";
import { noise } from "./noise.ts";

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
  return { plane: { samples, shape: [rows, columns] }, truth };
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
  const at = (t: number) => shape(t) / shape(peak);
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
  return { plane: { samples, shape: [rows, columns] }, peaks, duration };
}
