import assert from "node:assert/strict";
import { DecodeFailed } from "../errors.ts";
import { decodeBloscLz, decodeLongBloscLz, decodeLongLz4, decodeLz4 } from "./lz.ts";
import { shuffledBytes } from "./shuffle.ts";

type Decode = (source: Uint8Array, target: Uint8Array) => void;

/** The way of long blocks, which takes short ones as well. */
const LONG = new Map<Decode, Decode>([[decodeLz4, decodeLongLz4], [decodeBloscLz, decodeLongBloscLz]]);

const NOT_WRITTEN = 0xee;

/** Decodes by both ways, and into the memory of the kernel, where the bytes before the target must stay. */
function decoded(decode: Decode, length: number, ...bytes: number[]): number[] {
  const source = Uint8Array.from(bytes);
  const long = new Uint8Array(length);
  const expected = outcome(() => LONG.get(decode)!(source, long), long);
  const room = shuffledBytes(length + 5).fill(NOT_WRITTEN);
  assert.deepEqual(outcome(() => decode(source, room.subarray(5)), room.subarray(5)), expected);
  assert.deepEqual([...room.subarray(0, 5)], new Array(5).fill(NOT_WRITTEN));
  const target = new Uint8Array(length);
  decode(source, target);
  assert.deepEqual([...target], expected);
  return [...target];
}

/** What a target holds then, or why not. */
function outcome(decode: () => void, target: Uint8Array): number[] | string {
  try {
    decode();
    return [...target];
  } catch (error) {
    return String(error);
  }
}

Deno.test("BloscLZ: reads 16 more bits of distance for matches from 8192 bytes on", () => {
  const plain = Array.from({ length: 8320 }, (_, i) => i * i >> 4 & 255);
  const literals = Array.from({ length: 260 }, (_, i) => [31, ...plain.slice(32 * i, 32 * i + 32)]).flat();
  // Control bytes 1 << 5 and the upper five bits: three bytes. A distance of so many, less 1 where it is short.
  const near = (distance: number) => [0x20 | (distance - 1) >> 8, (distance - 1) & 255];
  const far = (distance: number) => [0x3f, 255, (distance - 8192) >> 8, (distance - 8192) & 255];
  const matches: [number, number[]][] = [
    ...[3, 256, 7936, 7937, 8190, 8191].map((distance): [number, number[]] => [distance, near(distance)]),
    ...[8192, 8193, 8320].map((distance): [number, number[]] => [distance, far(distance)]),
  ];
  for (const [distance, match] of matches) {
    const from = 8320 - distance;
    const expected = [...plain, ...plain.slice(from, from + 3)];
    assert.deepEqual(decoded(decodeBloscLz, 8323, ...literals, ...match), expected, `${distance}`);
  }
  assert.throws(
    () => decoded(decodeBloscLz, 8323, ...literals, ...far(8321)),
    /damaged at byte 8584 of 8584/,
  );
});

Deno.test("reads matches of each length at each short distance", () => {
  for (let distance = 1; distance <= 20; distance += 1) {
    for (let length = 4; length <= 90; length += length < 40 ? 1 : 7) {
      const start = Array.from({ length: distance }, (_, i) => i + 1);
      const repeated = Array.from({ length: distance + length }, (_, i) => i % distance + 1);
      const [more, literals] = [Math.min(length - 4, 15), Math.min(distance, 15)];
      const lz4 = [
        literals << 4 | more,
        ...(literals === 15 ? [distance - 15] : []),
        ...start,
        distance,
        0,
        ...(more === 15 ? [length - 19] : []),
        0x10,
        99,
      ];
      assert.deepEqual(decoded(decodeLz4, distance + length + 1, ...lz4), [...repeated, 99]);
      const control = length < 9 ? [(length - 2) << 5] : [0xe0, length - 9];
      const bloscLz = [distance - 1, ...start, ...control, distance - 1, 0, 99];
      assert.deepEqual(decoded(decodeBloscLz, distance + length + 1, ...bloscLz), [...repeated, 99]);
    }
  }
});

/** Each with the place after what was read. */
const REFUSED: [string, Decode, number, number[], RegExp][] = [
  ["LZ4 literals beyond the end", decodeLz4, 9, [0x90, 1], /damaged at byte 1 of 2$/],
  ["LZ4 literals one byte beyond the end", decodeLz4, 9, [0x20, 1], /damaged at byte 1 of 2$/],
  ["LZ4 literals beyond the target", decodeLz4, 1, [0x20, 1, 2], /damaged at byte 1 of 3$/],
  ["LZ4 length cut off", decodeLz4, 300, [0xf0, 255], /damaged at byte 2 of 2$/],
  ["LZ4 length of a match cut off", decodeLz4, 300, [0x1f, 1, 1, 0], /damaged at byte 4 of 4$/],
  ["LZ4 distance cut off", decodeLz4, 9, [0x10, 1, 1], /damaged at byte 2 of 3$/],
  ["LZ4 distance before the start", decodeLz4, 6, [0x10, 1, 2, 0, 0x10, 9], /damaged at byte 4 of 6$/],
  ["LZ4 distance of zero", decodeLz4, 6, [0x10, 1, 0, 0, 0x10, 9], /damaged at byte 4 of 6$/],
  ["LZ4 match beyond the target", decodeLz4, 4, [0x10, 1, 1, 0, 0x10, 9], /damaged at byte 4 of 6$/],
  ["LZ4 that is too short", decodeLz4, 9, [0x10, 1], /decode to 1 bytes, 9 are needed/],
  ["nothing for LZ4", decodeLz4, 9, [], /decode to 0 bytes, 9 are needed/],
  ["BloscLZ literals beyond the end", decodeBloscLz, 6, [5, 1], /damaged at byte 1 of 2$/],
  ["BloscLZ literals one byte beyond the end", decodeBloscLz, 2, [1, 1], /damaged at byte 1 of 2$/],
  ["BloscLZ literals beyond the target", decodeBloscLz, 1, [1, 1, 2], /damaged at byte 1 of 3$/],
  ["BloscLZ distance before the start", decodeBloscLz, 5, [0, 1, 0x20, 1, 0, 9], /damaged at byte 4 of 6$/],
  ["BloscLZ match beyond the target", decodeBloscLz, 3, [0, 1, 0x20, 0], /damaged at byte 4 of 4$/],
  ["BloscLZ match cut off", decodeBloscLz, 9, [0, 1, 0xe0], /damaged at byte 3 of 3$/],
  ["BloscLZ distance cut off", decodeBloscLz, 9, [0, 1, 0x20], /damaged at byte 3 of 3$/],
  ["BloscLZ that is too short", decodeBloscLz, 9, [0, 1], /decode to 1 bytes, 9 are needed/],
  ["nothing for BloscLZ", decodeBloscLz, 9, [], /damaged at byte 0 of 0$/],
];

for (const [name, decode, length, bytes, message] of REFUSED) {
  Deno.test(`rejects ${name}`, () => {
    assert.throws(() => decoded(decode, length, ...bytes), { constructor: DecodeFailed, message });
  });
}
