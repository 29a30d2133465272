import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { parseXml } from "../metadata/xml.ts";
import { pvNumber, settingOf, stateOf } from "./state.ts";

const state = (inner: string) => stateOf(parseXml(`<a><PVStateShard>${inner}</PVStateShard></a>`, "a"));

Deno.test("settings of both versions have one form", () => {
  const five = state(
    '<PVStateValue key="scanLinePeriod" value="0.002"/><PVStateValue key="micronsPerPixel">' +
      '<IndexedValue index="XAxis" value="0.25"/><IndexedValue index="YAxis" value="0,5"/></PVStateValue>' +
      '<PVStateValue key="positionCurrent"><SubindexedValues index="ZAxis"><SubindexedValue subindex="0" value="10"/>' +
      '<SubindexedValue subindex="1" value="-2.5"/></SubindexedValues></PVStateValue><PVStateValue key="notes" value="1"/>',
  );
  const four = state(
    '<Key key="scanlinePeriod" value="0.002"/><Key key="micronsPerPixel_XAxis" value="0.25"/>' +
      '<Key key="micronsPerPixel_YAxis" value="0.5"/><Key key="positionCurrent_ZAxis" value="10.0,-2.5"/>',
  );
  deepEqual([...five], [...four]);
  deepEqual([...four.keys()], [
    "scanlineperiod",
    "micronsperpixel/xaxis",
    "micronsperpixel/yaxis",
    "positioncurrent/zaxis",
  ]);
  equal(settingOf([four], "positionCurrent/ZAxis"), 7.5);
});

Deno.test("the innermost level that has a setting counts", () => {
  const [frame, sequence, root] = ["1", "", "3"].map((value) =>
    state(value && `<Key key="linesPerFrame" value="${value}"/><Key key="rotation" value="0"/>`)
  );
  equal(settingOf([frame!, sequence!, root!], "linesPerFrame"), 1);
  equal(settingOf([sequence!, root!], "LINESPERFRAME"), 3);
  equal(settingOf([sequence!], "linesPerFrame"), null);
  equal(settingOf([root!], "rotation"), null);
});

Deno.test("a comma stands before decimals where no point does", () => {
  const cases: [string | undefined, number | null][] = [
    ["0,294117647058823", 0.294117647058823],
    [" -1.5 ", -1.5],
    ["1,5E-3", 0.0015],
    ["1,234.5", null],
    ["1,2,3", null],
    ["1e999", null],
    ["0x10", 16],
    ["", null],
    [undefined, null],
  ];
  for (const [text, value] of cases) equal(pvNumber(text), value, text);
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
    // The sign of zero is of no use.
    equal((pvNumber(String(value).replace(".", ",")) ?? NaN) + 0, value + 0);
  }));
});

Deno.test("two numbers are added for places of motors and ignored elsewhere", () => {
  const key = (name: string, value: string) => `<Key key="${name}" value="${value}"/>`;
  const state = stateOf(parseXml(
    `<Frame><PVStateShard>${key("positionCurrent_ZAxis", "-4.00,30")}${
      key("micronsPerPixel_XAxis", "1.234,5")
    }` +
      `${key("scanlinePeriod", "0.1,0.2")}</PVStateShard></Frame>`,
    "a frame",
  ));
  deepEqual([...state], [["positioncurrent/zaxis", 26]]);
});
