import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { chooseDefaultLut, findLutTable, LUT_NAMES, NOT_A_NUMBER } from "../../static/demo/v2/picture/lut.ts";

// matplotlib 3.11: colormaps[name]([0, 1, 64, 127, 128, 200, 255], bytes=True)
const MATPLOTLIB: Record<string, string> = {
  viridis: "440154 440255 3a528b 208f8c 20908c 70ce56 fde724",
  magma: "000003 000004 50127b b53679 b63679 fd9768 fbfcbf",
  inferno: "000003 000004 570f6d ba3655 bb3754 fb9d06 fcfea4",
  cividis: "00224d 00234f 434e6b 7b7b77 7c7b78 c4b468 fde737",
  hot: "0a0000 0d0000 b20000 ff5900 ff5b00 ffff26 ffffff",
};

const color = (name: string, i: number) => [...findLutTable(name).subarray(4 * i, 4 * i + 4)];

Deno.test("colour maps are matplotlib's", () => {
  for (const [name, colors] of Object.entries(MATPLOTLIB)) {
    const found = [0, 1, 64, 127, 128, 200, 255].map((entry) =>
      Buffer.from(color(name, entry)).toString("hex")
    );
    assert.deepEqual(found, colors.split(" ").map((hex) => `${hex}ff`), name);
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

Deno.test("the first channels start green, magenta and cyan; colour channels in their colour", () => {
  const three = ["CH1", "CH2", "CH3"].map((name, i) => chooseDefaultLut(i, name, 3));
  assert.deepEqual(three, ["green", "magenta", "cyan"]);
  assert.equal(chooseDefaultLut(0, "Red", 3), "red");
  assert.equal(chooseDefaultLut(3, "Alpha", 4), "gray");
  assert.equal(chooseDefaultLut(12, "CH13", 13), "gray");
  // A single one, whatever its name.
  assert.equal(chooseDefaultLut(0, "CH1", 1), "gray");
  assert.equal(chooseDefaultLut(0, "Green", 1), "gray");
});

Deno.test("the colour of NaN is far from every table of the menu", () => {
  assert.equal(LUT_NAMES.length, 13);
  for (const name of LUT_NAMES) {
    const table = findLutTable(name);
    for (let i = 0; i < 256; i += 1) {
      const apart = NOT_A_NUMBER.color.map((part, c) => part - table[4 * i + c]!);
      assert(Math.hypot(...apart) > 50, `${name} ${i}: ${table.subarray(4 * i, 4 * i + 3)}`);
    }
  }
});
