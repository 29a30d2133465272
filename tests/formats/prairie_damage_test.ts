/** Folders of Prairie View that are incomplete, renamed, damaged or made up. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { DecodeFailed, PlaneNotFound, UnsupportedFormat } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { loadHere, type LoadOptions, openHere } from "../load_here.ts";
import { hashAt, hashOf } from "../planes.ts";
import { NO_LINKS } from "../no_links.ts";
import { copy, inFolder, withFiles } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const FIXTURES = join(import.meta.dirname!, "../fixtures/prairie");
const TWO = "LineScan-03142018-1454-2042";
const OLD = "LineScan-03052014-1015-007";
const HAND = "LineScan-06092017-1414-619";
const VOLUMES = "TSeries-01022020-1030-003";
const PAGES = "TSeries-01022020-1030-004";

const image = (cycle: number, channel: number) => `${TWO}_Cycle0000${cycle}_Ch${channel}_000001.ome.tif`;
const source = (cycle: number, channel: number) => `${TWO}-Cycle0000${cycle}_Ch${channel}Source.tif`;

/** A copy of a scan in a folder `under`, for as long as `use` takes. */
const withCopy = (
  name: string,
  use: (at: (file: string) => string, folder: string) => Promise<void> | void,
  under = name,
) =>
  inFolder((_, parent) => {
    const folder = join(parent, under);
    copy(join(FIXTURES, name), folder);
    return use((file) => join(folder, file), folder);
  });

const replace = (path: string, from: string | RegExp, to: string) => {
  const text = Deno.readTextFileSync(path);
  ok(text.search(from) >= 0, `${from} is in ${path}`);
  Deno.writeTextFileSync(path, text.replace(from, to));
};

const failure = (path: string, options?: LoadOptions) =>
  loadHere(path, options).then(() => null, (error: Error) => error);

async function refused(path: string, kind: typeof DecodeFailed | typeof UnsupportedFormat, reason: RegExp) {
  const error = await failure(path);
  ok(error instanceof kind, `${path}: ${error}`);
  match(error.message, reason);
}

const firstRows = 40;

Deno.test("a renamed folder leads to the only document in it, or to one of its own name", () =>
  withCopy(HAND, async (at, folder) => {
    Deno.renameSync(at(`${HAND}.xml`), at("other.xml"));
    const name = at(`${HAND}_Cycle00001_Ch2_000001.ome.tif`);
    equal((await loadHere(name)).summary.format, "prairie");
    // Another document that is none of a scan does not count.
    Deno.writeTextFileSync(at("more.xml"), "<PVMarkPointSeriesElements/>");
    equal((await loadHere(name)).summary.format, "prairie");
    Deno.copyFileSync(at("other.xml"), at("second.xml"));
    const { summary } = await loadHere(name);
    equal(summary.format, "tif");
    deepEqual(codesOf(summary.warnings), ["metadata_missing"]);
    Deno.renameSync(at("second.xml"), join(folder, "renamed.xml"));
    equal((await loadHere(name)).summary.format, "prairie");
  }, "renamed"));

Deno.test("an image without its document is a TIFF whose rows have no step, with a warning", () =>
  withCopy(TWO, async (at) => {
    Deno.removeSync(at(`${TWO}.xml`));
    const { summary } = await loadHere(at(image(1, 2)));
    deepEqual([summary.format, summary.channels.length, summary.sceneCount], ["tif", 1, 1]);
    deepEqual(summary.axes.map(({ name, unit }) => [name, unit]), [["Y", "Pixels"], ["X", "Pixels"]]);
    deepEqual(codesOf(summary.warnings), ["metadata_missing"]);
    const frame = await loadHere(at(source(1, 1)));
    deepEqual(codesOf(frame.summary.warnings), ["metadata_missing"]);
    Deno.renameSync(at(source(1, 1)), at("a.tif"));
    deepEqual(codesOf((await loadHere(at("a.tif"))).summary.warnings), ["step_unknown"]);
  }));

Deno.test("rows get the pixel that OME-XML gives them only where the name is one of frames", async (t) => {
  // Pixels of 0.25 um, as the program writes them for a line scan too.
  const pixels =
    '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2012-06"><Image ID="Image:0"><Pixels ID="Pixels:0" ' +
    'DimensionOrder="XYCZT" Type="uint16" SizeX="4" SizeY="3" SizeZ="1" SizeC="1" SizeT="1" PhysicalSizeX="0.25" ' +
    'PhysicalSizeY="0.25"><TiffData/></Pixels></Image></OME>';
  const bytes = tiffBytes(grayLayout(4, 3, 16), (x, y) => BigInt(x + y), 1, [
    [270, 2, pixels],
    [305, 2, "Prairie View 5.6.64.40"],
  ]);
  for (
    const [name, rows] of [
      ["mouse.ome.tif", ["Y", 1, "Pixels"]],
      ["mouse_Cycle00001_Ch1_000001.ome.tif", ["Y", 1, "Pixels"]],
      ["LineScan-1_Cycle00001_Ch1_000001.ome.tif", ["Y", 1, "Pixels"]],
      ["TSeries-1_Cycle00001_Ch1_000001.ome.tif", ["Y", 0.25, "um"]],
    ] as const
  ) {
    await t.step(name, async () => {
      await withFiles({ [name]: bytes }, async (path) => {
        const { summary } = await loadHere(path);
        deepEqual(summary.axes.map(({ name, step, unit }) => [name, step, unit]), [rows, ["X", 0.25, "um"]]);
        match(codesOf(summary.warnings)[0]!, /metadata_missing|step_unknown/);
      });
    });
  }
});

Deno.test("an image that the document does not name is a TIFF", () =>
  withCopy(HAND, async (at) => {
    const name = `${HAND}_Cycle00001_Ch2_000002.ome.tif`;
    Deno.copyFileSync(at(name.replace("2.ome", "1.ome")), at(name));
    const { summary } = await loadHere(at(name));
    equal(summary.format, "tif");
    deepEqual(codesOf(summary.warnings), ["metadata_missing"]);
  }));

Deno.test("a channel whose image is missing is not loaded, and a cycle without images is left out", () =>
  withCopy(TWO, async (at) => {
    const whole = await loadHere(at(image(2, 2)));
    Deno.removeSync(at(image(2, 1)));
    const { summary, planes } = await loadHere(at(image(2, 2)));
    deepEqual(summary.channels, whole.summary.channels);
    deepEqual(summary.loaded.map(({ index, name }) => [index, name]), [[1, "Dye 2"]]);
    deepEqual(planes, whole.planes.slice(1));
    deepEqual(codesOf(summary.warnings), ["file_missing", "channel_missing"]);
    const asked = await failure(at(image(2, 2)), { channelIndices: [0] });
    match(asked!.message, /channel 0 \("Dye 1"\) has no plane/);
    for (const channel of [1, 2]) Deno.removeSync(at(image(1, channel)));
    const left = await loadHere(at(`${TWO}.xml`));
    deepEqual([left.summary.sceneCount, left.summary.scene], [1, 0]);
    equal(left.summary.scenes[0]!.name, "Cycle 2");
    deepEqual(left.planes, planes);
    deepEqual(codesOf(left.summary.warnings), ["scenes_left_out", "file_missing", "channel_missing"]);
    Deno.removeSync(at(image(2, 2)));
    await refused(at(`${TWO}.xml`), DecodeFailed, /none of the images that the PVScan document names is in/);
    Deno.writeTextFileSync(at("CYCLE_000001_RAWDATA_000001"), "raw");
    await refused(at(`${TWO}.xml`), DecodeFailed, /"CYCLE_000001_RAWDATA_000001" is raw data/);
    await refused(
      at("CYCLE_000001_RAWDATA_000001"),
      UnsupportedFormat,
      /it is unconverted raw data of Prairie View/,
    );
  }));

Deno.test("source images that are missing, damaged or of another size cost the reference image", () =>
  withCopy(TWO, async (at) => {
    const warned = async (codes: string[], channels: number | null) => {
      const { summary, referencePlanes, planes } = await loadHere(at(image(1, 1)));
      deepEqual(codesOf(summary.warnings), codes);
      equal(planes.length, 2);
      equal(summary.reference?.channels.length ?? null, channels);
      equal(referencePlanes.length, channels ?? 0);
    };
    const bytes = Deno.readFileSync(at(source(1, 2)));
    Deno.writeFileSync(at(source(1, 2)), bytes.subarray(0, 300));
    await warned(["reference_unreadable"], null);
    Deno.removeSync(at(source(1, 2)));
    await warned(["file_missing"], 1);
    Deno.writeTextFileSync(at(source(1, 1)), "no TIFF");
    await warned(["file_missing", "reference_unreadable"], null);
    Deno.removeSync(at(source(1, 1)));
    await warned(["file_missing"], null);
  }));

Deno.test("channels have the order of their numbers, as those of the reference image, one each", () =>
  withCopy(TWO, async (at) => {
    const usual = await loadHere(at(image(1, 1)));
    const [first, second] = Deno.readTextFileSync(at(`${TWO}.xml`)).match(/<File [^>]*>/g)!;
    replace(at(`${TWO}.xml`), new RegExp(`${first}(\\s*)${second}`), `${second}$1${first}$1${second}`);
    const { summary, planes, referencePlanes } = await loadHere(at(image(1, 1)));
    deepEqual(summary.channels, usual.summary.channels);
    deepEqual(summary.reference!.channels, usual.summary.reference!.channels);
    deepEqual([planes, referencePlanes], [usual.planes, usual.referencePlanes]);
    deepEqual(codesOf(summary.warnings), ["content_left_out"]);
  }));

Deno.test("version 4 without source images has no reference image and no warning", () =>
  withCopy(OLD, async (at) => {
    for (const channel of [1, 2]) Deno.removeSync(at(`${OLD}-Cycle00001_Ch${channel}Source.tif`));
    const { summary } = await loadHere(at(`${OLD}.xml`));
    deepEqual([summary.reference, codesOf(summary.warnings)], [null, []]);
  }));

for (
  const [from, to] of [
    ['mode="straightLine"', 'mode="circle"'],
    ['startPixelX="11"', 'startPixelX="-1"'],
    ['stopPixelX="43"', 'stopPixelX="64"'],
    ['startPixelY="17"', ""],
    ['SourcePixelsPerLine="64"', 'SourcePixelsPerLine="128"'],
  ] as const
) {
  Deno.test(`a line with ${to || `no ${from}`} has no path, with a warning`, () =>
    withCopy(TWO, async (at) => {
      replace(at(`${TWO}.xml`), from, to);
      const { summary, referencePlanes } = await loadHere(at(image(1, 1)));
      deepEqual([summary.reference!.lineRoi, summary.reference!.scanPath, referencePlanes.length], [
        null,
        null,
        2,
      ]);
      deepEqual(codesOf(summary.warnings), ["reference_unreadable"]);
    }));
}

Deno.test("an interrupted line scan has the rows that every channel has", () =>
  withCopy(TWO, async (at) => {
    const whole = await loadHere(at(image(1, 1)));
    const [plane] = whole.planes;
    const columns = 33;
    const short = tiffBytes(grayLayout(columns, 21, 16), (x, y) => BigInt(plane![y * columns + x]!));
    Deno.writeFileSync(at(image(1, 1)), short);
    const { summary, planes } = await loadHere(at(image(1, 2)));
    deepEqual([summary.rows, summary.columns], [21, columns]);
    deepEqual(planes, whole.planes.map((one) => one.slice(0, 21 * columns)));
    deepEqual(codesOf(summary.warnings), ["lines_missing"]);
    // The other channel has all of them.
    const alone = await loadHere(at(image(1, 2)), { channelIndices: [1] });
    deepEqual([alone.summary.rows, codesOf(alone.summary.warnings)], [firstRows, []]);
    deepEqual(alone.planes, [whole.planes[1]]);
  }));

Deno.test("a channel whose image is cut is refused by its name, the others are there", () =>
  withCopy(TWO, async (at) => {
    const whole = await loadHere(at(image(1, 1)));
    const bytes = Deno.readFileSync(at(image(1, 2)));
    // 40 rows of 33 samples of 2 bytes are 2640.
    Deno.writeFileSync(at(image(1, 2)), bytes.subarray(0, bytes.length - 1000));
    await refused(
      at(image(1, 1)),
      DecodeFailed,
      /Ch1_000001.ome.tif": "[^"]*_Ch2_000001.ome.tif": .* after the file/,
    );
    const { planes } = await loadHere(at(image(1, 1)), { channelIndices: [0] });
    deepEqual(planes, whole.planes.slice(0, 1));
  }));

Deno.test("the images count where they have more lines than the document states", () =>
  withCopy(HAND, async (at) => {
    replace(at(`${HAND}.xml`), 'key="linesPerFrame" value="24"', 'key="linesPerFrame" value="20"');
    const { summary } = await loadHere(at(`${HAND}.xml`));
    equal(summary.rows, 24);
    deepEqual(codesOf(summary.warnings), ["metadata_disagree"]);
  }));

Deno.test("missing images of a series give a warning; one of another size is refused alone", () =>
  withCopy(VOLUMES, async (at) => {
    const name = (cycle: number, frame: number) => `${VOLUMES}_Cycle0000${cycle}_Ch1_00000${frame}.ome.tif`;
    Deno.removeSync(at(name(1, 3)));
    Deno.removeSync(at(name(2, 2)));
    const { summary } = await loadHere(at(`${VOLUMES}.xml`));
    deepEqual(codesOf(summary.warnings), ["planes_missing", "file_missing"]);
    Deno.copyFileSync(join(FIXTURES, HAND, `${HAND}_Cycle00001_Ch2_000001.ome.tif`), at(name(1, 1)));
    await refused(
      at(`${VOLUMES}.xml`),
      DecodeFailed,
      /it is 8 x 6 x 1 of 16 bits, the first image 60 x 24|60 x 24 x 1/,
    );
  }));

Deno.test("a focus that goes up and down keeps the only plane of an interrupted sequence in its place", () =>
  withCopy(VOLUMES, async (at) => {
    // The first volume goes up from 10 to 17.5 um; of the third only one plane is left, at 17.5.
    const path = at(`${VOLUMES}.xml`);
    const top = '<PVStateShard><Key key="positionCurrent_ZAxis" value="17.5"/></PVStateShard>';
    replace(
      path,
      /(cycle="3"[^]*?)<PVStateShard><\/PVStateShard>[^]*$/,
      `$1${top}</Frame></Sequence></PVScan>`,
    );
    await openHere(path, async (acquisition) => {
      const last = (z: number) => acquisition.plan([0], { t: 2, z, l: 0 });
      await last(3);
      for (const z of [0, 1, 2]) await rejects(last(z), PlaneNotFound);
    });
  }));

Deno.test("other XML is refused with the name of its root", async () => {
  await inFolder(async (_, folder) => {
    const cases: [string, RegExp][] = [
      ["no XML at all", /is of no known format/],
      ['<?xml version="1.0"?>\n<OME xmlns="x">', /an OME-XML document without images/],
      ["<PVMarkPointSeriesElements/>", /document of Prairie View without images/],
      ["<PVScanner/>", /document of Prairie View without images/],
      ["<!-- <PVScan> --><a/>", /an XML document, but not/],
    ];
    for (const [text, reason] of cases) {
      Deno.writeTextFileSync(join(folder, "a.xml"), text);
      await refused(join(folder, "a.xml"), UnsupportedFormat, reason);
    }
    Deno.writeTextFileSync(join(folder, "a.env"), "<Environment/>");
    await refused(join(folder, "a.env"), UnsupportedFormat, /open the XML document of the scan/);
    const narrow = await failure(join(FIXTURES, HAND, `${HAND}.xml`), { allowedExtensions: [".oir"] });
    match(narrow!.message, /\("\.xml"\) that is not allowed here/);
  });
});

Deno.test("a damaged document is refused; its images are opened as TIFF with a warning", async (t) => {
  const cases: Record<string, [(text: string) => string, RegExp]> = {
    "cut short": [(text) => text.slice(0, -30), /is damaged|unclosed/],
    "with a document type": [
      (text) => text.replace("<PVScan", '<!DOCTYPE PVScan [<!ENTITY a "b">]><PVScan'),
      /document type|not of a scan/,
    ],
    "with an entity": [(text) => text.replace('notes=""', 'notes="&a;"'), /is damaged/],
    "nested too deep": [
      (text) => text.replace("</PVScan>", "<a>".repeat(300) + "</a>".repeat(300) + "</PVScan>"),
      /nested more than 256 deep/,
    ],
    "with too many nodes": [
      (text) => text.replace("</PVScan>", "<a/>".repeat(1_000_001) + "</PVScan>"),
      /more than 1000000 nodes/,
    ],
    "too large": [(text) => text + " ".repeat(33 << 20), /has \d+ bytes, more than 33554432/],
    "without images": [(text) => text.replace(/<File [^>]*>/g, ""), /names no images/],
  };
  for (const [name, [change, reason]] of Object.entries(cases)) {
    await t.step(name, () =>
      withCopy(HAND, async (at) => {
        const path = at(`${HAND}.xml`);
        Deno.writeTextFileSync(path, change(Deno.readTextFileSync(path)));
        match((await failure(path))!.message, reason);
        const { summary } = await loadHere(at(`${HAND}_Cycle00001_Ch2_000001.ome.tif`));
        equal(summary.format, "tif");
        deepEqual(codesOf(summary.warnings), ["metadata_missing"]);
      }));
  }
});

Deno.test("names that lead out of the folder lead to what lies in it", () =>
  withCopy(HAND, async (at) => {
    const name = `${HAND}_Cycle00001_Ch2_000001.ome.tif`;
    for (const way of ["../", "/etc/", "C:\\data\\", "..\\..\\"]) {
      replace(at(`${HAND}.xml`), /filename="[^"]*"/, `filename="${way}${name}"`);
      equal((await loadHere(at(`${HAND}.xml`))).summary.warnings.length, 0);
    }
    for (const way of ["..", ".", "a/", "\u0000"]) {
      const text = Deno.readTextFileSync(at(`${HAND}.xml`));
      Deno.writeTextFileSync(at("b.xml"), text.replace(/filename="[^"]*"/, `filename="${way}"`));
      ok(await failure(at("b.xml")) instanceof DecodeFailed, way);
    }
  }));

Deno.test("documents and images outside the roots are missing", {
  ignore: NO_LINKS,
}, () =>
  withCopy(HAND, (at) =>
    inFolder(async (_, root) => {
      const options = { roots: [root] };
      const name = `${HAND}_Cycle00001_Ch2_000001.ome.tif`;
      Deno.copyFileSync(at(name), join(root, name));
      Deno.symlinkSync(at(`${HAND}.xml`), join(root, `${HAND}.xml`));
      const { summary } = await loadHere(join(root, name), options);
      equal(summary.format, "tif");
      Deno.removeSync(join(root, `${HAND}.xml`));
      Deno.removeSync(join(root, name));
      Deno.copyFileSync(at(`${HAND}.xml`), join(root, `${HAND}.xml`));
      Deno.symlinkSync(at(name), join(root, name));
      match((await failure(join(root, `${HAND}.xml`), options))!.message, /none of the images/);
    })));

/** Counts how often a folder is listed. */
class ListedAccess extends FileAccess {
  lists = 0;
  override list(folder: string): string[] {
    this.lists += 1;
    return super.list(folder);
  }
}

Deno.test("a folder of thousands of images is not read for one of them", () =>
  withCopy(HAND, async (at) => {
    const name = `${HAND}_Cycle00001_Ch2_000001.ome.tif`;
    for (let i = 2; i < 3000; i += 1) {
      Deno.writeFileSync(
        at(name.replace("000001.ome", `${String(i).padStart(6, "0")}.ome`)),
        new Uint8Array(8),
      );
    }
    const files = new ListedAccess();
    await loadHere(at(name), { files });
    // The document, its start, the image and the source image.
    ok(files.lists === 0 && files.counts.opens <= 8, `${files.lists} lists, ${files.counts.opens} opens`);
    Deno.renameSync(at(`${HAND}.xml`), at("other.xml"));
    const renamed = new ListedAccess();
    equal((await loadHere(at(name), { files: renamed })).summary.format, "prairie");
    ok(
      renamed.lists <= 2 && renamed.counts.opens <= 10,
      `${renamed.lists} lists, ${renamed.counts.opens} opens`,
    );
    // A TIFF of another name and program costs no look at its folder.
    Deno.writeFileSync(at("plain.tif"), tiffBytes(grayLayout(4, 4, 16), (x) => BigInt(x)));
    const plain = new ListedAccess();
    await loadHere(at("plain.tif"), { files: plain });
    equal(plain.lists, 0);
  }));

Deno.test("a document with two images of a channel in a frame gives a warning", () =>
  withCopy(TWO, async (at) => {
    replace(at(`${TWO}.xml`), 'channel="2"', 'channel="1"');
    deepEqual(codesOf((await loadHere(at(`${TWO}.xml`))).summary.warnings), ["content_left_out"]);
  }));

Deno.test("a channel that the first frame does not have is served from the first frame that has it", () =>
  withCopy(PAGES, async (at) => {
    const whole = await loadHere(at(`${PAGES}.xml`));
    replace(at(`${PAGES}.xml`), /<File channel="3"[^>]*>/, "");
    const { summary } = await loadHere(at(`${PAGES}.xml`));
    deepEqual(summary.channels, whole.summary.channels);
    deepEqual(summary.position, { t: 1, z: 0, l: 0 });
    deepEqual(codesOf(summary.warnings), ["scenes_left_out", "file_missing", "opened_elsewhere"]);
  }));

Deno.test("a series opens without its first images, at the first position that all channels have", () =>
  withCopy(VOLUMES, async (at) => {
    const name = (cycle: number, channel: number, frame: number) =>
      `${VOLUMES}_Cycle0000${cycle}_Ch${channel}_00000${frame}.ome.tif`;
    const path = at(`${VOLUMES}.xml`);
    const hashes = new Map<string, string>();
    await openHere(path, async (acquisition) => {
      for (const place of ["0,0,0,1", "0,1,0,0", "0,1,0,1", "0,2,0,0"]) {
        hashes.set(place, await hashAt(acquisition, place));
      }
    });
    const { summary: whole } = await loadHere(path);
    // Channel 1 loses its first plane, channel 2 its second.
    Deno.removeSync(at(name(1, 1, 1)));
    Deno.removeSync(at(name(1, 2, 2)));
    const { summary, planes } = await loadHere(path);
    deepEqual([summary.channels, summary.axes], [whole.channels, whole.axes]);
    deepEqual(summary.position, { t: 0, z: 2, l: 0 });
    const alone = await loadHere(path, { channelIndices: [1] });
    deepEqual([alone.summary.position.z, hashOf(alone.planes[0]!)], [0, hashes.get("0,0,0,1")]);
    equal(planes.length, 2);
    for (const place of ["0,0,0,1", "0,1,0,0", "0,2,0,0"]) {
      await openHere(
        at(name(1, 1, 2)),
        async (acquisition) => equal(await hashAt(acquisition, place), hashes.get(place)),
      );
    }
  }));

Deno.test("the list of scenes gives sizes of a cycle only once its images were read", () =>
  withCopy(TWO, async (at) => {
    const { summary } = await loadHere(at(image(2, 1)));
    deepEqual(summary.scenes.map(({ sizes }) => Object.keys(sizes).length > 0), [false, true]);
    equal(summary.scenes[1]!.sizes.Y, summary.rows);
  }));

/** A document of sequences, each with its frames. */
const document = (sequences: readonly string[]) => `<PVScan date="">${sequences.join("")}</PVScan>`;

Deno.test("documents at the bounds of what a reader builds are read or refused, and quickly either way", async (t) => {
  const file = (name: string, channel = 1) => `<File channel="${channel}" filename="${name}"/>`;
  const name = `${HAND}_Cycle00001_Ch2_000001.ome.tif`;
  const sequence = (type: string, inner: string) =>
    `<Sequence type="${type}"><Frame>${inner}</Frame></Sequence>`;
  const place = (n: number) =>
    `<PVStateShard><Key key="positionCurrent_XAxis" value="${n * 1000}"/></PVStateShard>${file(name)}`;
  const cases: Record<string, [string, RegExp | number]> = {
    "65 channels": [
      document([sequence("Single", Array.from({ length: 65 }, (_, n) => file(name, n)).join(""))]),
      /a frame of the PVScan document has 65 images/,
    ],
    "64 channels": [
      document([sequence("Single", Array.from({ length: 64 }, (_, n) => file(name, n)).join(""))]),
      1,
    ],
    "100,001 sequences": [document(Array.from({ length: 100_001 }, () => "<Sequence/>")), /100001 sequences/],
    "50,000 scenes of one file": [
      document(Array.from({ length: 50_000 }, () => sequence("Linescan", file(name)))),
      50_000,
    ],
    "a name of a million characters": [
      document([sequence("Linescan", file("_Cycle1_Ch1_".repeat(90_000)) + file(name, 2))]),
      1,
    ],
    "a number of a million characters": [
      document([
        sequence(
          "Linescan",
          `<PVStateShard><Key key="linesPerFrame" value="${",".repeat(1e6)}"/></PVStateShard>${file(name)}`,
        ),
      ]),
      1,
    ],
    "20,000 places of the stage": [
      document(Array.from({ length: 20_000 }, (_, n) => sequence("TSeries Timed Element", place(n)))),
      20_000,
    ],
  };
  for (const [what, [text, expected]] of Object.entries(cases)) {
    await t.step(what, () =>
      withCopy(HAND, async (at) => {
        Deno.writeTextFileSync(at(`${HAND}.xml`), text);
        if (typeof expected !== "number") return match((await failure(at(`${HAND}.xml`)))!.message, expected);
        const { summary } = await loadHere(at(`${HAND}.xml`));
        equal(summary.sceneCount, expected);
        equal(summary.rows, 24);
      }));
  }
});
