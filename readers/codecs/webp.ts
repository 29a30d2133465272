/** WebP (compression 50001), one file per strip or tile, through libwebp: 8-bit RGB or RGBA. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import makeWebp from "@jsquash/webp/codec/dec/webp_dec.js";
import {
  type Codec,
  damagedSegment,
  measureSegment,
  type Segment,
  type WebAssemblyBounds,
} from "./segment.ts";
import { memoryRefused, WasmDecoder } from "./wasm_decoder.ts";

/** The package would fetch its module; a worker may read files only. */
const LIBWEBP = new WasmDecoder(async () => {
  const path = fileURLToPath(import.meta.resolve("@jsquash/webp/codec/dec/webp_dec.wasm"));
  return await makeWebp({ noInitialRun: true, wasmBinary: Uint8Array.from(readFileSync(path)).buffer });
});

async function decode(input: Uint8Array, segment: Segment): Promise<Uint8Array> {
  const { width, rows, fullRows, samples } = segment;
  const size = readPictureSize(input);
  if (size === null) throw damagedSegment(segment, "WebP", "it does not start as WebP");
  if (size.width !== width || size.height < rows || size.height > fullRows) {
    throw damagedSegment(segment, "WebP", `it is ${size.width} x ${size.height}, not ${width} x ${rows}`);
  }
  if (segment.settings.bits.some((bits) => bits !== 8) || (samples !== 3 && samples !== 4)) {
    throw damagedSegment(
      segment,
      "WebP",
      `it codes 3 or 4 samples of 8 bits, not ${samples} of ${segment.settings.bits[0]}`,
    );
  }
  const decoder = await LIBWEBP.instance(BOUNDS.memoryBytes(measureSegment(input, segment)));
  let rgba: Uint8Array;
  try {
    const { buffer, byteOffset, byteLength } = input;
    const picture = decoder.decode((buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength));
    if (picture === null) throw new Error("its decoder refuses it");
    const { data } = picture;
    rgba = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  } catch (cause) {
    LIBWEBP.drop();
    throw damagedSegment(segment, "WebP", memoryRefused() ?? cause);
  }
  if (rgba.length < size.width * size.height * 4) {
    throw damagedSegment(segment, "WebP", "it gives too few pixels");
  }
  if (samples === 4) return rgba;
  const rgb = new Uint8Array(size.width * size.height * 3);
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
    rgb[to] = rgba[from]!;
    rgb[to + 1] = rgba[from + 1]!;
    rgb[to + 2] = rgba[from + 2]!;
  }
  return rgb;
}

/** Size in the header of the first chunk (WebP container, RFC 9649, section 2), or `null`. */
function readPictureSize(input: Uint8Array): { width: number; height: number } | null {
  if (input.length < 30) return null;
  const text = (at: number) => String.fromCharCode(...input.subarray(at, at + 4));
  if (text(0) !== "RIFF" || text(8) !== "WEBP") return null;
  const view = new DataView(input.buffer, input.byteOffset);
  switch (text(12)) {
    case "VP8 ":
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint32(26, true) >>> 8) + 1,
      };
    default:
      return null;
  }
}

/** Noise takes 0.1 microseconds a pixel. Memory: two pictures of 4 bytes a pixel, the stored bytes, 16 MiB at its start. */
const BOUNDS: WebAssemblyBounds = {
  maxSamples: 1 << 27,
  maxStored: 1 << 28,
  memoryBytes: ({ stored, width, rows }) => (32 << 20) + 2 * stored + 12 * width * rows,
};

/** WebP; a picture of one colour takes some forty bytes, at most 16383 pixels wide and high. */
export const webp: Codec = {
  title: "WebP",
  image: true,
  bitOrder: false,
  maxExpansion: 1 << 25,
  workingBytes: (extent) => BOUNDS.memoryBytes(extent) + 2 * extent.stored + 8 * extent.width * extent.rows,
  webAssembly: BOUNDS,
  decode,
};
