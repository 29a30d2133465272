/** How much of a file is read for one plane, and incomplete files and sets. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { grayLayout, tiffBytes, tiffOf } from "../fixtures/tiff_writer.ts";
import { type LoadedAcquisition, loadHere } from "../load_here.ts";
import { codesOf } from "../warning_codes.ts";
import { inFolder } from "../temporary_files.ts";

const GRAY = grayLayout(32, 24, 16);

/** Bytes of one plane of {@linkcode GRAY}. */
const PLANE = 32 * 24 * 2;

const value = (x: number, y: number, _s: number, page: number) => BigInt((x + 40 * y + 1000 * page) % 65536);

const load = (path: string, channelIndices: number[] | null = null) => loadHere(path, { channelIndices });

const sizes = ({ summary }: LoadedAcquisition) =>
  summary.axes.map(({ name, size }) => `${name}${size}`).join(" ");

Deno.test("reads the directory chain and one plane of 1000 pages", () =>
  inFolder(async (_put, folder) => {
    const path = join(folder, "stack.tif");
    const bytes = tiffBytes(GRAY, value, 1000);
    Deno.writeFileSync(path, bytes);
    const loaded = await load(path);
    equal(sizes(loaded), "Z1000 Y24 X32");
    equal(loaded.planes[0]![33], 41);
    // One read of 512 bytes per directory, one for each of the first page's header and strip tables.
    ok(loaded.counts.reads <= 1000 + 12, `${loaded.counts.reads} reads`);
    ok(
      loaded.counts.bytes <= 1000 * 512 + PLANE + 8 * 512,
      `${loaded.counts.bytes} bytes of ${bytes.length}`,
    );
    equal(loaded.counts.opens, 1);
  }));

Deno.test("directories that follow one another are read by the dozen", () =>
  inFolder(async (_put, folder) => {
    const path = join(folder, "stack.tif");
    const strip = new Uint8Array(PLANE);
    Deno.writeFileSync(path, tiffOf(GRAY, new Array(1000).fill([strip])));
    const loaded = await load(path);
    equal(sizes(loaded), "Z1000 Y24 X32");
    ok(loaded.counts.reads < 30, `${loaded.counts.reads} reads`);
  }));

Deno.test("reads one directory and one plane of an ImageJ stack", () =>
  inFolder(async (_put, folder) => {
    const path = join(folder, "imagej.tif");
    const pages = 500;
    const tall = { ...GRAY, height: GRAY.height * pages, rowsPerStrip: GRAY.height * pages };
    const text = `ImageJ=1.53t\nimages=${pages}\nframes=${pages}\nfinterval=0.1\n`;
    const bytes = tiffBytes(tall, (x, y, s) => value(x, y % 24, s, Math.floor(y / 24)), 1, [
      [257, 4, [GRAY.height]],
      [278, 4, [GRAY.height]],
      [270, 2, text],
    ]);
    Deno.writeFileSync(path, bytes);
    const loaded = await load(path);
    equal(sizes(loaded), "T500 Y24 X32");
    ok(loaded.counts.bytes <= PLANE + 6 * 512, `${loaded.counts.bytes} bytes of ${bytes.length}`);
    ok(loaded.counts.reads <= 8, `${loaded.counts.reads} reads`);
  }));

Deno.test("one channel of a planar page reads the strips of that sample alone", () =>
  inFolder(async (_put, folder) => {
    const path = join(folder, "planar.tif");
    Deno.writeFileSync(
      path,
      tiffBytes({ ...GRAY, samples: 4, planar: true }, (x, y, s) => value(x, y, s, s)),
    );
    const loaded = await load(path, [2]);
    equal(loaded.planes[0]![0], 2000);
    ok(loaded.counts.bytes <= PLANE + 4 * 512, `${loaded.counts.bytes} bytes`);
  }));

Deno.test("strips may lie in another order than they have in the plane", () =>
  inFolder(async (_put, folder) => {
    const path = join(folder, "strips.tif");
    // Behind the header of 8 bytes the strips 1, 2 and 0, each of two rows of 5 samples.
    const head = Uint8Array.from({ length: 30 }, (_, i) => i);
    const layout = { ...grayLayout(5, 6, 8), rowsPerStrip: 2 };
    const lengths = [10, 10, 10];
    Deno.writeFileSync(path, tiffOf(layout, [[]], [[273, 4, [28, 8, 18]], [279, 4, lengths]], head));
    deepEqual([...(await load(path)).planes[0]!], [...head.subarray(20), ...head.subarray(0, 20)]);
  }));

Deno.test("serves the pages before a broken directory, with a warning", () =>
  inFolder(async (_put, folder) => {
    const path = join(folder, "cut.tif");
    const bytes = tiffBytes(GRAY, value, 4);
    Deno.writeFileSync(path, bytes.subarray(0, bytes.length - 100));
    const loaded = await load(path);
    equal(sizes(loaded), "Z3 Y24 X32");
    deepEqual(codesOf(loaded.summary.warnings), ["file_damaged"]);
    const counted = (pages: number, cut: number) => {
      const bytes = tiffBytes(GRAY, value, pages, [[270, 2, "ImageJ=1.53t\nimages=4\nslices=4\n"]]);
      Deno.writeFileSync(path, bytes.subarray(0, bytes.length - cut));
      return load(path, [0]).then(({ summary }) => codesOf(summary.warnings));
    };
    deepEqual(await counted(4, 100), ["planes_missing"]);
    deepEqual(await counted(3, 0), ["planes_missing"]);
    // Pages after the first surplus one are not read.
    deepEqual(await counted(6, 100), ["content_left_out"]);
  }));

Deno.test("opens a Micro-Manager acquisition by any of its numbered files", () =>
  inFolder(async (_put, folder) => {
    const summary = {
      Frames: 2,
      Channels: 2,
      Slices: 1,
      Positions: 1,
      ChNames: ["GFP", "RFP"],
      PixelSize_um: 0.65,
      Interval_ms: 1500,
      StartTime: "2018-10-03 13:54:41 -0700",
    };
    const first = microManagerBytes(GRAY, summary, [[1, 0, 0, 0, 11], [0, 0, 0, 0, 10]]);
    const second = microManagerBytes(GRAY, summary, [[0, 0, 1, 0, 20], [1, 0, 1, 0, 21]]);
    Deno.writeFileSync(join(folder, "a_MMStack.ome.tif"), first);
    Deno.writeFileSync(join(folder, "a_MMStack_1.ome.tif"), second);
    Deno.writeFileSync(join(folder, "ab_MMStack.ome.tif"), second);
    for (const name of ["a_MMStack.ome.tif", "a_MMStack_1.ome.tif"]) {
      const loaded = await load(join(folder, name));
      equal(sizes(loaded), "T2 C2 Y24 X32");
      deepEqual(loaded.planes.map((plane) => plane[0]), [10, 11], name);
      deepEqual(loaded.summary.channels.map((channel) => channel.name), ["GFP", "RFP"]);
      deepEqual(loaded.summary.axes.map(({ step, unit }) => `${step} ${unit}`), [
        "1.5 seconds",
        "1 Pixels",
        "0.65 um",
        "0.65 um",
      ]);
      deepEqual([loaded.summary.date, loaded.summary.time], ["20181003", "13:54:41"]);
      equal(loaded.summary.fileSize, first.length + second.length);
    }
    Deno.removeSync(join(folder, "a_MMStack_1.ome.tif"));
    const begun = await load(join(folder, "a_MMStack.ome.tif"));
    deepEqual(begun.planes.map((plane) => plane[0]), [10, 11]);
    deepEqual(codesOf(begun.summary.warnings), ["planes_missing"]);
    Deno.removeSync(join(folder, "a_MMStack.ome.tif"));
    Deno.writeFileSync(join(folder, "a_MMStack_1.ome.tif"), second);
    const late = await load(join(folder, "a_MMStack_1.ome.tif"));
    deepEqual(late.summary.position, { t: 1, z: 0, l: 0 });
    deepEqual(late.planes.map((plane) => plane[0]), [20, 21]);
    deepEqual(codesOf(late.summary.warnings), ["planes_missing", "opened_elsewhere"]);
    Deno.writeFileSync(join(folder, "a_MMStack.ome.tif"), first);
    Deno.writeFileSync(join(folder, "a_MMStack_1.ome.tif"), new Uint8Array(5));
    const damaged = await load(join(folder, "a_MMStack.ome.tif"));
    deepEqual(damaged.planes.map((plane) => plane[0]), [10, 11]);
    deepEqual(codesOf(damaged.summary.warnings), ["file_unreadable", "planes_missing"]);
  }));
