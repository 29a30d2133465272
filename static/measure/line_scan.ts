/** Samples and axes of a line scan, as all measurements take them. */
import { chooseUnitSymbol, FRAMES } from "./axes.ts";

/** Samples of a file have 32 bits, means 64. */
export type Samples = Float32Array | Float64Array;

/** Samples of a line scan, row-major; `shape` is `[rows, columns]`, and rows are lines. */
export type ScanSamples = { samples: Samples; shape: readonly [number, number] };

/** Distance of lines or columns; `step` is in `unit`. */
export type Sampling = { step: number; unit: string };

/** Picture position: x counts lines, y columns. */
export type SegmentPlace = { x: number; y: number };

/** Denominator of a rate, such as `s`. */
export const formatPerTime = ({ unit }: { unit: string }): string =>
  unit === "Pixels" ? "line" : unit === FRAMES ? "frame" : chooseUnitSymbol(unit);
