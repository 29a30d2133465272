import { deepEqual, throws } from "node:assert/strict";
import { strip } from "../../tests/fixtures/strip.ts";
import { lzw as encode } from "../../tests/fixtures/tiff_writer.ts";
import { DecodeFailed } from "../errors.ts";
import { lzw, lzwToLength } from "./lzw.ts";

const segment = (bytes: number) => strip(bytes, 1);

/** Long enough for every code width and several full tables. */
const TEXT = Uint8Array.from({ length: 40_000 }, (_, i) => (i * i >> 5) & 63);

for (const old of [false, true]) {
  Deno.test(`decodes LZW ${old ? "from before TIFF 6.0" : "of TIFF 6.0"}`, () => {
    deepEqual(lzw.decode(encode(TEXT, old), segment(TEXT.length)), TEXT);
  });
}

Deno.test("decodes the LZW example of TIFF 6.0, section 13", () => {
  // Codes 256 7 258 8 8 258 6 6 257 of 9 bits each stand for 7 7 7 8 8 7 7 6 6.
  const codes = [256, 7, 258, 8, 8, 258, 6, 6, 257].map((code) => code.toString(2).padStart(9, "0")).join("");
  const bytes = Uint8Array.from(codes.padEnd(88, "0").match(/.{8}/g)!, (text) => Number.parseInt(text, 2));
  deepEqual([...lzw.decode(bytes, segment(9)) as Uint8Array], [7, 7, 7, 8, 8, 7, 7, 6, 6]);
});

Deno.test("rejects truncated LZW and unknown codes", () => {
  const bytes = encode(TEXT);
  throws(() => lzw.decode(bytes.subarray(0, 100), segment(TEXT.length)), DecodeFailed);
  throws(() => lzw.decode(Uint8Array.of(0x80, 0x7f, 0xff), segment(9)), /code 511 is not in the table/);
});

Deno.test("ignores bytes after the end of an LZW stream, and rejects codes beyond the declared length", () => {
  const bytes = encode(TEXT);
  const padded = new Uint8Array(bytes.length + 4096);
  padded.set(bytes);
  deepEqual(lzw.decode(padded, segment(TEXT.length)), TEXT);
  throws(() => lzw.decode(bytes, segment(TEXT.length - 64)), /more than/);
});

/** Codes of the widths that a decoder expects: 9 bits from 258 strings on, one more when 511, 1023 and 2047 are taken. */
function codesOf(...codes: number[]): Uint8Array {
  let [text, next] = ["", 257];
  for (const code of codes) {
    const width = next < 511 ? 9 : next < 1023 ? 10 : next < 2047 ? 11 : 12;
    text += code.toString(2).padStart(width, "0");
    next = code === 256 ? 257 : next + 1;
  }
  return Uint8Array.from(
    text.padEnd(Math.ceil(text.length / 8) * 8, "0").match(/.{8}/g)!,
    (bits) => Number.parseInt(bits, 2),
  );
}

const decoded = (
  bytes: number,
  ...codes: number[]
) => [...lzw.decode(codesOf(...codes), segment(bytes)) as Uint8Array];

Deno.test("keeps 12-bit codes while the LZW table is full", () => {
  const values = Array.from({ length: 5000 }, (_, i) => i * 7 & 255);
  deepEqual(decoded(5000, 256, ...values, 257), values);
});

Deno.test("rejects an LZW code beyond the next one", () => {
  deepEqual(decoded(3, 256, 5, 258, 257), [5, 5, 5]);
  deepEqual(decoded(3, 256, 5, 6, 7, 257), [5, 6, 7]);
  deepEqual(decoded(4, 256, 5, 6, 258, 257), [5, 6, 5, 6]);
  throws(() => decoded(3, 256, 5, 259, 257), /code 259 is not in the table of 258 at output byte 1/);
  // The first code after a clear code is a byte.
  throws(() => decoded(3, 256, 258, 257), /code 258 is not in the table of 258 at output byte 0/);
  throws(() => decoded(4, 256, 5, 258, 256, 258, 257), /code 258 is not in the table/);
});

Deno.test("decodes long LZW strings with and without overlap", () => {
  // Each code is the string before and its first byte: lengths 1, 2, 3 and so on, of one value.
  const growing = Array.from({ length: 120 }, (_, i) => i === 0 ? 9 : 257 + i);
  deepEqual(decoded(120 * 121 / 2, 256, ...growing, 257), new Array(120 * 121 / 2).fill(9));
  // Two strings of 50 bytes: 48 to 50 are copied as a block where they end before the output does.
  const first = Array.from({ length: 50 }, (_, i) => i);
  const pairs = [258, 260, 262, 264, 266, 268];
  deepEqual(decoded(62, 256, ...first, ...pairs, 257), [
    ...first,
    ...Array.from({ length: 12 }, (_, i) => i),
  ]);
});

Deno.test("rejects LZW data beyond a strip", () => {
  const row = Array.from({ length: 20 }, (_, i) => i);
  deepEqual(decoded(20, 256, ...row, 257), row);
  throws(() => decoded(21, 256, ...row, 258, 257), /holds more than the 21 bytes/);
  deepEqual(decoded(22, 256, ...row, 258, 257), [...row, 0, 1]);
  throws(() => decoded(23, 256, ...row, 258, 257), /gives 22 bytes of LZW, 23 are needed/);
});

Deno.test("accepts 15 bytes of padding after LZW without an end code", () => {
  // The codes 256, 7, 8 and one more of 9 bits take 36 bits: four bytes, and the fifth in part.
  const padded = (count: number) => {
    const bytes = new Uint8Array(4 + count);
    bytes.set(codesOf(256, 7, 8));
    return lzw.decode(bytes, segment(2));
  };
  deepEqual([...padded(0) as Uint8Array], [7, 8]);
  deepEqual([...padded(15) as Uint8Array], [7, 8]);
  throws(() => padded(16), /holds more than the 2 bytes/);
});

Deno.test("ignores bytes before and after an LZW stream in its buffer", () => {
  for (const old of [false, true]) {
    const bytes = encode(TEXT, old);
    const buffer = new Uint8Array(bytes.length + 16).fill(0xa5);
    buffer.set(bytes, 3);
    deepEqual(lzw.decode(buffer.subarray(3, 3 + bytes.length), segment(TEXT.length)), TEXT);
    // Two bytes that are lacking hold a code: they are not taken from what follows.
    const cut = buffer.subarray(3, 1 + bytes.length);
    throws(() => lzw.decode(cut, segment(TEXT.length)), /bytes of LZW, 40000 are needed/);
  }
});

Deno.test("rejects LZW that begins with no clear code", () => {
  deepEqual(decoded(3, 256, 256, 5, 6, 7, 257), [5, 6, 7]);
  for (const start of [codesOf(5, 6, 7, 257), codesOf(257), Uint8Array.of(0x80), new Uint8Array(9)]) {
    throws(() => lzw.decode(start, segment(3)), /does not begin with the clear code/);
  }
  // 256 in 9 bits, lowest bit first, is 00 01; the codes 5 and 6 follow.
  deepEqual([...lzw.decode(Uint8Array.of(0, 0x0b, 0x18, 0), segment(2)) as Uint8Array], [5, 6]);
  throws(() => lzw.decode(Uint8Array.of(0, 0x0a, 0x18, 0), segment(2)), /does not begin with the clear code/);
});

Deno.test("stops LZW at a given length, whatever follows", () => {
  const bytes = encode(TEXT);
  const length = TEXT.length - 777;
  deepEqual(lzwToLength.decode(bytes, segment(length)), TEXT.slice(0, length));
  const followed = Uint8Array.from([...bytes.subarray(0, -2), ...bytes.subarray(0, 500)]);
  deepEqual(lzwToLength.decode(followed, segment(length)), TEXT.slice(0, length));
  throws(
    () => lzwToLength.decode(bytes, segment(TEXT.length + 1)),
    /gives 40000 bytes of LZW, 40001 are needed/,
  );
  throws(() => lzwToLength.decode(bytes.subarray(0, 100), segment(length)), DecodeFailed);
  for (const start of [encode(TEXT, true), bytes.subarray(1), Uint8Array.of(0x80), new Uint8Array(9)]) {
    throws(() => lzwToLength.decode(start, segment(9)), /does not begin with the clear code/);
  }
});
