import { equal } from "node:assert/strict";
import { textFrom } from "./text.ts";

Deno.test("text is UTF-16 with a mark, UTF-8, or in the code page of Western Windows", () => {
  const cases: [number[], string][] = [
    [[0xff, 0xfe, 0xb5, 0x00, 0x6d, 0x00], "µm"],
    [[0xfe, 0xff, 0x00, 0xb5, 0x00, 0x6d], "µm"],
    [[0xef, 0xbb, 0xbf, 0xc2, 0xb5, 0x6d], "µm"],
    [[0xb5, 0x6d], "µm"],
    // 0x80 is the euro sign in Windows-1252.
    [[0x80], "€"],
    [[], ""],
  ];
  for (const [bytes, text] of cases) equal(textFrom(Uint8Array.from(bytes)), text, text);
});
