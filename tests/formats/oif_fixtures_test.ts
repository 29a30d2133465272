/** OIF and OIB as an independent script wrote them: planes at every position, rows, axes, reference images. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { documentsOf } from "../../readers/io/document_list.ts";
import { PlaneNotFound } from "../../readers/errors.ts";
import { loadHere, openHere } from "../load_here.ts";
import { hashAt, hashOf, positionsOf } from "../plane_hash.ts";
import { checkRows, someRanges } from "../row_ranges.ts";
import { textsOf } from "../warning_texts.ts";

const FOLDER = join(import.meta.dirname!, "../fixtures/oif");

/** What `write_files.py` says of a file. */
interface Expected {
  readonly file: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly dtype: string;
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
    deepEqual(Object.fromEntries(summary.axes.map(({ name, size }) => [name, size])), entry.sizes);
    for (const { name, step, unit } of summary.axes) {
      const [expected, expectedUnit] = entry.steps[name] ?? [1, "Pixels"];
      equal(unit, expectedUnit, name);
      ok(Math.abs(step - expected) < 1e-9, `${name}: ${step}, expected ${expected}`);
    }
    deepEqual(summary.channels.map(({ name, sampleType }) => [name, sampleType]), [
      ...entry.channels.map((name) => [name, entry.dtype]),
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
}

Deno.test("a plane, a reference image and settings in the folder open the acquisition", async () => {
  const folder = join(FOLDER, "line_scan.oif.files");
  const whole = await loadHere(join(FOLDER, "line_scan.oif"));
  for (const name of ["s_C002.tif", "s_C001-R001.tif", "s_C001.pty"]) {
    const { summary, planes } = await loadHere(join(folder, name));
    deepEqual(planes, whole.planes);
    deepEqual(summary, { ...whole.summary, path: join(folder, name) });
    equal(summary.format, "oif");
  }
});

Deno.test("of a plane that is asked for no other is read", async () => {
  const { summary, counts, plan } = await loadHere(join(FOLDER, "series_v3.oib"), { channelIndices: [1] });
  equal(summary.loaded[0]!.name, "CH2");
  equal(plan.bytes, 4 * 61 * 50);
  const { size } = Deno.statSync(join(FOLDER, "series_v3.oib"));
  // Two planes of six, the directory and the settings of the time points.
  ok(counts.bytes < size, `${counts.bytes} of ${size} bytes are read`);
});

Deno.test("the settings texts are the documents, as they are", async () => {
  for (const [file, main] of [["line_scan.oif", "line_scan.oif"], ["path_scan_v3.oib", "path_scan_v3.oif"]]) {
    await openHere(join(FOLDER, file!), (acquisition) => {
      const documents = documentsOf(acquisition);
      const names = documents.map(({ name }) => name);
      ok(names.includes("s_C001.pty") && names.includes("s_1234-5.roi"), names.join());
      equal(names[0], main);
      match(
        documents[0]!.text,
        /^\[Acquisition Parameters Common\]\r\nImageCaputreDate='2014-03-09 08:05:07'/,
      );
      ok(documents.every(({ mediaType }) => mediaType === "text/plain"));
    });
  }
});
