/** Strips of independent encoders against what independent decoders make of them (fixtures/streams/make_codecs.py). */
import { equal } from "node:assert/strict";
import { createHash } from "node:crypto";
import { jpeg } from "../../readers/codecs/jpeg.ts";
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
  readonly colours?: "ycbcr" | "rgb" | null;
}

const CODECS: Readonly<Record<string, Codec>> = { jpeg, lzw, packbits: packBits };

const writtenBy = (codec: string) => (strips as Written[]).filter((written) => written.codec === codec);

const streamOf = ({ stream }: Written) => Uint8Array.from(atob(stream), (letter) => letter.charCodeAt(0));

function segmentOf({ width, rows, bytes, samples = 1, bits = 8, colours = null }: Written): Segment {
  const settings = { bits: new Array<number>(samples).fill(bits), colours };
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
