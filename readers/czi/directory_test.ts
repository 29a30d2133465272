import { deepEqual, equal } from "node:assert/strict";
import { SubblockTable } from "./directory.ts";

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

Deno.test("ignores a two-letter dimension and the one before it", () => {
  const [x, , c, m] = DIMENSIONS as [string, string, string, string];
  const { table } = read(bytesOf(HEAD, x, c, "53650000 00000000 01000000 00000000 01000000", m));
  deepEqual(table.letters, ["X", "M"]);
});
