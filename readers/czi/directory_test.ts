import { deepEqual } from "node:assert/strict";
import { entryIn } from "./directory.ts";

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
