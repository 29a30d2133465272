/** What `lineScan` says of the line scans of each format; frames and sections have none. */
import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { writeTiffFile as kymographTiff } from "../../static/measure/tiff.ts";
import { omeImage, omeXml } from "../fixtures/ome_xml.ts";
import { filledPages, grayLayout } from "../fixtures/tiff_writer.ts";
import { loadHere } from "../load_here.ts";
import { withFiles } from "../temporary_files.ts";

const FIXTURES = join(import.meta.dirname!, "../fixtures");

/** Seconds per line and per pixel as the scripts that wrote the fixtures state them. */
const LINE_SCANS: readonly [file: string, secondsPerLine: number | null, secondsPerPixel: number | null][] = [
  ["oir/line_scan.oir", 0.002118, null],
  ["oif/line_scan.oif", 0.003152, 8e-6],
  ["lsm/line_scan.lsm", 0.002, null],
  ["czi/line_scan.czi", 0.0021, null],
  ["nd2/line_scan.nd2", 0.0025, null],
  ["nd2/untimed_lines.nd2", null, null],
  ["prairie/LineScan-03142018-1454-2042/LineScan-03142018-1454-2042.xml", 0.0119239007960034, null],
];

// Time stamps are subtracted from one another.
const rounded = (seconds: number | null) => seconds === null ? null : Number(seconds.toPrecision(12));

for (const [file, secondsPerLine, secondsPerPixel] of LINE_SCANS) {
  Deno.test(`${file}: the line time is the step of the rows`, async () => {
    const { lineScan, axes } = (await loadHere(join(FIXTURES, file))).summary;
    const { step, unit } = axes.find(({ name }) => name === "Y")!;
    equal(lineScan!.secondsPerLine, unit === "seconds" ? step : null);
    deepEqual({ ...lineScan, secondsPerLine: rounded(lineScan!.secondsPerLine) }, {
      secondsPerLine: rounded(secondsPerLine),
      secondsPerPixel,
      bidirectional: null,
    });
  });
}

Deno.test("the LIF scenes with time as rows are line scans", async () => {
  const path = join(FIXTURES, "lif/line_scans.lif");
  const { sceneCount } = (await loadHere(path)).summary;
  const units: (readonly [boolean, string])[] = [];
  for (let scene = 0; scene < sceneCount; scene += 1) {
    const { lineScan, axes } = (await loadHere(path, { scene })).summary;
    const { step, unit } = axes.find(({ name }) => name === "Y")!;
    units.push([lineScan !== null, unit]);
    if (lineScan) equal(lineScan.secondsPerLine, unit === "seconds" ? step : null);
  }
  equal(units.some(([isLineScan, unit]) => isLineScan && unit === "seconds"), true);
  equal(units.every(([isLineScan, unit]) => !isLineScan || unit !== "um"), true);
});

for (const file of ["oir/series_ltz.oir", "oif/section.oif", "lsm/series_tzc.lsm", "nd2/section.nd2"]) {
  Deno.test(`${file} is not a line scan`, async () => {
    equal((await loadHere(join(FIXTURES, file))).summary.lineScan ?? null, null);
  });
}

Deno.test("rows in seconds are lines, whichever format states the step", async () => {
  const plane = grayLayout(5, 4, 16);
  const tiff = (text: string) => filledPages(1, [[270, 2, text], [282, 4, [2]], [283, 4, [500]]], 0, plane);
  const pixels = { SizeX: 5, SizeY: 4, PhysicalSizeX: 0.5, PhysicalSizeY: 2, PhysicalSizeYUnit: "ms" };
  const files: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
    "imagej.tif": tiff("ImageJ=1.54f\nunit=micron\nyunit=sec\n"),
    "scifio.tif": tiff(
      "SCIFIO=0.46.0\naxes=X,Y\nlengths=5,4\nscales=0.5,2.0\nunits=um,msec\nimages=1\n",
    ),
    "ome.ome.tif": tiff(omeXml(omeImage(pixels, [`<TiffData IFD="0"/>`]))),
    "kymograph.tif": kymographTiff(new Float32Array(20), [4, 5], [
      { step: 0.002, unit: "seconds" },
      { step: 0.5, unit: "um" },
    ]),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const { summary } = await withFiles({ [name]: bytes }, (path) => loadHere(path));
    deepEqual(summary.axes.map(({ step, unit }) => [step, unit]), [[0.002, "seconds"], [0.5, "um"]], name);
    deepEqual(summary.lineScan, { secondsPerLine: 0.002, secondsPerPixel: null, bidirectional: null }, name);
  }
});
