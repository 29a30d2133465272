import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { attributes, chunk, concat, frame, nd2File } from "../../tests/fixtures/nd2_writer.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { StopFlag } from "../io/stop_flag.ts";
import { findChunks } from "./chunk_map.ts";

const CHUNKS: readonly (readonly [string, Uint8Array])[] = [
  ["ImageDataSeq|0!", frame()],
  ["ImageDataSeq|1!", frame(20)],
  ["ImageAttributesLV!", attributes()],
  ["ImageMetadataSeqLV|0!", new Uint8Array(5)],
  ["ImageMetadataSeqLV|1!", new Uint8Array(5)],
  ["CustomDataSeq|Mask|0!", new Uint8Array(5)],
  ["CustomData|AcqTimesCache!", new Uint8Array(16)],
];

function find(bytes: Uint8Array) {
  const { chunks, fault } = findChunks(new DecodedBytes(bytes, "the file"), new StopFlag());
  return { frames: [...chunks.frames].sort(), named: [...chunks.named].sort(), fault };
}

const GOOD = nd2File(CHUNKS);
const found = find(GOOD);

Deno.test("frames by number and what is read of the metadata by name", () => {
  equal(found.fault, null);
  deepEqual(found.frames.map(([number]) => number), [0, 1]);
  deepEqual(found.named.map(([name]) => name), [
    "CustomData|AcqTimesCache!",
    "ImageAttributesLV!",
    "ImageMetadataSeqLV|0!",
  ]);
  // The signature has 112 bytes.
  deepEqual(found.frames[0], [0, 112]);
});

Deno.test("a map that is missing or leads astray is replaced by a walk", () => {
  const cases: [Uint8Array, RegExp][] = [
    [GOOD.subarray(0, -1), /does not end/],
    [GOOD.subarray(0, -60), /does not end/],
    [nd2File(CHUNKS, (name, at) => name === "the map" ? 0 : at), /another chunk/],
    [nd2File(CHUNKS, (name, at) => name === "the map" ? 2 ** 52 : at), /outside/],
    [nd2File(CHUNKS, (name, at) => name === "the map" ? at - 1 : at), /no chunk begins/],
    [nd2File(CHUNKS, (name, at) => name.startsWith("ImageAttr") ? at + 4 : at), /attributes/],
    [nd2File(CHUNKS, (name, at) => name.startsWith("ImageAttr") ? 112 : at), /attributes/],
  ];
  for (const [bytes, fault] of cases) {
    const walked = find(bytes);
    ok(walked.fault?.match(fault), String(walked.fault));
    deepEqual({ ...walked, fault: null }, found);
  }
});

Deno.test("a walk finds chunks behind bytes that are none, and passes over false beginnings", () => {
  const rubbish = Uint8Array.from({ length: 5000 }, (_, i) => [0xda, 0xce, 0xbe, 0x0a, 0xff, 0xff][i % 6]!);
  const two = concat(chunk("ImageDataSeq|0!", frame()), rubbish, chunk("ImageDataSeq|7!", frame()));
  deepEqual(find(two).frames, [[0, 0], [7, two.length - chunk("ImageDataSeq|7!", frame()).length]]);
  // The last of a file that was cut is told, so that its missing bytes can be named.
  deepEqual(find(two.subarray(0, -10)).frames.length, 2);
  deepEqual(find(new Uint8Array(200)).frames, []);
});

Deno.test("a walk goes on where lengths lead behind the end or round in a circle", () => {
  for (const length of [2 ** 40, 2 ** 53 - 1]) {
    const bytes = concat(chunk("ImageDataSeq|0!", frame(), length), chunk("ImageDataSeq|1!", frame()));
    deepEqual(find(bytes).frames, [[0, 0]]);
  }
  const empty = concat(
    ...Array.from({ length: 20 }, () => chunk("a!", new Uint8Array())),
    new Uint8Array(40),
  );
  deepEqual(find(empty).frames, []);
});

Deno.test("a walk takes the next chunk whether or not it begins at a multiple of 4096, and misses none between", () => {
  const pad = (bytes: Uint8Array) => concat(bytes, new Uint8Array(-bytes.length & 4095));
  const [first, second, third] = [0, 1, 2].map((n) => chunk(`ImageDataSeq|${n}!`, frame()));
  const loose = pad(concat(first!, second!));
  deepEqual(find(concat(loose, third!)).frames, [[0, 0], [1, first!.length], [2, 4096]]);
  deepEqual(find(concat(pad(first!), third!)).frames, [[0, 0], [2, 4096]]);
  // What looks like a chunk in padding is none.
  const padding = concat(new Uint8Array(8), second!, new Uint8Array(4096));
  deepEqual(find(concat(pad(concat(first!, padding)).subarray(0, 4096), third!)).frames, [[0, 0], [2, 4096]]);
});

Deno.test("changed files give chunks or a tagged error", () => {
  const change = fc.record({ at: fc.nat(GOOD.length - 1), value: fc.nat(255) });
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 4 }),
      fc.integer({ min: 40, max: GOOD.length }),
      (changes, length) => {
        const bytes = GOOD.slice(0, length);
        for (const { at, value } of changes) if (at < length) bytes[at] = value;
        try {
          ok(find(bytes).named.length <= 7);
        } catch (error) {
          ok(error instanceof DecodeFailed, String(error));
        }
      },
    ),
    { numRuns: 1000, seed: 2 },
  );
});

Deno.test("more frames than are kept", () => {
  throws(() => {
    const { chunks } = findChunks(new DecodedBytes(GOOD, "the file"), new StopFlag());
    for (let i = 0; i <= 2_000_000; i += 1) chunks.add(`ImageDataSeq|${i}!`, 0);
  }, /more than 2000000 frames/);
});
