import { deepEqual, equal, throws } from "node:assert/strict";
import { zstdCompressSync } from "node:zlib";
import { strip } from "../../tests/fixtures/strip.ts";
import { lzw as encodeLzw } from "../../tests/fixtures/tiff_writer.ts";
import { DecodeFailed } from "../errors.ts";
import { lzw } from "./lzw.ts";
import { packBits } from "./packbits.ts";
import type { Codec } from "./segment.ts";
import { zstd } from "./zlib.ts";

/** Literal runs of up to 128 bytes (TIFF 6.0, section 9). */
const encodePackBits = (bytes: Uint8Array) =>
  Uint8Array.from(
    Array.from({ length: Math.ceil(bytes.length / 128) }, (_, i) => bytes.subarray(128 * i, 128 * (i + 1)))
      .flatMap((run) => [run.length - 1, ...run]),
  );

const CASES: readonly (readonly [Codec, (bytes: Uint8Array) => Uint8Array])[] = [
  [lzw, encodeLzw],
  [packBits, encodePackBits],
  [zstd, (bytes) => zstdCompressSync(bytes)],
];

const some = (length: number, seed: number) => Uint8Array.from({ length }, (_, i) => (i * seed >> 3) & 0xff);

for (const [codec, encode] of CASES) {
  Deno.test(`${codec.title}: decodes a strip into the memory of the previous one, without its content`, () => {
    // Rows of 50 bytes: six of them are declared, a last strip has two and may hold up to six.
    const full = strip(50, 6);
    const last = strip(50, 2, { fullRows: 6, mostBytes: 300 });
    const first = codec.decode(encode(some(300, 7)), full) as Uint8Array;
    const next = codec.decode(encode(some(300, 11)), { ...full, room: first }) as Uint8Array;
    equal(next.buffer, first.buffer);
    deepEqual([...next], [...some(300, 11)]);
    // One and two rows more than there are; the result has no byte that the stream lacks.
    for (const length of [100, 150, 200, 300]) {
      const decoded = codec.decode(encode(some(length, 13)), { ...last, room: next }) as Uint8Array;
      equal(decoded.buffer, first.buffer);
      deepEqual([...decoded], [...some(length, 13)]);
    }
    // What is short, or damaged, is refused; the bytes of the strip before do not make up for it.
    throws(() => codec.decode(encode(some(299, 7)), { ...full, room: next }), DecodeFailed);
    const stored = encode(some(300, 7));
    throws(() => codec.decode(stored.subarray(0, stored.length / 2), { ...full, room: next }), DecodeFailed);
    deepEqual([...codec.decode(stored, { ...full, room: next }) as Uint8Array], [...some(300, 7)]);
  });

  Deno.test(`${codec.title}: allocates memory for a strip larger than the previous one`, () => {
    const small = codec.decode(encode(some(100, 7)), strip(50, 2)) as Uint8Array;
    const large = codec.decode(encode(some(900, 7)), { ...strip(50, 18), room: small }) as Uint8Array;
    deepEqual([...large], [...some(900, 7)]);
    deepEqual([...small], [...some(100, 7)]);
  });
}
