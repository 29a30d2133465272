import assert from "node:assert/strict";
import { defaultLut, LUT_NAMES, lutTable, NOT_A_NUMBER } from "../../static/demo/v2/picture/lut.js";

// matplotlib 3.11: colormaps[name]([0, 1, 64, 127, 128, 200, 255], bytes=True)
const MATPLOTLIB: Record<string, number[][]> = {
  viridis: [[68, 1, 84], [68, 2, 85], [58, 82, 139], [32, 143, 140], [32, 144, 140], [112, 206, 86], [
    253,
    231,
    36,
  ]],
  magma: [[0, 0, 3], [0, 0, 4], [80, 18, 123], [181, 54, 121], [182, 54, 121], [253, 151, 104], [
    251,
    252,
    191,
  ]],
  inferno: [[0, 0, 3], [0, 0, 4], [87, 15, 109], [186, 54, 85], [187, 55, 84], [251, 157, 6], [
    252,
    254,
    164,
  ]],
  cividis: [[0, 34, 77], [0, 35, 79], [67, 78, 107], [123, 123, 119], [124, 123, 120], [196, 180, 104], [
    253,
    231,
    55,
  ]],
  hot: [[10, 0, 0], [13, 0, 0], [178, 0, 0], [255, 89, 0], [255, 91, 0], [255, 255, 38], [255, 255, 255]],
};

const color = (name: string, i: number) => [...lutTable(name).subarray(4 * i, 4 * i + 4)];

Deno.test("colour maps are matplotlib's", () => {
  for (const [name, colors] of Object.entries(MATPLOTLIB)) {
    [0, 1, 64, 127, 128, 200, 255].forEach((entry, i) => {
      assert.deepEqual(color(name, entry), [...colors[i]!, 255], `${name} ${entry}`);
    });
  }
});

Deno.test("ramps run from black to the full colour in even steps", () => {
  assert.deepEqual(color("gray", 77), [77, 77, 77, 255]);
  assert.deepEqual(color("magenta", 200), [200, 0, 200, 255]);
  assert.deepEqual(color("yellow", 255), [255, 255, 0, 255]);
  assert.deepEqual(color("green", 0), [0, 0, 0, 255]);
});

Deno.test("fire passes through the 32 colours of ImageJ", () => {
  // Every eighth entry is one of the colours: the fifth is (49, 0, 165), the eighteenth (252, 101, 0).
  assert.deepEqual(color("fire", 0), [0, 0, 0, 255]);
  assert.deepEqual(color("fire", 8 * 4), [49, 0, 165, 255]);
  assert.deepEqual(color("fire", 8 * 17), [252, 101, 0, 255]);
  assert.deepEqual(color("fire", 255), [255, 255, 255, 255]);
});

Deno.test("every name in the menu has a table", () => {
  assert.equal(LUT_NAMES.length, 13);
  for (const name of LUT_NAMES) assert.equal(lutTable(name).length, 1024);
});

Deno.test("the first channels start green, magenta and cyan; colour channels in their colour", () => {
  assert.deepEqual(["CH1", "CH2", "CH3"].map((name, i) => defaultLut(i, name, 3)), [
    "green",
    "magenta",
    "cyan",
  ]);
  assert.equal(defaultLut(0, "Red", 3), "red");
  assert.equal(defaultLut(3, "Alpha", 4), "gray");
  assert.equal(defaultLut(12, "CH13", 13), "gray");
});

Deno.test("a single channel starts gray, whatever its name", () => {
  assert.equal(defaultLut(0, "CH1", 1), "gray");
  assert.equal(defaultLut(0, "Green", 1), "gray");
});

Deno.test("the colour of NaN is far from every table", () => {
  for (const name of LUT_NAMES) {
    const table = lutTable(name);
    for (let i = 0; i < 256; i += 1) {
      const apart = NOT_A_NUMBER.color.map((part, c) => part - table[4 * i + c]!);
      assert(Math.hypot(...apart) > 50, `${name} ${i}: ${table.subarray(4 * i, 4 * i + 3)}`);
    }
  }
});
