/**
 * Draws float planes with WebGL2. What is in view goes into a float texture for each channel; look-up table and range
 * are uniforms, so that changing them touches no sample. Channels are drawn one over the other with additive blending into
 * 8 bits, which adds and clamps.
 *
 * Same interface as draw_canvas.js: `draw`, `release`.
 *
 * `tests/browser/surroundings_test.ts` compares both renderers.
 */
import { NOT_A_NUMBER } from "./lut.js";

const VERTEX = `#version 300 es
uniform vec4 view;  // x0, y0, x1, y1 in pixels of the part
uniform bvec3 placed;  // swapped, from the right, from the bottom
out vec2 place;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  place = mix(view.xy, view.zw, corner);
  vec2 part = placed.x ? corner.yx : corner;
  if (placed.y) part.x = 1.0 - part.x;
  if (placed.z) part.y = 1.0 - part.y;
  gl_Position = vec4(part.x * 2.0 - 1.0, 1.0 - part.y * 2.0, 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D samples;
uniform sampler2D lut;
uniform vec2 range;  // scaled
uniform float scale;  // a power of two
uniform bool marksMissing;  // draws what is no number, and nothing else
uniform vec3 missing;
in vec2 place;
out vec4 color;
void main() {
  ivec2 at = clamp(ivec2(floor(place)), ivec2(0), textureSize(samples, 0) - 1);
  float value = texelFetch(samples, at, 0).r;
  // isnan() may be left out by a driver; the bits cannot.
  bool isNumber = (floatBitsToUint(value) & 0x7fffffffu) < 0x7f800000u;
  if (isNumber == marksMissing) discard;
  float part = clamp((value * scale - range.x) / (range.y - range.x), 0.0, 1.0);
  color = marksMissing ? vec4(missing, 1.0) : texelFetch(lut, ivec2(int(part * 255.0 + 0.5), 0), 0);
}`;

/** A picture on a canvas, drawn by WebGL2. */
export class WebglPicture {
  #canvas;
  #gl;
  #program;
  #places = {};
  /** By channel: the texture, its size and the samples that it holds. */
  #textures = new Map();
  #luts = new Map();

  /** Null where WebGL2 is missing. */
  static create(canvas) {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false });
    if (gl === null) return null;
    return new WebglPicture(canvas, gl);
  }

  constructor(canvas, gl) {
    this.#canvas = canvas;
    this.#gl = gl;
    this.#program = link(gl);
    for (const name of ["view", "placed", "samples", "lut", "range", "scale", "marksMissing", "missing"]) {
      this.#places[name] = gl.getUniformLocation(this.#program, name);
    }
  }

  /**
   * Draws a part of the picture over the whole canvas, in its present size.
   *
   * @param {{width: number, height: number, view: {x0: number, y0: number, x1: number, y1: number}}} part its size and
   *   what of it fills the canvas, in its own pixels; no larger than the canvas and a few pixels more
   * @param {import("./orientation.js").Orientation} orientation
   * @param {readonly {plane: number, samples: Float32Array, min: number, max: number, lutName: string,
   *   lut: Uint8Array, isFinite: boolean}[]} layers `samples` row-major in the size of the part, uploaded when they are another array than before
   */
  draw({ width, height, view }, { swapped, fromRight, fromBottom }, layers) {
    const gl = this.#gl;
    gl.viewport(0, 0, this.#canvas.width, this.#canvas.height);
    gl.clearColor(0, 0, 0, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(this.#program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    gl.uniform4f(this.#places.view, view.x0, view.y0, view.x1, view.y1);
    gl.uniform3i(this.#places.placed, swapped, fromRight, fromBottom);
    gl.uniform1i(this.#places.samples, 0);
    gl.uniform1i(this.#places.lut, 1);
    gl.uniform1i(this.#places.marksMissing, 0);
    gl.uniform3f(this.#places.missing, ...NOT_A_NUMBER.color.map((part) => part / 255));
    for (const layer of layers) {
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, this.#lutTexture(layer));
      const scale = rangeScale(layer);
      gl.uniform1f(this.#places.scale, scale);
      gl.uniform2f(this.#places.range, layer.min * scale, layer.max * scale);
      gl.activeTexture(gl.TEXTURE0);
      this.#bindSamples(layer, width, height);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    this.#markMissing(layers.filter(({ isFinite }) => !isFinite), width, height);
  }

  /** Whatever other channels have there, a value that is missing is seen. */
  #markMissing(layers, width, height) {
    const gl = this.#gl;
    gl.disable(gl.BLEND);
    gl.uniform1i(this.#places.marksMissing, 1);
    for (const layer of layers) {
      this.#bindSamples(layer, width, height);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
  }

  /** Gives the textures of the samples back. */
  release() {
    for (const { texture } of this.#textures.values()) this.#gl.deleteTexture(texture);
    this.#textures.clear();
  }

  #bindSamples({ plane, samples }, width, height) {
    const gl = this.#gl;
    let kept = this.#textures.get(plane);
    if (kept === undefined) this.#textures.set(plane, kept = { texture: nearest(gl), samples: null });
    gl.bindTexture(gl.TEXTURE_2D, kept.texture);
    if (kept.samples === samples) return;
    if (kept.width === width && kept.height === height) {
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RED, gl.FLOAT, samples);
    } else gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32F, width, height, 0, gl.RED, gl.FLOAT, samples);
    Object.assign(kept, { samples, width, height });
  }

  #lutTexture({ lutName, lut }) {
    let texture = this.#luts.get(lutName);
    if (texture === undefined) {
      const gl = this.#gl;
      texture = nearest(gl);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, lut);
      this.#luts.set(lutName, texture);
    }
    return texture;
  }
}

/**
 * Power of two that brings the range near 1, without rounding: the difference of its ends must not overflow, nor a small
 * one be flushed to zero.
 */
function rangeScale({ min, max }) {
  const exponent = Math.floor(Math.log2(Math.max(Math.abs(min), Math.abs(max))));
  return 2 ** Math.min(126, Math.max(-126, -exponent));
}

function nearest(gl) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  // Float textures cannot be filtered without an extension, and samples must not be mixed.
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  return texture;
}

function link(gl) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`Shader does not link: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}
