/** From component planes to interleaved samples, for pictures that `PictureBands` does not take. */
import type { PictureKind } from "./bands.ts";
import { blankSamples, type SamplePlane, type Samples } from "./dct.ts";
import type { Frame } from "./stream.ts";

/** Interleaves the components of a picture. Samples of smaller components are repeated. */
export function interleave(planes: readonly SamplePlane[], frame: Frame, kind: PictureKind): Samples {
  const [only] = planes;
  if (only && planes.length === 1) return only.samples;
  const { width, height, precision, components } = frame;
  const count = planes.length;
  const output = blankSamples(width * height * count, precision, kind.room);
  for (const [i, { samples, width: stride }] of planes.entries()) {
    const { h, v } = components[i]!;
    const [across, down] = [frame.h / h, frame.v / v];
    for (let y = 0, to = i; y < height; y += 1) {
      const row = Math.floor(y / down) * stride;
      for (let x = 0; x < width; x += 1, to += count) output[to] = samples[row + Math.floor(x / across)]!;
    }
  }
  if (kind.chroma && count === 3) makeRgb(output, precision);
  return output;
}

/** Turns full-range YCbCr into RGB (JFIF 1.02), in fixed point of 16 bits. */
function makeRgb(samples: Samples, precision: number): void {
  const [middle, most] = [2 ** (precision - 1), 2 ** precision - 1];
  const clamped = (value: number) => Math.min(Math.max(value, 0), most);
  for (let at = 0; at < samples.length; at += 3) {
    const [y, cb, cr] = [samples[at]!, samples[at + 1]! - middle, samples[at + 2]! - middle];
    samples[at] = clamped(y + ((91_881 * cr + 32_768) >> 16));
    samples[at + 1] = clamped(y + ((32_768 - 22_554 * cb - 46_802 * cr) >> 16));
    samples[at + 2] = clamped(y + ((116_130 * cb + 32_768) >> 16));
  }
}
