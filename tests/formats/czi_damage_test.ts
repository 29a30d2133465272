/** Hostile CZI files: cut, with lying numbers, in circles, bombs. Nothing is made up, and every refusal says what and where. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { zstdCompressSync } from "node:zlib";
import { PlaneNotFound } from "../../readers/errors.ts";
import { planesAt } from "../planes.ts";
import { checkCuts, loadBytes, refused as refusedAs } from "../damage.ts";
import { openCzi } from "../fixtures/czi_files.ts";
import {
  patched,
  ramp16,
  structure,
  writeCzi,
  type WrittenCzi,
  type WrittenSubblock,
} from "../fixtures/czi_writer.ts";
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

Deno.test("rejects wrong sizes and codes with their offset", async () => {
  const made = writeCzi(stack);
  const { bytes, subblocks: [block = 0], directory } = made;
  // After the head of a segment: sizes of a subblock, then its entry.
  const [sizes, entry] = [block + 32, directory + 32 + 128];
  const cases: [readonly [number, 1 | 4 | 8, number], RegExp][] = [
    [[sizes, 4, -1], /subblock at \d+ states -1 bytes of metadata/],
    [[sizes, 4, 0x7fffffff], /states 2147483647 bytes of metadata/],
    [[sizes + 8, 8, 2 ** 60], /of samples and 0 of attachment/],
    [[sizes + 8, 8, 47], /holds 47 bytes, but its pixels need 48/],
    [[entry + 2, 4, 10], /pixel type 10 is unknown or not supported/],
    [[entry + 2, 4, 7], /pixel type 7 is/],
    [[entry + 6, 8, -1], /impossible position/],
    [[entry + 6, 8, 2 ** 40], /ends after the file/],
    [[entry + 6, 8, directory], /is not ZISRAWSUBBLOCK/],
    [[entry + 14, 4, 3], /part 3 of the split document/],
    [[entry + 18, 4, 3], /compression 3, which is not supported/],
    [[entry + 18, 4, 104], /compression 104, which/],
    [[entry + 18, 4, 99], /compression 99, which is not supported/],
  ];
  for (const [change, message] of cases) {
    // A raw block of the right length is raw whatever its compression.
    const short: [number, 4, number] = [sizes + 8, 4, 47];
    const changes = message.source.includes("compression") ? [change, short] : [change];
    await refused(patched(bytes, ...changes), message);
  }
});

Deno.test("walks the file if the directory is missing, and rejects a damaged one", async () => {
  const made = writeCzi(stack);
  const whole = await load(made.bytes);
  for (const place of [0, 2 ** 50]) {
    const { planes, summary } = await load(patched(made.bytes, [32 + 52, 8, place]));
    deepEqual([planes, codesOf(summary.warnings)], [whole.planes, ["file_damaged"]]);
  }
  const entry = made.directory + 32 + 128;
  const cases: [readonly [number, 4, number], RegExp][] = [
    [[made.directory + 32, 4, -1], /states -1 entries/],
    [[made.directory + 32, 4, 0x7fffffff], /states 2147483647 entries/],
    [[entry + 28, 4, 41], /entry 0 of the directory has 41 dimensions/],
    [[entry + 40, 4, -6], /size -6 along X/],
  ];
  for (const [change, message] of cases) await refused(patched(made.bytes, change), message);
});

Deno.test("reports planes that are declared and not stored as missing", async () => {
  const gap = writeCzi({ ...stack, subblocks: [frame(0), frame(2)] });
  await openCzi(gap.bytes, async (acquisition) => {
    await rejects(planesAt(acquisition, { t: 1 }), PlaneNotFound);
    equal((await planesAt(acquisition, { t: 2 }))[0]![0], 200);
  });
  const deleted = writeCzi({ ...stack, subblocks: [frame(0), frame(1, { id: "DELETED" }), frame(2)] });
  await openCzi(deleted.bytes, (acquisition) => rejects(planesAt(acquisition, { t: 1 }), PlaneNotFound));
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
  await openCzi(whole.bytes, (acquisition) => rejects(planesAt(acquisition, { t: 1 }), lacking));
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
  await openCzi(writeCzi({ subblocks }).bytes, async (acquisition) => {
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

Deno.test("reads all allocated bytes for a used size of 0", async () => {
  const made = writeCzi({ ...stack, attachments: [{ name: "a", type: "b", content: new Uint8Array(8) }] });
  const used = [made.directory, made.subblocks[0]!].map((segment) => [segment + 24, 8, 0] as const);
  const { planes, summary } = await load(patched(made.bytes, ...used, [made.attachments + 32, 4, 0]));
  deepEqual([planes, codesOf(summary.warnings)], [(await load(made.bytes)).planes, []]);
  // Nor is an allocated size of 0.
  const unallocated = await load(patched(made.bytes, [made.subblocks[0]! + 16, 8, 0]));
  deepEqual([unallocated.planes, codesOf(unallocated.summary.warnings)], [planes, []]);
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

Deno.test("bounds extents and sizes before any allocation", async () => {
  const one = (dims: WrittenSubblock["dims"], change: Partial<WrittenSubblock> = {}) =>
    writeCzi({ subblocks: [{ dims, data: new Uint8Array(64), ...change }] }).bytes;
  await refused(one([["X", 0, 1 << 20], ["Y", 0, 1 << 20]]), /planes are 1048576 x 1048576/);
  await refused(one([["X", 0, 1 << 29], ["Y", 0, 1]]), /holds 64 bytes, but its pixels need 1073741824/);
  await refused(one([["X", 0, 2], ["Y", 0, 2], ["C", 0, 20_000]]), /20000 channels, more than 1000/);
  const far = [-(2 ** 31), 2 ** 31 - 100].map((x): WrittenSubblock => ({
    dims: [["X", x, 4], ["Y", 0, 4]],
    data: ramp16(16, 0),
  }));
  await refused(writeCzi({ subblocks: far }).bytes, /planes are 4 x 42949/);
  for (const compression of [1, 2, 4, 5, 6]) {
    const large = one([["X", 0, 20_000], ["Y", 0, 20_000]], { compression });
    await refused(large, /64 bytes, too few for 800000000/);
  }
  const huge = one([["X", 0, 1 << 15], ["Y", 0, 1 << 15], ["T", 0, 4]], { compression: 6 });
  await refused(huge, /declares 8589934592 bytes/);
});

Deno.test("rejects a stream longer or shorter than its subblock", async () => {
  const bomb = (compression: number, bytes: Uint8Array) =>
    writeCzi({ subblocks: [{ dims: [["X", 0, 6], ["Y", 0, 4]], data: bytes, compression }] }).bytes;
  const header = (bytes: Uint8Array, ...head: number[]) => new Uint8Array([...head, ...bytes]);
  const large = zstdCompressSync(new Uint8Array(1 << 26));
  await refused(bomb(5, large), /zstd/);
  await refused(bomb(6, header(large, 1)), /zstd/);
  await refused(bomb(5, zstdCompressSync(new Uint8Array(47))), /gives 47 bytes of zstd, 48 are needed/);
  const sound = zstdCompressSync(ramp16(24, 0));
  await refused(bomb(6, header(sound, 2)), /its header 02\w* is unknown/);
  await refused(bomb(6, header(sound, 3, 2, 1)), /its header 030201 is unknown/);
  await refused(bomb(6, new Uint8Array(0)), /too few/);
  equal((await load(bomb(5, sound))).planes[0]![23], 23);
});

Deno.test("warns about damaged metadata, time stamps and attachments", async () => {
  const stamps = structure(8 + 24, (view) => {
    view.setInt32(4, 0x7fffffff, true);
    [5, 7, 9].forEach((stamp, i) => view.setFloat64(8 + 8 * i, stamp, true));
  });
  const made = writeCzi({ ...stack, attachments: [{ name: "TimeStamps", type: "CZTIMS", content: stamps }] });
  const { summary } = await load(made.bytes);
  deepEqual(summary.times, [0, 2, 4]);
  const changes: (readonly [number, 1 | 4 | 8, number])[] = [
    [made.metadata + 32, 4, 0x7fffffff],
    [32 + 60, 8, 2 ** 40],
    [made.attached[0]! + 32, 8, 2 ** 50],
    [made.attachments + 32, 4, -1],
    [made.attachments + 32, 4, 0x7fffffff],
  ];
  for (const change of changes) {
    const { summary, planes } = await load(patched(made.bytes, change));
    equal(planes[0]![23], 23, `${change}`);
    ok(summary.warnings.length > 0, `${change}`);
  }
});
