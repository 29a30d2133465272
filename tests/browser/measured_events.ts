/** Events that are measured in synthetic transients with photon noise, with their errors. */
import { computeNoiseThreshold, findEvents } from "../../static/measure/events/events.ts";
import { course } from "../page/synthetic.ts";
import { normalNumbers, randomNumbers } from "./streaks.ts";

/** A transient with the time constants of its rise and its decay in lines. */
export interface Transients {
  readonly rise: number;
  readonly decay: number;
  /** Amplitude over the noise at the baseline. */
  readonly signal: number;
  /** Lines from the first transient of each pair to the second one, which is 0.8 times as high; null for single ones. */
  readonly gap?: number | null;
  readonly traces: number;
}

/** Baseline and height of the first transient. */
const [BASELINE, HEIGHT] = [100, 50];

const COUNT = 4;

/** What is found: amplitudes and prominences as parts of the true ones, less 1; rises in lines. */
export function measuredTransients({ rise, decay, signal, gap = null, traces }: Transients) {
  const { at: shape, peak: top } = course(rise, decay);
  const random = randomNumbers(3);
  const normal = normalNumbers(random);
  const distance = Math.ceil(15 * decay + (gap ?? 0));
  let [missed, extra] = [0, 0];
  const [amplitude, prominence, rises]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < traces; i += 1) {
    const events = Array.from({ length: COUNT }, (_, k) => {
      const start = (k + 0.3) * distance + random();
      return [
        { start, height: HEIGHT },
        ...(gap === null ? [] : [{ start: start + gap, height: 0.8 * HEIGHT }]),
      ];
    }).flat();
    const trace = Float64Array.from({ length: COUNT * distance }, (_, line) => {
      const light = events.reduce((sum, { start, height }) => sum + height * shape(line - start), BASELINE);
      return light + HEIGHT / signal * Math.sqrt(light / BASELINE) * normal();
    });
    const measured = findEvents(trace, computeNoiseThreshold(trace));
    extra += measured.length;
    const reach = Math.min(decay, (gap ?? Infinity) / 2);
    for (const { start, height } of events) {
      const event = measured.find(({ peak }) => Math.abs(peak - start - top) < reach);
      if (event === undefined) {
        missed += 1;
        continue;
      }
      extra -= 1;
      amplitude.push(event.amplitude / height - 1);
      prominence.push(event.prominence / height - 1);
      rises.push(event.rise);
    }
  }
  return { missed, extra, amplitude, prominence, rises };
}

/** Mean and standard deviation of those that are numbers. */
export function spread(values: readonly number[]): { mean: number; deviation: number } {
  const there = values.filter((value) => !Number.isNaN(value));
  const mean = there.reduce((sum, value) => sum + value, 0) / there.length;
  const squares = there.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / there.length) };
}
