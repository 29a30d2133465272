import assert from "node:assert/strict";
import { facts, readout, remainingTime, sampleText } from "../../../static/demo/v2/readout.js";

const axes = [{ name: "Y", step: 0.002, unit: "seconds" }, { name: "X", step: 0.5, unit: "um" }];

Deno.test("the read-out is the sample at the plane's row and column", () => {
  const group = {
    plane: { shape: [2, 3], axes },
    shown: [{ name: "A", samples: Float32Array.of(0, 1, 2, 3, 4, 5) }],
  };
  const { position, values } = readout(group, { x: 1, y: 2 });
  assert.equal(position, "row 1, column 2 · Y 0.0020 s, X 1.00 µm");
  assert.deepEqual(values.map(({ name, value }: { name: string; value: string }) => [name, value]), [[
    "A",
    "5",
  ]]);
});

Deno.test("a sample is named exactly, and no longer than that takes", () => {
  const texts = [0.1, 16777217, 4294967296, 1 / 3, NaN, -Infinity, 1e-40, 0].map((value) =>
    sampleText(Math.fround(value))
  );
  // 1 / 3 is 0.333333343267... as float32, its neighbours 0.33333331346 and 0.33333337306.
  assert.deepEqual(texts, ["0.1", "16777216", "4294967296", "0.33333334", "NaN", "-Infinity", "1e-40", "0"]);
});

Deno.test("the line under the title has pixels, steps and units", () => {
  const source = { numChannels: 3, sourceDtype: "uint16", format: "oir" };
  assert.equal(
    facts({ plane: { shape: [512, 64], axes }, source, channels: [{}, {}] }),
    "512 × 64 pixels · step Y 0.002 s × X 0.5 µm · 2 channels of 3 · uint16 · oir",
  );
});

Deno.test("remaining time counts down to nothing", () => {
  assert.deepEqual([600, 59.2, 0, 7500].map(remainingTime), ["10:00", "1:00", "0:00", "2 h 5 min"]);
});

Deno.test("small steps are said in nanometres and milliseconds", () => {
  const axes = [{ name: "Y", unit: "seconds", step: 0.0002 }, { name: "X", unit: "um", step: 0.0005 }];
  const source = { numChannels: 1, sourceDtype: "uint16", format: "oir" };
  const text = facts({ plane: { shape: [2, 3], axes }, source, channels: [{}] });
  assert.match(text, /step Y 0\.2 ms × X 0\.5 nm/);
});
