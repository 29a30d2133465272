/** Damaged and hostile ND2 files: refused with what is wrong and where, or served with a warning. */
import { checkCuts, loadBytes, openBytes, refused as refusedAs } from "../damage.ts";
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { concat, doubles, words } from "../fixtures/bytes.ts";
import { attributes, entry, frame, level, nd2File, number, packed } from "../fixtures/nd2_writer.ts";
import { codesOf } from "../warning_codes.ts";

type Chunks = readonly (readonly [name: string, data: Uint8Array, length?: number])[];

const CHUNKS: Chunks = [["ImageDataSeq|0!", frame()], ["ImageAttributesLV!", attributes()]];
const SAMPLES = Array.from({ length: 12 }, (_, i) => i);

const double = (name: string, value: number) => entry(6, name, doubles(value));
const time = (count: number) =>
  level("SLxExperiment", [number("eType", 1), level("uLoopPars", [number("uiCount", count)])]);

const load = (bytes: Uint8Array, name = "a.nd2") => loadBytes(name, bytes);
const refused = (bytes: Uint8Array, message: RegExp) => refusedAs("a.nd2", bytes, message);

/** The file without its metadata, and with other attributes, frame or further chunks. */
const changed = (values: Readonly<Record<string, number>>, pixels = frame(), ...more: Chunks) =>
  nd2File([["ImageDataSeq|0!", pixels], ["ImageAttributesLV!", attributes(values)], ...more]);

Deno.test("reads a file of one frame and its attributes", async () => {
  const { planes, summary } = await load(nd2File(CHUNKS));
  deepEqual([...planes[0]!], SAMPLES);
  deepEqual([summary.loaded[0]!.name, summary.date], ["CH1", ""]);
  deepEqual(summary.axes.map(({ unit }) => unit), ["Pixels", "Pixels"]);
  deepEqual(codesOf(summary.warnings), ["metadata_missing"]);
});

Deno.test("rejects a file truncated anywhere, or serves it with a warning", async () => {
  const good = nd2File([...CHUNKS, ["ImageMetadataSeqLV|0!", level("a", [])]]);
  ok((await checkCuts("a.nd2", good, 2, true)).served > 0);
});

Deno.test("rejects impossible sizes and those that do not fit the frames", async () => {
  const cases: [Record<string, number>, RegExp][] = [
    [{ uiWidth: 0 }, /uiWidth is 0 instead of 1 to/],
    [{ uiWidth: 1 << 20, uiHeight: 1 << 20, uiWidthBytes: 1 << 21 }, /1048576 x 1048576 pixels/],
    [{ uiHeight: 4 }, /frame 0 at 112 is incomplete: 24 of 32 bytes/],
    [{ uiWidth: 1 << 14, uiHeight: 1 << 14, uiWidthBytes: 1 << 15 }, /is incomplete: 24 of 536870912 bytes/],
  ];
  for (const [values, message] of cases) await refused(changed(values), message);
  await refused(nd2File([["ImageDataSeq|0!", frame()]]), /attributes of the image are missing/);
  await refused(nd2File([CHUNKS[1]!]), /frame 0 is not in the file|it holds no frames/);
});

Deno.test("inflates a zlib stream within its frame", async () => {
  const stream = (bytes: Uint8Array) => concat(new Uint8Array(8), deflateSync(bytes));
  const raw = frame().subarray(8);
  const zlib = { eCompression: 0 };
  deepEqual([...(await load(changed(zlib, stream(raw)))).planes[0]!], SAMPLES);
  await refused(changed(zlib, stream(raw.subarray(0, -1))), /gives 23 bytes of deflate, 24 are needed/);
  await refused(changed(zlib, stream(new Uint8Array(1 << 20))), /more than the 24 bytes/);
  await refused(changed(zlib, stream(raw).subarray(0, -2)), /ends early/);
  await refused(
    changed({ ...zlib, uiHeight: 1 << 19 }, stream(raw)),
    /bytes of zlib cannot hold 4194304 bytes/,
  );
  // A frame of 24 bytes that the attributes call a stream is one only when it begins like one.
  deepEqual([...(await load(changed(zlib))).planes[0]!], SAMPLES);
});

Deno.test("rejects a map that points to another chunk", async () => {
  const chunks: Chunks = [["ImageDataSeq|0!", frame()], ["ImageDataSeq|1!", frame(20)], ...CHUNKS.slice(1)];
  const swapped = (to: (at: number) => number) =>
    nd2File(chunks, (name, at) => name === "ImageDataSeq|0!" ? to(at) : at);
  await refused(swapped((at) => at + 16 + 15 + 32), /"ImageDataSeq\|1!" starts at/);
  await refused(swapped((at) => at + 1), /no chunk starts at 113/);
  await refused(swapped(() => 2 ** 50), /ends after the file/);
  const long = await load(nd2File([["ImageDataSeq|0!", frame(), 2 ** 40], ...CHUNKS.slice(1)]));
  deepEqual([...long.planes[0]!], SAMPLES);
  deepEqual(codesOf(long.summary.warnings), ["metadata_missing", "metadata_disagree"]);
});

Deno.test("reports a missing frame, or damage if it is the first", async () => {
  const two = (...frames: Chunks) =>
    nd2File([...frames, ["ImageAttributesLV!", attributes()], ["ImageMetadataLV!", time(2)]]);
  await refused(two(["ImageDataSeq|1!", frame()]), /frame 0 is not in the file, which holds 1 frames/);
  await openBytes("a.nd2", two(["ImageDataSeq|0!", frame()]), async (acquisition) => {
    deepEqual([acquisition.axes[0]?.size, acquisition.times], [2, null]);
    deepEqual(codesOf(acquisition.warnings), [
      "metadata_missing",
      "planes_missing",
      "metadata_missing",
      "step_unknown",
    ]);
    await rejects(acquisition.plan([0], { t: 1, z: 0, l: 0 }), { tag: "plane_not_found" });
  });
  await refused(two(["ImageDataSeq|0!", frame().subarray(0, 20)]), /12 of 24 bytes are stored/);
});

Deno.test("allocates nothing for wrong counts of loops", async () => {
  const many = nd2File([...CHUNKS, ["ImageMetadataLV!", time(2 ** 31 - 1)], [
    "CustomData|AcqTimesCache!",
    new Uint8Array(16),
  ]]);
  equal((await load(many)).summary.axes[0]?.size, 2 ** 31 - 1);
  await refused(nd2File([...CHUNKS, ["ImageMetadataLV!", time(0xffff_ffff)]]), /declares 4294967295 frames/);
  const bomb = packed(entry(9, "a", concat(words(60n << 20n), new Uint8Array(60 << 20))));
  await refused(
    nd2File([...CHUNKS, ["ImageMetadataLV!", bomb], ["ImageMetadataSeqLV|0!", bomb]]),
    /for all metadata/,
  );
  const texts = nd2File([...CHUNKS, ["ImageTextInfoLV!", packed(bomb, 2 ** 40)]]);
  deepEqual(codesOf((await load(texts)).summary.warnings), ["metadata_missing", "metadata_damaged"]);
});

Deno.test("takes times from the frames if the list is missing, truncated or descending", async () => {
  const timed = (ms: number) => concat(doubles(ms), frame().subarray(8));
  const file = (list: Uint8Array, at?: number) =>
    nd2File([
      ["CustomData|X!", doubles(1000, 9000)],
      ["ImageDataSeq|0!", timed(100)],
      ["ImageDataSeq|1!", timed(150)],
      ["ImageAttributesLV!", attributes()],
      ["ImageMetadataLV!", time(2)],
      ["CustomData|AcqTimesCache!", list],
    ], (name, place) => name.startsWith("CustomData|Acq") ? at ?? place : place);
  const times = async (bytes: Uint8Array) => (await load(bytes)).summary.times;
  deepEqual(await times(file(doubles(3, 1003))), [0, 1]);
  // The list of the stage starts after the signature of 112 bytes.
  for (
    const bytes of [
      file(doubles(3, 1003), 112),
      file(doubles(3, 1003), 1),
      file(doubles(3)),
      file(doubles(1003, 3)),
      file(doubles(3, NaN)),
    ]
  ) deepEqual(await times(bytes), [0, 0.05]);
});

Deno.test("serves the stored lines of an interrupted line scan", async () => {
  const picture = level("SLxPictureMetadata", [
    number("ePictureYAxis", 2),
    double("dTimeAxisCalibration", 4),
  ]);
  const lines = (pixels: Uint8Array) => changed({}, pixels, ["ImageMetadataSeqLV|0!", picture]);
  const { planes, summary } = await load(lines(frame().subarray(0, 8 + 17)));
  deepEqual([[...planes[0]!], summary.rows], [SAMPLES.slice(0, 8), 2]);
  deepEqual(summary.axes[0], { name: "Y", size: 3, step: 0.004, unit: "seconds" });
  deepEqual(codesOf(summary.warnings), ["lines_missing"]);
  await refused(lines(frame().subarray(0, 8 + 7)), /7 of 24 bytes/);
  const untimed = level("SLxPictureMetadata", [number("ePictureYAxis", 2), double("dCalibration", 0.5)]);
  const spatial = await load(changed({}, frame(), ["ImageMetadataSeqLV|0!", untimed]));
  deepEqual(spatial.summary.axes.map(({ step, unit }) => [step, unit]), [[1, "Pixels"], [0.5, "um"]]);
  deepEqual(codesOf(spatial.summary.warnings), ["step_unknown"]);
});

const fixture = (name: string) => Deno.readFileSync(new URL(`../fixtures/nd2/${name}`, import.meta.url));

Deno.test("rejects other JPEG 2000 of any name, and reads ND2 of both kinds without an extension", async () => {
  const legacy = fixture("legacy_single.nd2");
  const picture = legacy.subarray(0, -200);
  await rejects(load(picture, "a.jp2"), { tag: "unsupported_format" });
  equal((await load(legacy, "a.dat")).summary.format, "nd2");
  equal((await load(fixture("series.nd2"), "a.dat")).summary.format, "nd2");
  await refused(picture, /does not end with a box map/);
});

Deno.test("rejects wrong offsets and sizes of JPEG 2000 boxes", async () => {
  const good = fixture("legacy_single.nd2");
  const view = new DataView(good.buffer.slice(0));
  const change = (edit: (view: DataView, mapAt: number) => void) => {
    const copy = new DataView(good.buffer.slice(0));
    edit(copy, good.length - view.getUint32(good.length - 8, true));
    return new Uint8Array(copy.buffer);
  };
  // The first box is that of the signature, the fourth the first codestream; entries have 16 bytes.
  const streamAt = (edited: DataView, mapAt: number) => edited.getUint32(mapAt + 4 + 3 * 16 + 8, true);
  const cases: [Parameters<typeof change>[0], RegExp][] = [
    [(v, map) => v.setUint32(map, 0xffff_ffff), /more than 1000000 boxes/],
    [(v, map) => v.setUint32(map, 1000), /the box map at \d+ \+ 16000 ends after/],
    [(v, map) => v.setBigUint64(map + 4 + 3 * 16 + 8, 1n << 40n, true), /box "LUNK" at 1099511627776/],
    [(v, map) => v.setUint32(streamAt(v, map), 0x7fff_ffff), /ends after the file/],
    [(v, map) => v.setUint32(streamAt(v, map), 8), /the box at \d+ holds no codestream/],
    [(v, map) => v.setUint32(streamAt(v, map) + 8 + 8, 1 << 31), /16 x 2147483648 x 1/],
    [(v) => v.setBigUint64(good.length - 8, 0n, true), /the box map at \d+ \+ 4 ends after/],
  ];
  for (const [edit, message] of cases) await refused(change(edit), message);
  // A file may hold a single codestream.
  const lunk = 0x4c554e4b;
  const single = await load(change((v, map) => {
    for (let at = map + 4 + 4 * 16 + 4; at < good.length - 40; at += 16) {
      if (v.getUint32(at) === lunk) v.setUint32(at, 0);
    }
  }));
  deepEqual([single.planes.length, codesOf(single.summary.warnings)], [1, []]);
});

Deno.test("reads no other frame than that of the plane", async () => {
  const frames: Chunks = Array.from({ length: 50 }, (_, i) => [`ImageDataSeq|${i}!`, frame(i)] as const);
  const bytes = nd2File([...frames, ["ImageAttributesLV!", attributes()], ["ImageMetadataLV!", time(50)]]);
  const { counts } = await load(bytes);
  // The times of the time points stand in the frames, which costs two reads each.
  ok(counts.reads < 130, String(counts.reads));
});
