import assert from "node:assert/strict";
import { crc32c } from "./crc32c.ts";

Deno.test("CRC-32C of the examples of RFC 3720, appendix B.4", () => {
  // The RFC prints the bytes in transmission order, lowest first.
  assert.equal(crc32c(new Uint8Array(32)), 0x8a9136aa);
  assert.equal(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43);
  assert.equal(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e);
  assert.equal(crc32c(new TextEncoder().encode("123456789")), 0xe3069283);
});
