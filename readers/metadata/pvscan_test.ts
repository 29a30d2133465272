import { deepEqual, equal } from "node:assert/strict";
import { beginsScan, findSetting, parseScan, readSourceSteps, scanMoment } from "./pvscan.ts";

Deno.test("recognises a document by its first element", () => {
  const yes = [
    "<PVScan>",
    '\uFEFF<?xml version="1.0"?>\n<PVScan date="">',
    "\n <!-- a --> <?b?><PVScan/>",
  ];
  const no = ["<PVScanner>", "<a><PVScan>", "<!-- <PVScan> --><a>", "PVScan", "", "<!--"];
  deepEqual([yes.map(beginsScan), no.map(beginsScan)], [yes.map(() => true), no.map(() => false)]);
});

Deno.test("sorts files by channel, strips folders from names and counts pages from 0", () => {
  const scan = parseScan(
    '<PVScan date="d"><Sequence type="Single" cycle="2" time="t"><Frame relativeTime="0,5" absoluteTime="x">' +
      '<File channel="3" channelName="c" filename="C:\\a\\b.tif" page="4"/><File channel="1" filename="a/c.tif" source="s.tif"/>' +
      '<File filename=" "/></Frame></Sequence></PVScan>',
  );
  const { type, cycle, time, line, frames: [frame] } = scan.sequences[0]!;
  deepEqual([scan.date, type, cycle, time, line], ["d", "Single", 2, "t", null]);
  deepEqual([frame!.relativeTime, frame!.absoluteTime], [0.5, null]);
  deepEqual(frame!.files, [
    { channel: 1, channelName: null, name: "c.tif", source: "s.tif", page: 0 },
    { channel: 3, channelName: "c", name: "b.tif", source: null, page: 3 },
  ]);
});

const TIME = "14:18:24.0593086";

Deno.test("takes the day from the document and the time from the sequence", () => {
  const cases: [string | undefined, string | undefined, string, string][] = [
    ["3/5/2024 2:18:23 PM", TIME, "20240305", "14:18:24"],
    ["12/31/2023 12:00:01 AM", TIME, "20231231", "14:18:24"],
    ["03/14/2018 3:57:43 PM", TIME, "20180314", "14:18:24"],
    ["2024-03-05T14:18:23", TIME, "20240305", "14:18:24"],
    // The time of the document where the sequence has none.
    ["3/5/2024 12:18:23 AM", undefined, "20240305", "00:18:23"],
    ["3/5/2024 12:18:23 PM", "noon", "20240305", "12:18:23"],
    ["3/5/2024 2:18:23 PM", "9:05:07", "20240305", "09:05:07"],
    ["3/5/2024 2:18:23 PM", "14:18:24,059", "20240305", "14:18:24"],
    ["3/5/2024 2:18:23 PM", "25:00:00", "20240305", ""],
    // Day first, or an ambiguous order.
    ["05/03/2024 14:18:23", TIME, "", ""],
    ["05/03/2024 2:18:23 PM", TIME, "", ""],
    ["5/03/2024 2:18:23 PM", TIME, "", ""],
    ["05.03.2024 14:18:23", TIME, "", ""],
    ["3/5/2024 14:18:23", TIME, "", ""],
    ["13/5/2024 2:18:23 PM", TIME, "", ""],
    ["2/30/2024 2:18:23 PM", TIME, "", ""],
    ["", TIME, "", ""],
    [undefined, TIME, "", ""],
  ];
  for (const [date, time, day, clock] of cases) {
    deepEqual(scanMoment(date, time), { date: day, time: clock }, `${date}, ${time}`);
  }
});

const shard = (pixel: number) =>
  `<PVStateShard><Key key="micronsPerPixel_XAxis" value="${pixel}"/><Key key="micronsPerPixel_YAxis" value="${pixel}"/></PVStateShard>`;

const steps = (root: string, mode: string, frame: string) => {
  const { y, x } = readSourceSteps(
    parseScan(
      `<PVScan>${root}<Sequence cycle="1"><PVLinescanDefinition mode="${mode}"/><Frame>${frame}</Frame></Sequence></PVScan>`,
    ),
    1,
  );
  return [y.step, y.unit, x.step, x.unit];
};

Deno.test("takes the steps of the source frame from the document, or from a straight line", () => {
  deepEqual(steps(shard(0.3), "freeHand", shard(0.5)), [0.3, "um", 0.3, "um"]);
  deepEqual(steps(shard(0.3), "straightLine", ""), [0.3, "um", 0.3, "um"]);
  deepEqual(steps("", "straightLine", shard(0.5)), [0.5, "um", 0.5, "um"]);
  deepEqual(steps("", "freeHand", shard(0.5)), [1, "Pixels", 1, "Pixels"]);
});

const state = (inner: string) => parseScan(`<PVScan><PVStateShard>${inner}</PVStateShard></PVScan>`).state;

Deno.test("reads the settings of both versions", () => {
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
  equal(findSetting([four], "positionCurrent/ZAxis"), 7.5);
});

Deno.test("takes a setting from the innermost level that has it", () => {
  const [frame, sequence, root] = ["1", "", "3"].map((value) =>
    state(value && `<Key key="linesPerFrame" value="${value}"/><Key key="rotation" value="0"/>`)
  );
  equal(findSetting([frame!, sequence!, root!], "linesPerFrame"), 1);
  equal(findSetting([sequence!, root!], "LINESPERFRAME"), 3);
  equal(findSetting([sequence!], "linesPerFrame"), null);
  equal(findSetting([root!], "rotation"), null);
});

Deno.test("reads a decimal comma in a number without a point", () => {
  const numberOf = (text: string) =>
    findSetting([state(`<Key key="linesPerFrame" value="${text}"/>`)], "linesPerFrame");
  const cases: [string, number | null][] = [
    ["0,294117647058823", 0.294117647058823],
    [" -1.5 ", -1.5],
    ["1,5E-3", 0.0015],
    ["1,234.5", null],
    ["1,2,3", null],
    ["1e999", null],
    ["0x10", null],
    ["", null],
  ];
  for (const [text, value] of cases) equal(numberOf(text), value, text);
});

Deno.test("names texts in place of numbers", () => {
  const { warnings } = parseScan(
    `<PVScan><PVStateShard><Key key="micronsPerPixel_XAxis" value="1.234,5"/>` +
      `<Key key="dwellTime" value="2,5"/></PVStateShard></PVScan>`,
  );
  deepEqual(warnings.map(({ code, text }) => `${code}: ${text}`), [
    'metadata_damaged: The PVScan document has texts in place of numbers: micronsperpixel/xaxis "1.234,5"',
  ]);
});

Deno.test("adds the positions of two motors", () => {
  const key = (name: string, value: string) => `<Key key="${name}" value="${value}"/>`;
  const settings = key("positionCurrent_ZAxis", "-4.00,30") + key("micronsPerPixel_XAxis", "1.234,5") +
    key("scanlinePeriod", "0.1,0.2");
  deepEqual([...state(settings)], [["positioncurrent/zaxis", 26]]);
});
