import { deepEqual, equal } from "node:assert/strict";
import { decodeAnyText, leadingNumber, numberOf } from "./text.ts";

Deno.test("decodes UTF-16 with a byte order mark, UTF-8 and Windows-1252", () => {
  const cases: [number[], string][] = [
    [[0xff, 0xfe, 0xb5, 0x00, 0x6d, 0x00], "µm"],
    [[0xfe, 0xff, 0x00, 0xb5, 0x00, 0x6d], "µm"],
    [[0xef, 0xbb, 0xbf, 0xc2, 0xb5, 0x6d], "µm"],
    [[0xb5, 0x6d], "µm"],
    // 0x80 is the euro sign in Windows-1252.
    [[0x80], "€"],
    [[], ""],
  ];
  for (const [bytes, text] of cases) equal(decodeAnyText(Uint8Array.from(bytes)), text, text);
});

Deno.test("parses a text that is a number or starts with one", () => {
  // text, what the whole of it is, what it starts with
  const cases: [string | null | undefined, number | null, number | null][] = [
    ["1.5", 1.5, 1.5],
    [" -2e-3 ", -0.002, -0.002],
    ["0.5 um", null, 0.5],
    // However many digits follow a decimal comma.
    ["1,5", 1.5, 1.5],
    ["1,500", 1.5, 1.5],
    ["-0,25 um", null, -0.25],
    ["1,5,2", null, null],
    ["1.234,5 um", null, null],
    ["1,234.5", null, null],
    [",5", null, null],
    ["5,", null, 5],
    ["0x10", null, 0],
    ["", null, null],
    ["  ", null, null],
    ["um", null, null],
    ["Infinity", null, null],
    [null, null, null],
    [undefined, null, null],
  ];
  deepEqual(cases.map(([text]) => [text, numberOf(text), leadingNumber(text)]), cases);
});
