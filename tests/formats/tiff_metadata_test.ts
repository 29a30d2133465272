/** Metadata that are damaged or contradict the files: a warning, and never a wrong plane. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { entryAt, type Field, grayLayout, tiffBytes, tiffOf } from "../fixtures/tiff_writer.ts";
import { type LoadedAcquisition, loadHere } from "../load_here.ts";
import { codesOf } from "../warning_codes.ts";
import { firstsOf, sizesIn } from "../planes.ts";
import { inFolder, type Put } from "../temporary_files.ts";

const GRAY = grayLayout(12, 8, 16);

/** Pages filled with `value`, `value + 1` and so on. */
const pages = (value: number, count: number, ...fields: Field[]) =>
  tiffBytes(GRAY, (_x, _y, _s, page) => BigInt(value + page), count, fields);

const described = (text: string, count = 1, value = 1) => pages(value, count, [270, 2, text]);

const load = (path: string, channelIndices: number[] | null = null) => loadHere(path, { channelIndices });

const sizes = ({ summary }: LoadedAcquisition) => sizesIn(summary);
const codes = ({ summary }: LoadedAcquisition) => codesOf(summary.warnings);
/** Two cycles of two channels, each plane in a file of its own; the first file describes them all. */
const CYCLES = `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2012-06" UUID="urn:uuid:11">` +
  [1, 2].map(
    (cycle) =>
      `<Image ID="Image:${cycle}"><AcquisitionDate>2022-08-09T16:03:0${cycle}</AcquisitionDate><Pixels ID="Pixels:${cycle}" ` +
      `DimensionOrder="XYZCT" SizeX="12" SizeY="8" SizeC="2" SizeZ="1" SizeT="1" PhysicalSizeX="0.${cycle}" Type="uint16">` +
      [1, 2].map((channel) => `<Channel ID="Channel:${cycle}:${channel}" Name="C${cycle}${channel}"/>`).join(
        "",
      ) +
      [1, 2].map((channel) =>
        `<TiffData FirstC="${
          channel - 1
        }" IFD="0" PlaneCount="1"><UUID FileName="c${cycle}${channel}.ome.tif">` +
        `urn:uuid:${cycle}${channel}</UUID></TiffData>`
      ).join("") + `</Pixels></Image>`,
  ).join("") + `</OME>`;

const memberOf = (uuid: number) =>
  `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2012-06" UUID="urn:uuid:${uuid}">` +
  `<BinaryOnly MetadataFile="c11.ome.tif" UUID="urn:uuid:11"/></OME>`;

function putCycles(put: Put): void {
  put("c11.ome.tif", described(CYCLES, 1, 11));
  for (const member of [12, 21, 22]) put(`c${member}.ome.tif`, described(memberOf(member), 1, member));
}

Deno.test("each file of an OME set opens its own image", () =>
  inFolder(async (put, folder) => {
    putCycles(put);
    for (const cycle of [1, 2]) {
      for (const channel of [1, 2]) {
        const loaded = await load(join(folder, `c${cycle}${channel}.ome.tif`));
        deepEqual(firstsOf(loaded), [cycle * 10 + 1, cycle * 10 + 2]);
        deepEqual(loaded.summary.channels.map(({ name }) => name), [`C${cycle}1`, `C${cycle}2`]);
        deepEqual([loaded.summary.date, loaded.summary.time], ["20220809", `16:03:0${cycle}`]);
        equal(loaded.summary.axes.at(-1)!.step, cycle / 10);
        deepEqual(codesOf(loaded.summary.warnings), []);
        // The whole set, whatever the image.
        equal(loaded.summary.fileSize, described(CYCLES).length + 3 * described(memberOf(12)).length);
      }
    }
  }));

Deno.test("identifies a renamed file of an OME set by its UUID", () =>
  inFolder(async (put) => {
    putCycles(put);
    const renamed = put("new.ome.tif", described(memberOf(22), 1, 99));
    deepEqual(firstsOf(await load(renamed)), [21, 99]);
    // Neither name nor UUID is of the set.
    const stranger = await load(put("other.ome.tif", described(memberOf(77), 1, 70)));
    deepEqual(firstsOf(stranger), [70]);
    deepEqual(codes(stranger), ["metadata_damaged"]);
    // The name of one file and the UUID of another: the UUID counts.
    const swapped = await load(put("c21.ome.tif", described(memberOf(12), 1, 55)));
    deepEqual(firstsOf(swapped), [11, 55]);
    deepEqual(codes(swapped), []);
    await rejects(
      load(put("c22.ome.tif", described(memberOf(22), 1, 22))),
      /"c21\.ome\.tif" is of another set/,
    );
  }));

Deno.test("reads a renamed file without a UUID by its tags, and a single one whatever it names", () =>
  inFolder(async (put) => {
    const bare = CYCLES.replaceAll(/ UUID="[^"]*"|urn:uuid:\d+/g, "");
    const other = await load(put("x.ome.tif", described(bare, 1, 5)));
    deepEqual(firstsOf(other), [5]);
    deepEqual(codes(other), ["metadata_damaged"]);
    const alone = bare.replaceAll(/c\d\d\.ome\.tif/g, "a.ome.tif").replaceAll(`IFD="0"`, `IFD="1"`);
    deepEqual(firstsOf(await load(put("y.ome.tif", described(alone, 2, 5)), [0])), [6]);
  }));

/** Changes of an OME-XML of 2 channels and 2 slices in 4 pages, and the warning. */
const OME =
  `<?xml version="1.0"?>\n<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0">` +
  `<Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="uint16" SizeX="12" SizeY="8" SizeC="2" SizeZ="2" SizeT="1">` +
  `<Channel ID="Channel:0:0"/><Channel ID="Channel:0:1"/><TiffData IFD="0" PlaneCount="4"/></Pixels></Image></OME>`;

Deno.test("reads a file with damaged OME-XML by its tags", () =>
  inFolder(async (put) => {
    deepEqual(firstsOf(await load(put("good.ome.tif", described(OME, 4)))), [1, 2]);
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
      const loaded = await load(put("bad.ome.tif", described(text, 4)));
      deepEqual([firstsOf(loaded), sizes(loaded), codes(loaded)], [[1], "Z4", ["metadata_damaged"]]);
    }
  }));

Deno.test("warns about a file named OME-TIFF without OME-XML", () =>
  inFolder(async (put) => {
    const loaded = await load(put("a.OME.TIF", pages(5, 2)));
    deepEqual([firstsOf(loaded), sizes(loaded), codes(loaded)], [[5], "Z2", ["read_differently"]]);
  }));

Deno.test("warns about OME-XML that contradicts itself or its file", () =>
  inFolder(async (put) => {
    const files = OME.replace(/<TiffData[^>]*>/, `<TiffData/>`);
    const cases: [string, string, string][] = [
      [OME.replace(`SizeC="2"`, `SizeC="1"`), "Z2", "metadata_disagree"],
      [OME.replace(`SizeT="1"`, `SizeT="3"`), "T3 C2 Z2", "planes_missing"],
      [OME.replace(`PlaneCount="4"`, `PlaneCount="2"`), "C2 Z2", "planes_missing"],
      [files.replace(`SizeZ="2"`, `SizeZ="3"`), "C2 Z3", "planes_missing"],
      [files.replace(`SizeZ="2"`, `SizeZ="1"`), "C2", "content_left_out"],
    ];
    for (const [text, expected, code] of cases) {
      const loaded = await load(put("odd.ome.tif", described(text, 4)), [0]);
      deepEqual([sizes(loaded), codes(loaded)], [expected, [code]]);
    }
  }));

Deno.test("OME-XML: ranges without counts end where the next one begins", () =>
  inFolder(async (put) => {
    const text =
      `<OME><Image ID="Image:0"><Pixels DimensionOrder="XYZCT" Type="uint16" SizeX="12" SizeY="8" SizeC="2" SizeZ="1" ` +
      `SizeT="1">` + [0, 1].map((c) =>
        `<TiffData FirstC="${c}"><UUID FileName="${c}.ome.tif"/></TiffData>`
      ).join("") +
      `</Pixels></Image></OME>`;
    put("1.ome.tif", pages(9, 1));
    const both = await load(put("0.ome.tif", described(text, 2, 5)));
    deepEqual([firstsOf(both), codesOf(both.summary.warnings)], [[5, 9], []]);
    // A file of one plane has one directory for it, although its range alone stands for both planes.
    const one = await load(put("0.ome.tif", described(text, 1, 5)));
    deepEqual([firstsOf(one), codesOf(one.summary.warnings)], [[5, 9], []]);
  }));

/** A classic little-endian file with pages after `count` cut off the chain. */
function cutAfter(count: number, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer);
  let link = 4;
  for (let page = 0; page < count; page += 1) {
    const at = view.getUint32(link, true);
    link = at + 2 + 12 * view.getUint16(at, true);
  }
  view.setUint32(link, 0, true);
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

Deno.test("a cut stack keeps its channels and sizes, and warns about missing planes", () =>
  inFolder(async (put) => {
    const cases: [string, Field, string, number][] = [
      ["imagej.tif", [270, 2, IMAGEJ], "T2 C2 Z3", 12],
      ["shaped.tif", [270, 2, SHAPED], "T2 C2 Z3", 12],
      ["planes.ome.tif", [270, 2, OME.replace(`SizeT="1"`, `SizeT="3"`).replace("4", "12")], "T3 C2 Z2", 12],
      // Eleven pages are at least three slices of two frames of two channels.
      ["scanimage.tif", [305, 2, SCANIMAGE], "T2 C2 Z3", 12],
    ];
    for (const [name, field, expected, planes] of cases) {
      const whole = await load(put(name, pages(1, planes, field)));
      equal(sizes(whole), expected, name);
      deepEqual([...firstsOf(whole), codes(whole)], [1, 2, []], name);
      const cut = await load(put(name, cutAfter(planes - 1, pages(1, planes, field))));
      equal(sizes(cut), expected, name);
      deepEqual(firstsOf(cut), [1, 2], name);
      deepEqual(codes(cut), ["planes_missing"], name);
      // Index 0 of the second channel is not there.
      const one = put(name, cutAfter(1, pages(1, planes, field)));
      // These tell which planes they hold; a channel without any is not loaded.
      if (name === "scanimage.tif" || name === "planes.ome.tif") {
        const loaded = await load(one);
        deepEqual(firstsOf(loaded), [1]);
        equal(loaded.summary.warnings.filter(({ code }) => code === "channel_missing").length, 1);
        continue;
      }
      await rejects(
        load(one),
        /plane 1 is missing: the file holds 1 planes, 2 are needed|C=1 Z=0 is missing/,
        name,
      );
      deepEqual(firstsOf(await load(one, [0])), [1], name);
    }
  }));

Deno.test("warns about declared planes that a file with one directory lacks", () =>
  inFolder(async (put) => {
    const fixture = (name: string) =>
      Deno.readFileSync(fileURLToPath(new URL(`../fixtures/tiff/${name}`, import.meta.url)));
    const header = (
      bytes: Uint8Array<ArrayBuffer>,
      tag: number,
      to: (view: DataView, entry: number) => void,
    ) => {
      to(new DataView(bytes.buffer), entryAt(bytes, tag));
      return bytes;
    };
    // UIC2 counts 5 planes instead of 3; the dimension of the channels in tag 34361 is 4 instead of 2.
    const stk = header(fixture("metamorph.stk"), 33629, (view, at) => view.setUint32(at + 4, 5, true));
    const metamorph = await load(put("m.stk", stk));
    equal(sizes(metamorph), "Z5");
    deepEqual(codes(metamorph), ["planes_missing"]);
    const channels = 284 + 3 * 100 + 16;
    const fluoview = put(
      "f.tif",
      header(
        fixture("fluoview.tif"),
        34361,
        (view, at) => view.setUint32(view.getUint32(at + 8, true) + channels, 4, true),
      ),
    );
    await rejects(load(fluoview), /plane 6 is missing: the file holds 6 planes, 7 are needed/);
    deepEqual(codes(await load(fluoview, [0, 1])), ["planes_missing"]);
    // Ten dimensions of 100 bytes from byte 284 on, and nothing after them.
    const ends = (length: number) =>
      header(fixture("fluoview.tif"), 34361, (view, at) => view.setUint32(at + 4, length, true));
    equal(sizes(await load(put("e.tif", ends(1284)))), "C2 Z3");
    deepEqual(codes(await load(put("e.tif", ends(1283)))), ["metadata_disagree"]);
  }));

Deno.test("serves pages as slices when counts of ImageJ disagree, with a warning", () =>
  inFolder(async (put) => {
    const cases: [string, string, number[], string[]][] = [
      [IMAGEJ.replace("channels=2", "channels=0"), "Z12", [1], ["metadata_damaged", "metadata_disagree"]],
      [IMAGEJ.replace("channels=2", "channels=6"), "Z12", [1], ["metadata_disagree"]],
      [IMAGEJ.replace("images=12", "images=14"), "Z14", [1], ["metadata_disagree", "planes_missing"]],
      // What follows a NUL is still read.
      [IMAGEJ.replace("1.53t\n", "1.53t\0"), "T2 C2 Z3", [1, 2], []],
    ];
    for (const [text, expected, values, warned] of cases) {
      const loaded = await load(put("c.tif", described(text, 12)));
      deepEqual([sizes(loaded), firstsOf(loaded), codes(loaded)], [expected, values, warned]);
    }
  }));

Deno.test("warns when ScanImage does not say which channels were saved", () =>
  inFolder(async (put) => {
    for (const saved of ["[1:2]", "[1;1]", "[0;2]", "[133]", "[]"]) {
      const text = SCANIMAGE.replace("[1;2]", saved);
      const loaded = await load(put("s.tif", pages(1, 12, [305, 2, text])));
      deepEqual(firstsOf(loaded), [1]);
      deepEqual(codes(loaded), ["axes_assumed"], saved);
    }
    const old =
      "state.acq.numberOfChannelsSave=2\rstate.acq.savingChannel1=1\rstate.acq.savingChannel2=1\rstate.acq.numberOfFrames=6";
    deepEqual(firstsOf(await load(put("o.tif", described(old, 12)))), [1, 2]);
    const texts = [
      old.replace("Save=2", "Save=0"),
      old.replace("Save=2", "Save=1"),
      old.replace("numberOfC", "numbesOfC"),
      // The settings are lost, the stamp exists.
      "frameNumbers = 1\n",
    ];
    for (const text of texts) {
      equal(codes(await load(put("o.tif", described(text, 12))))[0], "axes_assumed");
    }
  }));

Deno.test("ignores the constants that Prairie View writes", () =>
  inFolder(async (put) => {
    const values = new Uint8Array(64);
    const view = new DataView(values.buffer);
    // Values at bytes 8 to 59 of the file: 99 / 1, "microns", "Gattaca".
    [99, 1].forEach((word, i) => view.setUint32(4 * i, word, true));
    const text = (at: number, value: string) => {
      view.setUint32(at, value.length + 1, true);
      values.set(new TextEncoder().encode(value), at + 4);
    };
    text(8, "microns");
    text(24, "Gattaca");
    const uic1 = (name: number): Field => [33628, 4, [3, 1, 4, 8, 5, 8, 6, 16, 7, name]];
    const file = (name: number) => tiffOf(GRAY, [[new Uint8Array(12 * 8 * 2)]], [uic1(name)], values);
    const prairie = await load(put("p.tif", file(32)));
    deepEqual(prairie.summary.axes.map(({ step, unit }) => [step, unit]), [[1, "Pixels"], [1, "Pixels"]]);
    equal(prairie.summary.channels[0]!.name, "CH1");
    // The same with another name is one.
    const other = await load(put("m.tif", file(16)));
    deepEqual(other.summary.axes.map(({ step, unit }) => [step, unit]), [[99, "um"], [99, "um"]]);
    equal(other.summary.channels[0]!.name, "microns");
  }));

Deno.test("reads Micro-Manager with a damaged summary or index map by its pages", () =>
  inFolder(async (put) => {
    const summary = { Frames: 1, Channels: 2, Slices: 2, Positions: 1, ChNames: ["GFP", "RFP"] };
    // Channel, slice, frame, position, first sample; slices are written before channels.
    const planes = [[0, 0, 0, 0, 10], [0, 1, 0, 0, 11], [1, 0, 0, 0, 20], [1, 1, 0, 0, 21]] as const;
    const bytes = () => microManagerBytes(GRAY, summary, planes, { described: true });
    const changed = (at: number, value: number) => {
      const copy = bytes();
      copy[at] = value;
      return copy;
    };
    deepEqual(firstsOf(await load(put("good_MMStack.ome.tif", bytes()))), [10, 20]);
    const map = bytes().length - 8 - 20 * planes.length;
    const cases: [Uint8Array, string[]][] = [
      [changed(40, 0x5b), ["CH1", "CH2"]],
      [changed(map, 0), ["GFP", "RFP"]],
      [changed(map + 4, 0), ["GFP", "RFP"]],
      // It was not written when the program was stopped.
      [microManagerBytes(GRAY, summary, planes, { described: true, indexed: false }), ["GFP", "RFP"]],
    ];
    for (const [file, names] of cases) {
      const loaded = await load(put("bad_MMStack.ome.tif", file));
      deepEqual([firstsOf(loaded), sizes(loaded), codes(loaded)], [[10, 20], "C2 Z2", ["metadata_damaged"]]);
      deepEqual(loaded.summary.channels.map(({ name }) => name), names);
    }
  }));

Deno.test("uses the metadata of Micro-Manager in plain TIFF, and warns when they are damaged", () =>
  inFolder(async (put) => {
    const text = JSON.stringify({ PixelSizeUm: 0.25, Channel: "GFP", Time: "2013-01-15 17:02:40 +0100" });
    const { summary } = await load(put("p.tif", pages(1, 2, [51123, 2, text])));
    deepEqual(codesOf(summary.warnings), []);
    deepEqual([summary.channels[0]!.name, summary.date, summary.time], ["GFP", "20130115", "17:02:40"]);
    deepEqual(summary.axes.slice(-2).map(({ step, unit }) => [step, unit]), [[0.25, "um"], [0.25, "um"]]);
    for (const damaged of ["no JSON", "[]", "7"]) {
      deepEqual(codes(await load(put("d.tif", pages(1, 2, [51123, 2, damaged])))), ["metadata_damaged"]);
    }
  }));

/** A page with pairs of id and value in UIC1, which counts pairs, and what they refer to from byte 8 on. */
function withUic1(pairs: readonly number[], head: Uint8Array): Uint8Array<ArrayBuffer> {
  const file = tiffOf(GRAY, [[new Uint8Array(12 * 8 * 2)]], [[33628, 4, pairs]], head);
  new DataView(file.buffer).setUint32(entryAt(file, 33628) + 4, pairs.length / 2, true);
  return file;
}

Deno.test("MetaMorph: a Julian day with milliseconds of one day", () =>
  inFolder(async (put) => {
    // The day of 2000-02-02 by tifffile; 15 h 6 min 2.783 s are 54362783 ms, a day has 86400000.
    const cases = [
      [54_362_783, "20000202", "15:06:02"],
      [86_399_999, "20000202", "23:59:59"],
      [86_400_000, "", ""],
    ] as const;
    for (const [milliseconds, date, time] of cases) {
      const head = new Uint8Array(8);
      new DataView(head.buffer).setUint32(0, 2_451_576, true);
      new DataView(head.buffer).setUint32(4, milliseconds, true);
      const file = withUic1([2, 1, 16, 8], head);
      const { summary } = await load(put("m.tif", file));
      deepEqual([summary.date, summary.time], [date, time]);
    }
  }));

Deno.test("MetaMorph: distances and times of the planes are steps where every plane has its own", () =>
  inFolder(async (put) => {
    const stk = Deno.readFileSync(new URL("../fixtures/tiff/metamorph.stk", import.meta.url));
    const table = new DataView(stk.buffer).getUint32(entryAt(stk, 33629) + 8, true);
    // Distance (numerator, denominator), day and milliseconds of creation of each of three planes.
    const opened = async (planes: readonly (readonly number[])[]) => {
      const copy = stk.slice();
      planes.forEach((plane, i) =>
        plane.forEach((word, k) => new DataView(copy.buffer).setUint32(table + 24 * i + 4 * k, word, true))
      );
      const { summary } = await load(put("m.stk", copy));
      const { name, size, step, unit } = summary.axes[0]!;
      deepEqual(summary.times?.length ?? 0, name === "T" ? 3 : 0);
      return [`${name}${size}`, step, unit, ...codesOf(summary.warnings)];
    };
    const day = 2_451_576;
    deepEqual(await opened([[3, 2, day, 0], [3, 2, day, 500], [3, 2, day, 1000]]), ["Z3", 1.5, "um"]);
    deepEqual(await opened([[0, 1, day, 0], [0, 1, day, 500], [0, 1, day, 1000]]), ["T3", 0.5, "seconds"]);
    deepEqual(await opened([[1, 0, day - 1, 86_399_000], [1, 0, day, 0], [1, 0, day, 1000]]), [
      "T3",
      1,
      "seconds",
    ]);
    for (const times of [[0, 0, 1000], [0, 1000, 1000]]) {
      deepEqual(await opened(times.map((time) => [0, 1, day, time])), ["Z3", 1, "Pixels"], times.join());
    }
    deepEqual(await opened([[3, 2, day, 0], [0, 1, day, 0], [0, 1, day, 0]]), [
      ...["Z3", 1, "Pixels", "metadata_missing"],
    ]);
  }));

Deno.test("MetaMorph: pixel size counts unless the file is uncalibrated", () =>
  inFolder(async (put) => {
    // At 8 the size 13 / 20, at 16 the unit.
    const head = new Uint8Array(32);
    const view = new DataView(head.buffer);
    [13, 20, 3].forEach((word, i) => view.setUint32(4 * i, word, true));
    head.set(new TextEncoder().encode("um\0"), 12);
    for (const [state, step] of [[[], 0.65], [[3, 1], 0.65], [[3, 0], 1]] as const) {
      const pairs = [...state, 4, 8, 5, 8, 6, 16];
      const file = withUic1(pairs, head);
      deepEqual((await load(put("p.stk", file))).summary.axes.map((axis) => axis.step), [step, step]);
      // RATIONAL, as before MetaMorph 2.5: the values are distances.
      new DataView(file.buffer).setUint16(entryAt(file, 33628) + 2, 5, true);
      deepEqual((await load(put("p.stk", file))).summary.axes.map((axis) => axis.step), [1, 1]);
    }
    const xml = (state: string) =>
      `<MetaData><prop id="spatial-calibration-state" value="${state}"/><prop id="spatial-calibration-x" value="0.5"/>` +
      `<prop id="spatial-calibration-y" value="0.25"/><prop id="spatial-calibration-y"/>` +
      `<prop id="spatial-calibration-units" value="um"/><prop id="image-name" value="GFP"/></MetaData>`;
    for (const [state, steps] of [["on", [0.25, 0.5]], ["off", [1, 1]]] as const) {
      const { summary } = await load(put("x.tif", described(xml(state))));
      deepEqual([summary.axes.map((axis) => axis.step), summary.channels[0]!.name], [steps, "GFP"]);
    }
  }));
