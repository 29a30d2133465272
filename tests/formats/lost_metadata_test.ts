/**
 * Metadata that are there and say nothing: empty, zeros or cut. The planes are served as before, and a warning `metadata_damaged`, or
 * `file_damaged` for a list of parts, names what is lost. Without the damage there is no such warning.
 */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { ramp16, writeCzi } from "../fixtures/czi_writer.ts";
import { scanImageBytes } from "../fixtures/scanimage_files.ts";
import { FIXTURES, SETS, type Write } from "../fixtures/sets.ts";
import { entryAt, type Field, filledPages, grayLayout, tiffOf } from "../fixtures/tiff_writer.ts";
import { loadHere } from "../load_here.ts";
import { hashOf } from "../planes.ts";
import { copy, inFolder } from "../temporary_files.ts";

const GRAY = grayLayout(12, 8, 16);

/** Changes bytes of a file. */
function change(path: string, edit: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array | void): void {
  const bytes = Deno.readFileSync(path);
  Deno.writeFileSync(path, edit(bytes) ?? bytes);
}

/** Overwrites `length` bytes from the first occurrence of some text on. */
const zeros = (file: string, text: string | Uint8Array, length: number, ahead = 0) => (folder: string) =>
  change(join(folder, file), (bytes) => {
    const at = Buffer.from(bytes).indexOf(text);
    ok(at >= 0, `"${text}" is not in ${file}`);
    bytes.fill(0, at + ahead, at + ahead + length);
  });

const utf16 = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));

/** Copies fixtures of a format and opens the first of them. */
const from = (format: string, ...names: string[]): Write => (folder) => {
  for (const name of names) copy(join(FIXTURES, format, name), join(folder, name));
  return names[0]!;
};

const OLYMPUS_LINES = [
  ["[General]", ""],
  ["Date", "07/22/2025 12:14:20.091 PM"],
  ["[Dimensions]", ""],
  ["X Dimension", "12, 0.0 - 3.0 [um], 0.25 [um/pixel]"],
  ["Channel Dimension", "1 [Ch]"],
  ["[Image]", ""],
  ["Image Size", "12 * 8 [pixel]"],
  ["[Channel 1]", ""],
  ["Channel Name", "GFP"],
];

const OLYMPUS_TEXT = OLYMPUS_LINES.map(([key, value]) => `"${key}"\t"${value}"\r\n`).join("");

const olympus: Write = (folder) => {
  Deno.writeFileSync(join(folder, "s.tif"), filledPages(1, [], 7, GRAY));
  Deno.writeTextFileSync(join(folder, "s.txt"), OLYMPUS_TEXT);
  return "s.tif";
};

const olympusText = (edit: (text: string) => string) => (folder: string) =>
  Deno.writeTextFileSync(join(folder, "s.txt"), edit(OLYMPUS_TEXT));

/** An OIF whose channel has a lookup table. */
const oif = (folder: string): string => {
  const path = from("oif", "line_scan.oif", "line_scan.oif.files")(folder);
  const table = new Uint8Array(4 * 65_536).fill(200);
  Deno.writeFileSync(join(folder, "line_scan.oif.files/s_LUT1.lut"), table);
  change(
    join(folder, "line_scan.oif.files/s_C001.pty"),
    (bytes) => Buffer.concat([bytes, utf16('[LUT Parameter]\r\nLUTFileName="LUT1"\r\n')]),
  );
  return path;
};

const tiff = (...fields: Field[]): Write => (folder) => {
  Deno.writeFileSync(join(folder, "a.tif"), filledPages(2, fields, 7, GRAY));
  return "a.tif";
};

const OME =
  '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0" ' +
  'DimensionOrder="XYCZT" Type="uint16" SizeX="12" SizeY="8" SizeC="2" SizeZ="1" SizeT="1"><TiffData/></Pixels></Image></OME>';

/** Two lookup tables in tags 50838 and 50839. */
const IMAGEJ: readonly Field[] = [
  [270, 2, "ImageJ=1.53t\nimages=2\nchannels=2\nmode=composite\n"],
  [50838, 4, [12, 768, 768]],
  [50839, 7, [...new TextEncoder().encode("JIJI" + "stul"), 2, 0, 0, 0, ...Array(1536).fill(99)]],
];

const czi: Write = (folder) => {
  const dims = (t: number) => [["X", 0, 12], ["Y", 0, 8], ["T", t, 1]] as const;
  const stamps = new Uint8Array(new Float64Array([0, 1, 3]).buffer);
  stamps.set([24, 0, 0, 0, 2, 0, 0, 0]);
  const { bytes } = writeCzi({
    subblocks: [0, 1].map((t) => ({ dims: [...dims(t)], data: ramp16(96, t) })),
    xml: "<ImageDocument><Metadata/></ImageDocument>",
    attachments: [{ name: "TimeStamps", type: "CZTIMS", content: stamps }],
  });
  Deno.writeFileSync(join(folder, "a.czi"), bytes);
  return "a.czi";
};

const microManager: Write = (folder) => {
  const summary = { Channels: 1, Slices: 1, Frames: 1, Positions: 1 };
  const bytes = microManagerBytes(GRAY, summary, [[0, 0, 0, 0, 7]], { described: true });
  Deno.writeFileSync(join(folder, "a_MMStack.ome.tif"), bytes);
  return "a_MMStack.ome.tif";
};

/** Pairs of id and value in UIC1, which counts pairs; the pixel size is 1 / 4 at byte 8. */
const metaMorph: Write = (folder) => {
  const head = new Uint8Array(Uint32Array.of(1, 4).buffer);
  const file = tiffOf(GRAY, [[new Uint8Array(12 * 8 * 2)]], [[33628, 4, [0, 0, 3, 1, 4, 8, 5, 8]]], head);
  new DataView(file.buffer).setUint32(entryAt(file, 33628) + 4, 4, true);
  Deno.writeFileSync(join(folder, "a.stk"), file);
  return "a.stk";
};

const scanImage: Write = (folder) => {
  const header = [
    "SI.VERSION_MAJOR = 2021",
    "SI.hChannels.channelSave = 1",
    "SI.hChannels.channelName = {'Red'}",
  ];
  Deno.writeFileSync(join(folder, "a.tif"), scanImageBytes({ header, pages: 2, stamp: () => null }));
  return "a.tif";
};

const set = (name: string): Write => SETS[name] as Write;

/** What is opened, the damage to its folder, and the warning. */
const CASES: Readonly<Record<string, readonly [Write, (folder: string) => void, RegExp]>> = {
  "an empty Olympus text": [olympus, olympusText(() => ""), /"s.txt" beside it is empty/],
  "an Olympus text of zeros": [
    olympus,
    olympusText((text) => "\0".repeat(text.length)),
    /"s.txt".* nothing but zeros/,
  ],
  "an Olympus text that begins with zeros": [
    olympus,
    olympusText((text) => "\0".repeat(64) + text.slice(64)),
    /"s.txt" beside it holds 64 zeros in place of text/,
  ],
  "an Olympus text that ends inside a value": [
    olympus,
    olympusText((text) => text.slice(0, -6)),
    /"s.txt" beside it is cut: it lacks the end of its last line/,
  ],
  "an Olympus text that ends after a key": [
    olympus,
    olympusText((text) => text.slice(0, text.indexOf("Channel Name") + 14)),
    /is cut: it lacks the end of its last line/,
  ],
  "an Olympus text without the section of a channel": [
    olympus,
    olympusText((text) => text.slice(0, text.indexOf('"[Channel 1]"'))),
    /is cut: it lacks "\[Channel 1\]"/,
  ],
  "an Olympus text without an image": [
    olympus,
    olympusText((text) => text.slice(0, text.indexOf('"[Dimensions]"'))),
    /is cut: it lacks the size of the image/,
  ],
  "zeros in the main settings of an OIF": [
    oif,
    zeros("line_scan.oif", utf16("ImageCap"), 80),
    /holds 40 zeros in place/,
  ],
  "zeros in the settings of a plane": [
    oif,
    zeros("line_scan.oif.files/s_C001.pty", utf16("Time Per"), 80),
    /"s_C001.pty" holds 40 zeros in place/,
  ],
  "zeros where the settings of a plane begin": [
    oif,
    (folder) => change(join(folder, "line_scan.oif.files/s_C001.pty"), (bytes) => void bytes.fill(0, 0, 64)),
    /"s_C001.pty" holds \d+ zeros in place/,
  ],
  "settings of a plane that end inside a line": [
    oif,
    (folder) => change(join(folder, "line_scan.oif.files/s_C001.pty"), (bytes) => bytes.subarray(0, -6)),
    /"s_C001.pty" ends inside a line/,
  ],
  "zeros in the regions of an OIF": [
    oif,
    zeros("line_scan.oif.files/s_1234-5.roi", utf16("SHAPE"), 40),
    /"s_1234-5.roi" holds 20 zeros/,
  ],
  "a cut lookup table of an OIF": [
    oif,
    (folder) => Deno.truncateSync(join(folder, "line_scan.oif.files/s_LUT1.lut"), 1000),
    /The colour of a channel cannot be read: .*has 1000 bytes, fewer than its table of 262144/,
  ],
  "a lookup table of zeros of an OIF": [
    oif,
    (folder) => change(join(folder, "line_scan.oif.files/s_LUT1.lut"), (bytes) => void bytes.fill(0)),
    /The colour of a channel cannot be read: .*nothing but zeros/,
  ],
  "zeros in the names of an OIB": [
    from("oif", "path_scan_v3.oib"),
    zeros("path_scan_v3.oib", utf16("Stream00005="), 16),
    /"OibInfo.txt" holds 8 zeros in place of text/,
  ],
  "zeros where OME-XML begins": [
    tiff([270, 2, OME]),
    zeros("a.tif", "<OME", 64),
    /ImageDescription \(270\) holds 64 zeros in place of text/,
  ],
  "OME-XML of zeros": [
    tiff([270, 2, OME]),
    zeros("a.tif", "<OME", OME.length),
    /ImageDescription \(270\).*nothing but zeros/,
  ],
  "a lookup table of zeros of ImageJ": [
    tiff(...IMAGEJ),
    zeros("a.tif", "JIJIstul", 768, 12),
    /ImageJMetadata \(50839\) holds lookup tables of nothing but zeros/,
  ],
  "metadata of ImageJ that begin with zeros": [
    tiff(...IMAGEJ),
    zeros("a.tif", "JIJIstul", 8),
    /ImageJMetadata \(50839\) cannot be read: it does not begin with "IJIJ"/,
  ],
  "metadata of ImageJ without the counts of items": [
    tiff(...IMAGEJ),
    zeros("a.tif", Uint8Array.of(12, 0, 0, 0, 0, 3), 4),
    /ImageJMetadata \(50839\) cannot be read: its header has 0 of 1548 bytes/,
  ],
  "zeros where the XML of a CZI begins": [
    czi,
    zeros("a.czi", "<ImageDocument>", 45),
    /The metadata cannot be read: .* begin with zeros/,
  ],
  "zeros in the scan path of a CZI": [
    from("czi", "line_scan.czi"),
    (folder) => change(join(folder, "line_scan.czi"), (bytes) => void bytes.fill(0, 13_632, 13_696)),
    /The scan path has 15 coordinates of 0 in a row/,
  ],
  "zeros in the metadata of the reference image of a CZI": [
    from("czi", "line_scan.czi"),
    (folder) => change(join(folder, "line_scan.czi"), (bytes) => void bytes.fill(0, 11_904, 11_968)),
    /The reference image: .*metadata/,
  ],
  "no metadata in a CZI": [
    czi,
    (folder) => change(join(folder, "a.czi"), (bytes) => void bytes.fill(0, 32 + 60, 32 + 68)),
    /The file has no metadata/,
  ],
  "an attachment of a CZI that the directory lost": [
    czi,
    (folder) =>
      change(join(folder, "a.czi"), (bytes) => {
        const at = Buffer.from(bytes).lastIndexOf("CZTIMS");
        bytes.fill(0, at - 40, at + 88);
      }),
    /Entries of the attachment directory .* are left out: 1/,
  ],
  "no time stamps in their list of a CZI": [
    czi,
    zeros("a.czi", Uint8Array.of(24, 0, 0, 0, 2, 0, 0, 0), 8),
    /The time stamps cannot be read: there are 0/,
  ],
  "zeros in the document of ThorImage": [
    set("an image of ThorImage"),
    (folder) => Deno.writeFileSync(join(folder, "Experiment.xml"), new Uint8Array(5000)),
    /"Experiment.xml" holds nothing but zeros/,
  ],
  "zeros in the metadata of a page of Micro-Manager": [
    microManager,
    zeros("a_MMStack.ome.tif", '{"ChannelIndex', 10),
    /The metadata of the first plane cannot be read/,
  ],
  "zeros in the values of MetaMorph": [
    metaMorph,
    (folder) =>
      change(join(folder, "a.stk"), (bytes) => {
        const table = new DataView(bytes.buffer).getUint32(entryAt(bytes, 33628) + 8, true);
        bytes.fill(0, table + 8, table + 32);
      }),
    /UIC1 \(33628\) holds zeros in place of 4 values/,
  ],
  "a pixel size of zeros of MetaMorph": [
    metaMorph,
    (folder) => change(join(folder, "a.stk"), (bytes) => void bytes.fill(0, 8, 16)),
    /UIC1 \(33628\) gives a pixel size of 0/,
  ],
  "a zero in the text of ImageJ": [
    tiff([270, 2, "ImageJ=1.54f\nimages=1\nunit=um\nmin=0\n"]),
    zeros("a.tif", "unit=", 1),
    /ImageDescription \(270\) holds 1 zero in place of text/,
  ],
  "a zero in a key of ScanImage": [
    scanImage,
    zeros("a.tif", "SI.hChannels.channelName", 1, 7),
    /Software \(305\) holds 1 zero/,
  ],
  "a zero in the main settings of an OIF": [
    oif,
    zeros("line_scan.oif", utf16("ImageCap"), 2),
    /holds 1 zero in place/,
  ],
  "a zero in a name of a channel of an LSM": [
    from("lsm", "series_tzc.lsm"),
    zeros("series_tzc.lsm", "Ch", 1, 1),
    /zeros stand in place of letters of the name of channel 0/,
  ],
  "a zero in a label of ImageJ": [
    from("tiff", "imagej_labels_names.tif"),
    zeros("imagej_labels_names.tif", utf16("DAPI"), 2, 2),
    /ImageJMetadata \(50839\) holds labels with zeros in place of text/,
  ],
  "a zero at the end of one label of ImageJ": [
    from("tiff", "imagej_labels_names.tif"),
    zeros("imagej_labels_names.tif", utf16("DAPI"), 2, 6),
    /ImageJMetadata \(50839\) holds labels with zeros in place of text/,
  ],
  "zeros in the date of a TIFF": [
    tiff([306, 2, "2021:02:03 04:05:06\0"]),
    zeros("a.tif", "04:05", 2),
    /DateTime \(306\) holds 2 zeros in place of text/,
  ],
  "a zero in the description of a further array": [
    from("tiff", "shaped_two_arrays.tif"),
    zeros("shaped_two_arrays.tif", `"axes": "YX"`, 1, 6),
    /ImageDescription \(270\) of page \d+ holds 1 zero in place of text/,
  ],
  "a zero in a name of the chunk map of an ND2": [
    from("nd2", "series.nd2"),
    (folder) =>
      change(join(folder, "series.nd2"), (bytes) => {
        const at = Buffer.from(bytes).lastIndexOf("ImageTextInfoLV!");
        ok(at > Buffer.from(bytes).indexOf("ImageTextInfoLV!"), "the chunk, then the map");
        bytes.fill(0, at + 2, at + 3);
      }),
    /The chunk map is unusable \(the name at \d+ has zeros in place of letters\)/,
  ],
  "zeros in the settings of ScanImage": [
    scanImage,
    zeros("a.tif", "SI.hChannels.channelName", 24),
    /Software \(305\) holds 24 zeros/,
  ],
};

/** The planes, and warnings of these codes. */
async function answer(path: string) {
  const { summary, planes } = await loadHere(path);
  const codes = ["metadata_damaged", "metadata_missing", "file_damaged", "reference_unreadable"];
  return {
    first: hashOf(planes[0]!),
    doubts: summary.warnings.filter(({ code }) => codes.includes(code)).map(({ text }) => text),
  };
}

for (const [name, [write, damage, expected]] of Object.entries(CASES)) {
  Deno.test(`warns about ${name}, and serves the planes`, () =>
    inFolder(async (_, folder) => {
      const path = join(folder, write(folder));
      const sound = await answer(path);
      deepEqual(sound.doubts, []);
      damage(folder);
      const { first, doubts } = await answer(path);
      equal(first, sound.first);
      match(doubts.join("\n"), expected);
    }));
}

Deno.test("refuses an ND2 whose metadata have zeros in place of letters of a name", () =>
  inFolder(async (_, folder) => {
    const path = join(folder, from("nd2", "series.nd2")(folder));
    zeros("series.nd2", utf16("dCalibration\0"), 2, 4)(folder);
    await rejects(loadHere(path), /has zeros in place of letters of a name/);
  }));
