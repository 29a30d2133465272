import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { concat } from "../../tests/fixtures/bytes.ts";
import { attributes, chunk, frame, nd2File } from "../../tests/fixtures/nd2_writer.ts";
import { type ByteSource, DecodedBytes } from "../io/byte_source.ts";
import { StopFlag } from "../io/stop_flag.ts";
import { findChunks, MAX_FRAMES, readChunk, StoredChunks } from "./chunk_map.ts";

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

Deno.test("lists frames by number and metadata by name", () => {
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

Deno.test("walks the chunks if the map is missing or wrong", () => {
  const cases: [Uint8Array, RegExp][] = [
    [GOOD.subarray(0, -1), /does not end/],
    [GOOD.subarray(0, -60), /does not end/],
    [
      nd2File(CHUNKS, (name, at) => name === "the map" ? 0 : at),
      /"ND2 FILE SIGNATURE CHUNK NAME01!" starts at 0/,
    ],
    [nd2File(CHUNKS, (name, at) => name === "the map" ? 2 ** 52 : at), /ends after/],
    [nd2File(CHUNKS, (name, at) => name === "the map" ? at - 1 : at), /no chunk starts/],
    [
      nd2File(CHUNKS, (name, at) => name.startsWith("ImageAttr") ? at + 4 : at),
      /"ImageAttributesLV!"|no chunk/,
    ],
    [
      nd2File(CHUNKS, (name, at) => name.startsWith("ImageAttr") ? 112 : at),
      /"ImageAttributesLV!" is missing/,
    ],
  ];
  for (const [bytes, fault] of cases) {
    const walked = find(bytes);
    ok(walked.fault?.match(fault), String(walked.fault));
    deepEqual({ ...walked, fault: null }, found);
  }
});

Deno.test("ends a walk at a length beyond the file", () => {
  for (const length of [2 ** 40, 2 ** 53 - 1]) {
    const bytes = concat(chunk("ImageDataSeq|0!", frame(), length), chunk("ImageDataSeq|1!", frame()));
    deepEqual(find(bytes).frames, [[0, 0]]);
  }
  deepEqual(find(new Uint8Array(200)).frames, []);
});

Deno.test("requires a signature after the last entry of a map of at most 128 MiB", () => {
  const unsigned = GOOD.slice();
  const view = new DataView(unsigned.buffer);
  const map = view.getUint32(GOOD.length - 8, true);
  view.setBigUint64(map + 8, BigInt(GOOD.length - map - 16 - 32 - 40), true);
  ok(find(unsigned).fault?.includes("it has no name at"));
  /** A file that is as large as its map, which cannot be read. */
  const opened = (mapBytes: number) => {
    const head = chunk("ND2 FILEMAP SIGNATURE NAME 0001!", new Uint8Array(), mapBytes);
    const tail = concat(GOOD.subarray(-40, -8), new Uint8Array(8));
    const read = (at: number, length: number) => {
      if (length > 1000) throw new Error("read");
      return (at === 0 ? concat(head, new Uint8Array(length)) : tail).slice(0, length);
    };
    const file = { ...new DecodedBytes(head, "the file"), size: head.length + mapBytes + 40, read };
    return () => findChunks(file as unknown as ByteSource, new StopFlag());
  };
  throws(opened(128 << 20), /^Error: read/);
  match(opened((128 << 20) + 1)().fault!, /it has 134217729 bytes, more than 134217728/);
});

Deno.test("accepts a name field of up to 64 KiB inside the file, and empty data", () => {
  const chunks = (field: number, kept = 16 + field) => {
    const bytes = new Uint8Array(16 + field);
    bytes.set(chunk("ImageAttributes!", new Uint8Array()));
    new DataView(bytes.buffer).setUint32(4, field, true);
    return find(bytes.subarray(0, kept)).named.length;
  };
  deepEqual([chunks(64 << 10), chunks((64 << 10) + 1), chunks(1000), chunks(1000, 1015)], [1, 0, 1, 0]);
});

Deno.test("reads a chunk up to a bound", () => {
  const file = new DecodedBytes(chunk("a!", new Uint8Array(9)), "the file");
  equal(readChunk(file, "a!", 0, 9).length, 9);
  throws(() => readChunk(file, "a!", 0, 8), /chunk "a!" at 0 has 9 bytes, more than 8/);
});

Deno.test("finds chunks at multiples of 4096 and between them on a walk", () => {
  const pad = (bytes: Uint8Array) => concat(bytes, new Uint8Array(-bytes.length & 4095));
  const [first, second, third] = [0, 1, 2].map((n) => chunk(`ImageDataSeq|${n}!`, frame()));
  const loose = pad(concat(first!, second!));
  deepEqual(find(concat(loose, third!)).frames, [[0, 0], [1, first!.length], [2, 4096]]);
  deepEqual(find(concat(pad(first!), third!)).frames, [[0, 0], [2, 4096]]);
  // Padding may look like a chunk.
  const padding = concat(new Uint8Array(8), second!, new Uint8Array(4096));
  deepEqual(find(concat(pad(concat(first!, padding)).subarray(0, 4096), third!)).frames, [[0, 0], [2, 4096]]);
});

Deno.test("bounds the numbers of frames and metadata, and estimates their heap", () => {
  const chunks = new StoredChunks();
  for (let frame = 0; frame < MAX_FRAMES; frame += 1) chunks.add(`ImageDataSeq|${frame}!`, frame);
  equal(chunks.bytes, 60 * MAX_FRAMES);
  throws(() => chunks.add(`ImageDataSeq|${MAX_FRAMES}!`, 0), /more than 2000000 frames/);
  for (let n = 0; n < 10_000; n += 1) chunks.add(`CustomDataVar|${n}!`, n);
  throws(() => chunks.add("ImageAttributes!", 0), /more than 10000 chunks of metadata/);
});
