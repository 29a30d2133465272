import { deepEqual, equal, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { StreamEndsEarly, StreamTooLong, unpack, unpackAll } from "./compressed_stream.ts";

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
  Deno.test(`${kind}: a whole stream within its bound`, () => {
    const stream = STREAMS[kind];
    deepEqual(unpack(kind, stream, 16), { bytes: DECODED, rest: 0 });
    deepEqual(unpackAll(kind, stream, 100), DECODED);
    throws(() => unpack(kind, stream, 15), StreamTooLong);
    for (let length = 0; length < stream.length; length += 1) {
      throws(() => unpack(kind, stream.subarray(0, length), 16), Error, `${length} bytes`);
    }
    throws(() => unpack(kind, stream.subarray(0, -1), 16), StreamEndsEarly);
  });
}

Deno.test("what follows a stream is counted", () => {
  const padded = Buffer.concat([STREAMS.zlib, Uint8Array.of(0, 0)]);
  equal(unpack("zlib", padded, 16).rest, 2);
  throws(() => unpackAll("zlib", padded, 16), /2 of 13 bytes are left over/);
});

Deno.test("zstd frames without content behind the last bytes are of the stream", () => {
  // RFC 8878, section 3: a hundred times a byte in one block, an empty frame, and one to be skipped.
  const frame = Buffer.from("28b52ffd2064" + "230300" + "61", "hex");
  const empty = Buffer.from("28b52ffd2000" + "010000", "hex");
  const skipped = Buffer.from("502a4d18" + "01000000" + "ff", "hex");
  for (const behind of [empty, skipped]) {
    const stream = Buffer.concat([frame, behind]);
    deepEqual(unpackAll("zstd", stream, 100), new Uint8Array(100).fill(0x61));
  }
  throws(() => unpackAll("zstd", Buffer.concat([frame, Uint8Array.of(1, 2, 3)]), 100), Error);
  throws(() => unpackAll("zstd", Buffer.concat([frame, frame]), 100), StreamTooLong);
});
