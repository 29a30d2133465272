import { deepEqual, throws } from "node:assert/strict";
import { strip } from "../../tests/fixtures/strip.ts";
import { packBits } from "./packbits.ts";

const decoded = (
  bytes: number[],
  ...shape: Parameters<typeof strip>
) => [...packBits.decode(Uint8Array.from(bytes), strip(...shape)) as Uint8Array];

Deno.test("decodes Apple's PackBits example", () => {
  // Technical note TN1023: FE AA 02 80 00 2A FD AA 03 80 00 2A 22 F7 AA.
  const packed = [0xfe, 0xaa, 2, 0x80, 0, 0x2a, 0xfd, 0xaa, 3, 0x80, 0, 0x2a, 0x22, 0xf7, 0xaa];
  const plain = [
    ...[0xaa, 0xaa, 0xaa, 0x80, 0, 0x2a, 0xaa, 0xaa, 0xaa, 0xaa, 0x80, 0, 0x2a, 0x22],
    ...new Array<number>(10).fill(0xaa),
  ];
  deepEqual(decoded(packed, 24, 1), plain);
  for (let length = 0; length < packed.length; length += 1) {
    throws(() => decoded(packed.slice(0, length), 24, 1), /gives \d+ bytes of PackBits, 24 are needed/);
  }
});

Deno.test("decodes the shortest and longest PackBits runs, and the no-operation code", () => {
  const count = Array.from({ length: 128 }, (_, i) => i);
  deepEqual(decoded([127, ...count], 128, 1), count);
  deepEqual(decoded([129, 7], 128, 1), new Array(128).fill(7));
  deepEqual(decoded([255, 7], 2, 1), [7, 7]);
  deepEqual(decoded([128, 0, 7, 128], 1, 1), [7]);
});

Deno.test("accepts up to 15 bytes of padding after PackBits", () => {
  for (const value of [0, 128]) {
    const padded = (count: number) => [1, 5, 6, ...new Array<number>(count).fill(value)];
    deepEqual(decoded(padded(15), 2, 1), [5, 6]);
    throws(() => decoded(padded(16), 2, 1), /holds more than the 2 bytes/);
  }
  throws(() => decoded([1, 5, 6, 1], 2, 1), /holds more/);
  throws(() => decoded([2, 5, 6, 7], 2, 1), /holds more/);
});

Deno.test("accepts further whole rows in the last strip of PackBits, and three bytes", () => {
  // Rows of 8 bytes, of which one is wanted and three may come.
  const rows = (bytes: number) => decoded([257 - bytes, 9], 8, 1, { fullRows: 3, mostBytes: 24 }).slice(0, 8);
  for (const bytes of [8, 11, 16, 19, 24]) deepEqual(rows(bytes), new Array(8).fill(9));
  for (const bytes of [12, 15, 20, 25]) throws(() => rows(bytes), /holds more/, `${bytes}`);
  throws(() => rows(7), /gives 7 bytes of PackBits, 8 are needed/);
});
