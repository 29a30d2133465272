/** Series and line scans with a pause, in every format whose reader finds time stamps: the pause lengthens no step. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { loadBytes } from "../damage.ts";
import { concat, doubles, words } from "../fixtures/bytes.ts";
import { ramp16, writeCzi } from "../fixtures/czi_writer.ts";
import { block, element, header, image, samples, text, XY } from "../fixtures/lif_writer.ts";
import { LsmBytes } from "../fixtures/lsm_files.ts";
import { attributes, frame as nd2Frame, level, nd2File, number } from "../fixtures/nd2_writer.ts";
import { ndtiffFiles } from "../fixtures/ndtiff_writer.ts";
import { frame, ramp } from "../fixtures/oir_files.ts";
import { writeOir } from "../fixtures/oir_writer.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { write, writeChunks } from "../fixtures/plain_store.ts";
import { scanImageBytes } from "../fixtures/scanimage_files.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { type LoadedHere, loadHere } from "../load_here.ts";
import { inFolder } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

/** Seconds of six images, with a pause of a minute after the fourth. */
const PAUSED = [0, 0.5, 1, 1.5, 61.5, 62];

/** The mean from the first to the last would be 12.4 s. */
const STEP = 0.5;

const GRAY = grayLayout(5, 4, 16);

const czi = (stamps: readonly number[], rows: "Y" | "T" = "Y", images = 6, xml = "") =>
  writeCzi({
    xml,
    subblocks: Array.from({ length: images }, (_, t) => ({
      dims: rows === "Y" ? [["X", 0, 4], ["Y", 0, 4], ["T", t, 1]] : [["X", 0, 4], ["T", t, 1]],
      data: ramp16(rows === "Y" ? 16 : 4, t),
    })),
    attachments: [{
      ...{ name: "TimeStamps", type: "CZTIMS" },
      content: concat(words(0, stamps.length), doubles(...stamps)),
    }],
  }).bytes;

function lsmLines(stamps: readonly number[]): Uint8Array {
  const { bytes, view, record } = new LsmBytes("line_scan.lsm");
  const at = view.getUint32(record + 132, true);
  for (const [i, seconds] of stamps.entries()) view.setFloat64(at + 8 + 8 * i, seconds, true);
  return bytes;
}

const nd2 = (stamps: readonly number[]) =>
  nd2File([
    ...stamps.map((_, i) => [`ImageDataSeq|${i}!`, nd2Frame()] as const),
    ["ImageAttributesLV!", attributes()],
    [
      "ImageMetadataLV!",
      level("SLxExperiment", [number("eType", 1), level("uLoopPars", [number("uiCount", stamps.length)])]),
    ],
    ["CustomData|AcqTimesCache!", doubles(...stamps.map((seconds) => 1000 * seconds))],
  ]);

const ome = (stamps: readonly number[]) =>
  tiffBytes(GRAY, (_x, _y, _s, page) => BigInt(page), stamps.length, (page) =>
    page > 0 ? [] : [[
      270,
      2,
      omeXml(omeImage({ SizeX: 5, SizeY: 4, SizeT: stamps.length }, [
        ...stamps.map((_, t) => tiffData({ IFD: t, FirstT: t })),
        ...stamps.map((seconds, t) => `<Plane TheT="${t}" TheC="0" TheZ="0" DeltaT="${seconds}"/>`),
      ])),
    ]]);

const scanImage = (stamps: readonly number[]) =>
  scanImageBytes({
    header: ["SI.VERSION_MAJOR = 2016", "SI.hChannels.channelSave = 1", "SI.hStackManager.enable = false"],
    pages: stamps.length,
    stamp: (t) => ({ number: t + 1, acquisition: 1, inAcquisition: t + 1, seconds: stamps[t]! }),
  });

const oir = (stamps: readonly number[]) =>
  writeOir(frame({
    frames: stamps.map((seconds, t) => ({
      axes: `t${String(t + 1).padStart(3, "0")}`,
      planes: [ramp(20, t), ramp(20, 100 + t)],
      positions: { TIMELAPSE: 1000 * seconds },
    })),
  }));

function lif(stamps: readonly number[]): Uint8Array {
  const ticks = stamps.map((seconds) => (10_000_000n * 1000n + BigInt(10_000_000 * seconds)).toString(16));
  const list = `<TimeStampList>${ticks.join(" ")}</TimeStampList>`;
  // The length of the axis is the time from the first image to the last, pauses included.
  const series = image([...XY, [4, stamps.length, 12, { Length: stamps.at(-1)!, Unit: "s" }]], [{}], list);
  return concat(
    text(header(element("file", "", "", element("image", series, "M1")))),
    block("M1", samples(12 * stamps.length)),
  );
}

const SERIES: Readonly<Record<string, (stamps: readonly number[]) => Promise<LoadedHere>>> = {
  "CZI": (stamps) => loadBytes("a.czi", czi(stamps)),
  "ND2": (stamps) => loadBytes("a.nd2", nd2(stamps)),
  "LIF": (stamps) => loadBytes("a.lif", lif(stamps)),
  "OIR": (stamps) => loadBytes("a.oir", oir(stamps)),
  "OME-TIFF": (stamps) => loadBytes("a.ome.tif", ome(stamps)),
  "ScanImage": (stamps) => loadBytes("a.tif", scanImage(stamps)),
  "NDTiff": async (stamps) => {
    const images = stamps.map((seconds, time) => ({
      ...{ axes: { time }, first: time },
      note: { PixelSizeUm: 0.5, "ElapsedTime-ms": 1000 * seconds },
    }));
    let loaded: LoadedHere | undefined;
    await inFolder(async (put, folder) => {
      for (const [name, bytes] of ndtiffFiles(GRAY, images)) put(join("set", name), bytes);
      loaded = await loadHere(join(folder, "set"));
    });
    return loaded!;
  },
};

const close = (a: number, b: number) => Math.abs(a - b) < 1e-9;

for (const [format, load] of Object.entries(SERIES)) {
  Deno.test(`a pause in a series of ${format} lengthens no step and is named`, async () => {
    const { summary } = await load(PAUSED);
    const { size, step, unit } = summary.axes.find(({ name }) => name === "T")!;
    deepEqual([size, unit], [6, "seconds"]);
    ok(close(step, STEP), `${step} s`);
    deepEqual(summary.times?.map((seconds) => Number(seconds.toFixed(6))), PAUSED);
    const uneven = summary.warnings.filter(({ code }) => code === "step_uneven").map(({ text }) => text);
    deepEqual(uneven, ["Time is uneven along T: 60 s after time point 4"]);
  });

  Deno.test(`stamps of ${format} that start again are served as they are, and cut where they fall`, async () => {
    const { summary } = await load([0, 0.5, 1, 0, 0.5, 1]);
    ok(close(summary.axes.find(({ name }) => name === "T")!.step, STEP));
    ok(summary.warnings.some(({ code }) => code === "step_uneven"));
  });
}

Deno.test("a pause in a line scan lengthens no line", async () => {
  const stamps = Array.from({ length: 37 }, (_, line) => 7 + 0.002 * line + (line < 20 ? 0 : 10));
  for (
    const [format, { summary }] of [
      ["LSM", await loadBytes("a.lsm", lsmLines(stamps))],
      ["CZI", await loadBytes("a.czi", czi(stamps, "T", 37))],
    ] as const
  ) {
    const { step, unit } = summary.axes.find(({ name }) => name === "Y")!;
    deepEqual([unit, summary.lineScan?.secondsPerLine], ["seconds", step], format);
    ok(close(step, 0.002), `${format}: ${step} s`);
    ok(
      summary.warnings.some(({ text }) => text === "Time is uneven along Y: 10.002 s after line 20"),
      format,
    );
  }
});

Deno.test("a first stamp of 0 is not part of a line scan", async () => {
  const stamps = Array.from({ length: 37 }, (_, line) => line === 0 ? 0 : 1600 + 0.0025 * line);
  for (
    const { summary } of [
      await loadBytes("a.lsm", lsmLines(stamps)),
      await loadBytes("a.czi", czi(stamps, "T", 37)),
    ]
  ) {
    const { step } = summary.axes.find(({ name }) => name === "Y")!;
    ok(close(step, 0.0025), `${step} s`);
    equal(summary.warnings.filter(({ code }) => code === "step_uneven").length, 1);
  }
});

Deno.test("CZI: stamps are days where the last one is near the date of the document, else seconds", async () => {
  // 2019-12-01 is day 43,800 since 1899-12-30: 43,800 seconds are half a day.
  const dated = "<ImageDocument><Metadata><Information><Image>" +
    "<AcquisitionDateAndTime>2019-12-01T12:00:00</AcquisitionDateAndTime>" +
    "</Image></Information></Metadata></ImageDocument>";
  const other = dated.replace("2019", "2012");
  const DAY = 86_400;
  const every = (seconds: number, start: number) => Array.from({ length: 6 }, (_, i) => start + i * seconds);
  const cases: [stamps: readonly number[], xml: string, step: number][] = [
    [every(2 / DAY, 43_800.5), dated, 2],
    [every(2 / DAY, 43_800.5), "", 2],
    [every(120 / DAY, 43_800.5), dated, 120],
    [[0, ...every(2 / DAY, 43_800.5).slice(1)], dated, 2],
    [every(0.0005, 43_800), other, 0.0005],
    [[43_800, 43_800, 43_801, 43_801, 43_802, 43_802], "", 0.4],
    [[43_801, 43_800, 43_801, 43_802, 43_803, 43_804], "", 1],
  ];
  for (const [stamps, xml, expected] of cases) {
    const { summary } = await loadBytes("a.czi", czi(stamps, "Y", 6, xml));
    const { step, unit } = summary.axes.find(({ name }) => name === "T")!;
    ok(unit === "seconds" && Math.abs(step / expected - 1) < 1e-5, `${stamps}: ${step} ${unit}`);
  }
});

Deno.test("a number of stamps that does not fit the images is named", async () => {
  const texts = async (count: number) => {
    const stamps = Array.from({ length: count }, (_, i) => i);
    const { summary } = await loadBytes("a.czi", czi(stamps));
    const disagree = summary.warnings.filter(({ code }) => code === "metadata_disagree");
    return [summary.times, summary.axes[0]!.unit, disagree.map(({ text }) => text)];
  };
  deepEqual(await texts(12), [null, "Pixels", [
    "The file has 12 time stamps for 6 time points; the time between time points is unknown",
  ]]);
  deepEqual(await texts(4), [null, "seconds", ["The file has 4 time stamps for 6 time points"]]);
});

Deno.test("OME-TIFF: if the first channel has no times, those of another one count", async () => {
  const planes = PAUSED.flatMap((seconds, t) => [
    `<Plane TheT="${t}" TheC="0" TheZ="0"${t === 0 ? ' DeltaT="9"' : ""}/>`,
    `<Plane TheT="${t}" TheC="1" TheZ="0" DeltaT="${seconds}"/>`,
  ]);
  const text = omeXml(omeImage({ SizeX: 5, SizeY: 4, SizeC: 2, SizeT: 6 }, [
    tiffData({ PlaneCount: 12 }),
    ...planes,
  ]));
  const bytes = tiffBytes(
    GRAY,
    (_x, _y, _s, page) => BigInt(page),
    12,
    (page) => page > 0 ? [] : [[270, 2, text]],
  );
  const { summary } = await loadBytes("a.ome.tif", bytes);
  const { step, unit } = summary.axes[0]!;
  deepEqual([step.toFixed(6), unit, summary.times], ["0.500000", "seconds", PAUSED]);
  ok(codesOf(summary.warnings).includes("step_uneven"));
});

Deno.test("OME-Zarr: a scale of 1 without a unit stands for none, so that the stamps contradict TimeIncrement", () =>
  inFolder(async (_put, folder) => {
    const store = join(folder, "a.zarr");
    const layout = { "bioformats2raw.layout": 3, version: "0.5" };
    write(join(store, "zarr.json"), { zarr_format: 3, node_type: "group", attributes: { ome: layout } });
    const axes = [{ name: "t", type: "time" }, { name: "y", type: "space" }, { name: "x", type: "space" }];
    const chunks = PAUSED.map(() => new Uint16Array(4));
    writeChunks(join(store, "0"), { axes, shape: [6, 2, 2], scale: [1, 1, 0.7], chunks });
    const sizes = { SizeX: 2, SizeY: 2, SizeT: 6, PhysicalSizeX: 0.2, PhysicalSizeY: 0.2, TimeIncrement: 1 };
    const planes = PAUSED.map((seconds, t) => `<Plane TheT="${t}" TheC="0" TheZ="0" DeltaT="${seconds}"/>`);
    write(join(store, "OME/METADATA.ome.xml"), omeXml(omeImage(sizes, planes)));
    const { summary } = await loadHere(store);
    const steps = summary.axes.map(({ name, step, unit }) => `${name} ${step.toFixed(6)} ${unit}`);
    // A scale that contradicts the document, such as that of a smaller copy, has no unit.
    deepEqual(steps, ["T 0.500000 seconds", "Y 0.200000 um", "X 1.000000 Pixels"]);
    deepEqual(codesOf(summary.warnings), ["step_uneven", "metadata_disagree"]);
  }));
