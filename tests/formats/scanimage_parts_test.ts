/** The parts of one acquisition of ScanImage: what joins them, what is missing, and what is another acquisition. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import type { Acquisition } from "../../readers/reader.ts";
import { scanImageBytes, type ScanImageFile } from "../fixtures/scanimage_files.ts";
import { loadHere, openHere } from "../load_here.ts";
import { codesOf } from "../warning_codes.ts";
import { firstsAt, sizesIn } from "../planes.ts";
import { type Files, withFiles } from "../temporary_files.ts";

/** Three slices and two frames of the way back, two volumes a part, ten volumes in all; a frame takes 10 ms. */
const HEADER = [
  "SI.VERSION_MAJOR = 2021",
  "SI.hChannels.channelSave = 1",
  "SI.hStackManager.enable = true",
  "SI.hStackManager.stackMode = 'fast'",
  "SI.hStackManager.framesPerSlice = 1",
  "SI.hStackManager.actualNumSlices = 3",
  "SI.hStackManager.numFramesPerVolume = 3",
  "SI.hStackManager.numFramesPerVolumeWithFlyback = 5",
  "SI.hScan2D.logFramesPerFile = 10",
];

/** A part of ten frames; the first sample of a page is 100 times the part and the page. */
const part = (number: number, change: Partial<ScanImageFile> = {}) =>
  scanImageBytes({
    header: HEADER,
    pages: 10,
    stamp: (frame) => ({
      number: 10 * (number - 1) + frame + 1,
      acquisition: 1,
      inAcquisition: 10 * (number - 1) + frame + 1,
      seconds: 0.01 * (10 * (number - 1) + frame),
    }),
    value: (page) => 100 * number + page,
    ...change,
  });

const named = (number: number) => `scan_00001_${String(number).padStart(5, "0")}.tif`;

/** Runs with these files; `path` gives the path of one by its name. */
const inFolder = (files: Files, use: (path: (name: string) => string) => Promise<void>) =>
  withFiles(files, (_path, folder) => use((name) => join(folder, name)));

/** Opens one of these files. */
const withOpened = (files: Files, name: string, use: (acquisition: Acquisition) => void | Promise<void>) =>
  inFolder(files, (path) => openHere(path(name), use));

/** First sample of the only channel. */
const firstAt = async (acquisition: Acquisition, t: number, z = 0) =>
  (await firstsAt(acquisition, { t, z }))[0]!;

Deno.test("opens an acquisition by each of its parts", () =>
  inFolder({ [named(1)]: part(1), [named(2)]: part(2) }, async (path) => {
    for (const number of [1, 2]) {
      await openHere(path(named(number)), async (acquisition) => {
        equal(sizesIn(acquisition), "T4 Z3");
        // Volume t is the second of part 1 for t = 1, the first of part 2 for t = 2.
        deepEqual(
          [await firstAt(acquisition, 0), await firstAt(acquisition, 1, 2), await firstAt(acquisition, 2, 1)],
          [100, 107, 201],
        );
        equal(await firstAt(acquisition, 3, 2), 207);
        // Five frames of 10 ms.
        deepEqual(acquisition.times!.map((seconds) => Number(seconds.toFixed(6))), [0, 0.05, 0.1, 0.15]);
        deepEqual(codesOf(acquisition.warnings), []);
        const sizes = [1, 2].map((one) => Deno.statSync(path(named(one))).size);
        equal(acquisition.fileSize, sizes[0]! + sizes[1]!);
        deepEqual(acquisition.files!().toSorted(), [1, 2].map((one) => path(named(one))));
      });
    }
  }));

Deno.test("joins volumes that begin in one part and end in the next", () =>
  withOpened(
    {
      [named(1)]: part(1, { pages: 8 }),
      [named(2)]: part(2, {
        stamp: (frame) => ({ number: 9 + frame, inAcquisition: 9 + frame, seconds: 0.01 * (8 + frame) }),
      }),
    },
    named(2),
    async (acquisition) => {
      // 18 frames: 3 volumes of 5 and the slices of a fourth.
      equal(sizesIn(acquisition), "T4 Z3");
      // Frame 5 t + z: frames 0 to 7 are in part 1.
      deepEqual([await firstAt(acquisition, 1, 2), await firstAt(acquisition, 2, 0)], [107, 202]);
    },
  ));

Deno.test("warns once about missing parts, and opens at the planes of the existing one", () =>
  inFolder({ [named(2)]: part(2), [named(5)]: part(5) }, async (path) => {
    await openHere(path(named(2)), async (acquisition) => {
      equal(sizesIn(acquisition), "T10 Z3");
      deepEqual(codesOf(acquisition.warnings), ["file_missing"]);
      match(acquisition.warnings[0]!.text, /missing: ("scan_00001_0000[134].tif"(?:, |$)){3}/);
      equal(await firstAt(acquisition, 8, 1), 501);
      for (const t of [0, 1, 4, 7]) await rejects(firstAt(acquisition, t), { tag: "plane_not_found" });
      equal(acquisition.times, null);
      equal(acquisition.axes[0]!.step.toFixed(6), "0.050000");
    });
    const { summary, planes } = await loadHere(path(named(2)));
    deepEqual((summary as unknown as { position: unknown }).position, { t: 2, z: 0, l: 0 });
    equal(planes[0]![0], 200);
  }));

Deno.test("warns about an omitted part, but not as a missing one", async () => {
  const other = part(2, { header: [...HEADER, "SI.hRoiManager.scanZoomFactor = 8"] });
  const cases: [Uint8Array, string, RegExp][] = [
    [other, "metadata_disagree", /^"scan_00001_00002.tif" .* left out: its header or layout differs$/],
    [new Uint8Array(), "file_unreadable", /^"scan_00001_00002.tif" .* left out: the TIFF header at 0/],
  ];
  for (const [bytes, code, text] of cases) {
    const files = { [named(1)]: part(1), [named(2)]: bytes, [named(3)]: part(3) };
    await withOpened(files, named(3), async (acquisition) => {
      equal(sizesIn(acquisition), "T6 Z3");
      deepEqual(codesOf(acquisition.warnings), [code]);
      match(acquisition.warnings[0]!.text, text);
      equal(await firstAt(acquisition, 4), 300);
      await rejects(firstAt(acquisition, 2), { tag: "plane_not_found" });
    });
  }
});

Deno.test("leaves out a first part that ends after the start of the second", () =>
  // Frames 1 to 15, while part 2 begins at 11.
  withOpened({ [named(1)]: part(1, { pages: 15 }), [named(2)]: part(2) }, named(2), async (acquisition) => {
    deepEqual(codesOf(acquisition.warnings), ["metadata_disagree"]);
    match(acquisition.warnings[0]!.text, /^"scan_00001_00001.tif" .* its frame numbers do not continue$/);
    await rejects(firstAt(acquisition, 0), { tag: "plane_not_found" });
    equal(await firstAt(acquisition, 2), 200);
  }));

Deno.test("leaves out files of other acquisitions with the names of parts", async () => {
  const other = { header: [...HEADER, "SI.hRoiManager.scanZoomFactor = 8"] };
  const from = (first: number) => (frame: number) => ({
    number: first + frame,
    acquisition: 1,
    inAcquisition: first + frame,
    seconds: frame,
  });
  const cases: [string, Uint8Array, string[]][] = [
    // Another acquisition, by its name.
    ["scan_00002_00001.tif", part(2), []],
    // One number alone is that of an acquisition.
    ["scan_00002.tif", part(2), []],
    // Other settings.
    [named(2), part(2, other), []],
    // Frames that begin at 1 again.
    [named(2), part(2, { stamp: from(1) }), []],
    // Frame numbers that go back.
    [named(3), part(1, { stamp: from(6) }), ["metadata_disagree"]],
    [named(2), new Uint8Array([1, 2, 3]), ["file_unreadable"]],
  ];
  for (const [name, bytes, codes] of cases) {
    await withOpened({ [named(1)]: part(1), [name]: bytes }, named(1), (acquisition) => {
      equal(sizesIn(acquisition), "T2 Z3", name);
      deepEqual(codesOf(acquisition.warnings), codes, name);
    });
  }
});

Deno.test("opens a part alone if its frame numbers contradict its own number", async () => {
  for (
    const [name, number] of [[named(1), 2], [named(2), 1], ["scan.tif", 2], ["scan_00001.tif", 2]] as const
  ) {
    await withOpened({ [name]: part(number) }, name, async (acquisition) => {
      equal(sizesIn(acquisition), "T2 Z3", name);
      equal(await firstAt(acquisition, 0), 100 * number);
    });
  }
});

Deno.test("accepts parts of one acquisition with different counters and times", () => {
  const counted = (number: number) =>
    part(number, {
      header: [
        ...HEADER,
        `SI.hScan2D.logFileCounter = ${number}`,
        `SI.hMotors.motorPosition = [0 ${number}]`,
      ],
    });
  const files = { [named(1)]: counted(1), [named(2)]: counted(2) };
  return withOpened(files, named(1), (acquisition) => equal(sizesIn(acquisition), "T4 Z3"));
});

Deno.test("leaves a gap after a truncated part", () =>
  withOpened({ [named(1)]: part(1, { pages: 6 }), [named(2)]: part(2) }, named(2), async (acquisition) => {
    equal(sizesIn(acquisition), "T4 Z3");
    deepEqual(codesOf(acquisition.warnings), ["planes_missing"]);
    // Six frames: the first volume, and one slice of the second.
    equal(await firstAt(acquisition, 1, 0), 105);
    await rejects(firstAt(acquisition, 1, 1), { tag: "plane_not_found" });
    equal(await firstAt(acquisition, 2, 0), 200);
  }));

Deno.test("joins parts without stamps if all exist and are complete by the header", async () => {
  const unlimited = [
    "scanimage.SI4.channelsSave = 1",
    "scanimage.SI4.acqNumFrames = 30",
    "scanimage.SI4.stackNumSlices = 1",
  ];
  const header = [...unlimited, "scanimage.SI4.loggingFramesPerFile = 4"];
  const old = (number: number, pages = 4, lines = header) =>
    scanImageBytes({ header: lines, pages, value: (page) => 100 * number + page });
  const cases: [Record<string, Uint8Array>, string][] = [
    [{ "a_001_002.tif": old(2), "a_001_001.tif": old(1), "a_001_003.tif": old(3, 2) }, "T10"],
    [{ "a_001_002.tif": old(2), "a_001_003.tif": old(3, 2) }, "T4"],
    [{ "a_001_002.tif": old(2, 3), "a_001_001.tif": old(1, 3) }, "T3"],
    [{ "a_001_002.tif": old(2, 4, unlimited), "a_001_001.tif": old(1, 4, unlimited) }, "T4"],
  ];
  for (const [files, sizes] of cases) {
    await withOpened(files, "a_001_002.tif", async (acquisition) => {
      equal(sizesIn(acquisition), sizes);
      // All parts begin with the first one.
      if (sizes === "T10") equal(await firstAt(acquisition, 3), 103);
      equal(await firstAt(acquisition, sizes === "T10" ? 4 : 0), 200);
    });
  }
});

Deno.test("counts the stored volumes of a part without those of a missing one", () =>
  withOpened(
    { [named(2)]: part(2, { header: [...HEADER, "SI.hStackManager.actualNumVolumes = 10"] }) },
    named(2),
    ({ warnings }) => {
      const texts = warnings.filter(({ code }) => code === "planes_missing").map(({ text }) => text);
      deepEqual(texts, ["The header announces 10 volumes, 2 are stored here"]);
    },
  ));
