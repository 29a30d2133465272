import assert from "node:assert/strict";
import type { Axis, OpenResponse } from "../../static/client/v2/acq-client.ts";
import { DisplayChannel } from "../../static/demo/v2/picture/channel.ts";
import {
  formatFacts,
  formatReadout,
  nameRecordingForPage,
  sampleText,
} from "../../static/demo/v2/picture/readout.ts";
import { formatQuantity } from "../../static/measure/axes.ts";

const axis = (arrayDimension: 0 | 1, size: number, step: number, unit: string): Axis => ({
  arrayDimension,
  name: arrayDimension === 0 ? "Y" : "X",
  size,
  step,
  unit,
});

/** Values under the cursor at row 1, column 2 of a plane of two rows and three columns. */
function under(axes: [Axis, Axis]) {
  const samples = Float32Array.of(0, 1, 2, 3, 4, 5);
  const shown = [new DisplayChannel({ index: 0, name: "A", samples }, 0, 1)];
  return formatReadout({ plane: { shape: [2, 3], axes }, shown }, { x: 1, y: 2 });
}

Deno.test("reads the sample at the plane's row and column", () => {
  const { position, values } = under([axis(0, 2, 0.002, "seconds"), axis(1, 3, 0.5, "um")]);
  assert.equal(position, "line 1, pixel 2 · 0.0020 s, 1.00 µm");
  assert.deepEqual(values.map(({ name, value }) => [name, value]), [["A", "5"]]);
  assert.equal(
    under([axis(0, 2, 0.5, "um"), axis(1, 3, 0.5, "um")]).position,
    "row 1, column 2 · Y 0.50 µm, X 1.00 µm",
  );
  assert.equal(under([axis(0, 2, 1, "Pixels"), axis(1, 3, 1, "Pixels")]).position, "row 1, column 2");
});

Deno.test("prints a sample exactly, with as few digits as possible", () => {
  const texts = [0.1, 16777217, 4294967296, 1 / 3, NaN, -Infinity, 1e-40, 0].map((value) =>
    sampleText(Math.fround(value))
  );
  // 1 / 3 is 0.333333343267... as float32, its neighbours 0.33333331346 and 0.33333337306.
  assert.deepEqual(texts, ["0.1", "16777216", "4294967296", "0.33333334", "NaN", "-Infinity", "1e-40", "0"]);
});

/** The line under the title. */
function line(
  rows: Axis,
  columns: Axis,
  further: [dim: string, size: number, step: number, unit: string][] = [],
): string {
  const opened = {
    plane: { axes: [rows, columns] },
    source: { numChannels: 3, sourceDtype: "uint16", format: "oir" },
    channels: [{}, {}],
    header: {
      dims: further.map(([dim]) => dim),
      sizes: Object.fromEntries(further.map(([dim, size]) => [dim, size])),
      physicalUnits: further.map(([, , step]) => step),
      physicalUnitsLabels: further.map(([, , , unit]) => unit),
    },
  };
  return formatFacts(opened as unknown as OpenResponse);
}

Deno.test("the facts count lines of a line scan and pixels of an image", () => {
  // 600 x 2.118 ms = 1.2708 s, 48 x 0.45 um = 21.6 um.
  assert.equal(
    line(axis(0, 600, 0.002118, "seconds"), axis(1, 48, 0.45, "um")),
    "2.118 ms/line · 0.45 µm/px · 600 lines (1.27 s) · 48 px (21.6 µm) · 2 channels of 3 · uint16 · oir",
  );
  const pixels = [axis(0, 30, 1, "Pixels"), axis(1, 50, 1, "Pixels")] as const;
  const rows = [
    [axis(0, 60, 0.5, "seconds"), axis(1, 48, 1, "Pixels"), "500 ms/line · 60 lines (30 s) · 48 px · 2"],
    [axis(0, 1e6, 0.5, "seconds"), axis(1, 48, 1, "Pixels"), " · 1,000,000 lines (500000 s) · 48 px · 2"],
    [axis(0, 30, 0.5, "um"), axis(1, 50, 0.5, "um"), "50 × 30 px (25 µm × 15 µm) · 0.5 µm/px · 2"],
    // Steps that differ in digits that are not written are one.
    [axis(0, 30, 0.140312, "um"), axis(1, 50, 0.140313, "um"), " · 0.1403 µm/px · 2"],
    [axis(0, 30, 0.05, "um"), axis(1, 50, 0.5, "um"), " · X 0.5 µm/px · Y 50 nm/px · 2"],
    [...pixels, "50 × 30 px · 2"],
  ] as const;
  for (const [y, x, text] of rows) assert(line(y, x).includes(`${text} channels of 3`), line(y, x));
  const times: [string, number, number, string] = ["T", 12, 0.5, "seconds"];
  assert.match(
    line(...pixels, [times, ["Z", 5, 1, "Pixels"]]),
    /^50 × 30 px · 12 time points \(every 500 ms\) · 5 focus planes · 2 channels/,
  );
});

Deno.test("prints small steps in nanometres and milliseconds", () => {
  assert.deepEqual([
    formatQuantity(0.0002, { unit: "seconds" }),
    formatQuantity(0.0005, { unit: "um" }),
    formatQuantity(0.1, { unit: "um" }),
    formatQuantity(0.25, { unit: "mV" }),
  ], ["0.2 ms", "0.5 nm", "0.1 µm", "0.25 mV"]);
});

Deno.test("a collection shows its name, a member that is opened alone its own name, too", () => {
  const named = (name: string, format: string, collection: string | null, member = "") =>
    nameRecordingForPage({
      source: { name, format },
      collection: collection && { name: collection, member: { name: member } },
    } as unknown as OpenResponse);
  assert.equal(named("mice", "collection", "Mouse 12", "cell_1.oir"), "Mouse 12");
  assert.equal(named("1.ome.zarr", "ome.zarr", "Mouse 12", "cell_1.oir"), "Mouse 12 · cell_1.oir");
  assert.equal(named("1.ome.zarr", "ome.zarr", "cell_1.oir", "cell_1.oir"), "cell_1.oir");
  assert.equal(named("mice.zip", "collection", "3 recordings", "cell_1.oir"), "mice.zip");
  assert.equal(named("scan.oir", "oir", null), "scan.oir");
});
