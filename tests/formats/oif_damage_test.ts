/** Damaged, incomplete and hostile OIF and OIB files: each is refused with what and where, or served exactly. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { UnsupportedFormat } from "../../readers/errors.ts";
import { type At, type ChangeTable, checkCuts, loadBytes, testChanges, testDamage } from "../damage.ts";
import { writeCompound } from "../fixtures/compound_writer.ts";
import { grayLayout, tiffBytes, type TiffLayout } from "../fixtures/tiff_writer.ts";
import { type LoadedHere, loadHere } from "../load_here.ts";
import { copy, inFolder } from "../temporary_files.ts";

const FIXTURES = join(import.meta.dirname!, "../fixtures/oif");

/** Copies an OIF with its folder, or an OIB. */
function copyTo(folder: string, name: string): At {
  for (const part of name.endsWith(".oif") ? [name, `${name}.files`] : [name]) {
    copy(join(FIXTURES, part), join(folder, part));
  }
  return (file) => join(folder, file === "" ? name : join(`${name}.files`, file));
}

const withCopy = (name: string, work: (at: At, folder: string) => Promise<void>): Promise<void> =>
  inFolder((_, folder) => work(copyTo(folder, name), folder));

const remove = (at: At, ...names: string[]) => names.forEach((name) => Deno.removeSync(at(name)));

/** Replaces text in a UTF-16 file. */
function replaceText(path: string, from: string | RegExp, to: string): void {
  const text = new TextDecoder("utf-16le").decode(Deno.readFileSync(path));
  const changed = text.replace(from, to);
  ok(changed !== text, `${from} is not in ${path}`);
  Deno.writeFileSync(path, Buffer.from(changed, "utf16le"));
}

const LAYOUT = grayLayout(6, 5, 16);

/** A plane whose samples count up from `first`. */
const plane = (first: number, change: Partial<TiffLayout> = {}) =>
  tiffBytes({ ...LAYOUT, ...change }, (x, y) => BigInt(first + x + 10 * y), 1);

const pathOf = ({ summary: { reference } }: LoadedHere) => [reference!.lineRoi, reference!.scanPath];

/** A section without the file of a channel, of which the other one is loaded. */
const channelWithout = (file: string, loaded: number): ChangeTable[string] => [
  "section.oif",
  (at) => remove(at, file),
  ["axis_replaced", "planes_missing", "channel_missing"],
  ({ summary }, whole) =>
    deepEqual([summary.channels, summary.loaded.map(({ index }) => index)], [whole.summary.channels, [
      loaded,
    ]]),
];

testChanges("OIF", copyTo, {
  "its folder is missing": [
    "interrupted.oif",
    (at) => Deno.removeSync(`${at("")}.files`, { recursive: true }),
    /the folder "interrupted.oif.files" is not beside it/,
  ],
  "its folder holds no planes": [
    "section.oif",
    (at) => remove(at, "s_C001.tif", "s_C002.tif"),
    /it has no images/,
  ],
  "a series opens at the first position that all channels have": [
    "interrupted.oif",
    // The file of channel 2 at the second time was never written.
    (at) => remove(at, "s_C001T001.tif"),
    ["planes_missing", "opened_elsewhere"],
    ({ summary }, whole) => deepEqual([summary.position.t, summary.channels], [2, whole.summary.channels]),
  ],
  "a recorded channel without files is listed but not loaded": channelWithout("s_C002.tif", 0),
  "the second channel keeps its index without the first": channelWithout("s_C001.tif", 1),
  "missing settings of a plane cost the times": [
    "interrupted.oif",
    (at) => remove(at, "s_C001T002.pty"),
    ["planes_missing", "metadata_missing", "metadata_disagree"],
    // 400 ms over four steps, as planned.
    ({ summary }) => deepEqual([summary.times, summary.axes[0]!.step], [null, 0.1]),
  ],
  "settings of a plane are damaged": [
    "interrupted.oif",
    (at) => Deno.writeTextFileSync(at("s_C001T001.pty"), "x"),
    ["planes_missing", "metadata_damaged", "metadata_missing"],
  ],
  "a region is damaged": [
    "line_scan.oif",
    (at) => Deno.writeTextFileSync(at("s_1234-5.roi"), "x"),
    ["metadata_damaged"],
    (loaded) => deepEqual(pathOf(loaded), [null, null]),
  ],
  "a damaged reference image is left out": [
    "line_scan.oif",
    (at) => Deno.truncateSync(at("s_C002-R001.tif"), 200),
    ["reference_unreadable"],
    ({ summary, planes }) => deepEqual([summary.reference, planes.length], [null, 2]),
  ],
  "a missing reference plane renumbers no other channel": [
    "line_scan.oif",
    (at) => remove(at, "s_C001-R001.tif"),
    [],
    ({ summary, referencePlanes }, whole) =>
      deepEqual([summary.reference!.channels, referencePlanes], [
        whole.summary.reference!.channels.slice(1),
        whole.referencePlanes.slice(1),
      ]),
  ],
  "the first of several reference images is served, whatever the order of the folder": [
    "line_scan.oif",
    // Capitals sort before small letters; the reference image has 8 rows and 8 columns.
    (at) => Deno.writeFileSync(at("S_C001Z002-R001.tif"), plane(9, { width: 8, height: 8, rowsPerStrip: 8 })),
    [],
    ({ referencePlanes }, whole) => deepEqual(referencePlanes, whole.referencePlanes),
  ],
  "another width": [
    "section.oif",
    (at) => Deno.writeFileSync(at("s_C002.tif"), plane(0, { width: 7 })),
    /"s_C002.tif": it is 7 x 5 x 1 of 16 bits, the first image 8 x 5 x 1 of 16 bits/,
  ],
  "a truncated plane": ["section.oif", (at) => Deno.truncateSync(at("s_C001.tif"), 40), /"s_C001.tif"/],
  "planned sizes that no file has are ignored": [
    "interrupted.oif",
    (at) => {
      replaceText(at(""), /MaxSize=5/g, "MaxSize=2000000000");
      replaceText(at(""), /MaxSize=2\r/g, "MaxSize=999999\r");
    },
    ["planes_missing", "metadata_disagree", "metadata_disagree"],
    ({ summary }) =>
      deepEqual(summary.axes.map(({ name, size }) => [name, size]), [["T", 3], ["C", 2], ["Y", 5], ["X", 6]]),
  ],
  "a position far from the others is not searched for": [
    "interrupted.oif",
    (at) => {
      remove(at, "s_C001T001.tif", "s_C002T001.tif", "s_C002T003.tif");
      Deno.copyFileSync(at("s_C001T003.tif"), at("s_C001T9999999.tif"));
    },
    /the first 4000000 positions hold no plane of channel 1 \("CH2"\)/,
  ],
  "channel 9999999": [
    "interrupted.oif",
    (at) => Deno.copyFileSync(at("s_C001T003.tif"), at("s_C9999999T003.tif")),
    /planes up to channel 9999999, more than 1000/,
  ],
  "an interrupted line scan has the lines that all channels have": [
    "line_scan.oif",
    (at) => Deno.writeFileSync(at("s_C002.tif"), plane(1, { width: 11, height: 23, rowsPerStrip: 7 })),
    ["lines_missing"],
    ({ summary, planes }, whole) => {
      deepEqual([summary.rows, planes[0]], [23, whole.planes[0]!.slice(0, 23 * 11)]);
      equal(planes[1]![22 * 11 + 10], 1 + 10 + 220);
    },
  ],
  "without a scanned line regions are not a path": [
    "line_scan.oif",
    (at) => replaceText(at(""), '"Line"', '"None"'),
    [],
    (loaded) => deepEqual(pathOf(loaded), [null, null]),
  ],
  "without AxisOrder the axes are those of frames": [
    "section.oif",
    (at) => replaceText(at(""), "AxisOrder", "AxisOther"),
    ["axes_assumed"],
  ],
  "an image that is not a plane opens alone": [
    "section.oif",
    (at) => (Deno.writeFileSync(at("projection.tif"), plane(5)), { open: at("projection.tif") }),
    [],
    ({ summary, planes }) => deepEqual([summary.format, planes[0]![0]], ["tif", 5]),
  ],
  "a plane without its settings opens alone": [
    "section.oif",
    (at) => (remove(at, ""), { open: at("s_C001.tif") }),
    [],
    ({ summary }) => equal(summary.format, "tif"),
  ],
});

Deno.test("reads stage positions as scenes, and opens the scene of a plane", () =>
  withCopy("section.oif", async (at) => {
    replaceText(at(""), '"XZC"', '"XYCP"');
    remove(at, "s_C001.tif", "s_C002.tif");
    for (const p of [1, 3]) Deno.writeFileSync(at(`s_C001P00${p}.tif`), plane(1000 * p, { width: 8 }));
    Deno.writeFileSync(at("s_C002P003.tif"), plane(3500, { width: 8 }));
    const first = await loadHere(at(""), { channelIndices: [0] });
    deepEqual([first.summary.scene, first.summary.sceneCount, first.planes[0]![0]], [0, 2, 1000]);
    deepEqual(first.summary.scenes.map(({ name }) => name), ["Point 1", "Point 3"]);
    const own = await loadHere(at("s_C002P003.tif"));
    deepEqual([own.summary.scene, own.planes[1]![0]], [1, 3500]);
  }));

Deno.test("opens the acquisition by any plane or reference image, in any case of names", () =>
  withCopy("line_scan.oif", async (at, parent) => {
    const expected = await loadHere(at(""));
    const folder = join(parent, "ODD.OIF.files");
    Deno.renameSync(at(""), join(parent, "odd.Oif"));
    Deno.renameSync(`${at("")}.files`, folder);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    for (const name of names) Deno.renameSync(join(folder, name), join(folder, name.toUpperCase()));
    for (const image of ["S_C002.TIF", "S_C001-R001.TIF", "S_C001.PTY"]) {
      const { planes, referencePlanes, summary } = await loadHere(join(folder, image));
      deepEqual([planes, referencePlanes], [expected.planes, expected.referencePlanes], image);
      deepEqual([summary.format, summary.axes], ["oif", expected.summary.axes]);
    }
  }));

const info = (lines: string) => Buffer.from(`\ufeff[OibSaveInfo]\r\n${lines}`, "utf16le");

/** An OIB of one plane with this `OibInfo.txt`. */
const oib = (lines: string) =>
  writeCompound({
    "OibInfo.txt": info(lines),
    Stream00001: plane(70),
    Stream00002: Buffer.from("\ufeff[Axis Parameter Common]\r\nAxisOrder=XYC\r\n", "utf16le"),
  }).bytes;

const MAIN = "MainFileName=Stream00002\r\nStream00002=a.oif\r\n";

Deno.test("reads an OIB of one plane, under any name", async () => {
  for (const name of ["a.oib", "a.OIB", "a", "a.dat"]) {
    const { planes, summary } = await loadBytes(name, oib(MAIN + "Stream00001=Storage00001/s_C001.tif\r\n"));
    deepEqual([summary.format, planes[0]![0], summary.channels[0]!.name], ["oib", 70, "CH1"]);
  }
});

const DOCUMENT = writeCompound({ WordDocument: new Uint8Array(5000) }).bytes;

testDamage("a.oib", {
  "no names of planes": [() => oib(MAIN), /it has no images/],
  "compression": [() => oib(MAIN + "Compression=Zip\r\n"), /compressed streams \("Zip"\) are not supported/],
  "main settings in a missing stream": [
    () => oib("MainFileName=Stream00009\r\n"),
    /the stream "Stream00009" of the main settings is missing/,
  ],
  "a name of a missing stream": [
    () => oib(MAIN + "Stream00001=s_C001.tif\r\nStream00005=s_C002.tif\r\n"),
    ["file_missing"],
  ],
  "the streams of another program": [() => DOCUMENT, /compound file without "OibInfo.txt"/],
  "no bytes": [() => new Uint8Array(0), /the file is empty/],
}, () => oib(MAIN + "Stream00001=s_C001.tif\r\n"));

Deno.test("rejects a compound file of another program and extension", () =>
  rejects(loadBytes("letter.doc", DOCUMENT), UnsupportedFormat));

Deno.test("rejects a truncated OIB or serves it exactly", async () => {
  const { refused } = await checkCuts("a.oib", Deno.readFileSync(join(FIXTURES, "path_scan_v3.oib")), 128);
  ok(refused > 80, `${refused}`);
});
