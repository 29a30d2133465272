import { deepEqual, equal, throws } from "node:assert/strict";
import { SubblockTable } from "./directory.ts";

/** The first bytes of a real entry: raw Gray16 at 0x220, four dimensions, X of 240 columns; then three more. */
const HEAD = "4456 01000000 2002000000000000 00000000 00000000 00 0000000000 04000000";
const DIMENSIONS = [
  "58000000 00000000 f0000000 00000000 f0000000",
  // A start below 0, fewer stored rows.
  "59000000 fbffffff aa000000 00000000 55000000",
  // A stored size of 0 is that of the dimension.
  "43000000 01000000 01000000 00000000 00000000",
  "4d000000 07000000 01000000 00000000 01000000",
];

const bytesOf = (...hex: string[]) => Uint8Array.fromHex(hex.join("").replaceAll(" ", ""));

/** The table of one entry, and the length of the entry. */
function read(bytes: Uint8Array) {
  const table = new SubblockTable(1);
  return { table, length: table.add(new DataView(bytes.buffer), () => "entry 0") };
}

Deno.test("reads an entry by its fields", () => {
  const { table, length } = read(bytesOf(HEAD, ...DIMENSIONS));
  const facts = { pixelType: 1, position: 0x220, part: 0, compression: 0, pyramid: 0 };
  deepEqual(table.subblocks, [{ ...facts, order: "XYC", scaled: true }]);
  equal(length, 112);
  deepEqual(
    table.letters.map((
      letter,
    ) => [letter, table.start(letter, 0), table.size(letter, 0), table.stored(letter, 0)]),
    [["X", 0, 240, 240], ["Y", -5, 170, 85], ["C", 1, 1, 1], ["M", 7, 1, 1]],
  );
});

Deno.test("refuses a dimension whose name is not one known capital letter, or occurs twice", () => {
  const [x, y, c] = DIMENSIONS as [string, string, string];
  const named = (name: string) => read(bytesOf(HEAD, x, y, c, name + "00000000 01000000 00000000 01000000"));
  equal(named("4d000000").table.start("M", 0), 0);
  // What follows the NUL is not part of the name.
  equal(named("4d00004d").table.start("M", 0), 0);
  const refused = {
    "6d000000": "m",
    "53650000": "Se",
    "40000000": "@",
    "00000000": ".",
    "41000000": "A",
    "cd000000": "\u00cd",
  };
  for (const [hex, name] of Object.entries(refused)) {
    throws(() => named(hex), new RegExp(`entry 0 has the dimension "${name}", not one of X, Y, Z, C, T`));
  }
  throws(() => named("43000000"), /entry 0 has two dimensions C/);
  // Each flipped bit of the name of a dimension is refused, unless it makes another known name.
  const entry = bytesOf(HEAD, ...DIMENSIONS);
  const known = [...Array(32).keys()].filter((bit) => {
    const changed = entry.slice();
    changed[32 + 3 * 20 + (bit >> 3)]! ^= 1 << (bit & 7);
    try {
      read(changed);
      return bit < 16;
    } catch {
      return false;
    }
  });
  // `M` with one flipped bit is `I`.
  deepEqual(known, [2]);
});
