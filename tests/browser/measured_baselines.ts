/** Events that are measured, as the page does, in synthetic traces whose baseline drifts, with their errors. */
import { EVENTS } from "../../static/measure/events/mod.ts";
import {
  type Band,
  completeSettings,
  measureInThread,
  type Settings,
} from "../../static/measure/measurement.ts";
import { NEW_TRACE } from "../../static/measure/light/band_trace.ts";
import type { TraceSettings } from "../../static/measure/light/baseline.ts";
import { writeTiffFile } from "../../static/measure/tiff.ts";
import { course } from "../page/synthetic.ts";
import { normalNumbers, randomNumbers } from "./streaks.ts";

/** How a trace is made. */
export interface Drift {
  readonly name: string;
  /** Baseline at a part of the recording, from 0 to 1, in a random phase; 100 on average. */
  readonly baseline: (part: number, phase: number) => number;
  /** Whether transients are a part of the baseline, as with bleaching, or add to it. */
  readonly isOfBaseline: boolean;
  /** Standard deviation of the noise as a part of the transients' height; 0 for none. */
  readonly noise: number;
  readonly count: number;
  /** Height of the lowest transient as a part of the highest. */
  readonly least?: number;
  readonly rise?: number;
  readonly decay?: number;
}

/** Falls by 40 % over the recording, and sways by 40 % from crest to trough. */
const swaying = (part: number, phase: number) =>
  125 * (1 - 0.4 * part) * (1 + 0.2 * Math.sin(2 * Math.PI * (2.5 * part + phase)));

/** Bleaches to 40 %, half of it within an eighth of the recording. */
const bleaching = (part: number) => 80 + 120 * Math.exp(-part / 0.18);

const FLAT = () => 100;

/** The kinds of the table. */
export const DRIFTS: readonly Drift[] = [
  { name: "falls and sways by 40 %", baseline: swaying, isOfBaseline: true, noise: 0, count: 12 },
  { name: "falls and sways by 40 %", baseline: swaying, isOfBaseline: true, noise: 0.05, count: 12 },
  { name: "falls and sways by 40 %", baseline: swaying, isOfBaseline: true, noise: 0.1, count: 12 },
  { name: "falls and sways by 40 %, added", baseline: swaying, isOfBaseline: false, noise: 0.1, count: 12 },
  { name: "bleaches to 40 %", baseline: bleaching, isOfBaseline: true, noise: 0.1, count: 12 },
  { name: "steady, heights 0.2 to 1", baseline: FLAT, isOfBaseline: true, noise: 0, count: 8, least: 0.2 },
  { name: "steady, heights 0.2 to 1", baseline: FLAT, isOfBaseline: true, noise: 0.02, count: 8, least: 0.2 },
  { name: "steady, heights 0.5 to 1", baseline: FLAT, isOfBaseline: true, noise: 0.1, count: 8, least: 0.5 },
  { name: "steady, no transients", baseline: FLAT, isOfBaseline: true, noise: 0.1, count: 0 },
];

/** Lines from one transient to the next, on average, and highest ΔF/F₀. */
const [APART, CHANGE] = [500, 0.5];

/** A trace, and the truth about it. */
export function driftingTrace(
  { baseline, isOfBaseline, noise, count, least = 1, rise = 5, decay = 40 }: Drift,
  seed: number,
) {
  const random = randomNumbers(seed);
  const normal = normalNumbers(random);
  const { at: shape, peak } = course(rise, decay);
  const length = APART * Math.max(8, count);
  const phase = random();
  const f0 = Float64Array.from({ length }, (_, line) => baseline(line / length, phase));
  const events = Array.from({ length: count }, (_, i) => {
    const start = (i + 0.2 + 0.4 * random()) * APART;
    const change = CHANGE * (least + (1 - least) * random());
    const below = f0[Math.round(start + peak)]!;
    const amplitude = change * (isOfBaseline ? below : 100);
    return { peak: start + peak, start, change, amplitude, relative: amplitude / below };
  });
  const trace = f0.map((below, line) => {
    const change = events.reduce((sum, one) => sum + one.change * shape(line - one.start), 0);
    const light = below + change * (isOfBaseline ? below : 100);
    return light + noise * CHANGE * 100 * Math.sqrt(light / 100) * normal();
  });
  return { trace, f0, events, decay };
}

/** A line scan of four equal columns of 1 µm with this trace, in lines of 1 ms, as a TIFF. */
export function driftingScan(trace: Float64Array): Uint8Array<ArrayBuffer> {
  const samples = Float32Array.from({ length: 4 * trace.length }, (_, i) => trace[i >> 2]!);
  const axes = [{ step: 0.001, unit: "seconds" }, { step: 1, unit: "um" }] as const;
  return writeTiffFile(samples, [trace.length, 4], axes, "");
}

/** Measures the events of a trace of 1 ms lines, with the settings that the page suggests unless others are given. */
export function eventsIn(trace: Float64Array, traces: TraceSettings, settings: Settings = {}) {
  const plane = { samples: Float32Array.from(trace), shape: [trace.length, 1] as const };
  const band: Band = {
    columns: [0, 1],
    axes: [{ step: 0.001, unit: "seconds" }, { step: 1, unit: "um" }],
    lines: trace.length,
    pixelTime: 0,
    isTyped: false,
    trace: traces,
  };
  return measureInThread(EVENTS, plane, band, completeSettings(EVENTS, settings, band));
}

/** What is found in ten traces: amplitudes as parts of the true ones, less 1; `between` counts peaks below the threshold. */
export function measuredDrift(drift: Drift, traces: TraceSettings = NEW_TRACE, settings: Settings = {}) {
  let [missed, extra, all, between] = [0, 0, 0, 0];
  const amplitudes: number[] = [];
  for (let seed = 1; seed <= 10; seed += 1) {
    const { trace, events, decay } = driftingTrace(drift, seed);
    const { found, settings: used } = eventsIn(trace, traces, settings);
    between += used.between!;
    all += events.length;
    extra += found.length;
    for (const { peak, relative, amplitude } of events) {
      const event = found.find(({ line }) => Math.abs(line - peak) < decay);
      if (event === undefined) {
        missed += 1;
        continue;
      }
      extra -= 1;
      amplitudes.push(event.amplitude / (traces.isChange ? relative : amplitude) - 1);
    }
  }
  return { missed, extra, all, between, amplitudes };
}
