/** Micro-Manager acquisitions of several files: the answer is the same, whichever of them is opened. */
import { deepEqual, equal, match } from "node:assert/strict";
import { join } from "node:path";
import { microManagerBytes, type MicroManagerPlane } from "../fixtures/micromanager_writer.ts";
import { omeImage, omeXml } from "../fixtures/ome_xml.ts";
import { filledPages, grayLayout } from "../fixtures/tiff_writer.ts";
import { loadHere } from "../load_here.ts";
import { firstsOf, hashOf } from "../planes.ts";
import { inFolder, type Put } from "../temporary_files.ts";
import { codesOf } from "../warning_codes.ts";

const GRAY = grayLayout(12, 8, 16);

/** A summary of two positions and two frames. */
const SUMMARY = {
  Frames: 2,
  Positions: 2,
  PixelSize_um: 0.5,
  UUID: "a",
  StagePositions: [{ label: "A" }, { label: "B" }],
};

/** OME-XML of both positions, in the first file only; the other files name it. */
const image = (step: number) =>
  omeImage({ SizeT: 2 }, [0, 1].map((t) => `<Plane TheT="${t}" TheC="0" TheZ="0" DeltaT="${t * step}"/>`));
const WHOLE = omeXml([image(3), image(4)], "1");
const PART =
  `<OME UUID="urn:uuid:2"><BinaryOnly MetadataFile="x_MMStack_A.ome.tif" UUID="urn:uuid:1"/></OME>`;

const framesOf = (position: number): MicroManagerPlane[] =>
  [0, 1].map((t) => [0, 0, t, position, 10 * position + t + 1] as const);

/** A file per position; each page has the date of its acquisition. */
function fileOf(
  position: number,
  options: Partial<Parameters<typeof microManagerBytes>[3]> = {},
  summary: object = SUMMARY,
) {
  const date = `2020:01:0${position + 1} 10:00:0${position}`;
  const text = position === 0 ? WHOLE : PART;
  return microManagerBytes(GRAY, summary, framesOf(position), {
    described: true,
    fields: [[270, 2, text], [306, 2, date]],
    ...options,
  });
}

const NAMES = ["x_MMStack_A.ome.tif", "x_MMStack_B.ome.tif"];

/** What clients see of a scene, without the path. */
async function seen(path: string, scene: number) {
  const { summary: { path: _, indexBytes: _bytes, ...summary }, planes } = await loadHere(path, { scene });
  return { summary, planes: planes.map(hashOf) };
}

/** Checks that each file gives the same answer for each scene; returns that of the first. */
async function checkEqual(folder: string, names = NAMES, scenes = 2) {
  for (let scene = 0; scene < scenes; scene += 1) {
    const expected = await seen(join(folder, names[0]!), scene);
    for (const name of names) deepEqual(await seen(join(folder, name), scene), expected, `${name}, ${scene}`);
  }
  return await loadHere(join(folder, names[0]!));
}

const writeSet = (put: Put) => NAMES.map((name, position) => put(name, fileOf(position)));

Deno.test("Micro-Manager: times, date and warnings do not depend on the opened file", () =>
  inFolder(async (put, folder) => {
    const [, second] = writeSet(put);
    const { summary } = await checkEqual(folder);
    deepEqual([summary.times, summary.date, summary.time], [[0, 3], "20200101", "10:00:00"]);
    const own = await loadHere(second!);
    deepEqual([own.summary.scene, own.summary.times, own.summary.date], [1, [0, 4], "20200101"]);
    deepEqual(codesOf(own.summary.warnings), codesOf(summary.warnings));
  }));

Deno.test("Micro-Manager: without OME-XML, pages state the times", () =>
  inFolder(async (put, folder) => {
    const names = ["a_MMStack.ome.tif", "a_MMStack_1.ome.tif"];
    const summary = { Frames: 6, Channels: 2, Interval_ms: 100 };
    // Two channels 3 ms apart, frames 500 ms apart instead of 100, and a pause of a minute after the fourth.
    const starts = [0, 500, 1000, 1500, 61_500, 62_000];
    const planes = starts.flatMap((_, t) => [0, 1].map((c): MicroManagerPlane => [c, 0, t, 0, 2 * t + c]));
    const elapsed = starts.flatMap((start) => [start, start + 3]);
    for (const [i, name] of names.entries()) {
      const own = { described: true, elapsed: elapsed.slice(6 * i, 6 * i + 6) };
      put(name, microManagerBytes(GRAY, summary, planes.slice(6 * i, 6 * i + 6), own));
    }
    const { summary: { axes, times, warnings } } = await checkEqual(folder, names, 1);
    deepEqual([axes[0]!.step, axes[0]!.unit], [0.5, "seconds"]);
    deepEqual(times, starts.map((start) => start / 1000));
    deepEqual(codesOf(warnings), ["step_uneven", "metadata_disagree"]);
  }));

Deno.test("Micro-Manager: reads a file without its index map as part of the set, too", () =>
  inFolder(async (put, folder) => {
    writeSet(put);
    put(NAMES[1]!, fileOf(1, { indexed: false }));
    const { summary } = await checkEqual(folder);
    equal(summary.sceneCount, 2);
    match(
      summary.warnings.map(({ text }) => text).join(),
      /index map of "x_MMStack_B.ome.tif" cannot be read/,
    );
    // The first summary counts, whichever file is opened.
    const other = { ...SUMMARY, PixelSize_um: 7 };
    put(NAMES[1]!, fileOf(1, {}, other));
    equal((await checkEqual(folder)).summary.axes.at(-1)!.step, 0.5);
  }));

Deno.test("Micro-Manager: reads all files of an acquisition whose summary counts too few frames", () =>
  inFolder(async (put, folder) => {
    const names = ["a_MMStack.ome.tif", "a_MMStack_1.ome.tif"];
    const summary = { Frames: 1, Positions: 1 };
    put(names[0]!, microManagerBytes(GRAY, summary, [[0, 0, 0, 0, 1], [0, 0, 1, 0, 2]]));
    put(names[1]!, microManagerBytes(GRAY, summary, [[0, 0, 2, 0, 3]]));
    const { summary: { axes } } = await checkEqual(folder, names, 1);
    equal(axes[0]!.size, 3);
  }));

Deno.test("Micro-Manager: copies beside a set change nothing, nor do files of other acquisitions", () =>
  inFolder(async (put, folder) => {
    writeSet(put);
    const expected = await checkEqual(folder);
    put("x_MMStack_A copy.ome.tif", fileOf(0));
    put("x_MMStack_A (1).ome.tif", fileOf(0));
    // Saved by another program, with the same name up to there.
    put("x_MMStack_A_filtered.ome.tif", filledPages(2, [[270, 2, WHOLE]], 90, GRAY));
    // Another acquisition.
    put("x_MMStack_C.ome.tif", microManagerBytes(GRAY, { ...SUMMARY, UUID: "b" }, [[0, 0, 5, 7, 9]]));
    const found = await checkEqual(folder);
    deepEqual({ ...found.summary, indexBytes: 0 }, { ...expected.summary, indexBytes: 0 });
  }));

Deno.test("Micro-Manager: warns about several entries for one plane, and serves a copy that is opened", () =>
  inFolder(async (put) => {
    const planes = [[0, 0, 0, 0, 1], [0, 0, 0, 0, 2]] as const;
    const path = put("a_MMStack.ome.tif", microManagerBytes(GRAY, {}, planes));
    const twice = await loadHere(path);
    deepEqual([firstsOf(twice), codesOf(twice.summary.warnings)], [[2], ["planes_repeated"]]);
    writeSet(put);
    const changed = microManagerBytes(GRAY, SUMMARY, [[0, 0, 0, 0, 70], [0, 0, 1, 0, 71]]);
    const copied = await loadHere(put("x_MMStack_A copy.ome.tif", changed));
    deepEqual([firstsOf(copied), copied.summary.scene], [[70], 0]);
  }));
