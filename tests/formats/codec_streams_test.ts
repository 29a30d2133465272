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
import { StopFlag } from "../../readers/stop_flag.ts";
import strips from "../fixtures/streams/codecs.json" with { type: "json" };

interface Strip {
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

function decoded(strip: Strip, stream: Uint8Array) {
  const { codec, width, rows, bytes, samples = 1, bits = 8, colours = null, fax = 0 } = strip;
  if (codec === "lz4") return byteCodec("lz4", {}, 1)!.decode(stream, bytes);
  return CODECS[codec]!.decode(stream, {
    ...{
      width,
      rows,
      fullRows: rows,
      samples,
      bytes,
      mostBytes: bytes,
      what: "strip 0",
      stop: new StopFlag(),
    },
    settings: {
      bits: new Array<number>(samples).fill(bits),
      kind: "uint",
      jpegTables: null,
      colours,
      faxOptions: fax,
      lercPacking: 0,
    },
  });
}

for (const codec of [...Object.keys(CODECS), "lz4"]) {
  Deno.test(`${codec} of independent encoders`, async () => {
    for (const strip of (strips as Strip[]).filter((strip) => strip.codec === codec)) {
      const stream = Uint8Array.from(atob(strip.stream), (letter) => letter.charCodeAt(0));
      const bytes = (await decoded(strip, stream)).subarray(0, strip.bytes);
      equal(createHash("sha256").update(bytes).digest("hex"), strip.sha256, strip.name);
    }
  });
}
