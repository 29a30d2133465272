import { deepEqual, equal, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { StreamTooLong, unpack, unpackAll } from "./compressed_stream.ts";

/** What `zlib.compress`, `gzip.compress(mtime=0)` and `zlib.compressobj(wbits=-15)` of Python 3 make of sixteen `a`. */
const STREAMS = {
  zlib: Buffer.from("789c4b4c44050033980611", "hex"),
  gzip: Buffer.from("1f8b08000000000002034b4c440500d568d6cf10000000", "hex"),
  deflate: Buffer.from("4b4c440500", "hex"),
  // RFC 8878, section 3: one frame without a checksum, of a known size, with one last block of a repeated byte.
  zstd: Buffer.from("28b52ffd2010" + "830000" + "61", "hex"),
};

const DECODED = new Uint8Array(16).fill(0x61);

for (const kind of ["zlib", "gzip", "deflate", "zstd"] as const) {
  Deno.test(`${kind}: reads a whole stream within its bound`, () => {
    const stream = STREAMS[kind];
    deepEqual(unpack(kind, stream, 16), { bytes: DECODED, rest: 0 });
    deepEqual(unpackAll(kind, stream, 100), DECODED);
    throws(() => unpack(kind, stream, 15), StreamTooLong);
    for (let length = 0; length < stream.length; length += 1) {
      throws(() => unpack(kind, stream.subarray(0, length), 16), Error, `${length} bytes`);
    }
    throws(() => unpack(kind, stream.subarray(0, -1), 16), /the stream of \d+ bytes ends early/);
  });
}

Deno.test("counts the bytes after a stream", () => {
  const padded = Buffer.concat([STREAMS.zlib, Uint8Array.of(0, 0)]);
  equal(unpack("zlib", padded, 16).rest, 2);
  throws(() => unpackAll("zlib", padded, 16), /2 of 13 bytes are left over/);
});

Deno.test("counts empty zstd frames after the last bytes as part of the stream", () => {
  // RFC 8878, section 3: a hundred times a byte in one block, an empty frame, and one to be skipped.
  const frame = Buffer.from("28b52ffd2064" + "230300" + "61", "hex");
  const empty = Buffer.from("28b52ffd2000" + "010000", "hex");
  const skipped = Buffer.from("502a4d18" + "01000000" + "ff", "hex");
  for (const after of [empty, skipped]) {
    const stream = Buffer.concat([frame, after]);
    deepEqual(unpackAll("zstd", stream, 100), new Uint8Array(100).fill(0x61));
  }
  throws(() => unpackAll("zstd", Buffer.concat([frame, Uint8Array.of(1, 2, 3)]), 100), Error);
  throws(() => unpackAll("zstd", Buffer.concat([frame, frame]), 100), StreamTooLong);
});

Deno.test("joins consecutive zstd frames into one stream, within the given size", () => {
  const frame = (digits: string) => Buffer.from("28b52ffd2003" + "1900" + "00" + digits, "hex");
  // One last block of three bytes as they are: 3 << 3 | 1.
  const [first, second] = [frame("010203"), frame("040506")];
  const arena = new Uint8Array(10).fill(9);
  const bytes = unpackAll("zstd", Buffer.concat([first, second]), 6, () => arena.subarray(2));
  deepEqual([...bytes], [1, 2, 3, 4, 5, 6]);
  deepEqual([...arena], [9, 9, 1, 2, 3, 4, 5, 6, 9, 9]);
  deepEqual(unpack("zstd", Buffer.concat([first, Uint8Array.of(0, 1, 2, 3, 4)]), 6).rest, 5);
});

Deno.test("rejects a zstd frame that declares another size, and reads the next frame", () => {
  // Four declared bytes, and one last block: empty, of three bytes as they are, of 200 000 times a byte.
  const frame = (block: string) => Buffer.from("28b52ffd2004" + block, "hex");
  throws(() => unpack("zstd", frame("010000"), 16), /its blocks cannot hold the 4 bytes/);
  throws(() => unpack("zstd", frame("190000010203"), 16), /its blocks cannot hold the 4 bytes/);
  throws(() => unpack("zstd", frame("036a1861"), 16), Error);
  throws(() => unpack("zstd", frame("ab000061"), 16), Error, "twenty-one times a byte");
  // A compressed block that is not: literals of a type that needs a table, and none was before.
  throws(() => unpack("zstd", frame("1d0000030000"), 16), Error);
  deepEqual(unpackAll("zstd", STREAMS.zstd, 16), DECODED);
  // 2^40 bytes of content are not allocated.
  const huge = Buffer.from("28b52ffde0" + "0000000000010000" + "830000" + "61", "hex");
  throws(() => unpack("zstd", huge, 2 ** 41), /its blocks cannot hold the 1099511627776 bytes/);
  const unsized = Buffer.from("28b52ffd0000" + "830000" + "61", "hex");
  deepEqual(unpackAll("zstd", unsized, 2 ** 41), DECODED);
  throws(() => unpack("zstd", unsized, 15), StreamTooLong);
  deepEqual(unpackAll("zstd", STREAMS.zstd, 16), DECODED);
});
