import { deepEqual, equal, throws } from "node:assert/strict";
import { findByteCodec } from "./byte_codecs.ts";

const decoded = (
  name: string,
  bytes: readonly number[],
  configuration = {},
  most = 1000,
) => [...findByteCodec(name, configuration, 2)!.decode(Uint8Array.from(bytes), most)];

Deno.test("byte shuffle accepts elements of 1 to 255 bytes", () => {
  const bytes = Array.from({ length: 255 }, (_, i) => i);
  const read = (elementsize: unknown) => decoded("shuffle", bytes, { elementsize });
  deepEqual(read(1), bytes);
  deepEqual(read(255), bytes);
  for (const size of [0, 256, 1.5, "1", -1]) throws(() => read(size), /an element size of/, `${size}`);
  throws(() => read(2), /255 bytes are not a multiple of 2/);
  // Without a size it is that of the samples.
  deepEqual(decoded("numcodecs.shuffle", [1, 3, 2, 4]), [1, 2, 3, 4]);
});

Deno.test("an LZ4 block decodes to the length before it", () => {
  // Token 0x20: two literals.
  const sized = (size: number, most?: number) =>
    decoded("lz4", [...new Uint8Array(Int32Array.of(size).buffer), 0x20, 7, 8], {}, most);
  deepEqual(sized(2), [7, 8]);
  deepEqual(sized(2, 2), [7, 8]);
  throws(() => sized(2, 1), /declares 2 bytes, more than 1/);
  throws(() => sized(-1), /declares 4294967295 bytes/);
  // 7 bytes stand for at most 1785.
  throws(() => sized(1785, 1e6), /decode to 2 bytes, 1785 are needed/);
  throws(() => sized(1786, 1e6), /declares 1786 bytes, more than 1785/);
  // An empty input is one token, of no literals and no match.
  deepEqual(decoded("lz4", [0, 0, 0, 0, 0]), []);
  throws(() => decoded("lz4", [0, 0, 0]), /3 bytes are too few/);
});

Deno.test("checks checksums at either end of the data", () => {
  const data = [...new TextEncoder().encode("123456789")];
  // Check values of CRC-32C (0xe3069283) and CRC-32 (0xcbf43926) in the catalogue of parametrised CRC algorithms.
  const castagnoli = [0x83, 0x92, 0x06, 0xe3];
  const plain = [0x26, 0x39, 0xf4, 0xcb];
  deepEqual(decoded("crc32c", [...data, ...castagnoli]), data);
  deepEqual(decoded("crc32c", [...castagnoli, ...data], { location: "start" }), data);
  deepEqual(decoded("crc32", [...plain, ...data]), data);
  deepEqual(decoded("crc32", [...data, ...plain], { location: "end" }), data);
  throws(() => decoded("crc32", [...data, ...plain]), /checksum is/);
  // The checksum of nothing is 0.
  deepEqual(decoded("crc32c", [0, 0, 0, 0]), []);
  throws(() => decoded("crc32c", [0, 0, 0]), /3 bytes are too few for a checksum/);
});

Deno.test("some codecs have a fixed length", () => {
  const length = (name: string) => findByteCodec(name, {}, 2)!.encodedLength?.(10) ?? null;
  deepEqual(["crc32c", "crc32", "shuffle", "zstd", "blosc"].map(length), [14, 14, 10, null, null]);
  equal(findByteCodec("numcodecs.lzf", {}, 2), null);
});
