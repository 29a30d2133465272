/** Strips of independent encoders against what independent decoders make of them (fixtures/streams/make_codecs.py). */
import { equal } from "node:assert/strict";
import { createHash } from "node:crypto";
import { ccittGroup3, ccittGroup4, ccittRle } from "../../readers/codecs/ccitt.ts";
import { jpeg } from "../../readers/codecs/jpeg/mod.ts";
import * as kernel from "../../readers/codecs/kernels/jpeg.wasm";
import { lzma } from "../../readers/codecs/lzma.ts";
import { lzw } from "../../readers/codecs/lzw.ts";
import { packBits } from "../../readers/codecs/packbits.ts";
import type { Codec, Segment } from "../../readers/codecs/segment.ts";
import { byteCodec } from "../../readers/ome_zarr/byte_codecs.ts";
import { strip } from "../fixtures/strip.ts";
import strips from "../fixtures/streams/codecs.json" with { type: "json" };

interface Written {
  readonly name: string;
  readonly codec: string;
  readonly width: number;
  readonly rows: number;
  /** Of the decoded strip. */
  readonly bytes: number;
  readonly sha256: string;
  readonly stream: string;
  readonly samples?: number;
  readonly bits?: number;
  readonly colours?: "ycbcr" | null;
  readonly fax?: number;
}

const CODECS: Readonly<Record<string, Codec>> = {
  ...{ lzma, lzw, packbits: packBits },
  ...{ group3: ccittGroup3, group4: ccittGroup4, rle: ccittRle },
};

const writtenBy = (codec: string) => (strips as Written[]).filter((written) => written.codec === codec);

const streamOf = ({ stream }: Written) => Uint8Array.from(atob(stream), (letter) => letter.charCodeAt(0));

function segmentOf({ width, rows, bytes, samples = 1, bits = 8, colours = null, fax = 0 }: Written): Segment {
  const settings = { bits: new Array<number>(samples).fill(bits), colours, faxOptions: fax };
  return strip(width, rows, { samples, bytes, mostBytes: bytes, settings });
}

const check = ({ name, bytes, sha256 }: Written, decoded: Uint8Array) =>
  equal(createHash("sha256").update(decoded.subarray(0, bytes)).digest("hex"), sha256, name);

for (const [name, codec] of Object.entries(CODECS)) {
  Deno.test(`Decodes ${name} of independent encoders`, async () => {
    for (const written of writtenBy(name)) {
      check(written, await codec.decode(streamOf(written), segmentOf(written)));
    }
  });
}

Deno.test("Decodes LZ4 of independent encoders", () => {
  for (const written of writtenBy("lz4")) {
    check(written, byteCodec("lz4", {}, 1)!.decode(streamOf(written), written.bytes));
  }
});

const pictures = writtenBy("jpeg");

/** Decodes into memory that is full of other samples, as the decoder is. */
function decodedOver(written: Written, value: number, room: Uint8Array): Uint8Array {
  for (const place of [kernel.coefficients, kernel.samples]) {
    new Uint8Array(kernel.memory.buffer, place, 128 * kernel.BLOCKS).fill(value);
  }
  return jpeg.decode(streamOf(written), { ...segmentOf(written), room: room.fill(value) }) as Uint8Array;
}

/** Three orders of pictures, each with others before and after. */
const ORDERS = { "in order": 1, "back to front": pictures.length - 1, "mixed": 13 };

for (const [order, step] of Object.entries(ORDERS)) {
  Deno.test(`Decodes JPEG of independent encoders without a trace of the picture before, ${order}`, () => {
    for (const index of pictures.keys()) {
      const picture = pictures[(index * step) % pictures.length]!;
      check(picture, decodedOver(picture, index & 1 ? 0xff : 0x55, new Uint8Array(picture.bytes)));
    }
  });
}

Deno.test("Decodes JPEG into the memory of an earlier result if it fits", () => {
  for (const picture of pictures) {
    const { bytes, bits = 8 } = picture;
    const room = new Uint8Array(bytes + 1);
    const other = [room.subarray(0, bytes - 1), room, ...bits > 8 ? [room.subarray(1)] : []];
    for (const [i, place] of [room.subarray(0, bytes), ...other].entries()) {
      const result = decodedOver(picture, 0xaa, place);
      check(picture, result);
      equal(result.buffer === room.buffer, i === 0, `${picture.name}, ${i}`);
    }
  }
});
