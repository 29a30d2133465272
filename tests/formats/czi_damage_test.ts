/** Hostile CZI files: cut, with lying numbers, in circles, bombs. Nothing is made up, and every refusal says what and where. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { zstdCompressSync } from "node:zlib";
import { PlaneNotFound } from "../../readers/errors.ts";
import { planesAt } from "../planes.ts";
import {
  checkCuts,
  type DamageTable,
  loadBytes,
  openBytes,
  refused as refusedAs,
  testDamage,
} from "../damage.ts";
import { concat, doubles, words } from "../fixtures/bytes.ts";
import { patched, ramp16, writeCzi, type WrittenCzi, type WrittenSubblock } from "../fixtures/czi_writer.ts";
import { codesOf } from "../warning_codes.ts";

const load = (bytes: Uint8Array) => loadBytes("a.czi", bytes);
const refused = (bytes: Uint8Array, message: RegExp) => refusedAs("a.czi", bytes, message);

/** A plane of 6 x 4 at a time point. */
const frame = (t: number, change: Partial<WrittenSubblock> = {}): WrittenSubblock => ({
  dims: [["X", 0, 6], ["Y", 0, 4], ["C", 0, 1], ["T", t, 1]],
  data: ramp16(24, 100 * t),
  ...change,
});

const stack: WrittenCzi = {
  subblocks: [frame(0), frame(1), frame(2)],
  xml: "<ImageDocument><Metadata/></ImageDocument>",
  front: true,
};

/** Lines of 5 pixels in blocks of ten lines. */
const lines: WrittenCzi = {
  subblocks: [0, 10, 20].map((t) => ({
    dims: [["X", 0, 5], ["Y", 0, 1], ["T", t, 10]],
    data: ramp16(50, 5 * t),
  })),
  front: true,
};

const made = writeCzi(stack);

/** Start of the sizes in the first subblock, and of the first entry in the directory. */
const [sizes, entry] = [made.subblocks[0]! + 32, made.directory + 32 + 128];

type Change = Parameters<typeof patched>[1];

const change = (...changes: readonly Change[]) => () => patched(made.bytes, ...changes);

/** A raw block of the right length is raw whatever its compression, so it is a byte short. */
const compressed = (code: number) => change([entry + 18, 4, code], [sizes + 8, 4, 47]);

const one = (dims: WrittenSubblock["dims"], change: Partial<WrittenSubblock> = {}) => () =>
  writeCzi({ subblocks: [{ dims, data: new Uint8Array(64), ...change }] });

/** A subblock of 48 bytes that holds a stream. */
const stream = (compression: number, data: Uint8Array, ...head: number[]) =>
  one([["X", 0, 6], ["Y", 0, 4]], { compression, data: concat(Uint8Array.from(head), data) });

const sound = zstdCompressSync(ramp16(24, 0));
const bomb = zstdCompressSync(new Uint8Array(1 << 26));

const far = [-(2 ** 31), 2 ** 31 - 100].map((x): WrittenSubblock => ({
  dims: [["X", x, 4], ["Y", 0, 4]],
  data: ramp16(16, 0),
}));

/** The stack with time stamps, whose number is wrong. */
const stamped = writeCzi({
  ...stack,
  attachments: [{
    name: "TimeStamps",
    type: "CZTIMS",
    content: concat(words(0, 0x7fffffff), doubles(5, 7, 9)),
  }],
});

const inStamped = (...changes: readonly Change[]) => () => patched(stamped.bytes, ...changes);

const DAMAGE: DamageTable = {
  "-1 bytes of metadata": [change([sizes, 4, -1]), /subblock at \d+ states -1 bytes of metadata/],
  "2 GB of metadata": [change([sizes, 4, 0x7fffffff]), /states 2147483647 bytes of metadata/],
  "2^60 bytes of samples": [change([sizes + 8, 8, 2 ** 60]), /of samples and 0 of attachment/],
  "a byte too few": [change([sizes + 8, 8, 47]), /holds 47 bytes, but its pixels need 48/],
  "complex pixels": [change([entry + 2, 4, 10]), /pixel type 10 is unknown or not supported/],
  "unknown pixels": [change([entry + 2, 4, 7]), /pixel type 7 is/],
  "a position below 0": [change([entry + 6, 8, -1]), /impossible position/],
  "a position after the end": [change([entry + 6, 8, 2 ** 40]), /ends after the file/],
  "the position of a directory": [change([entry + 6, 8, made.directory]), /is not ZISRAWSUBBLOCK/],
  "a missing part": [change([entry + 14, 4, 3]), /part 3 of the split document/],
  "compression 3": [compressed(3), /compression 3, which is not supported/],
  "compression 104": [compressed(104), /compression 104, which/],
  "compression 999": [compressed(999), /compression 999, which is not supported/],
  "no directory": [change([32 + 52, 8, 0]), ["file_damaged"]],
  "a directory after the end": [change([32 + 52, 8, 2 ** 50]), ["file_damaged"]],
  "-1 entries": [change([made.directory + 32, 4, -1]), /states -1 entries/],
  "2^31 entries": [change([made.directory + 32, 4, 0x7fffffff]), /states 2147483647 entries/],
  "41 dimensions": [change([entry + 28, 4, 41]), /entry 0 of the directory has 41 dimensions/],
  "a size below 0": [change([entry + 40, 4, -6]), /size -6 along X/],
  "planes of 2^40 pixels": [one([["X", 0, 1 << 20], ["Y", 0, 1 << 20]]), /planes are 1048576 x 1048576/],
  "a row of 2^29 pixels": [one([["X", 0, 1 << 29], ["Y", 0, 1]]), /but its pixels need 1073741824/],
  "20,000 channels": [one([["X", 0, 2], ["Y", 0, 2], ["C", 0, 20_000]]), /20000 channels, more than 1000/],
  "tiles far apart": [() => writeCzi({ subblocks: far }), /planes are 4 x 42949/],
  ...Object.fromEntries([1, 2, 4, 5, 6].map((compression) => [
    `too short a stream of compression ${compression}`,
    [one([["X", 0, 20_000], ["Y", 0, 20_000]], { compression }), /64 bytes, too few for 800000000/],
  ])),
  "a subblock of 8 GB": [
    one([["X", 0, 1 << 15], ["Y", 0, 1 << 15], ["T", 0, 4]], { compression: 6 }),
    /declares 8589934592 bytes/,
  ],
  "a stream of 64 MB for 48 bytes": [stream(5, bomb), /zstd/],
  "a stream of 64 MB after a header": [stream(6, bomb, 1), /zstd/],
  "a stream of 47 bytes": [
    stream(5, zstdCompressSync(new Uint8Array(47))),
    /gives 47 bytes of zstd, 48 are needed/,
  ],
  "a header of two bytes": [stream(6, sound, 2), /its header 02\w* is unknown/],
  "an unknown chunk in the header": [stream(6, sound, 3, 2, 1), /its header 030201 is unknown/],
  "an empty stream": [stream(6, new Uint8Array(0)), /too few/],
  "a sound stream": [stream(5, sound), []],
  "a used size of 0 in the directory": [change([made.directory + 24, 8, 0]), []],
  "a used size of 0 in a subblock": [change([made.subblocks[0]! + 24, 8, 0]), []],
  "an allocated size of 0": [change([made.subblocks[0]! + 16, 8, 0]), []],
  "no attachments in their directory": [inStamped([stamped.attachments + 32, 4, 0]), []],
  "2 GB of XML": [inStamped([stamped.metadata + 32, 4, 0x7fffffff]), ["metadata_damaged"]],
  "XML after the end": [inStamped([32 + 60, 8, 2 ** 40]), ["metadata_damaged"]],
  "time stamps after the end": [inStamped([stamped.attached[0]! + 32, 8, 2 ** 50]), ["metadata_damaged"]],
  "-1 attachments": [inStamped([stamped.attachments + 32, 4, -1]), ["file_damaged"]],
  "2^31 attachments": [inStamped([stamped.attachments + 32, 4, 0x7fffffff]), ["file_damaged"]],
};

testDamage("a.czi", DAMAGE, () => made);

Deno.test("time stamps are read up to the end of their attachment", async () => {
  deepEqual((await load(stamped.bytes)).summary.times, [0, 2, 4]);
});

Deno.test("rejects a truncated stack or serves it exactly", async () => {
  for (const front of [true, false]) await checkCuts("a.czi", writeCzi({ ...stack, front }).bytes, 13);
});

Deno.test("serves the complete lines of a truncated line scan", async () => {
  const { bytes, subblocks } = writeCzi(lines);
  // 288 bytes after the start of the last block: 3 lines of 10 bytes and a half.
  const cut = bytes.subarray(0, subblocks[2]! + 288 + 35);
  const { planes: [plane], summary } = await load(cut);
  deepEqual([summary.rows, summary.columns], [23, 5]);
  deepEqual([...plane!], Array.from({ length: 115 }, (_, i) => i));
  deepEqual(codesOf(summary.warnings), ["metadata_damaged", "step_unknown", "lines_missing"]);
  // Before the head of the last block, and within that of the first.
  equal((await load(bytes.subarray(0, subblocks[2]! + 10))).summary.rows, 20);
  await refused(bytes.subarray(0, subblocks[0]! + 100), /has no line at T 0|is not stored/);
});

Deno.test("serves no lines after a gap", async () => {
  const [first, , last] = lines.subblocks;
  const { summary } = await load(writeCzi({ subblocks: [first!, last!] }).bytes);
  equal(summary.rows, 10);
});

Deno.test("reports planes that are declared and not stored as missing", async () => {
  const gap = writeCzi({ ...stack, subblocks: [frame(0), frame(2)] });
  await openBytes("a.czi", gap.bytes, async (acquisition) => {
    await rejects(planesAt(acquisition, { t: 1 }), PlaneNotFound);
    equal((await planesAt(acquisition, { t: 2 }))[0]![0], 200);
  });
  const deleted = writeCzi({ ...stack, subblocks: [frame(0), frame(1, { id: "DELETED" }), frame(2)] });
  await openBytes(
    "a.czi",
    deleted.bytes,
    (acquisition) => rejects(planesAt(acquisition, { t: 1 }), PlaneNotFound),
  );
  const first = writeCzi({ ...stack, subblocks: [frame(0, { id: "DELETED" }), frame(1)] });
  await refused(first.bytes, /is not stored there/);
  const channels = [0, 2].map((c): WrittenSubblock => ({
    dims: [["X", 0, 6], ["Y", 0, 4], ["C", c, 1]],
    data: ramp16(24, c),
  }));
  await refused(writeCzi({ subblocks: channels }).bytes, /channel 1 \("CH2"\) is not stored/);
});

Deno.test("reports a tile that only some planes lack as missing, and warns about a hole in all planes", async () => {
  const tile = (m: number, t: number): WrittenSubblock => ({
    dims: [["X", 8 * m, 6], ["Y", 0, 4], ["T", t, 1], ["M", m, 1]],
    data: ramp16(24, 10),
  });
  const whole = writeCzi({ subblocks: [tile(0, 0), tile(1, 0), tile(0, 1)] });
  const lacking = /channel 0 \("CH1"\) has 1 of 2 tiles there/;
  await openBytes("a.czi", whole.bytes, (acquisition) => rejects(planesAt(acquisition, { t: 1 }), lacking));
  // Two of 14 columns lie between the tiles.
  const { summary } = await load(whole.bytes);
  deepEqual(codesOf(summary.warnings), ["planes_missing", "area_uncovered"]);
  await refused(writeCzi({ subblocks: [tile(0, 0), tile(0, 1), tile(1, 1)] }).bytes, /1 of 2 tiles/);
});

Deno.test("distinguishes tiles without an index by their position", async () => {
  const tile = (x: number, y: number, t: number): WrittenSubblock => ({
    dims: [["X", x, 4], ["Y", y, 4], ["T", t, 1]],
    data: ramp16(16, 100 * t + 10 * x + y),
  });
  // The second time point has one tile twice and lacks another one.
  const first = [tile(0, 0, 0), tile(4, 0, 0), tile(0, 4, 0)];
  const subblocks = [...first, tile(0, 0, 1), tile(4, 0, 1), tile(4, 0, 1)];
  await openBytes("a.czi", writeCzi({ subblocks }).bytes, async (acquisition) => {
    equal((await planesAt(acquisition))[0]!.length, 64);
    await rejects(planesAt(acquisition, { t: 1 }), /has 2 of 3 tiles there/);
  });
});

Deno.test("serves a mosaic without a directory if nothing can be missing", async () => {
  const tile = (m: number): WrittenSubblock => ({
    dims: [["X", 4 * m, 4], ["Y", 0, 4], ["M", m, 1]],
    data: ramp16(16, 100 * m),
  });
  const made = writeCzi({ subblocks: [tile(0), tile(1), tile(2)], front: true });
  const lost = patched(made.bytes, [32 + 52, 8, 0]);
  const { planes, summary } = await load(lost);
  deepEqual(planes, (await load(made.bytes)).planes);
  deepEqual(codesOf(summary.warnings), ["file_damaged"]);
  await refused(lost.subarray(0, made.subblocks[2]!), /tiles of the mosaic may be missing/);
  await refused(patched(lost, [made.subblocks[1]! + 32 + 16, 1, 0]), /subblock at \d+ has the schema/);
});

Deno.test("reads raw data of a system as pixels, with a warning", async () => {
  const data = new Uint8Array([...ramp16(24, 7), 1, 2]);
  const made = (compression: number) =>
    writeCzi({ subblocks: [{ dims: [["X", 0, 6], ["Y", 0, 4]], data, compression }] }).bytes;
  await refused(made(999), /compression 999, which/);
  const { planes, summary } = await load(made(1000));
  equal(planes[0]![23], 30);
  deepEqual(codesOf(summary.warnings), ["samples_doubtful", "metadata_disagree"]);
});
