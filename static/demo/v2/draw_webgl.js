/**
 * Draws float planes with WebGL2. Samples go into float textures once; look-up table, range and zoom are uniforms, so
 * that changing them touches no sample. Channels are drawn one over the other with additive blending into 8 bits,
 * which adds and clamps. Pictures wider or higher than a texture may be are cut into tiles.
 *
 * Same interface as draw_canvas.js: `setPicture`, `draw`, `release`.
 *
 * `tests/browser/surroundings_test.ts` compares both renderers.
 */

/** Below what every WebGL2 implementation in use allows, and 64 MiB a tile. */
const LARGEST_TILE = 4096;

const VERTEX = `#version 300 es
uniform vec4 tile;  // left, top, right, bottom in picture pixels
uniform vec4 view;  // x0, y0, x1, y1
uniform bvec3 placed;  // swapped, from the right, from the bottom
out vec2 place;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  place = mix(tile.xy, tile.zw, corner);
  vec2 part = (place - view.xy) / (view.zw - view.xy);
  if (placed.x) part = part.yx;
  if (placed.y) part.x = 1.0 - part.x;
  if (placed.z) part.y = 1.0 - part.y;
  gl_Position = vec4(part.x * 2.0 - 1.0, 1.0 - part.y * 2.0, 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D samples;
uniform sampler2D lut;
uniform vec4 tile;
uniform vec2 range;  // scaled
uniform float scale;  // a power of two
in vec2 place;
out vec4 color;
void main() {
  ivec2 at = clamp(ivec2(floor(place - tile.xy)), ivec2(0), ivec2(tile.zw - tile.xy) - 1);
  float value = texelFetch(samples, at, 0).r;
  // isnan() may be left out by a driver; the bits cannot.
  bool isNumber = (floatBitsToUint(value) & 0x7fffffffu) <= 0x7f800000u;
  float part = clamp((value * scale - range.x) / (range.y - range.x), 0.0, 1.0);
  color = isNumber ? texelFetch(lut, ivec2(int(part * 255.0 + 0.5), 0), 0) : vec4(0.0);
}`;

/** A picture on a canvas, drawn by WebGL2. */
export class WebglPicture {
  #canvas;
  #gl;
  #program;
  #places = {};
  #tiles = [];
  #luts = new Map();
  #width = 1;
  #height = 1;

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
    for (const name of ["tile", "view", "placed", "samples", "lut", "range", "scale"]) {
      this.#places[name] = gl.getUniformLocation(this.#program, name);
    }
  }

  /**
   * Uploads transposed planes; the arrays are not kept.
   *
   * @param {number} width
   * @param {number} height
   * @param {readonly Float32Array[]} planes row-major, `width * height` samples each
   */
  setPicture(width, height, planes) {
    const gl = this.#gl;
    this.release();
    [this.#width, this.#height] = [width, height];
    const edge = Math.min(LARGEST_TILE, gl.getParameter(gl.MAX_TEXTURE_SIZE));
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, width);
    this.#tiles = planes.map((plane) => {
      const tiles = [];
      for (let top = 0; top < height; top += edge) {
        for (let left = 0; left < width; left += edge) {
          const rect = [left, top, Math.min(left + edge, width), Math.min(top + edge, height)];
          tiles.push({ rect, texture: upload(gl, plane, rect) });
        }
      }
      return tiles;
    });
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, 0);
    gl.pixelStorei(gl.UNPACK_SKIP_PIXELS, 0);
    gl.pixelStorei(gl.UNPACK_SKIP_ROWS, 0);
  }

  /**
   * Draws the visible part over the whole canvas, in its present size.
   *
   * @param {{x0: number, y0: number, x1: number, y1: number}} view picture pixels
   * @param {import("./orientation.js").Orientation} orientation
   * @param {readonly {plane: number, min: number, max: number, lutName: string, lut: Uint8Array}[]} layers
   */
  draw(view, { swapped, fromRight, fromBottom }, layers) {
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
    for (const layer of layers) {
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, this.#lutTexture(layer));
      const scale = rangeScale(layer);
      gl.uniform1f(this.#places.scale, scale);
      gl.uniform2f(this.#places.range, layer.min * scale, layer.max * scale);
      gl.activeTexture(gl.TEXTURE0);
      for (const { rect, texture } of this.#tiles[layer.plane] ?? []) {
        if (rect[2] <= view.x0 || rect[0] >= view.x1 || rect[3] <= view.y0 || rect[1] >= view.y1) continue;
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.uniform4f(this.#places.tile, ...rect);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      }
    }
  }

  /** Gives the textures of the samples back. */
  release() {
    for (const { texture } of this.#tiles.flat()) this.#gl.deleteTexture(texture);
    this.#tiles = [];
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

function upload(gl, plane, [left, top, right, bottom]) {
  gl.pixelStorei(gl.UNPACK_SKIP_PIXELS, left);
  gl.pixelStorei(gl.UNPACK_SKIP_ROWS, top);
  const texture = nearest(gl);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32F, right - left, bottom - top, 0, gl.RED, gl.FLOAT, plane);
  return texture;
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
