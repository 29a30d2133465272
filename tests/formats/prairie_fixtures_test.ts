/** Folders of Prairie View as an independent script wrote them: planes at every position, axes, paths, scenes. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { dirname, join } from "node:path";
import { documentsOf } from "../../readers/io/document_list.ts";
import { PlaneNotFound } from "../../readers/errors.ts";
import { loadHere, openHere } from "../load_here.ts";
import { hashAt, hashOf, positionsOf } from "../plane_hash.ts";
import { checkRows, someRanges } from "../row_ranges.ts";
import { textsOf } from "../warning_texts.ts";

const FOLDER = join(import.meta.dirname!, "../fixtures/prairie");

/** What `write_files.py` says of a file and of the scene that opening it gives. */
interface Expected {
  readonly file: string;
  readonly format?: string;
  readonly scene: number;
  readonly scenes: number;
  readonly sizes: Readonly<Record<string, number>>;
  readonly channels: readonly string[];
  readonly steps: Readonly<Record<string, readonly [number, string]>>;
  readonly date: string;
  readonly time: string;
  readonly times: readonly number[] | null;
  /** By `t,z,l,channel`. */
  readonly planes: Readonly<Record<string, string>>;
  readonly reference: {
    readonly shape: readonly [number, number];
    readonly planes: readonly string[];
    readonly step: number;
    readonly line: readonly number[] | null;
    readonly path: readonly [number[], number[]];
  } | null;
  /** A part of the one warning that there is. */
  readonly warned: string | null;
}

const EXPECTED: readonly Expected[] = JSON.parse(Deno.readTextFileSync(join(FOLDER, "expected.json")));

for (const entry of EXPECTED) {
  Deno.test(`${entry.file}: planes at every position, and rows of them`, async () => {
    let served = 0;
    await openHere(join(FOLDER, entry.file), async (acquisition) => {
      for (const at of positionsOf(entry.sizes)) {
        const expected = entry.planes[at];
        if (expected === undefined) await rejects(hashAt(acquisition, at), PlaneNotFound);
        else {
          equal(await hashAt(acquisition, at), expected, at);
          served += 1;
        }
      }
      await checkRows(acquisition, someRanges(entry.sizes["Y"]!));
    });
    equal(served, Object.keys(entry.planes).length);
  });

  Deno.test(`${entry.file}: axes, channels, dates and the reference image`, async () => {
    const { summary, referencePlanes } = await loadHere(join(FOLDER, entry.file));
    equal(summary.format, entry.format ?? "prairie");
    deepEqual([summary.scene, summary.sceneCount], [entry.scene, entry.scenes]);
    deepEqual(Object.fromEntries(summary.axes.map(({ name, size }) => [name, size])), entry.sizes);
    for (const { name, step, unit } of summary.axes) {
      const [expected, expectedUnit] = entry.steps[name] ?? [1, "Pixels"];
      equal(unit, expectedUnit, name);
      ok(Math.abs(step - expected) < 1e-12, `${name}: ${step}, expected ${expected}`);
    }
    deepEqual(summary.channels.map(({ name, sampleType }) => [name, sampleType]), [
      ...entry.channels.map((name) => [name, "uint16"]),
    ]);
    deepEqual([summary.date, summary.time], [entry.date, entry.time]);
    deepEqual(summary.times, entry.times);
    equal(summary.warnings.length, entry.warned === null ? 0 : 1, textsOf(summary.warnings).join("; "));
    if (entry.warned !== null) match(textsOf(summary.warnings)[0]!, new RegExp(entry.warned));
    const { reference } = entry;
    deepEqual(referencePlanes.map(hashOf), reference?.planes ?? []);
    if (reference === null) return;
    deepEqual(summary.reference!.axes.map(({ size, step, unit }) => [size, step, unit]), [
      [reference.shape[0], reference.step, "um"],
      [reference.shape[1], reference.step, "um"],
    ]);
    deepEqual(summary.reference!.lineRoi, reference.line);
    deepEqual(summary.reference!.scanPath, { x: reference.path[0], y: reference.path[1] });
    deepEqual(summary.reference!.channels.map(({ name }) => name), entry.channels);
  });

  if (entry.format !== "tif") {
    Deno.test(`${entry.file}: every image of the scan and its document open the whole`, async () => {
      const whole = await loadHere(join(FOLDER, entry.file));
      const folder = join(FOLDER, dirname(entry.file));
      for (const { name } of Deno.readDirSync(folder)) {
        if (!/\.xml$|_Ch\d_\d+(\.ome)?\.tif$/.test(name)) continue;
        const { summary, planes } = await loadHere(join(folder, name), { scene: entry.scene });
        deepEqual(planes, whole.planes, name);
        deepEqual(summary, { ...whole.summary, path: join(folder, name) });
        const cycle = /_Cycle(\d+)_/.exec(name)?.[1];
        // Of the scans with several scenes each cycle is one; the document opens the first.
        const own = (await loadHere(join(folder, name))).summary.scene;
        equal(own, entry.scenes === 1 || cycle === undefined ? 0 : Number(cycle) - 1, name);
      }
    });
  }
}

Deno.test("all bytes of the scan count, and its document is the metadata document", async () => {
  const folder = join(FOLDER, "LineScan-06092017-1414-619");
  const names = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).map(({ name }) => name);
  const bytes = names.reduce((sum, name) => sum + Deno.statSync(join(folder, name)).size, 0);
  await openHere(join(folder, "LineScan-06092017-1414-619.xml"), (acquisition) => {
    equal(acquisition.fileSize, bytes);
    const [document, ...more] = documentsOf(acquisition);
    deepEqual(more, []);
    equal(document!.name, "LineScan-06092017-1414-619.xml");
    equal(document!.mediaType, "application/xml");
    match(document!.text, /^<\?xml version="1.0"[^]*<\/PVScan>\s*$/);
  });
});
