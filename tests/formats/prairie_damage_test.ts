/** Folders of Prairie View that are incomplete, renamed, damaged or made up. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { PlaneNotFound } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { type At, type ChangeTable, loadBytes, refusal, testChanges } from "../damage.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { type LoadedHere, loadHere, openHere } from "../load_here.ts";
import { copy, inFolder } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const FIXTURES = join(import.meta.dirname!, "../fixtures/prairie");
const TWO = "LineScan-03142018-1454-2042";
const OLD = "LineScan-03052014-1015-007";
const HAND = "LineScan-06092017-1414-619";
const VOLUMES = "TSeries-01022020-1030-003";
const PAGES = "TSeries-01022020-1030-004";

const HAND_IMAGE = `${HAND}_Cycle00001_Ch2_000001.ome.tif`;
const image = (cycle: number, channel: number) => `${TWO}_Cycle0000${cycle}_Ch${channel}_000001.ome.tif`;
const source = (cycle: number, channel: number) => `${TWO}-Cycle0000${cycle}_Ch${channel}Source.tif`;
const volume = (cycle: number, channel: number, frame: number) =>
  `${VOLUMES}_Cycle0000${cycle}_Ch${channel}_00000${frame}.ome.tif`;

/** Copies a scan into a folder of its name, or `under` another one; its document is opened by default. */
function copyTo(parent: string, name: string, under = name): At {
  copy(join(FIXTURES, name), join(parent, under));
  return (file) => join(parent, under, file || `${name}.xml`);
}

const withCopy = (name: string, use: (at: At, folder: string) => Promise<void>, under = name) =>
  inFolder((_, parent) => use(copyTo(parent, name, under), join(parent, under)));

const remove = (at: At, ...names: string[]) => names.forEach((name) => Deno.removeSync(at(name)));

function replace(path: string, from: string | RegExp, to: string): void {
  const text = Deno.readTextFileSync(path);
  ok(text.search(from) >= 0, `${from} is in ${path}`);
  Deno.writeTextFileSync(path, text.replace(from, to));
}

const isTiff = ({ summary: { format } }: LoadedHere) => equal(format, "tif");

/** The first cycle of two without some source images, or with damaged ones. */
const withSources = (
  change: (at: At) => void,
  codes: ChangeTable[string][2],
  channels: number | null,
): ChangeTable[string] => [
  TWO,
  (at) => (change(at), { open: at(image(1, 1)) }),
  codes,
  ({ summary: { reference }, planes, referencePlanes }) =>
    deepEqual(
      [planes.length, reference?.channels.length ?? null, referencePlanes.length],
      [2, channels, channels ?? 0],
    ),
];

const cutSource = (at: At) => Deno.truncateSync(at(source(1, 2)), 300);

testChanges("Prairie View", copyTo, {
  "an image without its document is a TIFF whose rows have no step": [
    TWO,
    (at) => (remove(at, ""), { open: at(image(1, 2)) }),
    ["metadata_missing"],
    ({ summary: { format, sceneCount, axes } }) =>
      deepEqual([format, sceneCount, axes.map(({ unit }) => unit)], ["tif", 1, ["Pixels", "Pixels"]]),
  ],
  "a source image without the document is a TIFF": [
    TWO,
    (at) => (remove(at, ""), { open: at(source(1, 1)) }),
    ["metadata_missing"],
    isTiff,
  ],
  "a renamed source image has no step": [
    TWO,
    (at) => (Deno.renameSync(at(source(1, 1)), at("a.tif")), { open: at("a.tif") }),
    ["step_unknown"],
    isTiff,
  ],
  "an image that the document does not name is a TIFF": [
    HAND,
    (at) => {
      const open = at(HAND_IMAGE.replace("1.ome", "2.ome"));
      Deno.copyFileSync(at(HAND_IMAGE), open);
      return { open };
    },
    ["metadata_missing"],
    isTiff,
  ],
  "a channel whose image is missing is not loaded": [
    TWO,
    (at) => (remove(at, image(2, 1)), { open: at(image(2, 2)) }),
    ["file_missing", "channel_missing"],
    ({ summary: { loaded, channels } }, whole) => {
      deepEqual(channels, whole.summary.channels);
      deepEqual(loaded.map(({ index, name }) => [index, name]), [[1, "Dye 2"]]);
    },
  ],
  "a cycle without images is left out, and the other keeps its name": [
    TWO,
    (at) => remove(at, image(1, 1), image(1, 2)),
    ["scenes_left_out"],
    ({ summary: { sceneCount, scene, scenes } }) =>
      deepEqual([sceneCount, scene, scenes[0]!.name], [1, 0, "Cycle 2"]),
  ],
  "a scan without any of its images is refused": [
    HAND,
    (at) => remove(at, HAND_IMAGE),
    /none of the images that the PVScan document names is in/,
  ],
  "a scan that was not converted is refused": [
    HAND,
    (at) => {
      remove(at, HAND_IMAGE);
      Deno.writeTextFileSync(at("CYCLE_000001_RAWDATA_000001"), "raw");
    },
    /"CYCLE_000001_RAWDATA_000001" is raw data/,
  ],
  "a damaged source image costs the reference image": withSources(cutSource, ["reference_unreadable"], null),
  "a missing source image costs its channel": withSources(
    (at) => remove(at, source(1, 2)),
    ["file_missing"],
    1,
  ),
  "version 4 without source images has no reference image and no warning": [
    OLD,
    (at) => [1, 2].forEach((channel) => remove(at, `${OLD}-Cycle00001_Ch${channel}Source.tif`)),
    [],
    ({ summary: { reference } }) => equal(reference, null),
  ],
  "channels are sorted by number, with one image each": [
    TWO,
    (at) => {
      const [first, second] = Deno.readTextFileSync(at("")).match(/<File [^>]*>/g)!;
      replace(at(""), new RegExp(`${first}(\\s*)${second}`), `${second}$1${first}$1${second}`);
    },
    ["content_left_out"],
    ({ summary, planes, referencePlanes }, whole) => {
      deepEqual(summary.channels, whole.summary.channels);
      deepEqual(summary.reference!.channels, whole.summary.reference!.channels);
      deepEqual([planes, referencePlanes], [whole.planes, whole.referencePlanes]);
    },
  ],
  "a line of an unknown mode has no path": [
    TWO,
    (at) => (replace(at(""), 'mode="straightLine"', 'mode="circle"'), { open: at(image(1, 1)) }),
    ["reference_unreadable"],
    ({ summary: { reference }, referencePlanes }) =>
      deepEqual([reference!.lineRoi, reference!.scanPath, referencePlanes.length], [null, null, 2]),
  ],
  "an interrupted line scan has the rows that every channel has": [
    TWO,
    (at) =>
      Deno.writeFileSync(at(image(1, 1)), tiffBytes(grayLayout(33, 21, 16), (x, y) => BigInt(x + 100 * y))),
    ["lines_missing"],
    ({ summary: { rows, columns }, planes }, whole) => {
      deepEqual([rows, columns], [21, 33]);
      deepEqual([planes[0]!.at(-1), planes[1]], [2032, whole.planes[1]!.slice(0, 21 * 33)]);
    },
  ],
  "a channel whose image is cut is refused by its name": [
    TWO,
    (at) => Deno.truncateSync(at(image(1, 2)), Deno.statSync(at(image(1, 2))).size - 1000),
    /Read "LineScan-03142018-1454-2042.xml": "[^"]*_Ch2_000001.ome.tif": .* after the file/i,
  ],
  "the images count where they have more lines than the document states": [
    HAND,
    (at) => replace(at(""), 'key="linesPerFrame" value="24"', 'key="linesPerFrame" value="20"'),
    ["metadata_disagree"],
    ({ summary }) => equal(summary.rows, 24),
  ],
  "missing images of a series give a warning": [
    VOLUMES,
    (at) => remove(at, volume(1, 1, 3), volume(2, 1, 2)),
    ["planes_missing", "file_missing"],
  ],
  "an image of another size is refused": [
    VOLUMES,
    (at) => Deno.copyFileSync(join(FIXTURES, HAND, HAND_IMAGE), at(volume(1, 1, 1))),
    /it is 8 x 6 x 1 of 16 bits, the first image 8 x 24|it is 8 x 6 x 1 of 16 bits, the first image 60 x 24/,
  ],
  "a channel that the first frame lacks is served from the first frame that has it": [
    PAGES,
    (at) => replace(at(""), /<File channel="3"[^>]*>/, ""),
    ["scenes_left_out", "file_missing", "opened_elsewhere"],
    ({ summary: { channels, position } }, whole) =>
      deepEqual([channels, position.t], [whole.summary.channels, 1]),
  ],
});

Deno.test("finds the document in a renamed folder if it is the only one or has the folder's name", () =>
  withCopy(HAND, async (at, folder) => {
    Deno.renameSync(at(""), at("other.xml"));
    const name = at(HAND_IMAGE);
    equal((await loadHere(name)).summary.format, "prairie");
    // A document of another kind does not count.
    Deno.writeTextFileSync(at("more.xml"), "<PVMarkPointSeriesElements/>");
    equal((await loadHere(name)).summary.format, "prairie");
    Deno.copyFileSync(at("other.xml"), at("second.xml"));
    const { summary } = await loadHere(name);
    equal(summary.format, "tif");
    deepEqual(codesOf(summary.warnings), ["metadata_missing"]);
    Deno.renameSync(at("second.xml"), join(folder, "renamed.xml"));
    equal((await loadHere(name)).summary.format, "prairie");
  }, "renamed"));

Deno.test("rows take the pixel size of OME-XML only in files named like frames", async () => {
  // Pixels of 0.25 um, as the program writes them for a line scan too.
  const pixels =
    '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2012-06"><Image ID="Image:0"><Pixels ID="Pixels:0" ' +
    'DimensionOrder="XYCZT" Type="uint16" SizeX="4" SizeY="3" SizeZ="1" SizeC="1" SizeT="1" PhysicalSizeX="0.25" ' +
    'PhysicalSizeY="0.25"><TiffData/></Pixels></Image></OME>';
  const bytes = tiffBytes(grayLayout(4, 3, 16), (x, y) => BigInt(x + y), 1, [
    [270, 2, pixels],
    [305, 2, "Prairie View 5.6.64.40"],
  ]);
  const IMAGE = "Cycle00001_Ch1_000001.ome.tif";
  for (const name of ["mouse.ome.tif", `mouse_${IMAGE}`, `LineScan-1_${IMAGE}`, `TSeries-1_${IMAGE}`]) {
    const { summary } = await loadBytes(name, bytes);
    const rows = name.startsWith("TSeries") ? ["Y", 0.25, "um"] : ["Y", 1, "Pixels"];
    deepEqual(
      summary.axes.map(({ name, step, unit }) => [name, step, unit]),
      [rows, ["X", 0.25, "um"]],
      name,
    );
    match(codesOf(summary.warnings)[0]!, /metadata_missing|step_unknown/);
  }
});

Deno.test("says of an image without its document only what is unknown", async () => {
  const warned = async (size: string, date: string) => {
    const xml =
      `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2012-06"><Image ID="Image:0">${date}<Pixels ID="Pixels:0" ` +
      `DimensionOrder="XYCZT" Type="uint16" SizeX="4" SizeY="3" SizeZ="1" SizeC="1" SizeT="1"${size}><TiffData/></Pixels></Image></OME>`;
    const bytes = tiffBytes(grayLayout(4, 3, 16), (x, y) => BigInt(x + y), 1, [[270, 2, xml]]);
    const { summary } = await loadBytes("TSeries-1_Cycle00001_Ch1_000001.ome.tif", bytes);
    deepEqual(codesOf(summary.warnings), ["metadata_missing"]);
    return summary.warnings[0]!.text.replace(/^.*other images/, "");
  };
  const [size, date] = [
    ' PhysicalSizeX="0.25" PhysicalSizeY="0.25"',
    "<AcquisitionDate>2020-01-02T03:04:05</AcquisitionDate>",
  ];
  equal(await warned(size, date), "");
  equal(await warned("", date), "; its steps are unknown");
  equal(await warned(size, ""), "; its date is unknown");
  equal(await warned("", ""), "; its steps and date are unknown");
});

Deno.test("places the only plane of an interrupted downward sequence by its focus", () =>
  withCopy(VOLUMES, async (at) => {
    // The first volume goes up from 10 to 17.5 um; of the third only one plane is left, at 17.5.
    const path = at("");
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

Deno.test("explains other files of Prairie View and other XML", () =>
  inFolder(async (_, folder) => {
    const cases: [name: string, text: string, RegExp][] = [
      ["a.xml", "no XML at all", /is of no known format/],
      ["a.xml", '<?xml version="1.0"?>\n<OME xmlns="x">', /an OME-XML document without images/],
      ["a.xml", "<PVMarkPointSeriesElements/>", /document of Prairie View without images/],
      ["a.xml", "<PVScanner/>", /document of Prairie View without images/],
      ["a.xml", "<!-- <PVScan> --><a/>", /an XML document, but not/],
      ["a.env", "<Environment/>", /open the XML document of the scan/],
      ["CYCLE_000001_RAWDATA_000001", "raw", /it is unconverted raw data of Prairie View/],
    ];
    for (const [name, text, reason] of cases) {
      Deno.writeTextFileSync(join(folder, name), text);
      match(await refusal(loadHere(join(folder, name)), "unsupported_format"), reason);
    }
    const path = join(FIXTURES, HAND, `${HAND}.xml`);
    match(
      await refusal(loadHere(path, { allowedExtensions: [".oir"] }), "unsupported_format"),
      /\("\.xml"\) that is not allowed here/,
    );
  }));

Deno.test("rejects a damaged document, and opens its image as TIFF", async () => {
  const cases: [(text: string) => string, RegExp][] = [
    [(text) => text.slice(0, -30), /is damaged/],
    [(text) => text + " ".repeat(33 << 20), /has \d+ bytes, more than 33554432/],
    [(text) => text.replace(/<File [^>]*>/g, ""), /names no images/],
  ];
  for (const [change, reason] of cases) {
    await withCopy(HAND, async (at) => {
      Deno.writeTextFileSync(at(""), change(Deno.readTextFileSync(at(""))));
      match(await refusal(loadHere(at(""))), reason);
      const loaded = await loadHere(at(HAND_IMAGE));
      isTiff(loaded);
      deepEqual(codesOf(loaded.summary.warnings), ["metadata_missing"]);
    });
  }
});

Deno.test("looks up names outside the folder inside", () =>
  withCopy(HAND, async (at) => {
    for (const way of ["../", "/etc/", "C:\\data\\", "..\\..\\"]) {
      replace(at(""), /filename="[^"]*"/, `filename="${way}${HAND_IMAGE}"`);
      equal((await loadHere(at(""))).summary.warnings.length, 0);
    }
  }));

/** Counts how often a folder is listed. */
class ListedAccess extends FileAccess {
  lists = 0;
  override list(folder: string): string[] {
    this.lists += 1;
    return super.list(folder);
  }
}

Deno.test("opens one image without listing a folder of thousands", () =>
  withCopy(HAND, async (at) => {
    for (let i = 2; i < 3000; i += 1) {
      Deno.writeFileSync(
        at(HAND_IMAGE.replace("000001.ome", `${String(i).padStart(6, "0")}.ome`)),
        new Uint8Array(8),
      );
    }
    const files = new ListedAccess();
    await loadHere(at(HAND_IMAGE), { files });
    // The document, its start, the image and the source image.
    ok(files.lists === 0 && files.counts.opens <= 8, `${files.lists} lists, ${files.counts.opens} opens`);
    Deno.renameSync(at(""), at("other.xml"));
    const renamed = new ListedAccess();
    equal((await loadHere(at(HAND_IMAGE), { files: renamed })).summary.format, "prairie");
    // Reading a large folder begins the open again.
    ok(
      renamed.lists <= 3 && renamed.counts.opens <= 10,
      `${renamed.lists} lists, ${renamed.counts.opens} opens`,
    );
    // A TIFF of another name and program costs no look at its folder.
    Deno.writeFileSync(at("plain.tif"), tiffBytes(grayLayout(4, 4, 16), (x) => BigInt(x)));
    const plain = new ListedAccess();
    await loadHere(at("plain.tif"), { files: plain });
    equal(plain.lists, 0);
  }));

Deno.test("opens a series without its first images at the first position that all channels have", () =>
  withCopy(VOLUMES, async (at) => {
    const whole = await loadHere(at(""));
    const second = await loadHere(at(""), { channelIndices: [1] });
    // Channel 1 loses its first plane, channel 2 its second.
    remove(at, volume(1, 1, 1), volume(1, 2, 2));
    const { summary, planes } = await loadHere(at(""));
    deepEqual([summary.channels, summary.axes], [whole.summary.channels, whole.summary.axes]);
    deepEqual([summary.position, planes.length], [{ t: 0, z: 2, l: 0 }, 2]);
    const alone = await loadHere(at(""), { channelIndices: [1] });
    deepEqual([alone.summary.position.z, alone.planes], [0, second.planes]);
  }));

Deno.test("lists sizes of a cycle only after its images were read", () =>
  withCopy(TWO, async (at) => {
    const { summary } = await loadHere(at(image(2, 1)));
    deepEqual(summary.scenes.map(({ sizes }) => Object.keys(sizes).length > 0), [false, true]);
    equal(summary.scenes[1]!.sizes.Y, summary.rows);
  }));

Deno.test("reads or rejects documents at the bounds", async (t) => {
  const file = (name: string, channel = 1) => `<File channel="${channel}" filename="${name}"/>`;
  const sequence = (type: string, inner: string) =>
    `<Sequence type="${type}"><Frame>${inner}</Frame></Sequence>`;
  const lines = (value: string) => `<PVStateShard><Key key="linesPerFrame" value="${value}"/></PVStateShard>`;
  const place = (n: number) =>
    `<PVStateShard><Key key="positionCurrent_XAxis" value="${n * 1000}"/></PVStateShard>${file(HAND_IMAGE)}`;
  const many = (length: number, text: (n: number) => string) =>
    Array.from({ length }, (_, n) => text(n)).join("");
  const cases: Record<string, [sequences: string, RegExp | number]> = {
    "65 channels": [
      sequence("Single", many(65, (n) => file(HAND_IMAGE, n))),
      /a frame of the PVScan document has 65 images/,
    ],
    "50,000 scenes of one file": [many(50_000, () => sequence("Linescan", file(HAND_IMAGE))), 50_000],
    "a name of a million characters": [
      sequence("Linescan", file("_Cycle1_Ch1_".repeat(90_000)) + file(HAND_IMAGE, 2)),
      1,
    ],
    "a number of a million characters": [
      sequence("Linescan", lines(",".repeat(1e6)) + file(HAND_IMAGE)),
      1,
    ],
    "20,000 places of the stage": [many(20_000, (n) => sequence("TSeries Timed Element", place(n))), 20_000],
  };
  for (const [what, [sequences, expected]] of Object.entries(cases)) {
    await t.step(what, () =>
      withCopy(HAND, async (at) => {
        Deno.writeTextFileSync(at(""), `<PVScan date="">${sequences}</PVScan>`);
        if (typeof expected !== "number") return match(await refusal(loadHere(at(""))), expected);
        const { summary } = await loadHere(at(""));
        deepEqual([summary.sceneCount, summary.rows], [expected, 24]);
      }));
  }
});
