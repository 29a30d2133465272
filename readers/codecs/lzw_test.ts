import { deepEqual, throws } from "node:assert/strict";
import { strip } from "../../tests/fixtures/strip.ts";
import { lzw as encode } from "../../tests/fixtures/tiff_writer.ts";
import { DecodeFailed } from "../errors.ts";
import { lzw } from "./lzw.ts";

const segment = (bytes: number) => strip(bytes, 1);

/** Long enough for every code width and several full tables. */
const TEXT = Uint8Array.from({ length: 40_000 }, (_, i) => (i * i >> 5) & 63);

for (const old of [false, true]) {
  Deno.test(`LZW ${old ? "of before TIFF 6.0" : "of TIFF 6.0"} comes back`, () => {
    deepEqual(lzw.decode(encode(TEXT, old), segment(TEXT.length)), TEXT);
  });
}

Deno.test("the LZW example of TIFF 6.0, section 13", () => {
  // Codes 256 7 258 8 8 258 6 6 257 of 9 bits each stand for 7 7 7 8 8 7 7 6 6.
  const codes = [256, 7, 258, 8, 8, 258, 6, 6, 257].map((code) => code.toString(2).padStart(9, "0")).join("");
  const bytes = Uint8Array.from(codes.padEnd(88, "0").match(/.{8}/g)!, (text) => Number.parseInt(text, 2));
  deepEqual([...lzw.decode(bytes, segment(9)) as Uint8Array], [7, 7, 7, 8, 8, 7, 7, 6, 6]);
});

Deno.test("LZW that ends early or names a code that is not there is refused", () => {
  const bytes = encode(TEXT);
  throws(() => lzw.decode(bytes.subarray(0, 100), segment(TEXT.length)), DecodeFailed);
  throws(() => lzw.decode(Uint8Array.of(0x80, 0x7f, 0xff), segment(9)), /code 511 is not in the table/);
});

Deno.test("bytes behind the end of an LZW stream mean nothing, codes that give more than declared do", () => {
  const bytes = encode(TEXT);
  const padded = new Uint8Array(bytes.length + 4096);
  padded.set(bytes);
  deepEqual(lzw.decode(padded, segment(TEXT.length)), TEXT);
  throws(() => lzw.decode(bytes, segment(TEXT.length - 64)), /more than/);
});
