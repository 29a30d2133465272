/** How much of a file is read for one plane or some rows, the memory planned for decoders, and incomplete files and sets. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileAccess } from "../../readers/io/file_access.ts";
import { type Acquisition, FIRST_POSITION, type RowRange } from "../../readers/reader.ts";
import { loadBytes } from "../damage.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { entryAt, type Field, grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { type TiffLayout, tiffOf } from "../fixtures/tiff_writer.ts";
import { type LoadedAcquisition, loadHere, openHere, planHere } from "../load_here.ts";
import { codesOf } from "../warning_codes.ts";
import { inFolder, withFiles } from "../temporary_files.ts";
import { firstsOf } from "../planes.ts";

const GRAY = grayLayout(32, 24, 16);

/** Bytes of one plane of {@linkcode GRAY}. */
const PLANE = 32 * 24 * 2;

const value = (x: number, y: number, _s: number, page: number) => BigInt((x + 40 * y + 1000 * page) % 65536);

const load = (bytes: Uint8Array, channelIndices: number[] | null = null) =>
  loadBytes("a.tif", bytes, { channelIndices });

const sizes = ({ summary }: LoadedAcquisition) =>
  summary.axes.map(({ name, size }) => `${name}${size}`).join(" ");

Deno.test("reads the directory chain and one plane of 1000 pages", async () => {
  const loaded = await load(tiffBytes(GRAY, value, 1000));
  equal(sizes(loaded), "Z1000 Y24 X32");
  equal(loaded.planes[0]![33], 41);
  // One read of 512 bytes per directory, one for each of the first page's header and strip tables.
  const { reads, bytes, opens } = loaded.counts;
  ok(reads <= 1000 + 12, `${reads} reads`);
  ok(bytes <= 1000 * 512 + PLANE + 8 * 512, `${bytes} bytes`);
  equal(opens, 1);
});

Deno.test("reads consecutive directories by the dozen", async () => {
  const strip = new Uint8Array(PLANE);
  const loaded = await load(tiffOf(GRAY, new Array(1000).fill([strip])));
  equal(sizes(loaded), "Z1000 Y24 X32");
  ok(loaded.counts.reads < 30, `${loaded.counts.reads} reads`);
});

Deno.test("reads one directory and one plane of an ImageJ stack", async () => {
  const pages = 500;
  const tall = { ...GRAY, height: GRAY.height * pages, rowsPerStrip: GRAY.height * pages };
  const text = `ImageJ=1.53t\nimages=${pages}\nframes=${pages}\nfinterval=0.1\n`;
  const loaded = await load(tiffBytes(tall, (x, y, s) => value(x, y % 24, s, Math.floor(y / 24)), 1, [
    [257, 4, [GRAY.height]],
    [278, 4, [GRAY.height]],
    [270, 2, text],
  ]));
  equal(sizes(loaded), "T500 Y24 X32");
  const { reads, bytes } = loaded.counts;
  ok(bytes <= PLANE + 6 * 512 && reads <= 8, `${bytes} bytes in ${reads} reads`);
});

Deno.test("reads only the strips of one sample for one channel of a planar page", async () => {
  const layout = { ...GRAY, samples: 4, planar: true };
  const loaded = await load(tiffBytes(layout, (x, y, s) => value(x, y, s, s)), [2]);
  equal(loaded.planes[0]![0], 2000);
  ok(loaded.counts.bytes <= PLANE + 5 * 512, `${loaded.counts.bytes} bytes`);
});

Deno.test("reads strips stored in another order than in the plane", async () => {
  // Behind the header of 8 bytes the strips 1, 2 and 0, each of two rows of 5 samples.
  const head = Uint8Array.from({ length: 30 }, (_, i) => i);
  const layout = { ...grayLayout(5, 6, 8), rowsPerStrip: 2 };
  const fields: Field[] = [[273, 4, [28, 8, 18]], [279, 4, [10, 10, 10]]];
  const { planes } = await load(tiffOf(layout, [[]], fields, head));
  deepEqual([...planes[0]!], [...head.subarray(20), ...head.subarray(0, 20)]);
});

Deno.test("serves the pages before a broken directory, with a warning", async () => {
  const cut = (pages: number, bytes: number, ...fields: Field[]) =>
    load(tiffBytes(GRAY, value, pages, fields).slice(0, bytes), [0]);
  const loaded = await cut(4, -100);
  equal(sizes(loaded), "Z3 Y24 X32");
  deepEqual(codesOf(loaded.summary.warnings), ["file_damaged"]);
  const counted = async (pages: number, bytes: number) =>
    codesOf((await cut(pages, bytes, [270, 2, "ImageJ=1.53t\nimages=4\nslices=4\n"])).summary.warnings);
  deepEqual(await counted(4, -100), ["planes_missing"]);
  deepEqual(await counted(3, Infinity), ["planes_missing"]);
  // Pages after the first surplus one are not read.
  deepEqual(await counted(6, -100), ["content_left_out"]);
});

Deno.test("opens a Micro-Manager acquisition by any of its numbered files", () =>
  inFolder(async (put, folder) => {
    const summary = {
      ...{ Frames: 2, Channels: 2, Slices: 1, Positions: 1, ChNames: ["GFP", "RFP"] },
      ...{ PixelSize_um: 0.65, Interval_ms: 1500, StartTime: "2018-10-03 13:54:41 -0700" },
    };
    const first = microManagerBytes(GRAY, summary, [[1, 0, 0, 0, 11], [0, 0, 0, 0, 10]]);
    const second = microManagerBytes(GRAY, summary, [[0, 0, 1, 0, 20], [1, 0, 1, 0, 21]]);
    const paths = [put("a_MMStack.ome.tif", first), put("a_MMStack_1.ome.tif", second)] as const;
    put("ab_MMStack.ome.tif", second);
    for (const path of paths) {
      const loaded = await loadHere(path);
      equal(sizes(loaded), "T2 C2 Y24 X32");
      deepEqual(firstsOf(loaded), [10, 11], path);
      deepEqual(loaded.summary.channels.map((channel) => channel.name), ["GFP", "RFP"]);
      const steps = loaded.summary.axes.map(({ step, unit }) => `${step} ${unit}`);
      deepEqual(steps, ["1.5 seconds", "1 Pixels", "0.65 um", "0.65 um"]);
      deepEqual([loaded.summary.date, loaded.summary.time], ["20181003", "13:54:41"]);
      equal(loaded.summary.fileSize, first.length + second.length);
    }
    const check = async (path: string, firsts: number[], codes: string[]) => {
      const loaded = await loadHere(path);
      deepEqual([firstsOf(loaded), codesOf(loaded.summary.warnings)], [firsts, codes]);
    };
    Deno.removeSync(paths[1]);
    await check(paths[0], [10, 11], ["planes_missing"]);
    Deno.renameSync(paths[0], join(folder, "gone"));
    put("a_MMStack_1.ome.tif", second);
    await check(paths[1], [20, 21], ["planes_missing", "opened_elsewhere"]);
    Deno.renameSync(join(folder, "gone"), paths[0]);
    put("a_MMStack_1.ome.tif", new Uint8Array(5));
    await check(paths[0], [10, 11], ["file_unreadable", "planes_missing"]);
  }));

/** Bytes that a plan for these rows of the first channel reads. */
function costOf(bytes: Uint8Array, rows?: RowRange): Promise<number> {
  const files = new FileAccess();
  const cost = async (acquisition: Acquisition) => {
    const plan = await acquisition.plan([0], FIRST_POSITION, rows);
    const { start, end } = plan.filled ?? { start: 0, end: plan.rows };
    const before = files.counts.bytes;
    await plan.decode([new Float32Array((end - start) * plan.columns)]);
    return files.counts.bytes - before;
  };
  return withFiles({ "a.tif": bytes }, (path) => openHere(path, cost, null, files));
}

const written = (layout: TiffLayout) => tiffBytes(layout, (x, y) => BigInt((x * 7 + y * 3) % 251));

Deno.test("reads only the bytes of requested rows of uncompressed samples", async () => {
  // 16 bits: a row of 40 columns has 80 bytes.
  const strips = { ...grayLayout(40, 30, 16), rowsPerStrip: 7 };
  for (const layout of [strips, { ...strips, rowsPerStrip: 30 }, { ...strips, rowsPerStrip: 1 }]) {
    equal(await costOf(written(layout), { start: 6, end: 16 }), 800);
    equal(await costOf(written(layout), { start: 29, end: 30 }), 80);
    equal(await costOf(written(layout)), 2400);
  }
  // Three tiles across, whose rows have 16 columns each.
  const tiles: TiffLayout = { ...strips, tile: [16, 16] };
  equal(await costOf(written(tiles), { start: 15, end: 17 }), 2 * 3 * 32);
});

Deno.test("reads only the strips with requested rows of compressed samples", async () => {
  const layout: TiffLayout = { ...grayLayout(40, 30, 16), rowsPerStrip: 10, codec: "deflate" };
  const bytes = written(layout);
  const view = new DataView(bytes.buffer);
  // The lengths of the three strips stand where tag 279 says.
  const at = view.getUint32(entryAt(bytes, 279) + 8, true);
  const [first, second, third] = [0, 4, 8].map((i) => view.getUint32(at + i, true));
  equal(await costOf(bytes, { start: 0, end: 10 }), first);
  equal(await costOf(bytes, { start: 9, end: 11 }), first! + second!);
  equal(await costOf(bytes, { start: 29, end: 30 }), third);
});

Deno.test("rejects only the rows of a damaged strip", async () => {
  const bytes = written({ ...grayLayout(40, 30, 16), rowsPerStrip: 10 });
  const view = new DataView(bytes.buffer);
  // The last strip begins at the end of the file.
  view.setUint32(view.getUint32(entryAt(bytes, 273) + 8, true) + 8, bytes.length, true);
  equal(await costOf(bytes, { start: 0, end: 20 }), 1600);
  await rejects(costOf(bytes, { start: 19, end: 21 }), /strip 2 at \d+ \+ 800 ends after the file/);
  await rejects(costOf(bytes), /strip 2 at/);
});

/** The plan of a fixture; nothing is decoded. */
const planOf = (name: string) =>
  planHere(fileURLToPath(new URL(`../fixtures/tiff/${name}`, import.meta.url)));

Deno.test("plans the memory of a decoder, at least that of the picture", async (t) => {
  // Bytes that each decoder is known to hold at once: 4 a sample (JPEG 2000), 4 and a mask (LERC), 4 a pixel twice (WebP).
  const rows = [
    ["jpeg2000_largest.tif", 5792 * 5792, 4, false],
    // Its package keeps one instance for ever, which goes with the worker.
    ["lerc_largest.tif", 8192 * 8192, 5, true],
    ["webp_largest.tif", 6688 * 6688, 8, false],
  ] as const;
  for (const [name, pixels, least, endsWithWorker] of rows) {
    await t.step(name, async () => {
      const { working } = await planOf(name);
      equal(working.endsWithWorker, endsWithWorker);
      ok(working.bytes >= least * pixels, `${working.bytes}`);
      ok(working.bytes <= 40 * pixels, `${working.bytes}`);
    });
  }
});

Deno.test("plans a tile far larger than the picture with its own size", async () => {
  const { bytes, working } = await planOf("zstd_tile_bomb.tif");
  equal(bytes, 4 * 8 * 8);
  ok(working.bytes >= 16_384 * 16_384);
  equal(working.endsWithWorker, false);
});

Deno.test("reads JPEG 2000 under each of its numbers, but no colours under that of YCbCr", async () => {
  const under = (name: string, compression: number) => {
    const bytes = Deno.readFileSync(new URL(`../fixtures/tiff/${name}`, import.meta.url));
    new DataView(bytes.buffer).setUint16(entryAt(bytes, 259) + 8, compression, true);
    return withFiles({ "a.tif": bytes }, async (path) => (await loadHere(path)).planes);
  };
  for (const name of ["jpeg2000_u1.tif", "jpeg2000_u2.tif", "jpeg2000_rgb_u1.tif"]) {
    const planes = await under(name, 34712);
    for (const compression of [33004, 33005]) deepEqual(await under(name, compression), planes, name);
    if (planes.length === 1) deepEqual(await under(name, 33003), planes, name);
  }
  await rejects(
    under("jpeg2000_rgb_u1.tif", 33003),
    /Compression \(259\) is 33003 with 3 samples, which is not read/,
  );
});
