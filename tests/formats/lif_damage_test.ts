/** Damaged and hostile LIF and LOF files: refused with what is wrong and where, or served with a warning. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { FileAccess } from "../../readers/io/file_access.ts";
import type { RowRange } from "../../readers/reader.ts";
import { checkCuts, loadBytes, openBytes, refused as refusedAs } from "../damage.ts";
import { openHere } from "../load_here.ts";
import { withFiles } from "../temporary_files.ts";
import { concat, words } from "../fixtures/bytes.ts";
import {
  block,
  type DimensionOf,
  element,
  header,
  image,
  lifFile,
  lofFile,
  samples,
  text,
  XY,
} from "../fixtures/lif_writer.ts";
import { codesOf } from "../warning_codes.ts";

const SAMPLES = [...samples(12)];

const load = (bytes: Uint8Array, name = "a.lif") => loadBytes(name, bytes);
const refused = (bytes: Uint8Array, message: RegExp, name = "a.lif") => refusedAs(name, bytes, message);

/** A file of several images, each in a block of 12 bytes of its own. */
const several = (...described: string[]) =>
  concat(
    text(header(element("file", "", "", described.map((one, i) => element(`i${i}`, one, `M${i}`)).join("")))),
    ...described.map((_, i) => block(`M${i}`, samples(12))),
  );

Deno.test("rejects a truncated file, or serves it exactly with a warning", async () => {
  const { served } = await checkCuts("a.lif", several(image(), image()), 3, true);
  ok(served > 8);
});

Deno.test("rejects a truncated LOF file, whose XML is at its end", async () => {
  const { served } = await checkCuts("a.lof", lofFile(header(element("image", image(), "M1"))), 7);
  equal(served, 0);
});

Deno.test("rejects damaged or oversized XML", async () => {
  const good = lifFile();
  const changed = (at: number, ...bytes: number[]) => {
    const copy = good.slice();
    copy.set(bytes, at);
    return copy;
  };
  await refused(changed(0, 0x71), /is not Leica LIF/);
  await refused(changed(9, 0xff, 0xff, 0xff, 0x01), /has 33554431 characters|ends after the file/);
  await refused(changed(9, 0xff, 0xff, 0xff, 0xff), /has 4294967295 characters, more than 33554432/);
  await refused(text(""), /is not Leica LIF|holds no images|is empty/);
  await refused(text("<a>"), /the XML is damaged/);
  await refused(text("<!DOCTYPE a><a/>"), /declares a document type/);
  await refused(text(header("")), /it holds no images/);
  await refused(text(`${"<a>".repeat(300)}`), /nested more than 256 deep/);
  // The settings of the hardware do not count, but their nesting does.
  const deep = "<a>".repeat(300) + "</a>".repeat(300);
  const attached = image(XY, [{}], `<Attachment Name="HardwareSetting">${deep}</Attachment>`);
  await refused(lifFile(attached), /nested more than 256 deep/);
});

Deno.test("rejects impossible sizes, strides and channels", async () => {
  const two = (other: Record<string, number>) => [{}, { BytesInc: 12, ...other }];
  const cases: [readonly DimensionOf[], RegExp, Record<string, number>[]?][] = [
    [[], /the image has no dimensions/],
    [[[1, 0, 1], [2, 3, 4]], /number of elements along dimension 1 is 0/],
    [[[1, 2 ** 31, 1]], /a plane has 1 x 2147483648 samples/],
    [[[1, 4, 1], [2, 3, 0]], /BytesInc of dimension 2 is 0, not an integer from 1 on/],
    [[[1, 4, 1], [2, 3, 2 ** 60]], /BytesInc of dimension 2 is 1152921504606847000/],
    [[[1, 4, 1], [2, 3, 3]], /BytesInc of dimension 2 is 3, but the faster dimensions take 4 bytes/],
    [[[1, 4, 1], [2, 3, 4, { BitInc: 4 }]], /BitInc of dimension 2 is 4: packed samples/],
    [[[1, 4, 1], [2, 3, 4], [3, 3, 2 ** 53 - 2 ** 10]], /the image has \d+ bytes/],
    [[[1, 4, 1], [2, 4, 4]], /the plane is incomplete: the block at \d+ has 12 of the 16 bytes/],
    [[[1, 2 ** 14, 1], [2, 2 ** 14, 2 ** 14]], /the block at \d+ has 12 of the 268435456 bytes/],
    [XY, /the image has no channels/, []],
    [XY, /the block at \d+ has 12 of the 25 bytes/, [{ BytesInc: 13 }]],
    [XY, /the block at \d+ has 12 of the/, [{ BytesInc: 2 ** 50 }]],
    [XY, /samples of 65 bits of data type 0 are not supported/, [{ Resolution: 65 }]],
    [XY, /samples of 8 bits of data type 1/, [{ DataType: 1 }]],
    [XY, /channels have different types: uint8, uint16/, two({ Resolution: 16 })],
    [XY, /the channels share samples/, two({ BytesInc: 0 })],
    [XY, /1001 channels, more than 1000/, Array.from({ length: 1001 }, (_, BytesInc) => ({ BytesInc }))],
    [[[1, 4, 3]], /BytesInc of dimension 1 is 3, not a multiple of the 2 bytes/, [{ Resolution: 16 }]],
  ];
  for (const [dimensions, message, channels] of cases) {
    await refused(lifFile(image(dimensions, channels)), message);
  }
  const { planes } = await load(lifFile(image(XY, two({})), samples(24)));
  deepEqual(planes.map((plane) => [...plane]), [SAMPLES, [...samples(24)].slice(12)]);
});

Deno.test("serves blocks before a damaged one with a warning", async () => {
  const described = text(header(element("file", "", "", element("image", image(), "M1"))));
  const good = block("M1", samples(12));
  const damaged = [
    concat(described, block("M1", samples(12), 2 ** 40)),
    concat(described, block("M1", samples(12), 2 ** 60)),
    concat(described, good, Uint8Array.of(1, 2, 3)),
    concat(described, good, block("x".repeat(300), samples(2))),
    concat(described, block("M1", samples(3)), good),
  ];
  for (const bytes of damaged) {
    const { planes, summary } = await load(bytes);
    deepEqual([...planes[0]!], SAMPLES);
    match(codesOf(summary.warnings)[0]!, /^(file_damaged|content_left_out)$/);
  }
  await refused(concat(described, words(0x70), good), /never saved or are not in the file: "image"/);
  await refused(concat(described, block("M1", new Uint8Array(0), 0)), /1 of 1 images were never saved/);
});

Deno.test("reports planes after the end of a truncated block as missing, and an incomplete plane as damaged", async () => {
  const series = image([...XY, [4, 3, 12]]);
  for (const [length, tag] of [[30, "decode_failed"], [24, "plane_not_found"]] as const) {
    await openBytes("a.lif", lifFile(series, samples(length)), async (acquisition) => {
      const at = (t: number) => acquisition.plan([0], { t, z: 0, l: 0 });
      equal((await at(1)).rows, 3);
      await rejects(at(2), { tag });
    });
  }
  await refused(lifFile(series, samples(11)), /the plane is incomplete/);
});

Deno.test("serves the lines that every requested channel of an interrupted line scan has", async () => {
  const lines = image([[1, 4, 1], [4, 5, 8]], [{}, { BytesInc: 4 }]);
  await openBytes("a.lif", lifFile(lines, samples(31)), async (acquisition) => {
    const plan = (channels: number[], rows?: RowRange) =>
      acquisition.plan(channels, { t: 0, z: 0, l: 0 }, rows);
    const rows = await Promise.all([[0], [1], [1, 0]].map(async (channels) => (await plan(channels)).rows));
    deepEqual(rows, [4, 3, 3]);
    deepEqual((await plan([0], { start: 1, end: 5 })).filled, { start: 1, end: 4 });
  });
  const { summary, planes } = await load(lifFile(lines, samples(31)));
  deepEqual([summary.rows, planes[1]!.length], [3, 12]);
  deepEqual(codesOf(summary.warnings), [
    "step_unknown",
    "step_unknown",
    "planes_missing",
    "lines_missing",
  ]);
  await refused(lifFile(lines, samples(3)), /the plane is incomplete/);
});

Deno.test("reads the stored lines of a line scan whose lines interleave", async () => {
  // Time is nearest: of five lines of four samples the last sample has three.
  const across = image([[4, 5, 1], [1, 4, 5]]);
  const { summary, planes } = await load(lifFile(across, samples(18)));
  equal(summary.rows, 3);
  deepEqual([...planes[0]!], [0, 5, 10, 15, 1, 6, 11, 16, 2, 7, 12, 17]);
});

Deno.test("opens the first readable image", async () => {
  const { summary, planes } = await load(several(image(XY, [{ Resolution: 80 }]), image()));
  deepEqual([summary.scene, summary.sceneCount, summary.scenes[0]], [1, 2, { name: "i0", sizes: {} }]);
  deepEqual([...planes[0]!], SAMPLES);
  deepEqual(codesOf(summary.warnings), ["scenes_left_out", "step_unknown", "step_unknown"]);
});

Deno.test("reads only the bytes of the requested rows", async () => {
  const planes = 64;
  const [width, height] = [256, 128];
  const bytes = lifFile(
    image([[1, width, 1], [2, height, width], [3, planes, width * height]]),
    samples(width * height * planes),
  );
  const files = new FileAccess();
  await withFiles({ "a.lif": bytes }, (path) =>
    openHere(
      path,
      async (acquisition) => {
        ok(files.counts.bytes < 10_000, `${files.counts.bytes} bytes to open it`);
        const read = async (rows?: RowRange) => {
          const before = files.counts.bytes;
          const plan = await acquisition.plan([0], { t: 0, z: 40, l: 0 }, rows);
          await plan.decode([new Float32Array(width * height)]);
          return files.counts.bytes - before;
        };
        equal(await read(), width * height);
        equal(await read({ start: 7, end: 9 }), 2 * width);
      },
      null,
      files,
    ));
});

Deno.test("explains other files of a Leica project", async () => {
  const unknown = (bytes: Uint8Array, name: string, message: RegExp) =>
    rejects(load(bytes, name), { tag: "unsupported_format", message });
  const extension = text('<LMSDataContainerEnhancedHeader Version="1"></LMSDataContainerEnhancedHeader>');
  const list = new TextEncoder().encode('\ufeff<?xml version="1.0"?><LMSDataContainerHeader/>');
  await unknown(extension, "a.lifext", /open the .lif file beside it/);
  await unknown(list, "a.xlef", /XML document that names the files .* open the .lof or .tif files/);
  await unknown(list, "a.xlif", /open the .lof or .tif/);
  await unknown(samples(40), "a.xlef", /is of no known format/);
  await refused(extension, /open the .lif file beside it/);
  await refused(list, /open the .lof or .tif files/);
  // The content of a LOF file counts, not its name.
  const object = lofFile(header(element("image", image(), "M1")));
  equal((await load(object, "a.lif")).summary.format, "lof");
});
