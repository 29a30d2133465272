/** Every fixture as another implementation reads it, or as its writer laid it out: planes, rows, axes and metadata. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { PlaneNotFound } from "../../readers/errors.ts";
import { collectDocuments } from "../../readers/io/document_list.ts";
import type { AcquisitionSummary } from "../../session/acquisition_summary.ts";
import { type Acquisition, type Axis, sizesOf } from "../../readers/reader.ts";
import {
  type ExpectedFile,
  expectedFiles,
  type ExpectedReference,
  type ExpectedScene,
  FIXTURES,
  FOLDERS,
} from "../fixtures/expected.ts";
import { loadHere, openHere } from "../load_here.ts";
import { checkRows, hashAt, placeOf, positionsOf, sha256, someRanges } from "../planes.ts";
import { codesOf } from "../warning_codes.ts";

/** The fixtures round rational pixel sizes. */
const near = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));

function checkStep(axis: Axis, [step, unit]: readonly [number, string]): void {
  ok(
    near(axis.step, step) && axis.unit === unit,
    `${axis.name}: ${axis.step} ${axis.unit}, not ${step} ${unit}`,
  );
}

async function checkPlanes(acquisition: Acquisition, scene: ExpectedScene, complete: boolean): Promise<void> {
  // Backwards, so that no plane is found by following the one before it.
  for (const [at, hash] of Object.entries(scene.planes).reverse()) {
    equal(await hashAt(acquisition, at), hash.slice(0, 16), `scene ${scene.index} at ${at}`);
  }
  if (!complete) return;
  const positions = [...positionsOf(sizesOf(acquisition.axes))];
  ok(Object.keys(scene.planes).every((at) => positions.includes(at)));
  for (const at of positions.filter((at) => !(at in scene.planes))) {
    await rejects(hashAt(acquisition, at), PlaneNotFound, at);
  }
}

async function checkScene(acquisition: Acquisition, scene: ExpectedScene, file: ExpectedFile): Promise<void> {
  const { axes, channels } = acquisition;
  if (scene.sizes) deepEqual(sizesOf(axes), scene.sizes);
  await checkPlanes(acquisition, scene, file.complete);
  const rows = scene.lines ?? axes.at(-2)!.size;
  const places = Object.keys(scene.planes).map(placeOf);
  const ofAllChannels = places.filter(({ t, z, l }) =>
    channels.every(({ index }) => [t, z, l, index].join() in scene.planes)
  );
  for (const place of new Set([ofAllChannels.at(0)!, ofAllChannels.at(-1)!])) {
    await checkRows(acquisition, someRanges(rows), place, file.exactRows);
  }
  equal((await acquisition.plan([0], places[0]!)).rows, rows);
  if (scene.channels) deepEqual(channels.map(({ name }) => name), scene.channels);
  if (scene.dtype) equal(channels[0]!.sampleType, scene.dtype);
  if (scene.rowStep) checkStep(axes.at(-2)!, scene.rowStep);
  if (scene.warnings) deepEqual(codesOf(acquisition.warnings).sort(), [...scene.warnings].sort());
  for (const { mediaType, text } of collectDocuments(acquisition)) {
    if (mediaType === "application/json") JSON.parse(text);
    if (mediaType === "application/xml") ok(text.trimStart().startsWith("<"));
  }
}

function checkChannels({ channels }: AcquisitionSummary, file: ExpectedFile): void {
  if (file.channels) {
    const found = channels.map(({ name, color }, i) =>
      typeof file.channels![i] === "string" ? name : [name, color]
    );
    deepEqual(found, file.channels);
  }
  if (file.dtype) {
    const { dtype } = file;
    deepEqual(
      channels.map(({ sampleType }) => sampleType),
      typeof dtype === "string" ? channels.map(() => dtype) : dtype,
    );
  }
}

function checkSummary(summary: AcquisitionSummary, file: ExpectedFile): void {
  const own = file.scenes.find(({ index }) => index === file.own)!;
  equal(summary.format, file.format ?? summary.format);
  deepEqual([summary.scene, summary.sceneCount], [file.own, file.sceneCount ?? summary.sceneCount]);
  deepEqual(summary.scenes[summary.scene]!.sizes, sizesOf(summary.axes));
  if (file.listed) deepEqual(summary.scenes, file.scenes.map(({ name, sizes }) => ({ name, sizes })));
  checkChannels(summary, file);
  for (const axis of summary.axes) {
    const step = axis.name === "Y" && own.rowStep || file.steps?.[axis.name];
    if (step) checkStep(axis, step);
    else if (file.otherAxesInPixels) checkStep(axis, [1, "Pixels"]);
  }
  equal(summary.date, file.date ?? summary.date);
  equal(summary.time, file.time ?? summary.time);
  if (file.times !== undefined) deepEqual(summary.times === null, file.times === null);
  file.times?.forEach((seconds, i) => ok(near(summary.times![i]!, seconds)));
  if (file.warnings) deepEqual(codesOf(summary.warnings).sort(), [...file.warnings].sort());
}

function checkReference(
  { reference }: AcquisitionSummary,
  planes: readonly Float32Array[],
  expected: ExpectedReference,
): void {
  deepEqual(
    planes.map(sha256).map((hash, i) => hash.startsWith(expected.planes[i]!)),
    expected.planes.map(() => true),
  );
  deepEqual(reference!.axes.map(({ size }) => size), expected.shape);
  deepEqual(reference!.lineRoi, expected.line);
  const { step, path } = expected;
  if (step) deepEqual(reference!.axes.map(({ step, unit }) => [step, unit]), [[step, "um"], [step, "um"]]);
  if (path) deepEqual(reference!.scanPath, { x: path[0], y: path[1] });
}

for (const folder of FOLDERS) {
  for (const file of expectedFiles(folder)) {
    Deno.test(`fixture ${folder}/${file.file}`, async () => {
      const path = join(FIXTURES, folder, file.file);
      const { summary, referencePlanes } = await loadHere(path);
      checkSummary(summary, file);
      const { reference } = file;
      if (reference) checkReference(summary, referencePlanes, reference);
      else if (reference === null) equal(summary.reference, null);
      for (const scene of file.scenes) {
        await openHere(path, (acquisition) => checkScene(acquisition, scene, file), scene.index);
      }
      await rejects(openHere(path, () => {}, summary.sceneCount), { tag: "scene_out_of_range" });
    });
  }
}
