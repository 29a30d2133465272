/** What each codec says of itself, and what strips and tiles of it may take. */
import { deepEqual, equal, match } from "node:assert/strict";
import { strip } from "../../tests/fixtures/strip.ts";
import { DecodeFailed } from "../errors.ts";
import { ccittGroup3, ccittGroup4, ccittRle } from "./ccitt.ts";
import { jpeg } from "./jpeg/mod.ts";
import { jpeg2000 } from "./jpeg2000.ts";
import { lerc } from "./lerc.ts";
import { lzma } from "./lzma.ts";
import { lzw } from "./lzw.ts";
import { packBits } from "./packbits.ts";
import { damaged } from "./segment.ts";
import { webp } from "./webp.ts";
import { deflate, zstd } from "./zlib.ts";

const CODECS = [
  ...[ccittGroup3, ccittGroup4, ccittRle, jpeg, jpeg2000, lerc],
  ...[lzma, lzw, packBits, webp, deflate, zstd],
];
const titles = (codecs: typeof CODECS) => codecs.map(({ title }) => title).sort();

Deno.test("rejects a predictor for codecs of samples, and a bit order for codecs with markers", () => {
  deepEqual(titles(CODECS.filter(({ image }) => image)), ["JPEG", "JPEG 2000", "LERC", "WebP"]);
  deepEqual(titles(CODECS.filter(({ bitOrder }) => !bitOrder)), ["JPEG", "JPEG 2000", "WebP"]);
});

Deno.test("counts a previous result for codecs that write into it", () => {
  deepEqual(titles(CODECS.filter(({ refills }) => refills)), ["JPEG", "LZW", "PackBits", "zstd"]);
});

Deno.test("states the memory that a strip takes in each codec", () => {
  // 100 stored bytes; 40 x 20 samples of 3 in 16 bits, so 4800 bytes.
  const extent = { stored: 100, width: 40, rows: 20, samples: 3, bytes: 4800 };
  for (const codec of [ccittGroup3, ccittGroup4, ccittRle, lzma, lzw, packBits]) {
    equal(codec.workingBytes(extent), 4900);
  }
  // Deflate: pieces, and their joined form. Zstd: a result, and the one before.
  for (const codec of [deflate, zstd]) equal(codec.workingBytes(extent), 9700);
  // Coefficients, samples, the result and the one before, two bytes each, of 64 x 32 samples: whole squares of 32. The kernel has 51 pages of 64 KiB.
  equal(jpeg.workingBytes(extent), 100 + 8 * 3 * 64 * 32 + 51 * 65_536);
  const [picture, mebi] = [40 * 20, 1 << 20];
  const webpBytes = 32 * mebi + 2 * 100 + 12 * picture;
  equal(webp.webAssembly!.memoryBytes(extent), webpBytes);
  equal(webp.workingBytes(extent), webpBytes + 2 * 100 + 8 * picture);
  const jpeg2000Bytes = 80 * mebi + 3 * 100 + 12 * picture * 3;
  equal(jpeg2000.webAssembly!.memoryBytes(extent), jpeg2000Bytes);
  equal(jpeg2000.workingBytes(extent), jpeg2000Bytes + 100 + 2 * 4800);
  // A blob has at most twice the samples and 64 KiB.
  const blob = 2 * 4800 + 65_536;
  const lercBytes = 24 * mebi + 1.25 * (blob + 4800 + 2 * picture * 3);
  equal(lerc.webAssembly!.memoryBytes(extent), lercBytes);
  equal(lerc.workingBytes(extent), lercBytes + 100 + blob + 3 * 4800);
  equal(lerc.webAssembly!.memoryBytes({ ...extent, stored: blob + 8 }), lercBytes + 10);
});

Deno.test("names the strip once in a failure", () => {
  const made = damaged(strip(1, 1), "JPEG", new Error("it ends"));
  equal(made.message, "strip 0 is damaged JPEG: it ends");
  equal(damaged(strip(1, 1), "JPEG", "no").message, "strip 0 is damaged JPEG: no");
  equal(damaged(strip(1, 1), "LERC", made), made);
  equal(made instanceof DecodeFailed, true);
});

Deno.test("accepts up to three bytes more than a strip in deflate and zstd, and no fewer", async () => {
  const { deflateSync, zstdCompressSync } = await import("node:zlib");
  for (const [codec, compress] of [[deflate, deflateSync], [zstd, zstdCompressSync]] as const) {
    const read = (bytes: number) => codec.decode(compress(new Uint8Array(bytes)), strip(10, 1)) as Uint8Array;
    deepEqual([read(10).length, read(13).length], [10, 13]);
    const message = (bytes: number) => {
      try {
        return String(read(bytes).length);
      } catch (error) {
        return (error as Error).message;
      }
    };
    match(message(9), /strip 0 gives 9 bytes of \w+, 10 are needed$/);
    match(message(14), /holds more than the 10 bytes that are declared/);
  }
});
