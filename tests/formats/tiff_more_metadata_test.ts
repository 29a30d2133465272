/** Colours, time stamps and metadata documents of each dialect; the expected values stand in what is written here. */
import { deepEqual, equal, throws } from "node:assert/strict";
import { join } from "node:path";
import { collectDocuments } from "../../readers/io/document_list.ts";
import type { Acquisition } from "../../readers/reader.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { type Field, grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { type Files, withOpened } from "../temporary_files.ts";

const PAGE = grayLayout(5, 4, 16);

const pages = (count: number, fields: Field[] = [], samples = 1) =>
  tiffBytes({ ...PAGE, samples }, () => 1n, count, fields);

const colors = ({ channels }: Acquisition) => channels.map(({ color }) => color);

function checkDocuments(acquisition: Acquisition, expected: readonly (readonly [string, string, string])[]) {
  const documents = collectDocuments(acquisition);
  deepEqual(documents.map(({ name, mediaType, text }) => [name, mediaType, text]), expected);
}

Deno.test("OME-XML: the document of a companion file", async () => {
  const companion = omeXml(omeImage({}, [`<Channel Name="µ"/>`, tiffData({}, "a.ome.tif", 1)]));
  const own = `<OME UUID="urn:uuid:1"><BinaryOnly MetadataFile="x.companion.ome" UUID="urn:uuid:0"/></OME>`;
  await withOpened(
    { "a.ome.tif": pages(1, [[270, 2, own]]), "x.companion.ome": new TextEncoder().encode(companion) },
    (acquisition, folder) => {
      checkDocuments(acquisition, [
        ["ImageDescription (270)", "application/xml", own],
        ["x.companion.ome", "application/xml", companion],
      ]);
      Deno.removeSync(join(folder, "x.companion.ome"));
      throws(
        () => collectDocuments(acquisition),
        /"x\.companion\.ome", which holds the metadata, is missing/,
      );
    },
  );
});

/** Tags 50838 and 50839 with a text, a label of each plane and lookup tables that end in these colours. */
function imageJItems(labels: readonly string[], ends: readonly (readonly number[])[], info: string): Field[] {
  const utf16 = (text: string) => [...text].flatMap((letter) => [letter.charCodeAt(0), 0]);
  const ramp = (end: number) => Array.from({ length: 256 }, (_, i) => Math.floor(end * i / 255));
  const items = [utf16(info), ...labels.map(utf16), ...ends.map((end) => end.flatMap(ramp))];
  const word = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24];
  const letters = (text: string) => [...text].reverse().map((letter) => letter.charCodeAt(0));
  const counts = [["info", 1], ["labl", labels.length], ["luts", ends.length]] as const;
  const header = [
    ...letters("IJIJ"),
    ...counts.flatMap(([type, count]) => [...letters(type), ...word(count)]),
  ];
  return [
    [50838, 4, [header.length, ...items.map((item) => item.length)]],
    [50839, 2, String.fromCharCode(...header, ...items.flat())],
  ];
}

/** The file with its text of tag 50839 as bytes: the writer makes UTF-8 of it, which is right up to 0x7f. */
const ENDS = [[0x7f, 0, 0], [0, 0x40, 0x7f]];

Deno.test("ImageJ: colours are the ends of the lookup tables, unless the file is shown in grey", async () => {
  const text = (mode: string) => `ImageJ=1.53t\nimages=2\nchannels=2\nhyperstack=true\nmode=${mode}\n`;
  const items = imageJItems(["a", "b"], ENDS, "a text");
  const cases: [string, (string | null)[]][] = [
    ["composite", ["#7f0000", "#00407f"]],
    ["color", ["#7f0000", "#00407f"]],
    ["grayscale", [null, null]],
  ];
  for (const [mode, expected] of cases) {
    await withOpened({ "a.tif": pages(2, [[270, 2, text(mode)], ...items]) }, (acquisition) => {
      deepEqual([colors(acquisition), acquisition.times], [expected, null]);
      checkDocuments(acquisition, [
        ["ImageDescription (270)", "text/plain", text(mode)],
        ["ImageJMetadata (50839) info", "text/plain", "a text"],
      ]);
      deepEqual(acquisition.channels.map(({ name }) => name), ["a", "b"]);
    });
  }
  await withOpened({ "a.tif": pages(2, [[270, 2, text("composite")]]) }, (acquisition) => {
    deepEqual(colors(acquisition), [null, null]);
  });
});

Deno.test("Micro-Manager: colours of the summary, times of its OME-XML, its documents", async () => {
  // -65536 is 0xffff0000 with opacity first: red; 255 is blue.
  const summary = { Frames: 2, Channels: 2, Positions: 2, ChColors: [-65_536, 255], ChNames: ["a", "b"] };
  const image = (deltas: readonly number[]) =>
    omeImage(
      { SizeX: 5, SizeY: 4, SizeC: 2, SizeT: 2 },
      deltas.map((delta, t) => `<Plane TheT="${t}" TheC="0" TheZ="0" DeltaT="${delta}" DeltaTUnit="ms"/>`),
    );
  const planes = [0, 1].flatMap((t) => [0, 1].flatMap((p) => [0, 1].map((c) => [c, 0, t, p, 1] as const)));
  const written = (xml: string) => ({
    "x_MMStack.ome.tif": microManagerBytes(PAGE, summary, planes, { fields: [[270, 2, xml]] }),
  });
  const two = omeXml([image([250, 500]), image([250, 1000])]);
  await withOpened(written(two), (acquisition) => {
    deepEqual([colors(acquisition), acquisition.times], [["#ff0000", "#0000ff"], [0, 0.25]]);
    checkDocuments(acquisition, [
      ["ImageDescription (270)", "application/xml", two],
      ["Micro-Manager summary", "application/json", JSON.stringify(summary)],
    ]);
  });
  // One image for two positions says of neither which it is.
  await withOpened(written(omeXml(image([250, 500]))), ({ times }) => equal(times, null));
});

Deno.test("lists the documents of ScanImage, tifffile, MetaMorph and Olympus", async () => {
  const header = "SI.VERSION_MAJOR = 2016\nSI.hChannels.channelSave = 1";
  const shape = '{"shape": [4, 5], "axes": "YX"}';
  const xml = '<MetaData><prop id="image-name" type="string" value="x"/></MetaData>';
  const text = '"[Dimensions]"\t""\r\n"X Dimension"\t"5, 0.0 - 1.0 [um], 0.2 [um/pixel]"\r\n';
  const description = "ImageDescription (270)";
  const stamp = "frameNumbers = 1";
  const cases: [Field[], Files, [string, string, string][]][] = [
    [[[270, 2, stamp], [305, 2, header]], {}, [
      [description, "text/plain", stamp],
      ["Software (305)", "text/plain", header],
    ]],
    [[[270, 2, shape], [305, 2, "tifffile.py"], [315, 2, "somebody"]], {}, [
      [description, "application/json", shape],
    ]],
    [[[270, 2, xml]], {}, [[description, "application/xml", xml]]],
    [[], { "a.txt": text }, [["a.txt", "text/plain", text]]],
    [[], {}, []],
  ];
  for (const [fields, beside, documents] of cases) {
    const files = { "a.tif": pages(1, fields), ...beside };
    await withOpened(files, (acquisition) => checkDocuments(acquisition, documents));
  }
});
