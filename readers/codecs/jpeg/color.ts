/** From component planes to interleaved samples: chroma brought to full size, YCbCr to RGB. */
import type { SamplePlane, Samples } from "./dct.ts";

/** Samples of one component, row after row. */
type Plane = Pick<SamplePlane, "width" | "height" | "samples">;

/** Columns and rows of a picture. */
export interface Size {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** How many times fewer columns and rows than the picture a plane has. */
export interface Factors {
  /** Of columns. */
  readonly h: number;
  /** Of rows. */
  readonly v: number;
}

/**
 * Brings a plane to `width` × `height`. Halved axes are interpolated with weights 3 and 1 (each sample lies a quarter
 * step from its neighbours, as JFIF centres chroma), other ratios are repeated.
 */
export function upsample(plane: Plane, { width, height }: Size, { h, v }: Factors): Plane {
  if (h === 1 && v === 1) return plane;
  const smooth = plane.width > 2;
  const samples = plane.samples instanceof Uint8Array
    ? new Uint8Array(width * height)
    : new Uint16Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const to = samples.subarray(y * width, (y + 1) * width);
    if (smooth && h === 2 && v === 1) wide(to, row(plane, y));
    else if (smooth && h === 2 && v === 2) {
      wideAndHigh(to, row(plane, y >> 1), row(plane, (y >> 1) + (y & 1 ? 1 : -1)));
    } else if (smooth && h === 1 && v === 2) {
      const near = row(plane, y >> 1);
      const far = row(plane, (y >> 1) + (y & 1 ? 1 : -1));
      for (let x = 0; x < width; x += 1) to[x] = (near[x]! * 3 + far[x]! + (y & 1 ? 2 : 1)) >> 2;
    } else {
      const from = row(plane, Math.floor(y / v));
      for (let x = 0; x < width; x += 1) to[x] = from[Math.floor(x / h)]!;
    }
  }
  return { width, height, samples };
}

/** A row; beyond the edges the outermost one. */
function row(plane: Plane, y: number): Samples {
  const inside = Math.min(Math.max(y, 0), plane.height - 1) * plane.width;
  return plane.samples.subarray(inside, inside + plane.width);
}

function wide(to: Samples, from: Samples): void {
  const last = from.length - 1;
  for (let x = 0; x < to.length; x += 1) {
    const near = x >> 1;
    const far = near + (x & 1 ? 1 : -1);
    to[x] = far < 0 || far > last ? from[near]! : (from[near]! * 3 + from[far]! + (x & 1 ? 2 : 1)) >> 2;
  }
}

function wideAndHigh(to: Samples, near: Samples, far: Samples): void {
  const last = near.length - 1;
  for (let x = 0; x < to.length; x += 1) {
    const i = x >> 1;
    const j = i + (x & 1 ? 1 : -1);
    const sum = near[i]! * 3 + far[i]!;
    const other = j < 0 || j > last ? sum : near[j]! * 3 + far[j]!;
    to[x] = (sum * 3 + other + (x & 1 ? 7 : 8)) >> 4;
  }
}

/** Interleaves planes of one size. */
export function interleave(planes: readonly Plane[], { width, height }: Size): Samples {
  const [first] = planes;
  if (first && planes.length === 1) return first.samples;
  const count = planes.length;
  const output = planes.some(({ samples }) => samples instanceof Uint16Array)
    ? new Uint16Array(width * height * count)
    : new Uint8Array(width * height * count);
  for (const [sample, { samples }] of planes.entries()) {
    for (let y = 0; y < height; y += 1) {
      let to = y * width * count + sample;
      for (let x = y * width, end = x + width; x < end; x += 1, to += count) output[to] = samples[x]!;
    }
  }
  return output;
}

const ONE = 1 << 16;
const fix = (x: number) => Math.floor(x * ONE + 0.5);

/** Full-range YCbCr of interleaved threes to RGB in place (JFIF 1.02), in 16-bit fixed point. */
export function toRgb(samples: Samples, precision: number): void {
  const middle = 2 ** (precision - 1);
  const most = 2 ** precision - 1;
  const clamp = (value: number) => value < 0 ? 0 : value > most ? most : value;
  const [redCr, blueCb, greenCr, greenCb] = [fix(1.402), fix(1.772), fix(0.71414), fix(0.34414)];
  for (let i = 0; i + 2 < samples.length; i += 3) {
    const y = samples[i]!;
    const cb = samples[i + 1]! - middle;
    const cr = samples[i + 2]! - middle;
    samples[i] = clamp(y + ((redCr * cr + ONE / 2) >> 16));
    samples[i + 1] = clamp(y + ((-greenCb * cb - greenCr * cr + ONE / 2) >> 16));
    samples[i + 2] = clamp(y + ((blueCb * cb + ONE / 2) >> 16));
  }
}
