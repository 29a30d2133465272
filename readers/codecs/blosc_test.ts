/** Chunks by hand, after README_CHUNK_FORMAT.rst of c-blosc; numcodecs agrees on which shuffle is undone, and where. */
import { deepEqual, throws } from "node:assert/strict";
import { deflateSync, zstdCompressSync } from "node:zlib";
import { decodeBlosc } from "./blosc.ts";

interface Parts {
  readonly version?: number;
  readonly flags?: number;
  readonly width?: number;
  readonly size?: number;
  readonly blockSize?: number;
  readonly encoded?: number;
}

const words = (...values: number[]) => [...new Uint8Array(Int32Array.from(values).buffer)];

/** A chunk with a header for `data`, which is all that follows. */
function chunk(data: readonly number[], parts: Parts = {}): Uint8Array {
  const {
    version = 2,
    flags = 2,
    width = 1,
    size = data.length,
    blockSize = size,
    encoded = 16 + data.length,
  } = parts;
  return Uint8Array.from([version, 1, flags, width, ...words(size, blockSize, encoded), ...data]);
}

/** Blocks of one stream each, after their offsets. */
function blocks(...streams: readonly (readonly number[])[]): number[] {
  let at = 16 + 4 * streams.length;
  const starts = streams.map((stream) => {
    at += 4 + stream.length;
    return at - 4 - stream.length;
  });
  return [...words(...starts), ...streams.flatMap((stream) => [...words(stream.length), ...stream])];
}

const decoded = (
  data: readonly number[],
  parts: Parts = {},
  most = 1000,
) => [...decodeBlosc(chunk(data, parts), most)];

/** LZ4 (compressor 1), never split. */
const LZ4 = 1 << 5 | 16;
const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8];

Deno.test("reads a stored Blosc chunk that has exactly the length of its data", () => {
  deepEqual(decoded([1, 2, 3]), [1, 2, 3]);
  deepEqual(decoded([1, 2, 3], { version: 1 }), [1, 2, 3]);
  deepEqual(decoded([]), []);
  deepEqual(decoded([1, 2, 3], {}, 3), [1, 2, 3]);
  throws(() => decoded([1, 2, 3], {}, 2), /3 decoded bytes, more than 2/);
  throws(() => decoded([1, 2, 3], { size: 2 }), /a stored Blosc chunk of 19 bytes declares 2 bytes/);
  throws(() => decoded([1, 2, 3], { size: 4 }), /declares 4 bytes/);
  throws(() => decodeBlosc(chunk([1]).subarray(0, 15), 9), /no whole header/);
});

Deno.test("rejects the Blosc headers that c-blosc rejects", () => {
  throws(() => decoded([1], { flags: 10 }), /flags are 10, of which 8 is reserved/);
  throws(() => decoded([1], { version: 0 }), /format 0 is not supported/);
  throws(() => decoded([1], { version: 3 }), /format 3 is not supported/);
  throws(() => decoded([1], { encoded: 16 }), /declares 16 bytes, the chunk has 17/);
  throws(() => decoded([1], { encoded: 18 }), /declares 18 bytes, the chunk has 17/);
  throws(() => decoded([1], { width: 0 }), /elements of 0 bytes/);
  throws(() => decoded([1], { blockSize: 0 }), /blocks of 0 for 1/);
  throws(() => decoded([1], { blockSize: 2 }), /blocks of 2 for 1/);
  // Of no bytes nothing is said.
  deepEqual(decoded([], { width: 0, flags: LZ4 }), []);
  deepEqual(decoded([], { blockSize: 9, flags: LZ4 }), []);
  throws(() => decoded(blocks(EIGHT), { size: 8, flags: 2 << 5 }), /compressor snappy/);
  throws(() => decoded(blocks(EIGHT), { size: 8, flags: 5 << 5 }), /compressor number 5/);
});

Deno.test("a Blosc chunk cannot hold more than 32768 times its length", () => {
  const parts = { flags: LZ4, size: 17 * 32_768 };
  throws(() => decoded([0], parts, 2 ** 31), /a Blosc chunk of 17 bytes cannot hold blocks/);
  throws(
    () => decoded([0], { ...parts, size: 17 * 32_768 + 1 }, 2 ** 31),
    /decoded bytes, which 17 cannot hold/,
  );
});

Deno.test("reads Blosc blocks with a shorter last block", () => {
  // Streams as long as their blocks are stored; token 0x20 begins two literals.
  const data = blocks([1, 2, 3], [4, 5, 6], [0x10, 7]);
  deepEqual(decoded(blocks([1, 2, 3], [4, 5, 6], [7]), { flags: LZ4, size: 7, blockSize: 3 }), [
    1,
    2,
    3,
    4,
    5,
    6,
    7,
  ]);
  deepEqual(decoded(data, { flags: LZ4, size: 7, blockSize: 3 }), [1, 2, 3, 4, 5, 6, 7]);
  throws(
    () => decoded(words(20), { flags: LZ4, size: 2, blockSize: 1 }),
    /cannot hold blocks of 1 bytes for 2/,
  );
});

Deno.test("rejects a zlib or zstd stream in Blosc that does not fill its block exactly", () => {
  for (const [compressor, compress] of [[3, deflateSync], [4, zstdCompressSync]] as const) {
    const flags = compressor << 5 | 16;
    const read = (bytes: number) =>
      decoded(blocks([...compress(new Uint8Array(bytes).fill(7))]), { flags, size: 100 });
    deepEqual(read(100), new Array(100).fill(7));
    throws(() => read(99), /a Blosc stream decodes to 99 bytes, 100 are needed/);
    throws(() => read(101), /more than 100 bytes/);
  }
});

Deno.test("rejects a Blosc stream outside its chunk or in the header", () => {
  const at = (start: number, length: number, data = EIGHT) =>
    decoded([...words(start, length), ...data], { flags: LZ4, size: 8 });
  deepEqual(at(20, 8), EIGHT);
  throws(() => at(15, 8), /a Blosc stream at 15/);
  throws(() => at(20, 0), /a Blosc stream at 20 \+ 0 does not fit/);
  throws(() => at(20, -1), /a Blosc stream at 20 \+ -1/);
  throws(() => at(20, 9), /a Blosc stream at 20 \+ 9 does not fit its chunk \(32 bytes\)/);
  throws(() => at(29, 8), /a Blosc stream at 29/);
  throws(() => at(-1, 8), /a Blosc stream at -1/);
  // A length in the last four bytes, with nothing after it: 16 as an offset is a length itself.
  throws(() => decoded([...words(20), ...words(1)], { flags: LZ4, size: 8 }), /a Blosc stream at 20 \+ 1/);
  deepEqual(
    decoded([...words(16), 1, 2, 3, 4, 5, 6, 7, 8, ...new Array<number>(8).fill(0)], {
      flags: LZ4,
      size: 16,
    }),
    [
      ...EIGHT,
      ...new Array<number>(8).fill(0),
    ],
  );
});

Deno.test("the shuffle of Blosc depends on both flags and the width", () => {
  const stored = (flags: number, width: number, data = EIGHT) =>
    decoded(blocks(data), { flags: LZ4 | flags, size: data.length, width });
  const bytes = [1, 5, 2, 6, 3, 7, 4, 8];
  // Bit n of each element stands in byte n, element 0 lowest: bit 0 of elements 0, 2, 4, 6 and so on.
  const bits = (elements: number[]) =>
    Array.from(
      { length: 8 },
      (_, bit) => elements.reduce((sum, value, i) => sum | (value >> bit & 1) << i, 0),
    );
  deepEqual(stored(0, 2), EIGHT);
  deepEqual(stored(1, 2), bytes);
  deepEqual(stored(1, 1), EIGHT);
  deepEqual(stored(4, 1, bits(EIGHT)), EIGHT);
  // Bytes of one are not shuffled, so that the other flag counts.
  deepEqual(stored(5, 1, bits(EIGHT)), EIGHT);
  deepEqual(stored(5, 2), bytes);
  // Blocks shorter than an element are not shuffled, those as long are.
  deepEqual(stored(1, 9), EIGHT);
  deepEqual(stored(1, 8), EIGHT);
});

Deno.test("decodes a block larger than c-blosc writes, into given bytes", () => {
  // 2,500,000 elements 0x0907: 07 and a run of it after token 0x1f, distance 1, 15 + 255 * n + rest + 4 bytes; then the same of 09.
  const elements = 2_500_000;
  const run = elements - 1 - 4 - 15;
  const more = [...new Array<number>(Math.floor(run / 255)).fill(255), run % 255];
  const streams = [7, 9].flatMap((byte) => [...words(5 + more.length - 1), 0x1f, byte, 1, 0, ...more]);
  const data = [...words(20), ...streams];
  const [size, room] = [2 * elements, new Uint8Array(2 * elements).fill(0xee)];
  const whole = chunk(data, { flags: 1 << 5 | 1, size, width: 2 });
  const bytes = decodeBlosc(whole, size, (length) => room.subarray(0, length));
  deepEqual(bytes.buffer, room.buffer);
  deepEqual(new Uint16Array(bytes.buffer).every((element) => element === 0x0907), true);
});

Deno.test("splits Blosc blocks of at least 128 elements of up to 16 bytes", () => {
  const streams = (count: number, length: number) =>
    Array.from({ length: count }, (_, i) => [...words(length), ...new Array<number>(length).fill(i + 1)])
      .flat();
  const split = (width: number, length: number, flags = 1 << 5) =>
    decoded([...words(20), ...streams(width, length)], { flags, size: width * length, width }, 10_000);
  const joined = (width: number, bytes: number, flags = 1 << 5) =>
    decoded(blocks(new Array<number>(bytes).fill(7)), { flags, size: bytes, width }, 10_000);
  for (const width of [1, 2, 16]) {
    deepEqual(split(width, 128), Array.from({ length: width * 128 }, (_, i) => Math.floor(i / 128) + 1));
  }
  throws(() => split(2, 127));
  throws(() => split(17, 128));
  throws(() => split(2, 128, LZ4));
  deepEqual(joined(2, 254), new Array(254).fill(7));
  deepEqual(joined(17, 17 * 128), new Array(17 * 128).fill(7));
  deepEqual(joined(2, 256, LZ4), new Array(256).fill(7));
  // Elements that do not fill the block, and a last block that is shorter.
  deepEqual(joined(2, 257), new Array(257).fill(7));
  const first = streams(2, 128);
  const both = [...words(24, 24 + first.length), ...first, ...words(254), ...new Array<number>(254).fill(3)];
  deepEqual(decoded(both, { flags: 1 << 5, size: 510, blockSize: 256, width: 2 }).slice(-255), [
    2,
    ...new Array(254).fill(3),
  ]);
});
