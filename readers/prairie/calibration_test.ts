import { deepEqual, equal } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import { parseScan } from "../metadata/pvscan.ts";
import { findLineSettings, type LineSettings } from "./calibration.ts";

const shard = (values: Readonly<Record<string, number>>) =>
  `<PVStateShard>${
    Object.entries(values).map(([key, value]) => `<Key key="${key}" value="${value}"/>`).join("")
  }</PVStateShard>`;

/** The frame that the line was drawn on: 64 lines of 2 ms, pixels of 0.3 um. */
const SOURCE = {
  framePeriod: 0.13,
  linesPerFrame: 64,
  pixelsPerLine: 64,
  scanLinePeriod: 0.002,
  micronsPerPixel_XAxis: 0.3,
  dwellTime: 14.4,
};

/** 33 columns of 0.3 um. */
const LINE = '<Line startPixelX="11" stopPixelX="43" startPixelY="17" lineLength="9.9"/>';

function settings(
  frame: Readonly<Record<string, number>>,
  { line = LINE, mode = "straightLine", sequence = {} }: {
    readonly line?: string;
    readonly mode?: string;
    readonly sequence?: Readonly<Record<string, number>>;
  } = {},
): LineSettings {
  const scan = parseScan(
    `<PVScan>${shard(SOURCE)}<Sequence type="Linescan"><PVLinescanDefinition mode="${mode}">${line}` +
      `</PVLinescanDefinition>${shard(sequence)}<Frame>${shard(frame)}</Frame></Sequence></PVScan>`,
  );
  const [first] = scan.sequences;
  return findLineSettings(scan, first!, { rows: 100, columns: 33 });
}

const WHOLE = { framePeriod: 0.1, linesPerFrame: 100, pixelsPerLine: 33, scanLinePeriod: 0.003 };

Deno.test("takes the settings of a line from its frame or sequence, not from the document", () => {
  const { lines, period, pixel, warnings } = settings(WHOLE);
  deepEqual([lines, period, pixel, codesOf(warnings)], [100, 0.003, 0.3, []]);
  deepEqual(settings({}, { sequence: WHOLE }), settings(WHOLE));
  const none = settings({});
  deepEqual([none.lines, none.period, codesOf(none.warnings)], [null, null, ["step_unknown"]]);
});

Deno.test("takes the period of the document if that of the frame divides it", () => {
  const { framePeriod: _, scanLinePeriod: __, ...size } = WHOLE;
  const periodAt = (framePeriod: number) => settings({ ...size, framePeriod }).period;
  // 100 lines of 2 ms take 0.2 s; two are averaged where the frame states 0.1 s.
  equal(periodAt(0.2), 0.002);
  equal(periodAt(0.1), 0.002);
  // 1.43 lines of 2 ms, or less than one, are put together by no scanner.
  equal(periodAt(0.14), null);
  equal(periodAt(0.3), null);
  equal(settings(size).period, null);
  deepEqual(codesOf(settings({ ...size, scanLinePeriod: -1, framePeriod: 0.2 }).warnings), ["step_unknown"]);
});

Deno.test("derives the column width from the length of the line if the frame lacks it", () => {
  equal(settings({ ...WHOLE, micronsPerPixel_XAxis: 0.25 }).pixel, 0.25);
  // 16.5 um over 33 columns.
  const long = settings(WHOLE, { line: '<Line lineLength="16.5"/>', mode: "freeHand" });
  equal(long.pixel, 0.5);
  deepEqual(codesOf(long.warnings), ["metadata_disagree"]);
  const straight = '<Line startPixelX="11" stopPixelX="43" startPixelY="17"/>';
  deepEqual([
    settings(WHOLE, { line: straight }).pixel,
    codesOf(settings(WHOLE, { line: straight }).warnings),
  ], [
    0.3,
    [],
  ]);
  for (const mode of ["freeHand", "straightLine"]) {
    const { pixel, warnings } = settings(WHOLE, { line: "<Line/>", mode });
    deepEqual([pixel, codesOf(warnings)], [null, ["step_unknown"]]);
  }
});

Deno.test("takes the pixel time of the frame, else of the document", () => {
  const dwell = (frame: Readonly<Record<string, number>>, sequence = {}) =>
    settings({ ...WHOLE, ...frame }, { sequence }).dwell;
  deepEqual([dwell({}), dwell({ dwellTime: 7.2 }), dwell({}, { dwellTime: 4.8 })], [14.4, 7.2, 4.8]);
});
