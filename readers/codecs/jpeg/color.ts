/** From component planes to interleaved samples: chroma brought to full size, YCbCr to RGB. */
import * as kernel from "../kernels/jpeg.wasm";
import type { Samples } from "./dct.ts";

/** Columns and rows of a picture. */
export interface Size {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** Samples of one component. */
export interface Plane extends Size {
  /** Row after row. */
  readonly samples: Samples;
}

/** How many times fewer columns and rows than the picture a plane has. */
export interface Factors {
  /** Of columns. */
  readonly h: number;
  /** Of rows. */
  readonly v: number;
}

/** Samples in the memory of the decoder from a place on, of the type of others. */
const samplesAt = (place: number, { BYTES_PER_ELEMENT: size }: Samples): Samples =>
  size === 1
    ? new Uint8Array(kernel.memory.buffer, place, 64 * kernel.BLOCKS)
    : new Uint16Array(kernel.memory.buffer, place, 64 * kernel.BLOCKS);

/** A blank plane of the same type. */
const blank = ({ samples }: Plane, { width, height }: Size): Plane => ({
  ...{ width, height },
  samples: new (samples instanceof Uint8Array ? Uint8Array : Uint16Array)(width * height),
});

/**
 * Brings a plane to `width` × `height`. Halved axes are interpolated with weights 3 and 1 (each sample lies a quarter
 * step from its neighbours, as JFIF centres chroma), other ratios are repeated.
 */
export function upsample(plane: Plane, size: Size, { h, v }: Factors): Plane {
  if (h === 1 && v === 1) return plane;
  const full = blank(plane, size);
  const smooth = plane.width > 2;
  if (smooth && h === 2 && (v === 1 || v === 2)) {
    for (let x = 0; x < plane.width; x += COLUMNS) {
      for (let y = 0; y < full.height; y += ROWS) doubleColumns(plane, full, { x, y, tall: v === 2 });
    }
    return full;
  }
  const { width, height } = size;
  for (let y = 0; y < height; y += 1) {
    const to = full.samples.subarray(y * width, (y + 1) * width);
    if (smooth && h === 1 && v === 2) {
      const near = row(plane, y >> 1);
      const far = row(plane, (y >> 1) + (y & 1 ? 1 : -1));
      for (let x = 0; x < width; x += 1) to[x] = (near[x]! * 3 + far[x]! + (y & 1 ? 2 : 1)) >> 2;
    } else {
      const from = row(plane, Math.floor(y / v));
      for (let x = 0; x < width; x += 1) to[x] = from[Math.floor(x / h)]!;
    }
  }
  return full;
}

/** A row; beyond the edges the outermost one. */
function row(plane: Plane, y: number): Samples {
  const inside = Math.min(Math.max(y, 0), plane.height - 1) * plane.width;
  return plane.samples.subarray(inside, inside + plane.width);
}

/** Columns of a plane and rows of the picture that the decoder takes at once, and samples from one row there to the next. */
const [COLUMNS, ROWS, STRIDE] = [2048, 8, 2080];

/** Doubles columns of a plane from `x` on for rows of the picture from `y` on, whose number is doubled as well if it is tall. */
function doubleColumns(
  plane: Plane,
  full: Plane,
  { x, y, tall }: { readonly x: number; readonly y: number; readonly tall: boolean },
): void {
  const { BYTES_PER_ELEMENT: size } = full.samples;
  const halved = tall ? 1 : 0;
  const count = Math.min(COLUMNS, plane.width - x);
  const width = Math.min(2 * count, full.width - 2 * x);
  const end = Math.min(y + ROWS, full.height);
  const first = (y >> halved) - halved;
  const held = samplesAt(kernel.coefficients, full.samples);
  for (let near = first; near <= (end - 1 >> halved) + halved; near += 1) {
    const from = row(plane, near);
    // A neighbour on each side; beyond the edges a sample is its own.
    const at = (near - first) * STRIDE + 1;
    held[at - 1] = from[Math.max(x - 1, 0)]!;
    held.set(from.subarray(x, x + count), at);
    held[at + count] = from[Math.min(x + count, plane.width - 1)]!;
  }
  const placeOf = (near: number) => kernel.coefficients + size * ((near - first) * STRIDE + 1);
  for (let to = y; to < end; to += 1) {
    const near = to >> halved;
    const far = tall ? placeOf(near + (to & 1 ? 1 : -1)) : 0;
    kernel.double(placeOf(near), far, kernel.samples + size * (to - y) * width, count, 8 * size);
  }
  const result = samplesAt(kernel.samples, full.samples);
  if (width === full.width) full.samples.set(result.subarray(0, (end - y) * width), y * width);
  else {
    for (let to = y; to < end; to += 1) {
      full.samples.set(result.subarray((to - y) * width, (to - y + 1) * width), to * full.width + 2 * x);
    }
  }
}

/**
 * Interleaves planes of one size.
 *
 * @param precision bits of a sample
 * @param chroma whether three planes are full-range YCbCr, of which RGB is made (JFIF 1.02)
 */
export function interleave(planes: readonly Plane[], precision: number, chroma: boolean): Samples {
  const [first, second, third] = planes;
  if (!first) throw new RangeError("there are no planes");
  if (planes.length === 1) return first.samples;
  const count = planes.length;
  const { samples: output } = blank(first, { width: first.width * count, height: first.height });
  if (second && third && count === 3) {
    interleaveThree([first.samples, second.samples, third.samples], output, { precision, chroma });
    return output;
  }
  for (const [sample, { samples }] of planes.entries()) {
    for (let i = 0, to = sample; i < samples.length; i += 1, to += count) output[to] = samples[i]!;
  }
  return output;
}

function interleaveThree(
  planes: readonly Samples[],
  output: Samples,
  { precision, chroma }: { readonly precision: number; readonly chroma: boolean },
): void {
  const held = samplesAt(kernel.coefficients, output);
  const result = samplesAt(kernel.samples, output);
  for (let at = 0; 3 * at < output.length; at += kernel.PIXELS) {
    const count = Math.min(kernel.PIXELS, output.length / 3 - at);
    for (const [i, samples] of planes.entries()) {
      held.set(samples.subarray(at, at + count), i * kernel.PIXELS_BYTES / output.BYTES_PER_ELEMENT);
    }
    kernel.interleave(count, chroma ? 1 : 0, precision);
    output.set(result.subarray(0, 3 * count), 3 * at);
  }
}
