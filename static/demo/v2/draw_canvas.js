/**
 * Draws float planes with canvas 2D, for browsers without WebGL2. Visits each canvas pixel once a channel and takes
 * the sample under its centre. Same interface as draw_webgl.js: `draw`, `release`.
 *
 * `tests/browser/surroundings_test.ts` compares both renderers.
 */
import { NOT_A_NUMBER } from "./lut.js";

/** A picture on a canvas, drawn by canvas 2D. */
export class CanvasPicture {
  #canvas;
  #context;
  #image = null;

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false });
  }

  /** Draws a part of the picture over the whole canvas; parameters as in draw_webgl.js. */
  draw({ width: partWidth, height: partHeight, view }, { swapped, fromRight, fromBottom }, layers) {
    const { width, height } = this.#canvas;
    const alongX = centres(view.x0, view.x1, swapped ? height : width, partWidth);
    const alongY = centres(view.y0, view.y1, swapped ? width : height, partHeight)
      .map((row) => row * partWidth);
    const [across, down] = swapped ? [alongY, alongX] : [alongX, alongY];
    if (fromRight) across.reverse();
    if (fromBottom) down.reverse();
    if (this.#image?.width !== width || this.#image.height !== height) {
      this.#image = this.#context.createImageData(width, height);
    }
    const pixels = this.#image.data;
    new Uint32Array(pixels.buffer).fill(new Uint32Array(new Uint8Array([0, 0, 0, 255]).buffer)[0]);
    for (const layer of layers) addLayer(pixels, across, down, layer);
    for (const layer of layers) if (!layer.isFinite) markMissing(pixels, across, down, layer);
    this.#context.putImageData(this.#image, 0, 0);
  }

  /** Nothing is kept. */
  release() {}
}

function addLayer(pixels, across, down, { samples, min, max, lut }) {
  const scale = 255 / (max - min);
  for (let y = 0, at = 0; y < down.length; y += 1) {
    const start = down[y];
    for (let x = 0; x < across.length; x += 1, at += 4) {
      const value = samples[start + across[x]];
      if (value !== value) continue;
      const entry = 4 * Math.min(255, Math.max(0, Math.floor((value - min) * scale + 0.5)));
      // Uint8ClampedArray clamps the sum.
      pixels[at] += lut[entry];
      pixels[at + 1] += lut[entry + 1];
      pixels[at + 2] += lut[entry + 2];
    }
  }
}

/** Whatever other channels have there, a value that is missing is seen. */
function markMissing(pixels, across, down, { samples }) {
  for (let y = 0, at = 0; y < down.length; y += 1) {
    for (let x = 0; x < across.length; x += 1, at += 4) {
      if (!Number.isFinite(samples[down[y] + across[x]])) pixels.set(NOT_A_NUMBER.color, at);
    }
  }
}

/** Sample under the centre of each of `count` canvas pixels. */
function centres(from, to, count, size) {
  const places = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) {
    places[i] = Math.min(size - 1, Math.max(0, Math.floor(from + ((i + 0.5) / count) * (to - from))));
  }
  return places;
}
