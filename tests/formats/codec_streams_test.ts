/** Strips of independent encoders against what independent decoders make of them (fixtures/streams/make_codecs.py). */
import { equal } from "node:assert/strict";
import { createHash } from "node:crypto";
import { ccittGroup3, ccittGroup4, ccittRle } from "../../readers/codecs/ccitt.ts";
import { jpeg } from "../../readers/codecs/jpeg/mod.ts";
import { lzma } from "../../readers/codecs/lzma.ts";
import { lzw } from "../../readers/codecs/lzw.ts";
import { packBits } from "../../readers/codecs/packbits.ts";
import type { Codec } from "../../readers/codecs/segment.ts";
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
  ...{ jpeg, lzma, lzw, packbits: packBits },
  ...{ group3: ccittGroup3, group4: ccittGroup4, rle: ccittRle },
};

function decoded(written: Written, stream: Uint8Array) {
  const { codec, width, rows, bytes, samples = 1, bits = 8, colours = null, fax = 0 } = written;
  if (codec === "lz4") return byteCodec("lz4", {}, 1)!.decode(stream, bytes);
  const settings = { bits: new Array<number>(samples).fill(bits), colours, faxOptions: fax };
  return CODECS[codec]!.decode(stream, strip(width, rows, { samples, bytes, mostBytes: bytes, settings }));
}

for (const codec of [...Object.keys(CODECS), "lz4"]) {
  Deno.test(`decodes ${codec} of independent encoders`, async () => {
    for (const written of (strips as Written[]).filter((each) => each.codec === codec)) {
      const stream = Uint8Array.from(atob(written.stream), (letter) => letter.charCodeAt(0));
      const bytes = (await decoded(written, stream)).subarray(0, written.bytes);
      equal(createHash("sha256").update(bytes).digest("hex"), written.sha256, written.name);
    }
  });
}
