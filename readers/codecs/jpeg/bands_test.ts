/** Pictures in turns in the one memory of the decoder, against what independent decoders make of them. */
import { equal } from "node:assert/strict";
import { createHash } from "node:crypto";
import strips from "../../../tests/fixtures/streams/codecs.json" with { type: "json" };
import { strip } from "../../../tests/fixtures/strip.ts";
import * as kernel from "../kernels/jpeg.wasm";
import { jpeg } from "./mod.ts";

const pictures = strips.filter(({ codec }) => codec === "jpeg").map((written) => {
  const { name, width, rows, bytes, samples = 1, bits = 8, sha256 } = written;
  const colours = written.colours === "ycbcr" ? "ycbcr" as const : null;
  const settings = { bits: new Array<number>(samples).fill(bits), colours };
  const stream = Uint8Array.from(atob(written.stream), (letter) => letter.charCodeAt(0));
  return { name, stream, sha256, strip: strip(width, rows, { samples, bytes, mostBytes: bytes, settings }) };
});

/** Fills what the decoder keeps of the picture before. */
function poison(value: number): void {
  const size = 128 * kernel.BLOCKS;
  for (const place of [kernel.coefficients, kernel.samples]) {
    new Uint8Array(kernel.memory.buffer, place, size).fill(value);
  }
}

/** Each of three orders has other pictures before and behind each other. */
const ORDERS = { "in order": 1, "back to front": pictures.length - 1, "mixed": 13 };

for (const [order, step] of Object.entries(ORDERS)) {
  Deno.test(`nothing of a JPEG stands in the next one, ${order}`, () => {
    for (const index of pictures.keys()) {
      const { name, stream, strip, sha256 } = pictures[(index * step) % pictures.length]!;
      poison(index & 1 ? 0xff : 0x55);
      const bytes = jpeg.decode(stream, strip) as Uint8Array;
      equal(createHash("sha256").update(bytes.subarray(0, strip.bytes)).digest("hex"), sha256, name);
    }
  });
}
