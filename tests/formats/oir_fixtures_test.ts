import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { loadPath } from "../fixtures/oir_files.ts";
import { FILES } from "../fixtures/oir/write_files.ts";

const FOLDER = join(import.meta.dirname!, "../fixtures/oir");
const EXPECTED: {
  file: string;
  dims: string[];
  shape: number[];
  dtype: string;
  scales: Record<string, number>;
  units: Record<string, string>;
  channels: string[];
  datetime: string | null;
  planes: string[];
  reference: { shape: number[]; line_roi: number[]; planes: string[] } | null;
}[] = JSON.parse(await Deno.readTextFile(join(FOLDER, "expected.json")));

/** `[factor, unit]` from the other reader's units to the served ones. */
const UNITS: Record<string, [number, string]> = {
  micrometer: [1, "um"],
  nanometer: [1e-3, "um"],
  second: [1, "seconds"],
};

const sha256 = (plane: Float32Array) =>
  createHash("sha256").update(new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength)).digest("hex");

Deno.test("the files of the folder are those that its script writes", async () => {
  for (const [name, bytes] of Object.entries(FILES)) {
    assert.deepEqual(await Deno.readFile(join(FOLDER, name)), bytes, name);
  }
});

for (const entry of EXPECTED) {
  Deno.test(`${entry.file} is read as another implementation reads it`, async () => {
    const { summary, planes, referencePlanes } = await loadPath(join(FOLDER, entry.file));
    assert.deepEqual(planes.map(sha256), entry.planes);
    // The other reader names the lines of a line scan T and the components of a colour image S.
    const lineScan = !entry.dims.includes("Y");
    const served = (letter: string) => letter === "S" ? "C" : lineScan && letter === "T" ? "Y" : letter;
    const sizes = Object.fromEntries(entry.dims.map((letter, i) => [served(letter), entry.shape[i]]));
    assert.deepEqual(Object.fromEntries(summary.axes.map((a) => [a.name, a.size])), sizes);
    assert.ok(summary.loaded.every((c) => c.sampleType === entry.dtype));
    for (const [letter, scale] of Object.entries(entry.scales)) {
      const [factor, unit] = UNITS[entry.units[letter]!]!;
      const axis = summary.axes.find((a) => a.name === served(letter))!;
      assert.equal(axis.unit, unit);
      assert.ok(
        Math.abs(axis.step - scale * factor) < 1e-9,
        `${letter}: ${axis.step}, expected ${scale * factor}`,
      );
    }
    if (entry.channels.length > 0) assert.deepEqual(summary.loaded.map((c) => c.name), entry.channels);
    const [date, time] = entry.datetime?.split(/[T.]/) ?? ["", ""];
    assert.deepEqual([summary.date, summary.time], [date!.replaceAll("-", ""), time]);
    assert.deepEqual(referencePlanes.map(sha256), entry.reference?.planes ?? []);
    if (entry.reference) {
      assert.deepEqual(summary.reference!.axes.map((a) => a.size), entry.reference.shape.slice(-2));
      assert.deepEqual(summary.reference!.lineRoi, entry.reference.line_roi);
    }
  });
}
