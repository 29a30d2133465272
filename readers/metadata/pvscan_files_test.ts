import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { isRawData, makeSourceName, parseScanFileName } from "./pvscan_files.ts";

Deno.test("images and source images are named after scan and cycle", () => {
  const image = (scan: string, cycle: number) => ({ kind: "image", scan, cycle, below: false });
  const cases: [string, ReturnType<typeof parseScanFileName> | object][] = [
    ["LineScan-03142018-1454-2042_Cycle00001_Ch1_000001.ome.tif", image("LineScan-03142018-1454-2042", 1)],
    ["LineScan-1_Cycle00012_CurrentSettings_Ch2_000001.tif", image("LineScan-1", 12)],
    ["a_Cycle1_b_Cycle002_Ch1_000003.TIF", image("a_Cycle1_b", 2)],
    ["a-Cycle00003_Ch2Source.tif", { kind: "source", scan: "a", cycle: 3, below: false }],
    ["a-Cycle00003-Ch2-16bit-Reference.tif", { kind: "source", scan: "a", cycle: 2, below: true }],
  ];
  for (const [name, part] of cases) deepEqual(parseScanFileName(name), part, name);
  const others = [
    "a-Cycle00002-Window1-Ch1-8bit-Reference.tif",
    "a-Cycle00001-ImageWindow1Ch1-LinescanReference.tif",
    "a.tif",
    "_Cycle00001_Ch1_000001.tif",
    "a_Cycle00001_Ch1_000001.png",
    "a_Cycle00001_VoltageRecording_001.csv",
  ];
  for (const name of others) equal(parseScanFileName(name), null, name);
});

Deno.test("finds the source image of an image by its name", () => {
  equal(makeSourceName("a_Cycle00001_CurrentSettings_Ch2_000001.tif"), "a-Cycle00001_Ch2Source.tif");
  equal(makeSourceName("a_Cycle00002_Ch1_000001.ome.tif"), "a-Cycle00002_Ch1Source.tif");
  equal(makeSourceName("a.tif"), null);
  const digits = fc.integer({ min: 1, max: 99999 });
  fc.assert(fc.property(fc.stringMatching(/^[\w -]{1,60}$/), digits, digits, (scan, cycle, channel) => {
    const source = makeSourceName(`${scan}_Cycle${cycle}_Ch${channel}_000001.ome.tif`)!;
    deepEqual(parseScanFileName(source), { kind: "source", scan, cycle, below: false });
  }));
});

Deno.test("raw data are recognised by their name", () => {
  deepEqual(["CYCLE_000001_RAWDATA_000012", "Cycle_1_rawdata_1.bin"].map(isRawData), [true, true]);
  deepEqual(["a_RAWDATA_1", "CYCLE_1"].map(isRawData), [false, false]);
});
