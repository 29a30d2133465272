/**
 * Draws float planes with canvas 2D, for browsers without WebGL2. Visits each canvas pixel once a channel and takes
 * the nearest sample. Same interface as draw_webgl.js: `setPicture`, `draw`, `release`.
 *
 * `tests/browser/surroundings_test.ts` compares both renderers.
 */

/** A picture on a canvas, drawn by canvas 2D. */
export class CanvasPicture {
  #canvas;
  #context;
  #planes = [];
  #image = null;
  #width = 1;
  #height = 1;

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false });
  }

  /** Keeps transposed planes: row-major, `width * height` samples each. */
  setPicture(width, height, planes) {
    [this.#width, this.#height, this.#planes] = [width, height, planes];
  }

  /** Draws the visible part over the whole canvas; parameters as in draw_webgl.js. */
  draw(view, { swapped, fromRight, fromBottom }, layers) {
    const { width, height } = this.#canvas;
    const alongX = nearest(view.x0, view.x1, swapped ? height : width, this.#width);
    const alongY = nearest(view.y0, view.y1, swapped ? width : height, this.#height)
      .map((row) => row * this.#width);
    const [across, down] = swapped ? [alongY, alongX] : [alongX, alongY];
    if (fromRight) across.reverse();
    if (fromBottom) down.reverse();
    if (this.#image?.width !== width || this.#image.height !== height) {
      this.#image = this.#context.createImageData(width, height);
    }
    const image = this.#image;
    const words = new Uint32Array(image.data.buffer);
    words.fill(new Uint32Array(new Uint8Array([0, 0, 0, 255]).buffer)[0]);
    for (const { plane, min, max, lut } of layers) {
      const samples = this.#planes[plane];
      const scale = 255 / (max - min);
      // Uint8ClampedArray clamps the sum; one layer alone needs no addition.
      const pixels = image.data;
      for (let y = 0, at = 0; y < height; y += 1) {
        const start = down[y];
        for (let x = 0; x < width; x += 1, at += 4) {
          const value = samples[start + across[x]];
          if (value !== value) continue;
          const entry = 4 * Math.min(255, Math.max(0, Math.floor((value - min) * scale + 0.5)));
          pixels[at] += lut[entry];
          pixels[at + 1] += lut[entry + 1];
          pixels[at + 2] += lut[entry + 2];
        }
      }
    }
    this.#context.putImageData(image, 0, 0);
  }

  /** Lets the planes go. */
  release() {
    this.#planes = [];
  }
}

/** Sample under the centre of each of `count` canvas pixels. */
function nearest(from, to, count, size) {
  const places = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) {
    places[i] = Math.min(size - 1, Math.max(0, Math.floor(from + ((i + 0.5) / count) * (to - from))));
  }
  return places;
}
