import { equal, throws } from "node:assert/strict";
import { strip } from "../../tests/fixtures/strip.ts";
import { ccittGroup3, ccittGroup4, ccittRle, MODE_CODES, RUNS } from "./ccitt.ts";

const segment = (width: number, rows: number) => strip(width, rows, { settings: { bits: [1] } });

const packed = (text: string) =>
  Uint8Array.from(
    text.padEnd(Math.ceil(text.length / 8) * 8, "0").match(/.{8}/g)!,
    (bits) => Number.parseInt(bits, 2),
  );

const END_OF_LINE = "000000000001";

Deno.test("rejects Group 3 rows that no encoder writes", () => {
  // White 4 (1011), black 4 (011); the same without an end of line before the second; white 4, black 0, white 4.
  const row = "1011" + "011";
  const good = ccittGroup3.decode(packed(END_OF_LINE + row + END_OF_LINE + row), segment(8, 2)) as Uint8Array;
  equal(good.join(), "15,15");
  throws(
    () => ccittGroup3.decode(packed(END_OF_LINE + row + row), segment(8, 2)),
    /no end of line before row 1/,
  );
  throws(
    () => ccittGroup3.decode(packed(END_OF_LINE + "1011" + "0000110111" + "1011"), segment(8, 1)),
    /an empty run at bit 26 in row 0/,
  );
});

Deno.test("rejects a changing element that is not after the previous one", () => {
  // Horizontal, white 2, black 3 (to column 5); then vertical left 1 of b1 = 8, and left 2 of it: column 6 after 7.
  const bytes = packed("001" + "0111" + "10" + "010" + "000010");
  throws(() => ccittGroup4.decode(bytes, segment(8, 1)), /a change at column 6 of 8 in row 0/);
});

Deno.test("accepts an empty second run in horizontal mode, and rejects a changing element without progress", () => {
  // White 8 (10011), black 0 (0000110111).
  const white = packed("001" + "10011" + "0000110111");
  equal((ccittGroup4.decode(white, segment(8, 1)) as Uint8Array)[0], 0);
  // Horizontal to column 5 as above; vertical left 3 of 8 is column 5 once more.
  const bytes = packed("001" + "0111" + "10" + "0000010");
  throws(() => ccittGroup4.decode(bytes, segment(8, 1)), /a change at column 5 of 8 in row 0/);
});

Deno.test("each code table is as complete as the recommendation and unambiguous", () => {
  // 104 run lengths of each colour and 9 modes: as many distinct values as codes.
  for (const table of RUNS) equal(new Set([...table].filter((entry) => entry !== 0)).size, 64 + 27 + 13);
  equal(new Set([...MODE_CODES].filter((entry) => entry !== 0)).size, 9);
});

Deno.test("accepts codes at the end of the data", () => {
  // A row that is white: white 8 (10011); as a vertical 0 after a white row it is 1.
  const short = /gives 1 bytes of CCITT Group \d, 3 are needed/;
  throws(() => ccittGroup4.decode(packed("1" + END_OF_LINE.repeat(2)), segment(8, 3)), short);
  throws(
    () => ccittGroup3.decode(packed(END_OF_LINE + "10011" + END_OF_LINE.repeat(6)), segment(8, 3)),
    short,
  );
  const tagged = strip(8, 3, { settings: { bits: [1], faxOptions: 1 } });
  const row = END_OF_LINE + "1" + "10011";
  throws(() => ccittGroup3.decode(packed(row + (END_OF_LINE + "1").repeat(6)), tagged), short);
  throws(
    () => ccittGroup4.decode(packed("11" + END_OF_LINE.repeat(2)), segment(24, 3)),
    /gives 6 bytes of CCITT Group 4, 9 are needed/,
  );
  // A single one ends nothing.
  throws(
    () => ccittGroup4.decode(packed("1" + END_OF_LINE + "1111"), segment(8, 3)),
    /no mode at bit 1 in row 1/,
  );
});

Deno.test("accepts fill of any length before the end of a line", () => {
  for (const fill of ["", "0", "0".repeat(29)]) {
    const row = fill + END_OF_LINE + "1011" + "011";
    equal((ccittGroup3.decode(packed(row + row), segment(8, 2)) as Uint8Array).join(), "15,15", fill);
  }
  throws(
    () => ccittGroup3.decode(packed(END_OF_LINE + "1011" + "011" + "0".repeat(40)), segment(8, 2)),
    /gives 1 bytes/,
  );
});

Deno.test("rejects a run beyond the last column", () => {
  // White 4 (1011), black 4 (011) or 5 (0011); in two dimensions after horizontal (001).
  equal((ccittRle.decode(packed("1011" + "011"), segment(8, 1)) as Uint8Array)[0], 15);
  throws(() => ccittRle.decode(packed("1011" + "0011"), segment(8, 1)), /a run ends at column 9 of 8/);
  equal((ccittGroup4.decode(packed("001" + "1011" + "011"), segment(8, 1)) as Uint8Array)[0], 15);
  throws(
    () => ccittGroup4.decode(packed("001" + "1011" + "0011"), segment(8, 1)),
    /a run ends at column 9 of 8/,
  );
  // Vertical right 1 (011) of the first row ends after the last column; horizontal needs both of its runs.
  throws(() => ccittGroup4.decode(packed("011"), segment(8, 1)), /a change at column 9 of 8/);
  throws(
    () => ccittGroup4.decode(packed("001" + "1011" + "000000000"), segment(8, 1)),
    /no run length at bit 7/,
  );
});

Deno.test("reads empty runs in rows wider than the longest code", () => {
  // White 1280 (011011001) and 0 (00110101) or 1 (000111), black 0 (0000110111), white 1280 and 0.
  const white = "011011001";
  const row = (rest: string) => packed(white + rest + "0000110111" + white + "00110101");
  const bytes = ccittRle.decode(row("000111"), segment(2561, 1)) as Uint8Array;
  equal(bytes.some((byte) => byte !== 0), false);
  throws(() => ccittRle.decode(row("00110101"), segment(2560, 1)), /an empty run/);
});

Deno.test("CCITT requires one sample of one bit and compressed mode", () => {
  const row = packed("1011" + "011");
  const read = (bits: number[], faxOptions = 0) =>
    ccittRle.decode(row, strip(8, 1, { samples: bits.length, bytes: 1, settings: { bits, faxOptions } }));
  for (const options of [0, 1, 4, 5]) read([1], options);
  throws(() => read([8]), /one sample of 1 bit/);
  throws(() => read([1, 1]), /one sample of 1 bit/);
  throws(() => read([1], 2), /uncompressed mode/);
  throws(() => read([1], 3), /uncompressed mode/);
});
