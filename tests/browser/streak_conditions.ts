/**
 * Line scans as laboratories record them, with a truth that is known: cells that stop, two flows in one line, lost focus,
 * mains hum, breathing, correlated noise, shaking lines, clipped samples, sparse cells, a wall that drifts, and no flow.
 * 1 ms a line, 0.5 µm a pixel.
 */
import { normalNumbers, randomNumbers, streaks } from "./streaks.ts";

/** Seconds a line, micrometres a pixel, pixels of a line, pixels a line that cells move. */
export const [LINE_TIME, PIXEL, COLUMNS, SPEED] = [0.001, 0.5, 100, 0.8] as const;

/** A recording and what is true in it. */
export interface Condition {
  /** Row-major. */
  readonly samples: Float32Array;
  /** Pixels per line at a line; `null` where no number is right, as nothing flows or nothing is seen. */
  readonly velocity: (line: number) => number | null;
  /** The same of a second flow. */
  readonly second?: number;
  /** Share of the time in which cells stand still. */
  readonly rest?: number;
}

/** Makes a recording of so many lines. */
export type Kind = (seed: number, lines: number) => Condition;

const field = { columns: COLUMNS } as const;
const numbers = (seed: number) => normalNumbers(randomNumbers(seed + 7000));
const lineOf = (i: number) => Math.floor(i / COLUMNS);
const columnOf = (i: number) => i % COLUMNS;
/** Half of the recordings run backwards. */
const signOf = (seed: number) => seed % 2 === 0 ? 1 : -1;
const nothing = () => null;

/** Cells that move by {@linkcode SPEED}, changed by `change`, with noise. */
const flowing = (
  noise: number,
  change: (samples: Float32Array, seed: number) => Float32Array = (samples) => samples,
): Kind =>
(seed, lines) => {
  const velocity = signOf(seed) * SPEED;
  const samples = change(streaks({ ...field, lines, velocity, noise, seed }), seed);
  return { samples, velocity: () => velocity };
};

/** From 1 to 4 stops take 29 % of the recording together. */
const stalls: Kind = (seed, lines) => {
  const count = 1 + seed % 4;
  const [period, stop] = [lines / count, 0.29 * lines / count];
  const start = (0.1 + 0.6 * randomNumbers(seed)()) * (period - stop);
  const isAtRest = (line: number) => line % period >= start && line % period < start + stop;
  const ways = new Float64Array(lines + 2);
  const speed = signOf(seed) * SPEED;
  for (let i = 1; i < ways.length; i += 1) ways[i] = ways[i - 1]! + (isAtRest(i - 0.5) ? 0 : speed);
  const way = (time: number) => {
    const [line, part] = [Math.floor(time), time - Math.floor(time)];
    return ways[line]! + part * ((ways[line + 1] ?? ways[line]!) - ways[line]!);
  };
  return {
    samples: streaks({ ...field, lines, velocity: way, noise: 0.5, seed }),
    velocity: (line) => isAtRest(line) ? 0 : speed,
    rest: 0.29,
  };
};

/** Side by side, or over each other. */
const twoFlows: Kind = (seed, lines) => {
  const [one, other] = [SPEED, -0.6 * SPEED];
  const first = streaks({ ...field, lines, velocity: one, noise: 0.3, seed });
  const last = streaks({ ...field, lines, velocity: other, noise: 0.3, seed: seed + 500 });
  const samples = seed % 2 === 0
    ? first.map((value, i) => columnOf(i) < COLUMNS / 2 ? value : last[i]!)
    : first.map((value, i) => value + last[i]!);
  return { samples, velocity: () => one, second: other };
};

/** For 0.15 s at two places, the image blurs, blurs and darkens, or vanishes. */
const lostFocus: Kind = (seed, lines) => {
  const random = randomNumbers(seed);
  const places = [0.3, 0.7].map((part) => lines * (part + 0.1 * random()));
  const isLost = (line: number) => places.some((place) => Math.abs(line - place) < 75);
  const velocity = signOf(seed) * SPEED;
  const sharp = streaks({ ...field, lines, velocity, noise: 0, seed });
  const normal = numbers(seed);
  const left = [1, 0.5, 0][seed % 3]!;
  const samples = sharp.map((value, i) => {
    if (!isLost(lineOf(i))) return value + 3 * normal();
    const start = lineOf(i) * COLUMNS;
    let [sum, count] = [0, 0];
    for (let at = Math.max(0, columnOf(i) - 10); at <= Math.min(COLUMNS - 1, columnOf(i) + 10); at += 1) {
      sum += sharp[start + at]!;
      count += 1;
    }
    return (left === 0 ? 60 : left * sum / count) + 3 * normal();
  });
  return { samples, velocity: () => velocity };
};

/** A pattern that never moves. */
const pattern = (seed: number, lines: number, shift: (time: number) => number = () => 0, width = 5) =>
  streaks({ ...field, lines, velocity: shift, noise: 0, seed, width, distance: 3 * width });

/** The lines of a recording are not scanned at once: a wave passes along them. Changes the brightness by a tenth, or adds to it. */
const hum = (hertz: number): Kind => (seed, lines) => {
  const normal = numbers(seed);
  const samples = pattern(seed, lines).map((value, i) => {
    const time = (lineOf(i) + columnOf(i) / COLUMNS) * LINE_TIME;
    const wave = Math.sin(2 * Math.PI * (hertz * time + seed / 10));
    return (seed % 2 === 0 ? value * (1 + 0.1 * wave) : value + 10 * wave) + 3 * normal();
  });
  return { samples, velocity: nothing, rest: 1 };
};

/** A pattern of cells of a width shifts by 2 to 5 pixels, one to two times a second. */
const breathing = (width: number): Kind => (seed, lines) => {
  const normal = numbers(seed);
  const [far, rate] = [2 + seed % 4, 1 + 0.1 * (seed % 10)];
  const shift = (time: number) => far * Math.sin(2 * Math.PI * rate * time * LINE_TIME) ** 3;
  return {
    samples: pattern(seed, lines, shift, width).map((value) => value + 5 * normal()),
    velocity: nothing,
  };
};

/** A bright wall that moves by 8 pixels during the recording, without flow or beside it. */
const driftingWall: Kind = (seed, lines) => {
  const normal = numbers(seed);
  const velocity = signOf(seed >> 1) * SPEED;
  const flow = seed % 2 === 0 ? null : streaks({ ...field, lines, velocity, noise: 0, seed });
  const samples = Float32Array.from({ length: lines * COLUMNS }, (_, i) => {
    const place = 18 + 8 * lineOf(i) / lines;
    const wall = 80 * Math.exp(-(((columnOf(i) - place) / 4) ** 2) / 2);
    return (flow?.[i] ?? 100) + wall + 5 * normal();
  });
  return { samples, velocity: flow === null ? nothing : () => velocity };
};

/** Noise as strong as the cells, which resembles that of the pixel or line before it. */
const resembling = (part: number, before: number) => (samples: Float32Array, seed: number) => {
  const normal = numbers(seed);
  const noise = new Float64Array(samples.length);
  for (let i = 0; i < noise.length; i += 1) {
    noise[i] = part * (noise[i - before] ?? 0) + Math.sqrt(1 - part * part) * normal();
  }
  return samples.map((value, i) => value + 10 * noise[i]!);
};

/** Each line lies up to a pixel or so off. */
function shaken(samples: Float32Array, seed: number): Float32Array {
  const normal = numbers(seed);
  const shifts = Float64Array.from({ length: samples.length / COLUMNS }, () => 0.6 * normal());
  const still = normalNumbers(randomNumbers(seed + 9000));
  return samples.map((_, i) => {
    const place = Math.min(COLUMNS - 1.001, Math.max(0, columnOf(i) + shifts[lineOf(i)]!));
    const left = lineOf(i) * COLUMNS + Math.floor(place);
    const part = place - Math.floor(place);
    return (1 - part) * samples[left]! + part * samples[left + 1]! + 5 * still();
  });
}

/** Cells five times as far from each other, bright. */
const sparse: Kind = (seed, lines) => {
  const velocity = signOf(seed) * SPEED;
  const samples = streaks({ ...field, lines, velocity, noise: 0.3, seed, distance: 70 });
  return { samples: samples.map((value) => 200 - value), velocity: () => velocity };
};

/** Between 0.5 and 1.5 times the speed, backwards, five times a second. */
const backwardPulse: Kind = (seed, lines) => {
  const turn = 2 * Math.PI * 5 * LINE_TIME;
  const way = (time: number) => -SPEED * (time - 0.5 / turn * Math.cos(turn * time));
  return {
    samples: streaks({ ...field, lines, velocity: way, noise: 0.5, seed }),
    velocity: (line) => -SPEED * (1 + 0.5 * Math.sin(turn * line)),
  };
};

/** Noise alone, and a pattern that never moves, faint or clear. */
const noFlow = (depth: number): Kind => (seed, lines) => {
  const normal = numbers(seed);
  return {
    samples: pattern(seed, lines).map((value) => depth * value + 10 * normal()),
    velocity: nothing,
    ...depth > 0.5 && { rest: 1 },
  };
};

/** By the names of the table. */
export const CONDITIONS: Readonly<Record<string, Kind>> = {
  "steady flow": flowing(0.5),
  "at rest for 29 % of the time": stalls,
  "two opposite flows": twoFlows,
  "focus lost for 0.15 s": lostFocus,
  "hum of 50 Hz on a pattern": hum(50),
  "hum of 100 Hz on a pattern": hum(100),
  "breathing": breathing(5),
  "breathing, wide cells": breathing(15),
  "noise correlated along the line": flowing(0, resembling(0.7, 1)),
  "noise correlated over lines": flowing(0, resembling(0.7, COLUMNS)),
  "lines that shake": flowing(0, shaken),
  "clipped samples": flowing(0.5, (samples) => samples.map((value) => Math.min(102, value))),
  "sparse bright cells": sparse,
  "a wall that drifts": driftingWall,
  "backward pulse of 5 Hz": backwardPulse,
  "noise alone": noFlow(0),
  "a faint pattern": noFlow(0.2),
  "no flow": noFlow(2),
};
