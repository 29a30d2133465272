/** Time points of one row, as Bio-Formats stores line scans: in every format they are the rows of one plane. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { Stopped } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { FIXTURES } from "../fixtures/expected.ts";
import { ndtiffFiles } from "../fixtures/ndtiff_writer.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { writeChunks } from "../fixtures/plain_store.ts";
import { entryAt, type Field, grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { loadHere, openHere } from "../load_here.ts";
import { axesIn, checkRows, planesAt, someRanges } from "../planes.ts";
import { inFolder, type Put, withFiles, withOpened } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const [LINES, COLUMNS, CHANNELS] = [30, 9, 2];

/** Sample x of line t in a channel. */
const sampleAt = (t: number, channel: number, x: number) => 100 * t + x + 1000 * channel;

/** The plane of a channel of so many lines. */
const planeOf = (channel: number, lines = LINES) =>
  Float32Array.from(
    { length: lines * COLUMNS },
    (_, i) => sampleAt(Math.floor(i / COLUMNS), channel, i % COLUMNS),
  );

const LINE = grayLayout(COLUMNS, 1, 16);

/** A file with a page for each line and channel, the channel varying fastest. */
const paged = (text: string, more: readonly Field[] = [], count = LINES * CHANNELS) =>
  tiffBytes(
    LINE,
    (x, _y, _sample, page) => BigInt(sampleAt(Math.floor(page / CHANNELS), page % CHANNELS, x)),
    count,
    (page) => page === 0 ? [[270, 2, text], ...more] : [],
  );

const ome = (attributes: Record<string, string | number>, planes = "") =>
  omeXml(omeImage({
    DimensionOrder: "XYCZT",
    SizeX: COLUMNS,
    SizeY: 1,
    SizeC: CHANNELS,
    SizeT: LINES,
    PhysicalSizeX: 0.25,
    PhysicalSizeY: 0.25,
    ...attributes,
  }, `<TiffData/>${planes}`));

const stamps = Array.from(
  { length: LINES },
  (_, t) => `<Plane TheT="${t}" TheC="0" TheZ="0" DeltaT="${0.002 * t}"/>`,
).join("");

/** A store of chunks of ten lines. */
function store(put: Put): string {
  const path = join(put("x/note", ""), "../a.ome.zarr");
  const chunks = [0, 1, 2].map((chunk) =>
    Uint16Array.from({ length: 10 * CHANNELS * COLUMNS }, (_, i) =>
      sampleAt(
        10 * chunk + Math.floor(i / (CHANNELS * COLUMNS)),
        Math.floor(i / COLUMNS) % CHANNELS,
        i % COLUMNS,
      ))
  );
  writeChunks(path, {
    axes: [
      { name: "t", type: "time", unit: "second" },
      { name: "c", type: "channel" },
      { name: "y", type: "space", unit: "micrometer" },
      { name: "x", type: "space", unit: "micrometer" },
    ],
    shape: [LINES, CHANNELS, 1, COLUMNS],
    scale: [0.002, 1, 0.25, 0.25],
    chunks,
  });
  return path;
}

function ndtiff(put: Put): string {
  const images = Array.from({ length: LINES }, (_, t) => ({
    axes: { time: t },
    first: sampleAt(t, 0, 0),
    note: { PixelSizeUm: 0.25, "ElapsedTime-ms": 2 * t },
  }));
  for (const [name, bytes] of ndtiffFiles(LINE, images)) put(join("set", name), bytes);
  return join(put("set/note", ""), "..");
}

const TIMED = `C2 1 Pixels, Y${LINES} 0.002 seconds, X${COLUMNS} 0.25 um`;

/** How each format opens: its file, its axes, and what is the first sample of lines 0 and 7 of channel 0. */
const FORMATS: Readonly<Record<string, readonly [write: (put: Put) => string, axes: string]>> = {
  "OME-TIFF with a time increment": [
    (put) => put("a.ome.tif", paged(ome({ TimeIncrement: 2, TimeIncrementUnit: "ms" }))),
    TIMED,
  ],
  "OME-TIFF with times of planes": [(put) => put("a.ome.tif", paged(ome({}, stamps))), TIMED],
  "ImageJ": [
    (put) =>
      put(
        "a.tif",
        paged(
          `ImageJ=1.54f\nimages=60\nchannels=2\nframes=${LINES}\nhyperstack=true\nunit=um\nfinterval=0.002\n`,
          [[282, 3, [4]], [283, 3, [4]]],
        ),
      ),
    TIMED,
  ],
  "OME-Zarr": [store, TIMED],
  "NDTiff": [ndtiff, `Y${LINES} 0.002 seconds, X${COLUMNS} 0.25 um`],
  "an array of tifffile": [
    (put) =>
      put(
        "a.tif",
        tiffBytes(
          LINE,
          (x, _y, _s, t) => BigInt(sampleAt(t, 0, x)),
          LINES,
          (page): Field[] =>
            page === 0 ? [[270, 2, JSON.stringify({ shape: [LINES, 1, COLUMNS], axes: "TYX" })]] : [],
        ),
      ),
    `Y${LINES} 1 Pixels, X${COLUMNS} 1 Pixels`,
  ],
};

for (const [name, [write, axes]] of Object.entries(FORMATS)) {
  Deno.test(`serves time points of one row as a line scan: ${name}`, () =>
    inFolder(async (put) => {
      const path = write(put);
      const { summary, planes } = await loadHere(path);
      equal(axesIn(summary), axes);
      deepEqual([summary.rows, summary.columns, summary.times], [LINES, COLUMNS, null]);
      equal(summary.lineScan?.secondsPerLine ?? null, axes.includes("seconds") ? 0.002 : null);
      deepEqual(summary.channels.map(({ rows }) => rows), planes.map(() => LINES));
      deepEqual(summary.scenes[0]!.sizes.Y, LINES);
      deepEqual(codesOf(summary.warnings).filter((code) => code !== "step_unknown"), []);
      // The writer of NDTiff fills only the first pixel of an image.
      if (name === "NDTiff") {
        for (let t = 0; t < LINES; t += 1) equal(planes[0]![t * COLUMNS], sampleAt(t, 0, 0));
      } else planes.forEach((plane, channel) => deepEqual(plane, planeOf(channel)));
      await openHere(path, (acquisition) => checkRows(acquisition, someRanges(LINES)));
    }));
}

const HDF5_PLACES = [
  ["rows.ims", null, `C2 1 Pixels, Y${LINES} 0.25 seconds, X${COLUMNS} 0.5 um`, [0, 1], LINES - 2],
  ["rows.mesc", null, `C2 1 Pixels, Y${LINES} 0.002 seconds, X${COLUMNS} 0.5 um`, [0, 1], LINES],
  ["lines.nwb", 0, `Y${LINES} 0.002 seconds, X${COLUMNS} 1 Pixels`, [1], LINES],
  ["lines.nwb", 1, `Y${LINES} 0.004 seconds, X${COLUMNS} 1 Pixels`, [2], LINES],
  ["lines.nwb", 3, `Y${LINES} 0.002 seconds, X${COLUMNS} 1 Pixels`, [0], LINES],
] as const;

for (const [file, scene, axes, channels, lines] of HDF5_PLACES) {
  Deno.test(`serves time points of one row as a line scan: scene ${scene ?? 0} of ${file}`, async () => {
    const path = join(FIXTURES, "hdf5", file);
    const { summary, planes, counts } = await loadHere(path, { scene });
    equal(axesIn(summary), axes);
    equal(summary.rows, lines);
    equal(summary.lineScan!.secondsPerLine, summary.axes.find(({ name }) => name === "Y")!.step);
    deepEqual(planes, channels.map((channel) => planeOf(channel, lines)));
    // The file is opened once for all lines.
    ok(counts.opens < 5, String(counts.opens));
    const wanted = codesOf(summary.warnings).filter((code) => code === "lines_missing");
    deepEqual(wanted, file.endsWith("nwb") ? [] : ["lines_missing"]);
    await openHere(path, (acquisition) => checkRows(acquisition, someRanges(lines)), scene);
  });
}

Deno.test("NWB: lists line scans first, stills of type Image, colours, and what is not a line scan", async () => {
  const path = join(FIXTURES, "hdf5/lines.nwb");
  const { summary } = await loadHere(path);
  deepEqual(summary.scenes.map(({ name, sizes }) => `${name} ${JSON.stringify(sizes)}`), [
    'y_linescan {"Y":30,"X":9}',
    'z_Ca {"Y":30,"X":9}',
    'a_stills/image {"Y":30,"X":9}',
    'b_frames {"Y":30,"X":9}',
    'c_video {"T":4,"C":3,"Y":2,"X":9}',
    'd_volume {"T":4,"Z":3,"Y":2,"X":9}',
  ]);
  const left = summary.warnings.filter(({ code }) => code === "content_left_out");
  equal(left.length, 1);
  const reasons = [
    '"/acquisition/e_signals" (neither name nor description says line scan)',
    '"/acquisition/f_voltage" (unit "volts")',
    '"/acquisition/g_narrow" (fewer than 8 columns)',
  ];
  equal(
    left[0]!.text,
    `Series of two dimensions that are not line scans are left out: ${reasons.join(", ")}`,
  );
  await openHere(path, async (acquisition) => {
    deepEqual(acquisition.channels.map(({ name }) => name), ["Red", "Green", "Blue"]);
    const planes = await planesAt(acquisition, { t: 2 });
    deepEqual(planes.map((plane) => plane[1]), [201, 1201, 2201].map((sample) => sample & 0xff));
  }, 4);
});

Deno.test("leaves one time point, one column, several rows or slices as they are", async () => {
  const cases: [Record<string, string | number>, pages: number, sizes: string][] = [
    [{ SizeT: 1 }, 2, `C2 1 Pixels, Y1 0.25 um, X${COLUMNS} 0.25 um`],
    [{ SizeT: 3, SizeZ: 5 }, 30, `T3 1 Pixels, C2 1 Pixels, Z5 1 Pixels, Y1 0.25 um, X${COLUMNS} 0.25 um`],
    [{ SizeT: 1, SizeZ: 5 }, 10, `C2 1 Pixels, Z5 1 Pixels, Y1 0.25 um, X${COLUMNS} 0.25 um`],
  ];
  for (const [attributes, pages, axes] of cases) {
    await withOpened({ "a.ome.tif": paged(ome(attributes), [], pages) }, (acquisition) => {
      equal(axesIn(acquisition), axes);
      equal(acquisition.lineScan, null);
    });
  }
  const column = tiffBytes(
    grayLayout(1, 1, 16),
    () => 5n,
    4,
    (page): Field[] => page === 0 ? [[270, 2, "ImageJ=1.54f\nimages=4\nframes=4\n"]] : [],
  );
  await withOpened({ "a.tif": column }, ({ axes }) => equal(axes[0]!.name, "T"));
});

/** A file for each line, with all names in the document of the first. */
function separateLines(put: Put, missing: readonly number[], lines = LINES): string {
  const names = Array.from({ length: lines }, (_, t) => `line_${t}.ome.tif`);
  const all = names.map((name, t) => tiffData({ FirstT: t }, name)).join("");
  const image = { SizeX: COLUMNS, SizeY: 1, SizeT: lines, TimeIncrement: 0.002 };
  const text = omeXml(omeImage(image, all));
  names.forEach((name, t) => {
    if (missing.includes(t)) return;
    put(name, tiffBytes(LINE, (x) => BigInt(sampleAt(t, 0, x)), 1, [[270, 2, text]]));
  });
  return join(put("note", ""), "..", names[0]!);
}

Deno.test("ends at the first time point that is missing, with a warning", async () => {
  await inFolder(async (put) => {
    const path = separateLines(put, [12, 20]);
    const { summary, planes } = await loadHere(path);
    deepEqual([summary.rows, planes[0]], [12, planeOf(0, 12)]);
    const lost = summary.warnings.find(({ code }) => code === "lines_missing")!;
    match(lost.text, /^12 of 30 lines/);
    await openHere(path, (acquisition) => checkRows(acquisition, someRanges(12)));
  });
  // A page whose samples lie outside the file: what is before it is served, and the reason is named.
  const bytes = paged(ome({}));
  new DataView(bytes.buffer).setUint32(entryAt(bytes, 273, 2 * 17 + 1) + 8, bytes.length, true);
  const { summary, planes } = await withFiles({ "a.ome.tif": bytes }, (path) => loadHere(path));
  equal(summary.rows, 17);
  deepEqual(planes[1], planeOf(1, 17));
  match(summary.warnings.find(({ code }) => code === "lines_missing")!.text, /^17 of 30 lines .*missing: /);
  // Without its first line there is no plane.
  await inFolder(async (put) => {
    const path = separateLines(put, [0]);
    await rejects(loadHere(path.replace("line_0", "line_1")), /line_0.ome.tif/);
  });
  const later = Array.from({ length: LINES - 1 }, (_, t) => tiffData({ IFD: t, FirstT: t + 1 })).join("");
  const text = omeXml(omeImage({ SizeX: COLUMNS, SizeY: 1, SizeT: LINES }, later));
  await withFiles({ "a.ome.tif": paged(text, [], LINES - 1) }, async (path) => {
    await rejects(loadHere(path), /names no directory for the plane T=0/);
  });
  // A set of Micro-Manager, which has no file of the first line.
  const line = tiffBytes(LINE, (x) => BigInt(sampleAt(1, 0, x)), 1);
  const metadata = {
    Summary: {
      Slices: 1,
      Frames: 3,
      Channels: 1,
      ChNames: ["GFP"],
      Width: COLUMNS,
      Height: 1,
      PixelType: "GRAY16",
    },
  };
  await withFiles({
    "img_000000001_GFP_000.tif": line,
    "img_000000002_GFP_000.tif": line,
    "metadata.txt": new TextEncoder().encode(JSON.stringify(metadata)),
  }, async (path) => {
    await rejects(loadHere(path), /the plane T=0 C=0 Z=0 has no file/);
  });
});

Deno.test("stops between the lines of a plane", () =>
  inFolder(async (put) => {
    const path = separateLines(put, []);
    const files = new FileAccess();
    await openHere(
      path,
      async (acquisition) => {
        const plan = await acquisition.plan([0], { t: 0, z: 0, l: 0 });
        files.stop.raise();
        await rejects(plan.decode([new Float32Array(LINES * COLUMNS)]), Stopped);
      },
      null,
      files,
    );
  }));
