/** Pictures in turns in the same memory, against what independent decoders make of them. */
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

type JpegPicture = typeof pictures[number];

/** What comes out of a decoder and goes into a result whose memory is full of other samples. */
function decoded({ stream, strip }: JpegPicture, value: number, room: Uint8Array): Uint8Array {
  for (const place of [kernel.coefficients, kernel.samples]) {
    new Uint8Array(kernel.memory.buffer, place, 128 * kernel.BLOCKS).fill(value);
  }
  return jpeg.decode(stream, { ...strip, room: room.fill(value) }) as Uint8Array;
}

function checkSamples({ name, strip, sha256 }: JpegPicture, bytes: Uint8Array): void {
  equal(createHash("sha256").update(bytes.subarray(0, strip.bytes)).digest("hex"), sha256, name);
}

/** Three orders of pictures, each with others before and after. */
const ORDERS = { "in order": 1, "back to front": pictures.length - 1, "mixed": 13 };

for (const [order, step] of Object.entries(ORDERS)) {
  Deno.test(`leaves nothing of a JPEG in the next one, ${order}`, () => {
    for (const index of pictures.keys()) {
      const picture = pictures[(index * step) % pictures.length]!;
      const room = new Uint8Array(picture.strip.bytes);
      checkSamples(picture, decoded(picture, index & 1 ? 0xff : 0x55, room));
    }
  });
}

Deno.test("decodes a JPEG into the memory of a previous result if it fits", () => {
  const named = (name: string) => pictures.find((picture) => picture.name === name)!;
  const names = [
    ...["jpeg 26 x 21 of 420", "jpeg gray edges of quality 3", "jpeg 12 bits of 440"],
    ...["jpeg 12 bits noise of level 60", "jpeg lossless of 16 bits 1 samples predictor 4"],
    ...["jpeg lossless of 8 bits 3 samples predictor 4", "jpeg 26 x 21 of 411"],
    ...["jpeg progressive noise of quality 40", "jpeg 8301 x 18 of 4:2:0"],
  ];
  for (const picture of names.map(named)) {
    const { strip: { bytes, settings } } = picture;
    const room = new Uint8Array(bytes + 1);
    const other = [room.subarray(0, bytes - 1), room, ...settings.bits[0]! > 8 ? [room.subarray(1)] : []];
    for (const [i, place] of [room.subarray(0, bytes), ...other].entries()) {
      const result = decoded(picture, 0xaa, place);
      checkSamples(picture, result);
      equal(result.buffer === room.buffer, i === 0, `${picture.name}, ${i}`);
    }
  }
});
