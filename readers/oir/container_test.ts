import assert from "node:assert/strict";
import { DecodedBytes } from "../io/byte_source.ts";
import { readHeader } from "./container.ts";

/** What the header of a file of `size` bytes says with this declared size and this offset of the index. */
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

Deno.test("the data end where the file says, if that is behind the marker of the index and in the file", () => {
  // Size, declared size, offset of the index, whose marker has 4 bytes; then the end of the data, the index, where the data end too early.
  const cases: [number, number, number, number, number | null, number | null][] = [
    [200, 190, 150, 190, 150, null],
    [200, 200, 150, 200, 150, null],
    [200, 201, 150, 200, 150, null],
    [200, 154, 150, 154, 150, null],
    [200, 153, 150, 200, 150, 153],
    [200, 200, 96, 200, 96, null],
    [200, 200, 95, 200, null, null],
    [200, 200, 196, 200, 196, null],
    [200, 199, 196, 200, 196, 199],
    [200, 200, 197, 200, null, null],
  ];
  for (const [size, declared, index, end, indexOffset, endsBeforeIndex] of cases) {
    const truncated = declared > size;
    assert.deepEqual(
      header(size, declared, index),
      { end, indexOffset, truncated, endsBeforeIndex },
      `${declared} ${index}`,
    );
  }
});

Deno.test("a file without a whole header is refused", () => {
  assert.equal(header(96, 96, 96).end, 96);
  assert.throws(() => header(95, 95, 95), /the header is cut: 95 of 96 bytes are stored/);
});
