import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { DecodeFailed } from "../errors.ts";
import { type Entry, entryIn, MAX_ORDERS, NO_INDEX, SubblockTable } from "./directory.ts";

/** The first bytes of a real entry: raw Gray16 at 0x220, four dimensions, X of 240 columns; then three more. */
const HEAD = "4456 01000000 2002000000000000 00000000 00000000 00 0000000000 04000000";
const DIMENSIONS = [
  "58000000 00000000 f0000000 00000000 f0000000",
  // A name in lower case, a start below 0, fewer stored rows.
  "79000000 fbffffff aa000000 00000000 55000000",
  // A stored size of 0 is that of the dimension.
  "43000000 01000000 01000000 00000000 00000000",
  "4d000000 07000000 01000000 00000000 01000000",
];

const bytesOf = (...hex: string[]) => Uint8Array.fromHex(hex.join("").replaceAll(" ", ""));
const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const read = (bytes: Uint8Array) => entryIn(viewOf(bytes), () => "entry 0");

Deno.test("an entry is read by its fields", () => {
  deepEqual(read(bytesOf(HEAD, ...DIMENSIONS)), {
    pixelType: 1,
    position: 0x220,
    part: 0,
    compression: 0,
    pyramid: 0,
    dimensions: [
      { letter: "X", start: 0, size: 240, stored: 240 },
      { letter: "Y", start: -5, size: 170, stored: 85 },
      { letter: "C", start: 1, size: 1, stored: 1 },
      { letter: "M", start: 7, size: 1, stored: 1 },
    ],
    length: 112,
  });
});

Deno.test("a name of two letters voids itself and the dimension before it", () => {
  const dimensions = [
    DIMENSIONS[0]!,
    DIMENSIONS[2]!,
    "53650000 00000000 01000000 00000000 01000000",
    DIMENSIONS[3]!,
  ];
  deepEqual(read(bytesOf(HEAD, ...dimensions))?.dimensions.map(({ letter }) => letter), ["X", "M"]);
});

Deno.test("an entry has 1 to 40 dimensions", () => {
  for (const count of [-1, 0, 41]) {
    const bytes = new Uint8Array(32 + 20 * 41);
    bytes.set(bytesOf(HEAD));
    viewOf(bytes).setInt32(28, count, true);
    throws(() => read(bytes), new RegExp(`entry 0 has ${count} dimensions, not 1 to 40`));
  }
});

Deno.test("an entry of any bytes is read, cut or refused", () => {
  const sound = bytesOf(HEAD, ...DIMENSIONS);
  const change = fc.record({ at: fc.nat(sound.length - 1), value: fc.nat(255) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), fc.nat(sound.length), (changes, length) => {
      const bytes = sound.slice();
      for (const { at, value } of changes) bytes[at] = value;
      try {
        const entry = read(bytes.slice(0, length));
        if (entry === null) return;
        ok(entry.length <= length);
        ok(entry.dimensions.every(({ size, stored }) => size > 0 && stored > 0));
        const table = new SubblockTable(1);
        table.add(entry);
        equal(table.start("X", 0), entry.dimensions.find(({ letter }) => letter === "X")!.start);
      } catch (error) {
        ok(error instanceof DecodeFailed, `${error}`);
      }
    }),
    { numRuns: 1000, seed: 5 },
  );
});

Deno.test("a table returns its entries, and defaults for absent dimensions", () => {
  const letters = [..."YZCTSMHV"];
  const dimension = fc.record({
    letter: fc.constantFrom(...letters),
    start: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    size: fc.integer({ min: 1, max: 2 ** 30 }),
    stored: fc.integer({ min: 1, max: 2 ** 30 }),
  });
  const entry = fc.record({
    pixelType: fc.integer(),
    position: fc.nat(),
    part: fc.integer(),
    compression: fc.integer(),
    pyramid: fc.nat(2),
    dimensions: fc.uniqueArray(dimension, { selector: ({ letter }) => letter, maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 40 }), (entries) => {
      const table = new SubblockTable(entries.length);
      for (const one of entries) table.add({ ...one, length: 0 });
      entries.forEach((one, i) => {
        const { dimensions, ...facts } = one;
        deepEqual(table.facts(i), facts);
        const axes = dimensions.filter(({ letter }) => letter !== "M" && letter !== "S");
        equal(table.order(i), axes.map(({ letter }) => letter).join(""));
        equal(table.scaled(i), axes.some(({ size, stored }) => size !== stored));
        for (const letter of letters) {
          const found = dimensions.find((other) => other.letter === letter);
          const absent = letter === "M" || letter === "S" ? NO_INDEX : 0;
          equal(table.start(letter, i), found?.start ?? absent);
          equal(table.size(letter, i), found?.size ?? 1);
          equal(table.stored(letter, i), found?.stored ?? 1);
        }
      });
    }),
    { numRuns: 300, seed: 8 },
  );
});

Deno.test("a table has at most 256 orders of dimensions", () => {
  const table = new SubblockTable(MAX_ORDERS + 1);
  const entry = (n: number): Entry => ({
    ...{ pixelType: 0, position: 0, part: 0, compression: 0, pyramid: 0, length: 0 },
    dimensions: [...n.toString(2)].map((bit, i) => ({
      letter: String.fromCharCode(65 + 2 * i + Number(bit)),
      ...{ start: 0, size: 1, stored: 1 },
    })),
  });
  for (let n = 0; n < MAX_ORDERS; n += 1) table.add(entry(1024 + n));
  throws(() => table.add(entry(512)), /more than 256 orders/);
});
