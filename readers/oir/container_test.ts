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

Deno.test("the declared end counts after the marker of the index and within the file", () => {
  // Size, declared size, offset of the index whose marker has 4 bytes; expected end of the data and index.
  const cases: [number, number, number, number, number | null][] = [
    [200, 190, 150, 190, 150],
    [200, 200, 150, 200, 150],
    [200, 201, 150, 200, 150],
    [200, 154, 150, 154, 150],
    [200, 153, 150, 200, 150],
    [200, 200, 96, 200, 96],
    [200, 200, 95, 200, null],
    [200, 200, 196, 200, 196],
    [200, 199, 196, 200, 196],
    [200, 200, 197, 200, null],
  ];
  for (const [size, declared, index, end, indexOffset] of cases) {
    const truncated = declared > size;
    assert.deepEqual(
      header(size, declared, index),
      { end, indexOffset, truncated },
      `${declared} ${index}`,
    );
  }
});

Deno.test("a truncated header is refused", () => {
  assert.equal(header(96, 96, 96).end, 96);
  assert.throws(() => header(95, 95, 95), /the header is truncated: 95 of 96 bytes are stored/);
});
