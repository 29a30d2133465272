/** Metadata that are damaged or contradict the files: a warning, and never a wrong plane. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { entryAt, type Field, filledPages, grayLayout, linkAt, tiffOf } from "../fixtures/tiff_writer.ts";
import { loadHere } from "../load_here.ts";
import { codesOf } from "../warning_codes.ts";
import { seen, seenIn } from "../seen.ts";
import { inFolder, type Put } from "../temporary_files.ts";

const GRAY = grayLayout(12, 8, 16);

/** Pages filled with `value`, `value + 1` and so on. */
const pages = (value: number, count: number, ...fields: Field[]) => filledPages(count, fields, value, GRAY);

const described = (text: string, count = 1, value = 1) => pages(value, count, [270, 2, text]);

/** Two cycles of two channels, each plane in a file of its own; the first file describes them all. */
const CYCLES = omeXml(
  [1, 2].map((cycle) =>
    omeImage({ SizeC: 2 }, [
      ...[1, 2].map((c) => `<Channel Name="C${cycle}${c}"/>`),
      ...[1, 2].map((c) => tiffData({ FirstC: c - 1 }, `c${cycle}${c}.ome.tif`, `${cycle}${c}`)),
    ])
  ),
  11,
);

const memberOf = (uuid: number) =>
  omeXml(`<BinaryOnly MetadataFile="c11.ome.tif" UUID="urn:uuid:11"/>`, uuid);

function putCycles(put: Put): void {
  put("c11.ome.tif", described(CYCLES, 1, 11));
  for (const member of [12, 21, 22]) put(`c${member}.ome.tif`, described(memberOf(member), 1, member));
}

Deno.test("identifies a renamed file of an OME set by its UUID", () =>
  inFolder(async (put) => {
    putCycles(put);
    const open = (name: string, uuid: number, value: number) =>
      seen(put(name, described(memberOf(uuid), 1, value)));
    equal(await open("new.ome.tif", 22, 99), "C2; 21 99; ");
    // Neither name nor UUID is of the set.
    equal(await open("other.ome.tif", 77, 70), "; 70; metadata_damaged");
    // The name of one file and the UUID of another: the UUID counts.
    equal(await open("c21.ome.tif", 12, 55), "C2; 11 55; ");
    await rejects(open("c22.ome.tif", 22, 22), /"c21\.ome\.tif" is of another set/);
  }));

Deno.test("reads a renamed file without a UUID by its tags, and a single file whatever it names", () =>
  inFolder(async (put) => {
    const bare = CYCLES.replaceAll(/ UUID="[^"]*"|urn:uuid:\d+/g, "");
    equal(await seen(put("x.ome.tif", described(bare, 1, 5))), "; 5; metadata_damaged");
    const alone = bare.replaceAll(/c\d\d\.ome\.tif/g, "a.ome.tif").replaceAll(`IFD="0"`, `IFD="1"`);
    const path = put("y.ome.tif", described(alone, 2, 5));
    equal((await seen(path, { channelIndices: [0] })).split("; ")[1], "6");
  }));

/** OME-XML of 2 channels and 2 slices in 4 pages. */
const OME = `<?xml version="1.0"?>\n` + omeXml(omeImage({ SizeC: 2, SizeZ: 2 }, [
  ...[0, 1].map((c) => `<Channel ID="Channel:0:${c}"/>`),
  `<TiffData IFD="0" PlaneCount="4"/>`,
]));

Deno.test("reads a file with damaged OME-XML by its tags", () =>
  inFolder(async (put) => {
    equal(await seen(put("good.ome.tif", described(OME, 4))), "C2 Z2; 1 2; ");
    const cases = [
      OME.replace("SizeC", "<izeC"),
      OME.slice(0, -12),
      OME.replace("<OME ", "<OMF "),
      OME.replace("XYCZT", "XYCZU"),
      OME.replace("DimensionOrder", "DimensionOqder"),
      OME.replace(`SizeZ="2"`, `SizeZ="0"`),
      OME.replace(`SizeZ="2"`, `SizeZ="99999999"`).replace(`SizeT="1"`, `SizeT="99999999"`),
      `<!DOCTYPE x [<!ENTITY a "b">]>` + OME.slice(22),
      OME.replace(/<Image.*<\/Image>/, ""),
    ];
    for (const text of cases) {
      equal(await seen(put("bad.ome.tif", described(text, 4))), "Z4; 1; metadata_damaged");
    }
    equal(await seen(put("a.OME.TIF", pages(5, 2))), "Z2; 5; read_differently");
  }));

Deno.test("warns about OME-XML that contradicts itself or its file", () =>
  inFolder(async (put) => {
    const files = OME.replace(/<TiffData[^>]*>/, `<TiffData/>`);
    const cases: [string, string][] = [
      [OME.replace(`SizeC="2"`, `SizeC="1"`), "Z2; 1; metadata_disagree content_left_out"],
      [OME.replace(`SizeT="1"`, `SizeT="3"`), "T3 C2 Z2; 1; planes_missing"],
      [OME.replace(`PlaneCount="4"`, `PlaneCount="2"`), "C2 Z2; 1; planes_missing content_left_out"],
      [files.replace(`SizeZ="2"`, `SizeZ="3"`), "C2 Z3; 1; planes_missing"],
      [files.replace(`SizeZ="2"`, `SizeZ="1"`), "C2; 1; content_left_out"],
    ];
    for (const [text, expected] of cases) {
      equal(await seen(put("odd.ome.tif", described(text, 4)), { channelIndices: [0] }), expected);
    }
  }));

Deno.test("OME-XML: ends ranges without counts at the start of the next one", () =>
  inFolder(async (put) => {
    const ranges = [0, 1].map((c) => `<TiffData FirstC="${c}"><UUID FileName="${c}.ome.tif"/></TiffData>`);
    const text = omeXml(omeImage({ SizeC: 2 }, ranges));
    put("1.ome.tif", pages(9, 1));
    // A file of one plane has one directory for it, although its range alone stands for both planes.
    for (const count of [2, 1]) {
      equal(await seen(put("0.ome.tif", described(text, count, 5))), "C2; 5 9; ");
    }
  }));

/** A file with pages after `count` cut off the chain. */
function cutAfter(count: number, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  new DataView(bytes.buffer).setUint32(linkAt(bytes, count), 0, true);
  return bytes;
}

const IMAGEJ = "ImageJ=1.53t\nimages=12\nchannels=2\nslices=3\nframes=2\nhyperstack=true\n";
const SCANIMAGE = [
  "SI.VERSION_MAJOR = 2016",
  "SI.hChannels.channelSave = [1;2]",
  "SI.hChannels.channelName = {'Green' 'Red'}",
  "SI.hStackManager.framesPerSlice = 2",
].join("\n");
const SHAPED = JSON.stringify({ shape: [2, 3, 2, 8, 12], axes: "TZCYX" });

Deno.test("keeps channels and sizes of a truncated stack, and warns about missing planes", () =>
  inFolder(async (put) => {
    const cases: [string, Field, string][] = [
      ["imagej.tif", [270, 2, IMAGEJ], "T2 C2 Z3"],
      ["shaped.tif", [270, 2, SHAPED], "T2 C2 Z3"],
      ["planes.ome.tif", [270, 2, OME.replace(`SizeT="1"`, `SizeT="3"`).replace("4", "12")], "T3 C2 Z2"],
      // Eleven pages are at least three slices of two frames of two channels.
      ["scanimage.tif", [305, 2, SCANIMAGE], "T2 C2 Z3"],
    ];
    for (const [name, field, sizes] of cases) {
      const cut = (count: number) => put(name, cutAfter(count, pages(1, 12, field)));
      equal(await seen(put(name, pages(1, 12, field))), `${sizes}; 1 2; `, name);
      equal(await seen(cut(11)), `${sizes}; 1 2; planes_missing`, name);
      // Index 0 of the second channel is not there.
      const one = cut(1);
      // These tell which planes they hold; a channel without any is not loaded.
      if (name === "scanimage.tif" || name === "planes.ome.tif") {
        const { summary, planes } = await loadHere(one);
        equal(planes.length, 1);
        equal(codesOf(summary.warnings).filter((code) => code === "channel_missing").length, 1);
        continue;
      }
      const missing = /plane 1 is missing: the file holds 1 planes, 2 are needed|C=1 Z=0 is missing/;
      await rejects(loadHere(one), missing, name);
      equal((await seen(one, { channelIndices: [0] })).split("; ")[1], "1", name);
    }
  }));

/** A fixture whose directory entry of a tag was changed. */
function fixtureWith(name: string, tag: number, change: (view: DataView, entry: number) => void) {
  const bytes = Deno.readFileSync(fileURLToPath(new URL(`../fixtures/tiff/${name}`, import.meta.url)));
  change(new DataView(bytes.buffer), entryAt(bytes, tag));
  return bytes;
}

Deno.test("warns about declared planes that a file with one directory lacks", () =>
  inFolder(async (put) => {
    // UIC2 counts 5 planes instead of 3.
    const stk = fixtureWith("metamorph.stk", 33629, (view, at) => view.setUint32(at + 4, 5, true));
    equal((await seen(put("m.stk", stk))).replace(/;.*;/, ""), "Z5 planes_missing");
    // The dimension of the channels in tag 34361 is 4 instead of 2.
    const fluoview = fixtureWith("fluoview.tif", 34361, (view, at) => {
      view.setUint32(view.getUint32(at + 8, true) + 284 + 3 * 100 + 16, 4, true);
    });
    const path = put("f.tif", fluoview);
    await rejects(loadHere(path), /plane 6 is missing: the file holds 6 planes, 7 are needed/);
    deepEqual(codesOf((await loadHere(path, { channelIndices: [0, 1] })).summary.warnings), [
      "planes_missing",
    ]);
    // Ten dimensions of 100 bytes from byte 284 on, and nothing after them.
    const ends = (length: number) =>
      put("e.tif", fixtureWith("fluoview.tif", 34361, (view, at) => view.setUint32(at + 4, length, true)));
    equal((await seen(ends(1284))).split("; ")[0], "C2 Z3");
    deepEqual(codesOf((await loadHere(ends(1283))).summary.warnings), ["metadata_disagree"]);
  }));

Deno.test("serves pages as slices when counts of ImageJ disagree, with a warning", () =>
  inFolder(async (put) => {
    const cases: [string, string][] = [
      [IMAGEJ.replace("channels=2", "channels=0"), "Z12; 1; metadata_damaged metadata_disagree"],
      [IMAGEJ.replace("channels=2", "channels=6"), "Z12; 1; metadata_disagree"],
      [IMAGEJ.replace("images=12", "images=14"), "Z14; 1; metadata_disagree planes_missing"],
      // What follows a NUL is still read.
      [IMAGEJ.replace("1.53t\n", "1.53t\0"), "T2 C2 Z3; 1 2; "],
    ];
    for (const [text, expected] of cases) equal(await seen(put("c.tif", described(text, 12))), expected);
  }));

Deno.test("warns when ScanImage does not say which channels were saved", () =>
  inFolder(async (put) => {
    for (const saved of ["[1:2]", "[1;1]", "[0;2]", "[133]", "[]"]) {
      const text = SCANIMAGE.replace("[1;2]", saved);
      const found = await seen(put("s.tif", pages(1, 12, [305, 2, text])));
      equal(found.replace(/^.*?; /, ""), "1; axes_assumed", saved);
    }
    const old = "state.acq.numberOfChannelsSave=2\rstate.acq.savingChannel1=1\rstate.acq.savingChannel2=1\r" +
      "state.acq.numberOfFrames=6";
    equal((await seen(put("o.tif", described(old, 12)))).split("; ")[1], "1 2");
    const texts = [
      old.replace("Save=2", "Save=0"),
      old.replace("Save=2", "Save=1"),
      old.replace("numberOfC", "numbesOfC"),
      // The settings are lost, the stamp exists.
      "frameNumbers = 1\n",
    ];
    for (const text of texts) {
      const { summary } = await loadHere(put("o.tif", described(text, 12)));
      equal(summary.warnings[0]?.code, "axes_assumed");
    }
  }));

Deno.test("reads Micro-Manager with a damaged summary or index map by its pages", () =>
  inFolder(async (put) => {
    const summary = { Frames: 1, Channels: 2, Slices: 2, Positions: 1, ChNames: ["GFP", "RFP"] };
    // Channel, slice, frame, position, first sample; slices are written before channels.
    const planes = [[0, 0, 0, 0, 10], [0, 1, 0, 0, 11], [1, 0, 0, 0, 20], [1, 1, 0, 0, 21]] as const;
    const bytes = (indexed = true) => microManagerBytes(GRAY, summary, planes, { described: true, indexed });
    const changed = (at: number, value: number) => {
      const copy = bytes();
      copy[at] = value;
      return copy;
    };
    equal(await seen(put("good_MMStack.ome.tif", bytes())), "C2 Z2; 10 20; ");
    const map = bytes().length - 8 - 20 * planes.length;
    const cases: [Uint8Array, string[]][] = [
      [changed(40, 0x5b), ["CH1", "CH2"]],
      [changed(map, 0), ["GFP", "RFP"]],
      [changed(map + 4, 0), ["GFP", "RFP"]],
      // It was not written when the program was stopped.
      [bytes(false), ["GFP", "RFP"]],
    ];
    for (const [file, names] of cases) {
      const loaded = await loadHere(put("bad_MMStack.ome.tif", file));
      equal(seenIn(loaded), "C2 Z2; 10 20; metadata_damaged");
      deepEqual(loaded.summary.channels.map(({ name }) => name), names);
    }
  }));

Deno.test("uses the metadata of Micro-Manager in plain TIFF, and warns when they are damaged", () =>
  inFolder(async (put) => {
    const text = JSON.stringify({ PixelSizeUm: 0.25, Channel: "GFP", Time: "2013-01-15 17:02:40 +0100" });
    const { summary } = await loadHere(put("p.tif", pages(1, 2, [51123, 2, text])));
    deepEqual([summary.channels[0]!.name, summary.date, summary.time], ["GFP", "20130115", "17:02:40"]);
    deepEqual([stepsOf(summary), summary.warnings], ["1 Pixels, 0.25 um, 0.25 um", []]);
    for (const damaged of ["no JSON", "[]", "7"]) {
      equal(await seen(put("d.tif", pages(1, 2, [51123, 2, damaged]))), "Z2; 1; metadata_damaged");
    }
  }));

const stepsOf = ({ axes }: { axes: readonly { step: number; unit: string }[] }) =>
  axes.map(({ step, unit }) => `${step} ${unit}`).join(", ");

/** A page with pairs of id and value in UIC1, which counts pairs, and what they refer to from byte 8 on. */
function withUic1(pairs: readonly number[], head: Uint8Array): Uint8Array<ArrayBuffer> {
  const file = tiffOf(GRAY, [[new Uint8Array(12 * 8 * 2)]], [[33628, 4, pairs]], head);
  new DataView(file.buffer).setUint32(entryAt(file, 33628) + 4, pairs.length / 2, true);
  return file;
}

/** Words and texts at offsets. */
function headOf(length: number, words: readonly number[], texts: Readonly<Record<number, string>> = {}) {
  const head = new Uint8Array(length);
  words.forEach((word, i) => new DataView(head.buffer).setUint32(4 * i, word, true));
  for (const [at, text] of Object.entries(texts)) {
    new DataView(head.buffer).setUint32(Number(at), text.length + 1, true);
    head.set(new TextEncoder().encode(text), Number(at) + 4);
  }
  return head;
}

Deno.test("ignores the constants that Prairie View writes", () =>
  inFolder(async (put) => {
    // At byte 8 the size 99 / 1, at 16 the unit, at 32 the name.
    const head = headOf(64, [99, 1], { 8: "microns", 24: "Gattaca" });
    // The same with another name is a size.
    for (const [name, steps, channel] of [[32, "1 Pixels", "CH1"], [16, "99 um", "microns"]] as const) {
      const { summary } = await loadHere(put("p.tif", withUic1([3, 1, 4, 8, 5, 8, 6, 16, 7, name], head)));
      deepEqual([stepsOf(summary), summary.channels[0]!.name], [`${steps}, ${steps}`, channel]);
    }
  }));

Deno.test("MetaMorph: a Julian day with milliseconds of one day", () =>
  inFolder(async (put) => {
    // The day of 2000-02-02 by tifffile; 15 h 6 min 2.783 s are 54362783 ms, a day has 86400000.
    const cases = [
      [54_362_783, "20000202", "15:06:02"],
      [86_399_999, "20000202", "23:59:59"],
      [86_400_000, "", ""],
    ] as const;
    for (const [milliseconds, date, time] of cases) {
      const file = withUic1([2, 1, 16, 8], headOf(8, [2_451_576, milliseconds]));
      const { summary } = await loadHere(put("m.tif", file));
      deepEqual([summary.date, summary.time], [date, time]);
    }
  }));

Deno.test("MetaMorph: takes steps from distances and times if every plane has one", () =>
  inFolder(async (put) => {
    // Distance (numerator, denominator), day and milliseconds of creation of each of three planes.
    const opened = async (planes: readonly (readonly number[])[]) => {
      const stk = fixtureWith("metamorph.stk", 33629, (view, entry) => {
        const table = view.getUint32(entry + 8, true);
        planes.forEach((plane, i) =>
          plane.forEach((word, k) => view.setUint32(table + 24 * i + 4 * k, word, true))
        );
      });
      const { summary } = await loadHere(put("m.stk", stk));
      const { name, size, step, unit } = summary.axes[0]!;
      deepEqual(summary.times?.length ?? 0, name === "T" ? 3 : 0);
      return [`${name}${size}`, step, unit, ...codesOf(summary.warnings)].join(" ");
    };
    const day = 2_451_576;
    equal(await opened([[3, 2, day, 0], [3, 2, day, 500], [3, 2, day, 1000]]), "Z3 1.5 um");
    equal(await opened([[0, 1, day, 0], [0, 1, day, 500], [0, 1, day, 1000]]), "T3 0.5 seconds");
    equal(await opened([[1, 0, day - 1, 86_399_000], [1, 0, day, 0], [1, 0, day, 1000]]), "T3 1 seconds");
    // Times of a coarse clock repeat.
    for (const times of [[0, 0, 1000], [0, 1000, 1000]]) {
      equal(await opened(times.map((time) => [0, 1, day, time])), "T3 0.5 seconds", times.join());
    }
    equal(await opened([0, 0, 0].map((time) => [0, 1, day, time])), "Z3 1 Pixels");
    equal(await opened([[0, 1, day, 7], [0, 1, 0, 0], [0, 1, 0, 0]]), "Z3 1 Pixels");
    equal(await opened([[3, 2, day, 0], [0, 1, day, 0], [0, 1, day, 0]]), "Z3 1 Pixels metadata_missing");
  }));

Deno.test("MetaMorph: pixel size counts unless the file is uncalibrated", () =>
  inFolder(async (put) => {
    const stepsIn = async (name: string, file: Uint8Array) =>
      stepsOf((await loadHere(put(name, file))).summary);
    // At byte 8 the size 13 / 20, at 16 the unit.
    const head = headOf(32, [13, 20], { 8: "um" });
    for (const [state, steps] of [[[], "0.65 um"], [[3, 1], "0.65 um"], [[3, 0], "1 Pixels"]] as const) {
      const file = withUic1([...state, 4, 8, 5, 8, 6, 16], head);
      equal(await stepsIn("p.stk", file), `${steps}, ${steps}`);
      // RATIONAL, as before MetaMorph 2.5: the values are distances.
      new DataView(file.buffer).setUint16(entryAt(file, 33628) + 2, 5, true);
      equal(await stepsIn("p.stk", file), "1 Pixels, 1 Pixels");
    }
    const xml = (state: string) =>
      `<MetaData><prop id="spatial-calibration-state" value="${state}"/><prop id="spatial-calibration-x" value="0.5"/>` +
      `<prop id="spatial-calibration-y" value="0.25"/><prop id="spatial-calibration-y"/>` +
      `<prop id="spatial-calibration-units" value="um"/><prop id="image-name" value="GFP"/></MetaData>`;
    for (const [state, steps] of [["on", "0.25 um, 0.5 um"], ["off", "1 Pixels, 1 Pixels"]] as const) {
      const { summary } = await loadHere(put("x.tif", described(xml(state))));
      deepEqual([stepsOf(summary), summary.channels[0]!.name], [steps, "GFP"]);
    }
  }));
