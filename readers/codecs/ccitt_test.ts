import { equal, throws } from "node:assert/strict";
import { strip } from "../../tests/fixtures/strip.ts";
import { ccittGroup3, ccittGroup4 } from "./ccitt.ts";
import { MODE_CODES, RUNS } from "./ccitt_codes.ts";

const segment = (width: number, rows: number) => strip(width, rows, { settings: { bits: [1] } });

const packed = (text: string) =>
  Uint8Array.from(
    text.padEnd(Math.ceil(text.length / 8) * 8, "0").match(/.{8}/g)!,
    (bits) => Number.parseInt(bits, 2),
  );

Deno.test("a row of Group 4 by hand", () => {
  // Horizontal (001), white 2 (0111), black 3 (10), then vertical 0 (1) to the end; below, all changes where they were.
  const bytes = packed("001" + "0111" + "10" + "1" + "111");
  const rows = ccittGroup4.decode(bytes, segment(8, 2)) as Uint8Array;
  equal(rows[0], 0b00111000);
  equal(rows[1], 0b00111000);
});

Deno.test("rows of Group 3 that no encoder writes are refused", () => {
  // White 4 (1011), black 4 (011); the same without an end of line before the second; white 4, black 0, white 4.
  const endOfLine = "000000000001";
  const row = "1011" + "011";
  const good = ccittGroup3.decode(packed(endOfLine + row + endOfLine + row), segment(8, 2)) as Uint8Array;
  equal(good.join(), "15,15");
  throws(
    () => ccittGroup3.decode(packed(endOfLine + row + row), segment(8, 2)),
    /no end of line before row 1/,
  );
  throws(
    () => ccittGroup3.decode(packed(endOfLine + "1011" + "0000110111" + "1011"), segment(8, 1)),
    /an empty run at bit 26 in row 0/,
  );
});

Deno.test("a change that does not lie behind the one before is refused", () => {
  // Horizontal, white 2, black 3 (to column 5); then vertical left 1 of b1 = 8, and left 2 of it: column 6 after 7.
  const bytes = packed("001" + "0111" + "10" + "010" + "000010");
  throws(() => ccittGroup4.decode(bytes, segment(8, 1)), /a change at column 6 of 8 in row 0/);
});

Deno.test("Group 4 that ends early is refused", () => {
  throws(
    () => ccittGroup4.decode(packed("11111111"), segment(8, 20)),
    /gives 8 bytes of CCITT Group 4, 20 are needed/,
  );
});

Deno.test("each code table is complete where the recommendation is, and ambiguous nowhere", () => {
  // 104 run lengths of each colour and 9 modes: as many distinct values as codes.
  for (const table of RUNS) equal(new Set([...table].filter((entry) => entry !== 0)).size, 64 + 27 + 13);
  equal(new Set([...MODE_CODES].filter((entry) => entry !== 0)).size, 9);
});
