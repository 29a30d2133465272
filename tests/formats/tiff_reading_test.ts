/** How much of a file is read for one plane, and the sets of several files. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { entryAt, grayLayout, tiffBytes, tiffOf } from "../fixtures/tiff_writer.ts";
import { type LoadedAcquisition, loadHere } from "../load_here.ts";
import { codesOf, textsOf } from "../warning_texts.ts";

const GRAY = grayLayout(32, 24, 16);

/** Bytes of one plane of {@linkcode GRAY}. */
const PLANE = 32 * 24 * 2;

const value = (x: number, y: number, _s: number, page: number) => BigInt((x + 40 * y + 1000 * page) % 65536);

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const load = (path: string, channelIndices: number[] | null = null) => loadHere(path, { channelIndices });

const sizes = ({ summary }: LoadedAcquisition) =>
  summary.axes.map(({ name, size }) => `${name}${size}`).join(" ");

Deno.test("one plane of 1000 pages costs the directory chain and that plane", () =>
  inFolder(async (folder) => {
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
  inFolder(async (folder) => {
    const path = join(folder, "stack.tif");
    const strip = new Uint8Array(PLANE);
    Deno.writeFileSync(path, tiffOf(GRAY, new Array(1000).fill([strip])));
    const loaded = await load(path);
    equal(sizes(loaded), "Z1000 Y24 X32");
    ok(loaded.counts.reads < 30, `${loaded.counts.reads} reads`);
  }));

Deno.test("an ImageJ stack with one directory costs that directory and one plane", () =>
  inFolder(async (folder) => {
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
  inFolder(async (folder) => {
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
  inFolder(async (folder) => {
    const path = join(folder, "strips.tif");
    // Behind the header of 8 bytes the strips 1, 2 and 0, each of two rows of 5 samples.
    const head = Uint8Array.from({ length: 30 }, (_, i) => i);
    const layout = { ...grayLayout(5, 6, 8), rowsPerStrip: 2 };
    const lengths = [10, 10, 10];
    Deno.writeFileSync(path, tiffOf(layout, [[]], [[273, 4, [28, 8, 18]], [279, 4, lengths]], head));
    deepEqual([...(await load(path)).planes[0]!], [...head.subarray(20), ...head.subarray(0, 20)]);
  }));

Deno.test("a chain that ends early serves what is there, with a warning", () =>
  inFolder(async (folder) => {
    const path = join(folder, "cut.tif");
    const bytes = tiffBytes(GRAY, value, 4);
    Deno.writeFileSync(path, bytes.subarray(0, bytes.length - 100));
    const loaded = await load(path);
    equal(sizes(loaded), "Z3 Y24 X32");
    deepEqual(codesOf(loaded.summary.warnings), ["file_damaged"]);
    // Of what a description counts, the warning says where the chain breaks; a chain that ends is not broken.
    const counted = (pages: number, cut: number) => {
      const bytes = tiffBytes(GRAY, value, pages, [[270, 2, "ImageJ=1.53t\nimages=4\nslices=4\n"]]);
      Deno.writeFileSync(path, bytes.subarray(0, bytes.length - cut));
      return load(path, [0]).then(({ summary }) => textsOf(summary.warnings).join());
    };
    const warning = "The description declares 4 planes, but the file holds 3";
    match(await counted(4, 100), new RegExp(`^${warning}: directory 3 at \\d+`));
    equal(await counted(3, 0), warning);
    // No page behind the first one too many is looked at.
    equal(await counted(6, 100), warning.replace("3", "more"));
  }));

const OME = (files: readonly string[]) =>
  `<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0">` +
  `<Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="uint16" SizeX="32" SizeY="24" SizeC="${files.length}" SizeZ="1" ` +
  `SizeT="1">${files.map((_, c) => `<Channel ID="Channel:0:${c}" Name="c${c}"/>`).join("")}${
    files.map((file, c) =>
      `<TiffData FirstC="${c}" IFD="0" PlaneCount="1"><UUID FileName="${file}">urn:uuid:${c}</UUID></TiffData>`
    ).join("")
  }</Pixels></Image></OME>`;

const pageFile = (page: number, description?: string) =>
  tiffBytes(
    GRAY,
    (x, y, s) => value(x, y, s, page),
    1,
    description === undefined ? [] : [[270, 2, description]],
  );

Deno.test("any file of an OME-TIFF set opens the whole set", () =>
  inFolder(async (folder) => {
    const names = ["a.ome.tif", "b.ome.tif"];
    const only =
      `<OME xmlns="x" UUID="urn:uuid:1"><BinaryOnly MetadataFile="a.ome.tif" UUID="urn:uuid:0"/></OME>`;
    Deno.writeFileSync(join(folder, "a.ome.tif"), pageFile(1, OME(names)));
    Deno.writeFileSync(join(folder, "b.ome.tif"), pageFile(2, only));
    for (const name of names) {
      const loaded = await load(join(folder, name));
      deepEqual(loaded.planes.map((plane) => plane[0]), [1000, 2000], name);
      deepEqual(loaded.summary.channels.map((channel) => channel.name), ["c0", "c1"]);
      equal(
        loaded.summary.fileSize,
        Deno.statSync(join(folder, "a.ome.tif")).size + Deno.statSync(join(folder, "b.ome.tif")).size,
      );
    }
  }));

Deno.test("a missing file of an OME-TIFF set leaves its channel out, and is an error when that is wanted", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.ome.tif");
    Deno.writeFileSync(path, pageFile(1, OME(["a.ome.tif", "gone.ome.tif"])));
    const loaded = await load(path, [0]);
    deepEqual(codesOf(loaded.summary.warnings), ["file_missing"]);
    equal(sizes(loaded), "C2 Y24 X32");
    const both = await load(path);
    deepEqual(both.summary.loaded.map(({ index }) => index), [0]);
    equal(both.summary.warnings.filter(({ code }) => code === "channel_missing").length, 1);
    await rejects(load(path, [1]), /channel 1 \("c1"\) has no plane in any file/);
  }));

Deno.test("a missing companion document is a warning", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.ome.tif");
    Deno.writeFileSync(path, pageFile(3, `<OME><BinaryOnly MetadataFile="x.companion.ome"/></OME>`));
    const loaded = await load(path);
    equal(loaded.planes[0]![0], 3000);
    deepEqual(codesOf(loaded.summary.warnings), ["metadata_damaged"]);
  }));

const SIDECAR = [
  `"[General]"\t""`,
  `"Scan Mode"\t"XT"`,
  `"Date"\t"10/30/2025 12:04:36.454 AM"`,
  `"[Dimensions]"\t""`,
  `"X Dimension"\t"32, 0.0 - 9.088 [um], 0.284 [um/pixel]"`,
  `"Channel Dimension"\t"3 [Ch]"`,
  `"T Dimension"\t"1, 0.000 - 48.000 [ms], Interval FreeRun"`,
  `"[Image]"\t""`,
  `"Primary Dimensions"\t"X * T"`,
  `"Image Size"\t"32 * 24 [pixel]"`,
  `"[Channel 1]"\t""`,
  `"Channel Name"\t"CH1"`,
  `"[Channel 2]"\t""`,
  `"Channel Name"\t"CH2"`,
  `"[Channel 3]"\t""`,
  `"Channel Name"\t"TD"`,
].join("\r\n");

Deno.test("sibling files of an Olympus line scan are its channels; a missing one is a warning", () =>
  inFolder(async (folder) => {
    Deno.writeTextFileSync(join(folder, "scan.txt"), SIDECAR);
    Deno.writeFileSync(join(folder, "scan_C001T001.tif"), pageFile(1));
    Deno.writeFileSync(join(folder, "scan_C003T001.tif"), pageFile(3));
    Deno.writeFileSync(join(folder, "scan2_C002T001.tif"), pageFile(9));
    for (const name of ["scan_C001T001.tif", "scan_C003T001.tif"]) {
      const loaded = await load(join(folder, name));
      deepEqual(loaded.planes.map((plane) => plane[0]), [1000, 3000]);
      deepEqual(loaded.summary.channels.map((channel) => channel.name), ["CH1", "CH2", "TD"]);
      deepEqual(loaded.summary.loaded.map(({ index }) => index), [0, 2]);
      deepEqual(codesOf(loaded.summary.warnings), ["file_missing", "channel_missing"]);
      const [, rows, columns] = loaded.summary.axes;
      deepEqual([rows!.name, rows!.unit, columns!.step, columns!.unit], ["Y", "seconds", 0.284, "um"]);
      // 48 ms over 24 lines.
      ok(Math.abs(rows!.step - 0.002) < 1e-12);
      deepEqual([loaded.summary.date, loaded.summary.time], ["20251030", "00:04:36"]);
    }
  }));

Deno.test("a text file of another image is not used", () =>
  inFolder(async (folder) => {
    Deno.writeTextFileSync(join(folder, "scan.txt"), SIDECAR.replace("32 * 24", "32 * 99"));
    Deno.writeFileSync(join(folder, "scan.tif"), pageFile(1));
    const loaded = await load(join(folder, "scan.tif"));
    equal(loaded.summary.axes[0]!.unit, "Pixels");
    deepEqual(codesOf(loaded.summary.warnings), ["metadata_disagree"]);
  }));

Deno.test("a Micro-Manager acquisition goes on in numbered files; any of them opens it", () =>
  inFolder(async (folder) => {
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

Deno.test("of several positions the first is served", () =>
  inFolder(async (folder) => {
    const path = join(folder, "p_MMStack.ome.tif");
    const summary = { Frames: 1, Channels: 1, Slices: 1, Positions: 2 };
    Deno.writeFileSync(path, microManagerBytes(GRAY, summary, [[0, 0, 0, 1, 99], [0, 0, 0, 0, 5]]));
    const loaded = await load(path);
    equal(sizes(loaded), "Y24 X32");
    equal(loaded.planes[0]![0], 5);
  }));

Deno.test("a single plane of Micro-Manager has its pixel size, channel and time", () =>
  inFolder(async (folder) => {
    const path = join(folder, "img_000000000_GFP_000.tif");
    const metadata = { PixelSizeUm: 0.16, Channel: "GFP", Time: "2013-06-05 04:03:02 -0700" };
    Deno.writeFileSync(path, tiffBytes(GRAY, value, 1, [[51123, 2, JSON.stringify(metadata)]]));
    const { summary } = await load(path);
    deepEqual(summary.axes.map(({ step, unit }) => `${step} ${unit}`), ["0.16 um", "0.16 um"]);
    deepEqual([summary.channels[0]!.name, summary.date, summary.time], ["GFP", "20130605", "04:03:02"]);
  }));

Deno.test("pages beside an Olympus text are the frames that it counts", () =>
  inFolder(async (folder) => {
    const text = SIDECAR.replace(`"3 [Ch]"`, `"1 [Ch]"`).replace(
      `"1, 0.000 - 48.000 [ms]`,
      `"4, 0.000 - 6.000 [s]`,
    )
      .replace("X * T", "X * Y");
    Deno.writeTextFileSync(join(folder, "frames.txt"), text);
    Deno.writeFileSync(join(folder, "frames.tif"), tiffBytes(GRAY, value, 4));
    const loaded = await load(join(folder, "frames.tif"));
    equal(sizes(loaded), "T4 Y24 X32");
    // Four frames from 0 to 6 s.
    deepEqual([loaded.summary.axes[0]!.step, loaded.summary.axes[0]!.unit], [2, "seconds"]);
  }));

Deno.test("a page taken out of an ImageJ stack is its first plane, with a warning", () =>
  inFolder(async (folder) => {
    for (const codec of ["none", "deflate"] as const) {
      const path = join(folder, `${codec}.tif`);
      const text = "ImageJ=1.53t\nimages=33\nslices=33\nunit=um\n";
      Deno.writeFileSync(path, tiffBytes({ ...GRAY, codec }, value, 1, [[270, 2, text]]));
      const loaded = await load(path);
      equal(sizes(loaded), "Z33 Y24 X32");
      equal(loaded.planes[0]![33], 41);
      deepEqual(codesOf(loaded.summary.warnings), ["planes_missing"]);
    }
  }));

Deno.test("JPEGTables may hold the tables of a JPEG strip", async () => {
  const path = fileURLToPath(new URL("../fixtures/tiff/jpeg_restart.tif", import.meta.url));
  const bytes = Deno.readFileSync(path);
  const view = new DataView(bytes.buffer);
  const valueOf = (tag: number) => view.getUint32(entryAt(bytes, tag) + 8, true);
  const stream = bytes.subarray(valueOf(273), valueOf(273) + valueOf(279));
  // Marker segments up to the scan (ITU-T T.81, B.1.1.4): DQT (ffdb) and DHT (ffc4) are tables (TIFF Technical Note 2).
  const tables = [0xff, 0xd8];
  const strip = [0xff, 0xd8];
  let at = 2;
  while (stream[at + 1] !== 0xda) {
    const end = at + 2 + stream[at + 2]! * 256 + stream[at + 3]!;
    const isTable = stream[at + 1] === 0xdb || stream[at + 1] === 0xc4;
    (isTable ? tables : strip).push(...stream.subarray(at, end));
    at = end;
  }
  const parts = Uint8Array.from([...strip, ...stream.subarray(at)]);
  ok(parts.length < stream.length);
  const file = tiffOf(grayLayout(51, 45, 8), [[parts]], [[259, 3, [7]], [347, 7, [...tables, 0xff, 0xd9]]]);
  const apart = await Deno.makeTempFile({ suffix: ".tif" });
  try {
    Deno.writeFileSync(apart, file);
    deepEqual((await loadHere(apart)).planes, (await loadHere(path)).planes);
  } finally {
    Deno.removeSync(apart);
  }
});
