import assert from "node:assert/strict";
import { DecodedBytes } from "../io/byte_source.ts";
import { readHeader } from "./container.ts";

/** The header of a file of `size` bytes with a declared size and an offset of the index. */
function header(size: number, declared: number, index: number) {
  const bytes = new Uint8Array(size);
  bytes.set(new TextEncoder().encode("OLYMPUSRAWFORMAT").subarray(0, size));
  if (size >= 48) {
    const view = new DataView(bytes.buffer);
    view.setBigUint64(32, BigInt(declared), true);
    view.setBigUint64(40, BigInt(index), true);
  }
  return readHeader(new DecodedBytes(bytes, "the file"));
}

Deno.test("a truncated header is refused", () => {
  assert.equal(header(96, 96, 96).end, 96);
  assert.throws(() => header(95, 95, 95), /the header is truncated: 95 of 96 bytes are stored/);
});
