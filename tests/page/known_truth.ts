/**
 * Recordings of known truth in physical units: sparks and vessels as photons, whose geometry differs from seed to seed.
 * Each kind is a way in which real recordings differ from plain ones.
 */
import type { ScanSamples } from "../../static/measure/line_scan.ts";
import { course, edge, noise } from "./synthetic.ts";

/** A recording, seconds per line and micrometres per column. */
export interface Made {
  plane: ScanSamples;
  lineTime: number;
  pixelSize: number;
}

/** Sparks at their greatest value, in lines and columns. */
export type SparkRecording = Made & { sparks: { line: number; column: number }[] };

/** Width of the lumen and its edges in columns, in each line. */
export type VesselRecording = Made & Record<"diameter" | "left" | "right", Float64Array>;

/** What makes a spark recording of a kind. */
export interface SparkKind {
  /** Photons at rest in a pixel. */
  photons: number;
  count: number;
  /** Depth of the stripes of z-lines, 1.8 µm apart, as a fraction of the light. */
  stripes?: number;
  /** Light that is left at the end. */
  left?: number;
  /** Whether all sparks lie within two micrometres of an end of the line. */
  isAtEnds?: boolean;
}

/** The rows of the table of sparks. */
export const SPARK_KINDS: Readonly<Record<string, SparkKind>> = {
  "20 photons": { photons: 20, count: 60 },
  "8 photons": { photons: 8, count: 60 },
  "4 photons": { photons: 4, count: 60 },
  "2 photons": { photons: 2, count: 60 },
  "no sparks, 8 photons": { photons: 8, count: 0 },
  "no sparks, 2 photons": { photons: 2, count: 0 },
  "no sparks, z-lines, bleaching to 50 %": { photons: 8, count: 0, stripes: 0.4, left: 0.5 },
  "z-lines, bleaching to 50 %": { photons: 8, count: 60, stripes: 0.4, left: 0.5 },
  "z-lines, bleaching to 50 %, 3 photons": { photons: 3, count: 60, stripes: 0.4, left: 0.5 },
  "near the ends of the line": { photons: 8, count: 24, isAtEnds: true },
};

/** Photons that a detector counts where it expects `expected`. */
function photonsOf(expected: number, uniform: () => number, normal: () => number): number {
  if (expected > 60) return Math.max(0, Math.round(expected + Math.sqrt(expected) * normal()));
  const least = Math.exp(-expected);
  let count = -1;
  for (let product = 1; product > least; product *= uniform()) count += 1;
  return count;
}

/** Mixes a seed, so that neighbouring seeds share nothing. */
const mixed = (seed: number) => Math.imul(seed + 1, 2654435761) >>> 0;

/** A recording of a kind. */
export function sparkRecording(
  { photons, count, stripes = 0, left = 1, isAtEnds = false }: SparkKind,
  seed: number,
): SparkRecording {
  const { uniform, normal } = noise(mixed(seed));
  for (let i = 0; i < 10; i += 1) uniform();
  const between = (low: number, high: number) => low + (high - low) * uniform();
  const [pixelSize, lineTime] = [between(0.1, 0.25), between(0.001, 0.0025)];
  const columns = Math.round(between(55, 75) / pixelSize);
  const rows = Math.round(between(4.5, 6) / lineTime);
  const gain = between(1, 8);
  const phase = 2 * Math.PI * uniform();
  const striped = Float64Array.from(
    { length: columns },
    (_, x) => photons * (1 + stripes * Math.cos(2 * Math.PI * x * pixelSize / 1.8 + phase)),
  );
  const light = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    const bleached = left ** (row / rows);
    for (let x = 0; x < columns; x += 1) light[row * columns + x] = striped[x]! * bleached;
  }
  const sparks: SparkRecording["sparks"] = [];
  const rise = new Float64Array(light.length);
  for (let tries = 0; sparks.length < count && tries < 20_000; tries += 1) {
    const line = between(0.1, (rows * lineTime) - 0.25) / lineTime;
    const [width, amplitude] = [between(1.6, 2.6) / pixelSize, between(0.8, 1.6)];
    const [up, decay] = [between(0.004, 0.008) / lineTime, between(0.015, 0.03) / lineTime];
    const inside = between(0.6, 1) * width;
    const column = !isAtEnds
      ? between(3 / pixelSize, columns - 3 / pixelSize)
      : uniform() < 0.5
      ? inside
      : columns - 1 - inside;
    const isApart = sparks.every((one) =>
      Math.abs(one.line - line) * lineTime > 0.15 || Math.abs(one.column - column) * pixelSize > 6
    );
    if (!isApart) continue;
    const { at, peak } = course(up, decay);
    const sigma = width / (2 * Math.sqrt(2 * Math.LN2));
    sparks.push({ line: line + peak, column });
    for (let y = Math.ceil(line); y < Math.min(rows, line + 10 * decay); y += 1) {
      const height = amplitude * at(y - line);
      const [from, to] = [Math.max(0, column - 4 * sigma), Math.min(columns, column + 4 * sigma)];
      for (let x = Math.ceil(from); x < to; x += 1) {
        rise[y * columns + x]! += height * Math.exp(-((x - column) ** 2) / (2 * sigma ** 2));
      }
    }
  }
  const samples = Float32Array.from(
    light,
    (value, i) => Math.round(gain * photonsOf(value * (1 + rise[i]!), uniform, normal) + 0.5 * normal()),
  );
  return { plane: { samples, shape: [rows, columns] }, lineTime, pixelSize, sparks };
}

/** What makes a vessel recording of a kind; the levels are photons in a pixel. */
export interface VesselKind {
  lumen: number;
  outside: number;
  /** Photons in walls of 1 µm on both sides of the lumen. */
  walls?: number;
  /** Part of the lumen under cells. */
  cells?: number;
  /** Seconds that a cell takes to pass, 0.003 to 0.01 by default. */
  passing?: readonly [number, number];
  /** Micrometres between cells and the edges of the lumen. */
  margin?: number;
  /** Whether a second vessel lies beside the vessel. */
  hasNeighbour?: boolean;
  /** Width in micrometres, 10 to 30 by default. */
  width?: readonly [number, number];
  /** Micrometres per column, 0.15 to 0.4 by default. */
  columns?: readonly [number, number];
}

/** The rows of the table of diameters. */
export const VESSEL_KINDS: Readonly<Record<string, VesselKind>> = {
  "plain bright lumen": { lumen: 40, outside: 8 },
  "plain bright lumen, few photons": { lumen: 6, outside: 1 },
  "cells in the lumen": { lumen: 40, outside: 6, cells: 0.3 },
  "cells that touch the edges": { lumen: 40, outside: 6, cells: 0.3, margin: 0 },
  "slow cells": { lumen: 40, outside: 6, cells: 0.3, passing: [0.01, 0.04] },
  "dark lumen in bright tissue": { lumen: 8, outside: 40 },
  "bright walls of 1 µm": { lumen: 20, outside: 4, walls: 45 },
  "neighbouring vessel": { lumen: 30, outside: 5, hasNeighbour: true },
  "narrow vessel, wide columns": { lumen: 40, outside: 6, width: [6, 12], columns: [0.4, 0.6] },
  "neighbouring vessel and cells": { lumen: 30, outside: 5, cells: 0.25, hasNeighbour: true },
};

/** A recording of a kind. The vessel pulses and drifts. */
export function vesselRecording(
  {
    lumen,
    outside,
    walls,
    cells = 0,
    passing = [0.003, 0.01],
    margin = 0.3,
    hasNeighbour = false,
    width: widths = [10, 30],
    columns: pixelSizes = [0.15, 0.4],
  }: VesselKind,
  seed: number,
): VesselRecording {
  const { uniform, normal } = noise(mixed(seed));
  for (let i = 0; i < 10; i += 1) uniform();
  const between = (low: number, high: number) => low + (high - low) * uniform();
  const [pixelSize, lineTime] = [between(...pixelSizes), between(0.001, 0.002)];
  const rows = 1500;
  const width = between(...widths) / pixelSize;
  const blur = between(0.2, 0.4) / pixelSize;
  const [before, after] = [
    between(0.4, 0.8) * width + 3 / pixelSize,
    between(0.4, 0.8) * width + 3 / pixelSize,
  ];
  const gap = between(3, 6) / pixelSize;
  const other = hasNeighbour ? between(0.3, 0.7) * width : 0;
  const otherLight = between(0.7, 1.6) * (lumen - outside);
  const isLeft = uniform() < 0.5;
  const isCut = uniform() < 0.5;
  const beside = hasNeighbour ? gap + (isCut ? 0.6 : 1) * other + (isCut ? 0 : 3 / pixelSize) : 0;
  const columns = Math.ceil(
    1.15 * width + (hasNeighbour ? (isLeft ? after : before) + beside : before + after),
  );
  const [frequency, swing, drift] = [between(3, 8), between(0.02, 0.08), between(-1.5, 1.5) / pixelSize];
  const middleAtStart = hasNeighbour && isLeft ? beside + 0.58 * width : before + 0.58 * width;
  const diameter = Float64Array.from(
    { length: rows },
    (_, row) => width * (1 + swing * Math.sin(2 * Math.PI * frequency * row * lineTime)),
  );
  const middle = Float64Array.from({ length: rows }, (_, row) => middleAtStart + drift * (row / rows - 0.5));
  const left = diameter.map((one, row) => middle[row]! - one / 2);
  const right = diameter.map((one, row) => middle[row]! + one / 2);
  // Dark cells: ellipses in lines and columns.
  const shade = new Float64Array(rows * columns);
  const whole = cells * width * rows;
  for (let covered = 0; covered < whole;) {
    const [high, wide] = [
      between(...passing) / lineTime / 2,
      Math.min(width / 3, between(1.5, 3) / pixelSize),
    ];
    const line = uniform() * rows;
    const row = Math.floor(line);
    const span = diameter[row]! / 2 - wide - margin / pixelSize;
    const column = middle[row]! + (2 * uniform() - 1) * span;
    const depth = between(0.6, 0.95);
    covered += Math.PI * high * wide;
    for (let y = Math.max(0, Math.ceil(line - high)); y < Math.min(rows, line + high); y += 1) {
      const half = wide * Math.sqrt(Math.max(0, 1 - ((y - line) / high) ** 2));
      for (
        let x = Math.max(0, Math.floor(column - half - 4));
        x < Math.min(columns, column + half + 4);
        x += 1
      ) {
        const part = depth * (edge(x - column + half, blur) - edge(x - column - half, blur));
        shade[y * columns + x] = Math.max(shade[y * columns + x]!, part);
      }
    }
  }
  const gain = between(1, 8);
  const wall = 1 / pixelSize;
  const samples = Float32Array.from({ length: rows * columns }, (_, i) => {
    const [row, x] = [Math.floor(i / columns), i % columns];
    const inside = edge(x - left[row]!, blur) - edge(x - right[row]!, blur);
    let light = outside + (lumen - outside) * inside * (1 - shade[i]!);
    if (walls !== undefined) {
      const bright = edge(x - left[row]! + wall, blur) - edge(x - left[row]!, blur) +
        edge(x - right[row]!, blur) - edge(x - right[row]! - wall, blur);
      light += (walls - outside) * bright;
    }
    if (other > 0) {
      const start = isLeft ? middleAtStart - 0.55 * width - gap - other : middleAtStart + 0.55 * width + gap;
      light += otherLight * (edge(x - start, blur) - edge(x - start - other, blur));
    }
    return Math.round(gain * photonsOf(light, uniform, normal) + 0.5 * normal());
  });
  return { plane: { samples, shape: [rows, columns] }, lineTime, pixelSize, diameter, left, right };
}
