/**
 * Line scans of ScanImage: frames of a slow mirror that stands still are kymographs. Recordings along arbitrary lines are refused
 * with an explanation.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { DecodeFailed, UnsupportedFormat } from "../../readers/errors.ts";
import { scanImageBytes, type ScanImageFile } from "../fixtures/scanimage_files.ts";
import { grayLayout, tiffBytes, type TiffLayout, tiffOf } from "../fixtures/tiff_writer.ts";
import { loadHere } from "../load_here.ts";
import { decodeAt } from "../planes.ts";
import { withFiles, withOpened } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const LAYOUT: TiffLayout = { ...grayLayout(4, 3, 16), kind: "int" };

/** A TIFF whose Software tag (305) has the header of ScanImage 2016 and later. */
const recording = (...lines: string[]) =>
  tiffBytes(LAYOUT, (x, y) => BigInt(x + 4 * y), 1, [
    [305, 2, ["SI.VERSION_MAJOR = '2018b'", "SI.hChannels.channelSave = 1", ...lines].join("\n")],
  ]);

const failure = (path: string) => loadHere(path).then(() => null, (error: Error) => error);

const LINES_ON = ["hRoiManager.scanType = 'line'", "hScan2D.lineScan = true", "hScan_LinScan.isLineScan = 1"];

for (const line of LINES_ON) {
  Deno.test(`rejects a file of ScanImage with ${line}`, () =>
    withFiles({ "a.tif": recording(`SI.${line}`) }, async (path) => {
      const error = await failure(path);
      ok(error instanceof DecodeFailed);
      ok(error.message.includes(`along arbitrary lines (${line.replace("=", "is")})`), error.message);
    }));
}

Deno.test("rejects a file of ScanImage beside the samples of a line scan, and opens one of frames", () => {
  const frames = recording("SI.hRoiManager.scanType = 'frame'", "SI.hScan2D.lineScan = false");
  return withFiles({ "a_00001.tif": frames, "b.tif": frames }, async (_path, folder) => {
    for (const name of ["a_00001.tif", "b.tif"]) {
      const { summary } = await loadHere(join(folder, name));
      deepEqual([summary.rows, summary.columns], [3, 4]);
    }
    for (const end of [".pmt.dat", ".meta.txt"]) Deno.writeTextFileSync(join(folder, `a_00001${end}`), "x");
    const { message } = (await failure(join(folder, "a_00001.tif")))!;
    match(message, /"a_00001.pmt.dat" and "a_00001.meta.txt" are beside it/);
    equal((await loadHere(join(folder, "b.tif"))).summary.rows, 3);
  });
});

Deno.test("explains the other files of such a recording", () => {
  const names = ["a.pmt.dat", "A.META.TXT", "a.scnnr.dat", "a.dat"];
  const files = Object.fromEntries(names.map((name) => [name, new Uint8Array(16)]));
  return withFiles(files, async (_path, folder) => {
    for (const name of names) {
      const error = await failure(join(folder, name));
      ok(error instanceof UnsupportedFormat, name);
      const named = /cannot be opened: it is named like a part of a recording of ScanImage/;
      match(error.message, name === "a.dat" ? /is of no known format/ : named);
    }
  });
});

/** A line takes 0.5 ms, a pixel 0.1 us; 5 columns of 1 um. */
const LINES = [
  "SI.VERSION_MAJOR = 2018",
  "SI.hChannels.channelSave = [1 2]",
  "SI.hStackManager.numSlices = 1",
  "SI.hStackManager.framesPerSlice = 3",
  "SI.hRoiManager.scanAngleMultiplierSlow = 0",
  "SI.hRoiManager.linePeriod = 0.0005",
  "SI.hRoiManager.imagingFovUm = [0 0;5 0;5 5;0 5]",
  "SI.hScan2D.scanPixelTimeMean = 1e-07",
  "SI.hScan2D.bidirectional = true",
];

/** Three frames of two channels and four rows; the first sample of a row is ten times the page and the row. */
const lineScan = (period: number | null, change: Partial<ScanImageFile> = {}) =>
  scanImageBytes({
    header: LINES,
    pages: 6,
    channels: 2,
    sample: (x, y, page) => x === 0 ? 10 * page + y : 0,
    ...period !== null && { stamp: (frame) => ({ number: frame + 1, seconds: period * frame }) },
    ...change,
  });

/** Axes, codes of warnings, and the first column of a plane. */
const described = (bytes: Uint8Array, channel = 0, t = 0) =>
  withOpened({ "a.tif": bytes }, async (acquisition) => {
    const { planes: [plane], plan } = await decodeAt(acquisition, { t }, { channels: [channel] });
    const axes = acquisition.axes.map(({ name, size, step, unit }) =>
      `${name}${size} ${step.toPrecision(3)} ${unit}`
    );
    const column = [...plane!].filter((_, i) => i % plan.columns === 0);
    return [axes.join(", "), codesOf(acquisition.warnings), column, acquisition.lineScan];
  });

const FACTS = { secondsPerLine: 0.0005, secondsPerPixel: 1e-7, bidirectional: true };

Deno.test("joins the frames of a line scan without a gap into one kymograph", async () => {
  // Four rows of 0.5 ms are 2 ms; half a line is 0.25 ms.
  for (const period of [0.002, 0.00224, 0.00176]) {
    deepEqual(await described(lineScan(period), 1), [
      "C2 1.00 Pixels, Y12 0.000500 seconds, X5 1.00 um",
      [],
      [10, 11, 12, 13, 30, 31, 32, 33, 50, 51, 52, 53],
      FACTS,
    ]);
  }
  const strips = { ...grayLayout(5, 4, 16), rowsPerStrip: 2, codec: "deflate" as const };
  const [, , rows] = await described(lineScan(0.002, { layout: strips }));
  deepEqual(rows, [0, 1, 2, 3, 20, 21, 22, 23, 40, 41, 42, 43]);
});

Deno.test("keeps frames of a line scan with a gap apart", async () => {
  for (const [period, step] of [[0.003, "0.00300"], [0.00226, "0.00226"]] as const) {
    deepEqual(await described(lineScan(period), 1, 2), [
      `T3 ${step} seconds, C2 1.00 Pixels, Y4 0.000500 seconds, X5 1.00 um`,
      ["line_scan_gap"],
      [50, 51, 52, 53],
      FACTS,
    ]);
  }
  // One frame that was late keeps all apart.
  const late = lineScan(0.002, {
    stamp: (frame) => ({ number: frame + 1, seconds: [0, 0.002, 0.005][frame]! }),
  });
  const [axes, codes] = await described(late);
  equal(axes, "T3 0.00250 seconds, C2 1.00 Pixels, Y4 0.000500 seconds, X5 1.00 um");
  deepEqual(codes, ["line_scan_gap"]);
  // Rows that take longer than their frame.
  deepEqual((await described(lineScan(0.001)))[1], ["metadata_disagree"]);
  // Without stamps the rate of the header counts: two frames of 4 ms are averaged, less rows of 2 ms.
  const rated = [...LINES, "SI.hRoiManager.scanFrameRate = 250", "SI.hScan2D.logAverageFactor = 2"];
  await withOpened(
    { "a.tif": lineScan(null, { header: rated }) },
    ({ warnings }) => match(JSON.stringify(warnings), /6 ms pass/),
  );
  // Unknown without either.
  deepEqual((await described(lineScan(null)))[1], ["line_scan_gap"]);
});

Deno.test("reads line scans of earlier versions", async () => {
  const old = (switches: string) =>
    scanImageBytes({
      header: [
        "state.acq.numberOfChannelsSave=1",
        "state.acq.numberOfZSlices=1",
        "state.acq.numberOfFrames=1",
        switches,
        "state.acq.msPerLine=2",
        "state.acq.pixelTime=3.2e-06",
        "state.acq.bidirectionalScan=0",
      ],
      pages: 1,
    });
  for (const switches of ["state.acq.linescan=1", "state.acq.scanAngleMultiplierSlow=0"]) {
    const [axes, codes, , facts] = await described(old(switches));
    equal(axes, "Y4 0.00200 seconds, X5 1.00 Pixels");
    deepEqual([codes, facts], [[], { secondsPerLine: 0.002, secondsPerPixel: 3.2e-6, bidirectional: false }]);
  }
  deepEqual((await described(old("state.acq.linescan=0")))[3], null);
  const five = (...lines: string[]) =>
    scanImageBytes({
      header: ["scanimage.SI5.channelsSave = 1", "scanimage.SI5.scanAngleMultiplierSlow = 0", ...lines],
      pages: 1,
    });
  // 16 lines of the way back and 4 rows in 20 ms.
  const timed = five(
    "scanimage.SI5.scanFramePeriod = 0.02",
    "scanimage.SI5.linesPerFrame = 4",
    "scanimage.SI5.flybackLinesPerFrame = 16",
  );
  equal((await described(timed))[0], "Y4 0.00100 seconds, X5 1.00 Pixels");
  const [axes, codes] = await described(five());
  deepEqual([axes, (codes as string[]).includes("step_unknown")], ["Y4 1.00 Pixels, X5 1.00 Pixels", true]);
});

Deno.test("gives X and Y of several regions in a frame lengths if all are equal", async () => {
  const field = (size: number, columns: number) => ({
    sizeXY: [size, size],
    pixelResolutionXY: [columns, columns],
  });
  const regions = (...fields: ReturnType<typeof field>[]) =>
    JSON.stringify({
      RoiGroups: { imagingRoiGroup: { rois: fields.map((one) => ({ enable: 1, scanfields: one })) } },
    });
  const settings = [
    "SI.hChannels.channelSave = 1",
    "SI.hRoiManager.mroiEnable = true",
    "SI.hRoiManager.imagingFovUm = [0 0;5 0;5 5;0 5]",
    "SI.objectiveResolution = 15",
  ].join("\n");
  const file = (artist: string) =>
    tiffBytes(grayLayout(5, 4, 16), (x) => BigInt(x), 1, [[305, 2, settings], [315, 2, artist]]);
  // 2 degrees of 15 um over 5 columns are 6 um each.
  deepEqual((await described(file(regions(field(2, 5), field(2, 5))))).slice(0, 2), [
    "Y4 6.00 um, X5 6.00 um",
    ["regions_stacked"],
  ]);
  for (
    const artist of [regions(field(2, 5), field(1, 5)), regions(field(2, 5), field(2, 4)), "", "{", "[]"]
  ) {
    deepEqual((await described(file(artist))).slice(0, 2), ["Y4 1.00 Pixels, X5 1.00 Pixels", [
      "regions_stacked",
    ]]);
  }
  // From 2020 on they stand in the block after the BigTIFF header, both texts with a NUL at their end.
  const texts = [settings, regions(field(2, 5))].map((text) => new TextEncoder().encode(`${text}\0`));
  const head = new Uint8Array(16 + texts[0]!.length + texts[1]!.length);
  [117_637_889, 4, texts[0]!.length, texts[1]!.length].forEach((word, i) =>
    new DataView(head.buffer).setUint32(4 * i, word, true)
  );
  head.set(texts[0]!, 16);
  head.set(texts[1]!, 16 + texts[0]!.length);
  const big = tiffOf({ ...grayLayout(5, 4, 16), bigTiff: true }, [[new Uint8Array(40)]], [], head);
  // One region is not stacked on any other.
  deepEqual((await described(big)).slice(0, 2), ["Y4 6.00 um, X5 6.00 um", []]);
});
