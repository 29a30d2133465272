/** From component planes to interleaved samples: chroma brought to full size, YCbCr to RGB. */
import * as kernel from "../kernels/jpeg.wasm";
import type { PictureKind } from "./bands.ts";
import { blankSamples, type SamplePlane, type Samples, samplesAt } from "./dct.ts";
import type { Frame } from "./stream.ts";

/** A component of a picture. */
export interface Layer extends Pick<SamplePlane, "width" | "height" | "samples"> {
  /** How many times fewer columns than the picture it has. */
  readonly h: number;
  /** How many times fewer rows. */
  readonly v: number;
}

/** A picture whose layers become samples. */
export type PictureColors = PictureKind & Pick<Frame, "width" | "height" | "precision">;

/** A rectangle of the picture. */
interface Piece {
  readonly x: number;
  readonly y: number;
  readonly columns: number;
  readonly rows: number;
}

/** Most rows of a piece, so that there is room for those of a halved layer with their neighbours. */
const MOST_ROWS = 64;

/** Interleaves the layers of a picture, each of which is brought to its size. */
export function interleave(layers: readonly Layer[], picture: PictureColors): Samples {
  const [first] = layers;
  if (!first) throw new RangeError("a picture has no layers");
  if (layers.length === 1) return first.samples;
  const { width, height } = picture;
  const output = blankSamples(width * height * layers.length, picture.precision, picture.room);
  for (let x = 0; x < width; x += kernel.PIXELS) {
    const columns = Math.min(kernel.PIXELS, width - x);
    const most = Math.min(MOST_ROWS, Math.floor(kernel.PIXELS / columns));
    for (let y = 0; y < height; y += most) {
      const piece = { x, y, columns, rows: Math.min(most, height - y) };
      if (layers.length === 3) {
        interleaveThree(layers, piece, { picture, output });
        continue;
      }
      for (const [i, layer] of layers.entries()) {
        scatter(layer, piece, { width, output, i, count: layers.length });
      }
    }
  }
  return output;
}

function interleaveThree(
  layers: readonly Layer[],
  piece: Piece,
  { picture: { width, precision, chroma }, output }: {
    readonly picture: PictureColors;
    readonly output: Samples;
  },
): void {
  const { x, y, columns, rows } = piece;
  for (const [i, layer] of layers.entries()) {
    fill(kernel.coefficients + i * kernel.PIXELS_BYTES, layer, piece);
  }
  kernel.interleave(columns * rows, chroma ? 1 : 0, precision);
  const result = samplesAt(kernel.samples, 3 * columns * rows, output);
  if (columns === width) output.set(result, 3 * y * width);
  else {
    for (let row = 0; row < rows; row += 1) {
      const from = 3 * row * columns;
      output.set(result.subarray(from, from + 3 * columns), 3 * ((y + row) * width + x));
    }
  }
}

/** Writes a piece of a layer to its place among `count` of them. */
function scatter(
  layer: Layer,
  piece: Piece,
  { width, output, i, count }: {
    readonly width: number;
    readonly output: Samples;
    readonly i: number;
    readonly count: number;
  },
): void {
  const { x, y, columns, rows } = piece;
  fill(kernel.coefficients, layer, piece);
  const held = samplesAt(kernel.coefficients, columns * rows, output);
  for (let row = 0, from = 0; row < rows; row += 1) {
    let to = ((y + row) * width + x) * count + i;
    for (let column = 0; column < columns; column += 1, from += 1, to += count) output[to] = held[from]!;
  }
}

/**
 * Writes a piece of the picture at a place in the decoder, as a layer shows it. Halved axes are interpolated with weights 3 and
 * 1 (each sample lies a quarter step from its neighbours, as JFIF centres chroma), other ratios are repeated.
 */
function fill(place: number, layer: Layer, piece: Piece): void {
  const { h, v } = layer;
  const { x, y, columns, rows } = piece;
  const smooth = layer.width > 2;
  if (smooth && h === 2 && (v === 1 || v === 2)) return double(place, layer, piece);
  const held = samplesAt(place, columns * rows, layer.samples);
  if (h === 1 && v === 1 && columns === layer.width) {
    held.set(layer.samples.subarray(y * columns, (y + rows) * columns));
    return;
  }
  for (let i = 0; i < rows; i += 1) {
    const near = row(layer, Math.floor((y + i) / v));
    const to = held.subarray(i * columns, (i + 1) * columns);
    if (h === 1 && v === 1) to.set(near.subarray(x, x + columns));
    else if (smooth && h === 1 && v === 2) {
      const odd = (y + i) & 1;
      const far = row(layer, ((y + i) >> 1) + (odd ? 1 : -1));
      for (let j = 0; j < columns; j += 1) to[j] = (near[x + j]! * 3 + far[x + j]! + (odd ? 2 : 1)) >> 2;
    } else {
      for (let j = 0; j < columns; j += 1) to[j] = near[Math.floor((x + j) / h)]!;
    }
  }
}

/** A row; beyond the edges the outermost one. */
function row(plane: Layer, y: number): Samples {
  const inside = Math.min(Math.max(y, 0), plane.height - 1) * plane.width;
  return plane.samples.subarray(inside, inside + plane.width);
}

/** Where the decoder has halved rows: after three layers, the last of which is written up to 15 samples too far. */
const HALVED = kernel.coefficients + 3 * kernel.PIXELS_BYTES + 32;

/** Doubles the columns, and the rows if they are halved too. */
function double(place: number, layer: Layer, { x, y, columns, rows }: Piece): void {
  const { BYTES_PER_ELEMENT: size } = layer.samples;
  const halved = layer.v - 1;
  const from = x / 2;
  const count = Math.ceil(columns / 2);
  const stride = count + 2;
  const first = (y >> halved) - halved;
  const last = ((y + rows - 1) >> halved) + halved;
  const held = samplesAt(HALVED, (last - first + 1) * stride, layer.samples);
  for (let near = first; near <= last; near += 1) {
    const own = row(layer, near);
    // A neighbour on each side; beyond the edges a sample is its own.
    const at = (near - first) * stride + 1;
    held[at - 1] = own[Math.max(from - 1, 0)]!;
    held.set(own.subarray(from, from + count), at);
    held[at + count] = own[Math.min(from + count, layer.width - 1)]!;
  }
  const placeOf = (near: number) => HALVED + size * ((near - first) * stride + 1);
  for (let i = 0; i < rows; i += 1) {
    const near = (y + i) >> halved;
    const far = halved > 0 ? placeOf(near + ((y + i) & 1 ? 1 : -1)) : 0;
    kernel.double(placeOf(near), far, place + size * i * columns, count, 8 * size);
  }
}
