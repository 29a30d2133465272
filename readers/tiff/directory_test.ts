import { equal } from "node:assert/strict";
import { cutAtNul, decodeText, readTagText } from "./directory.ts";

Deno.test("ends a text at its first NUL, and decodes it as Latin-1 if it is not UTF-8", () => {
  const bytes = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
  for (const [stored, text] of [["ab", "ab"], ["a\0b", "a"], ["\0b", ""], ["", ""]] as const) {
    equal(decodeText(bytes(stored)), text);
    equal(cutAtNul(stored), text);
  }
  // The micro sign is c2 b5 in UTF-8 and b5 in Latin-1.
  equal(decodeText(bytes("\xc2\xb5m\0")), "\xb5m");
  equal(decodeText(bytes("\xb5m\0")), "\xb5m");
  equal(readTagText(bytes("a\0b\0\0")), "a\0b");
  equal(readTagText(bytes("\0\0")), "");
});
