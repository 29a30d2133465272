/** Velocities that are measured in synthetic pulsatile flow (streaks.ts), with the window that is chosen for it. */
import { convertVelocity, type Method, type VelocityAt } from "../../static/measure/flow/velocity.ts";
import {
  hasCountedVelocity,
  summarizeVelocities,
  type Summary,
} from "../../static/measure/flow/velocity_summary.ts";
import { measuredIn } from "../page/synthetic.ts";
import { streaks } from "./streaks.ts";

/** Flow between 303 and 903 µm/s, or steady flow of 603 µm/s. */
export interface Pulses {
  /** Hertz; 0 is steady, `Infinity` accelerates from 303 to 903 µm/s over the recording. */
  readonly frequency: number;
  readonly noise: number;
  /** Seconds of the recording. */
  readonly duration?: number;
  /** Seconds from line to line. */
  readonly lineTime?: number;
  readonly columns?: number;
  /** Seconds from pixel to pixel; 0 scans a line at once. */
  readonly pixelTime?: number;
  /** Half of the recordings run backwards. */
  readonly recordings: number;
  /** Lines; chosen by default. */
  readonly window?: number;
  readonly method?: Method;
}

/** Micrometres from pixel to pixel. */
const PIXEL = 0.5;

/** Micrometres a second. */
const [MEAN, AMPLITUDE] = [603, 300];

/**
 * Measures all recordings, half of the window apart. `off` is the error as a part of the true velocity in the middle of the
 * window, `covered` the share of numbers whose 95 % interval contains the truth; summaries are in µm/s of forward flow.
 */
export function measuredPulses(what: Pulses) {
  const { frequency, noise, duration = 1.25, lineTime = 0.001, columns = 100, recordings } = what;
  const axes = [{ step: lineTime, unit: "seconds" }, { step: PIXEL, unit: "um" }] as const;
  const lines = Math.round(duration / lineTime);
  const pixelTime = (what.pixelTime ?? 0) / lineTime;
  const { speed, way } = flowOf(frequency, duration);
  const all: VelocityAt[] = [];
  const numbers: (VelocityAt & { off: number })[] = [];
  const [windows, summaries]: [number[], Summary[]] = [[], []];
  for (let i = 0; i < recordings; i += 1) {
    const sign = i % 2 === 0 ? 1 : -1;
    const samples = streaks({
      lines,
      columns,
      velocity: (line) => sign * way(line * lineTime) / PIXEL,
      noise,
      seed: 1 + i,
      pixelTime,
    });
    const plane = { samples, shape: [lines, columns] as const };
    const { found, settings: { window } } = measuredIn("velocity", plane, {
      window: what.window,
      method: what.method ?? (what.window === undefined ? undefined : "autocorrelation"),
    }, { axes, pixelTime: what.pixelTime ?? 0 });
    all.push(...found);
    for (const number of found.filter(hasCountedVelocity)) {
      const truth = sign * speed((number.line + pixelTime * columns / 2) * lineTime);
      numbers.push({ ...number, off: convertVelocity(number.velocity, axes) / truth - 1 });
    }
    windows.push(window);
    const { cycle, median, ...counts } = summarizeVelocities(found, window);
    const forward = (velocity: number) => sign * convertVelocity(velocity, axes);
    summaries.push({
      ...counts,
      median: forward(median),
      cycle: cycle === null ? null : { ...cycle, mean: forward(cycle.mean) },
    });
  }
  const covered = numbers.filter(({ off, error }) => Math.abs(off) <= 1.96 * error * (1 + off)).length;
  return { all, numbers, covered: covered / numbers.length, windows, summaries };
}

/** Speed in µm/s and way in µm at a time in seconds. */
function flowOf(frequency: number, duration: number) {
  if (frequency === 0) return { speed: () => MEAN, way: (time: number) => MEAN * time };
  if (frequency === Infinity) {
    const [start, growth] = [MEAN - AMPLITUDE, 2 * AMPLITUDE / duration];
    return {
      speed: (time: number) => start + growth * time,
      way: (time: number) => start * time + growth * time * time / 2,
    };
  }
  const turn = 2 * Math.PI * frequency;
  return {
    speed: (time: number) => MEAN + AMPLITUDE * Math.sin(turn * time),
    way: (time: number) => MEAN * time - AMPLITUDE / turn * Math.cos(turn * time),
  };
}
