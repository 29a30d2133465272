/** Cells counted in synthetic recordings, whose truth is what made them. */
import assert from "node:assert/strict";
import { fluxOverTime } from "../../static/measure/flux.js";
import { cells, noise } from "./synthetic.ts";

const SIZE = { lines: 1200, columns: 64 };

Deno.test("the flux is within 5 % up to 70 % of the line covered", () => {
  for (const [velocity, pulse] of [[-1.2, 0], [3, 0], [0.8, 0.4]] as const) {
    for (const coverage of [0.3, 0.7]) {
      const { plane, passed } = cells({ ...SIZE, velocity, pulse, length: 10, coverage, snr: 4, seed: 3 });
      const found = fluxOverTime(plane, { lineTime: 0.001 }).filter(({ verdict }) => verdict === "counted");
      const what = `${velocity} columns a line, ${100 * coverage} % covered`;
      assert.ok(found.length >= 4, `${what}: ${found.length} of 6 counted`);
      const counted = found.reduce((sum, one) => sum + one.cells, 0);
      const truth = found.flatMap(({ line }) => passed.filter((at) => Math.abs(at - line) < 100)).length;
      assert.ok(Math.abs(counted / truth - 1) < 0.05, `${what}: ${counted} of ${truth}`);
      assert.ok(found.every(({ flux, cells }) => flux === cells / 200));
    }
  }
});

Deno.test("bright cells are counted as dark ones are", () => {
  const { plane, passed } = cells({ ...SIZE, velocity: 1, length: 10, coverage: 0.4, snr: 5, seed: 2 });
  const samples = plane.samples.map((value) => 300 - value);
  const found = fluxOverTime({ ...plane, samples }, { cells: "bright", window: 1200, lineTime: 0.001 });
  assert.ok(Math.abs(found[0]!.cells / passed.length - 1) < 0.05);
});

Deno.test("what cannot be counted has no number and says why", () => {
  const { normal } = noise(4);
  const samples = Float32Array.from({ length: 1200 * 64 }, () => 100 + normal());
  const blank = fluxOverTime({ samples, shape: [1200, 64] }, { lineTime: 0.001 });
  assert.deepEqual([...new Set(blank.map(({ verdict }) => verdict))], ["no velocity"]);
  assert.ok(blank.every(({ cells, flux }) => Number.isNaN(cells) && Number.isNaN(flux)));
  const { plane } = cells({ ...SIZE, velocity: 1, length: 10, coverage: 0.9, snr: 5, seed: 1 });
  const crowded = fluxOverTime(plane, { lineTime: 0.001 });
  assert.ok(crowded.filter(({ verdict }) => verdict === "crowded").length >= 4);
});
