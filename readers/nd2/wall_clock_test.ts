import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { convertJulianDay, readWallClock } from "./wall_clock.ts";

// 2014-06-18 13:55:12 UTC: 2440587.5 + 1403099712 / 86400.
const JUNE = Date.UTC(2014, 5, 18, 13, 55, 12);

Deno.test("treats Julian day numbers below 1 as unknown", () => {
  equal(convertJulianDay(2_440_587.5), 0);
  equal(Math.round(convertJulianDay(2_440_587.5 + 1_403_099_712 / 86_400)! / 10) * 10, JUNE);
  for (const none of [null, 0, -1, 0.5, 1e300]) equal(convertJulianDay(none), null);
});

Deno.test("reads dates in the formats of many languages", () => {
  const cases: [string, number | null, string, string][] = [
    ["18/06/2014  15:55:27", null, "20140618", "15:55:27"],
    ["11/25/2025  4:13:17 PM", null, "20251125", "16:13:17"],
    // Both readings exist: the one nearer to the time in UTC counts.
    ["3/7/2025  2:38:00 PM", Date.UTC(2025, 2, 7, 19), "20250307", "14:38:00"],
    ["3/7/2025  2:38:00 PM", Date.UTC(2025, 6, 3, 19), "20250703", "14:38:00"],
    ["7/3/2025  14:38:00", Date.UTC(2025, 6, 3, 19), "20250703", "14:38:00"],
    // Without it a clock of twelve hours is American, another one not.
    ["3/7/2025  2:38:00 PM", null, "20250307", "14:38:00"],
    ["3/7/2025  14:38:00", null, "20250703", "14:38:00"],
    ["18.6.2014 15:55:27", null, "20140618", "15:55:27"],
    ["18. 6. 2014 15:55:27", null, "20140618", "15:55:27"],
    ["2014-06-18 15:55:27", null, "20140618", "15:55:27"],
    ["2014/6/18 15:55", null, "20140618", "15:55:00"],
    ["18-Jun-14 3:55:27 PM", null, "20140618", "15:55:27"],
    ["18-Jun-98 12:05:27 AM", null, "19980618", "00:05:27"],
    ["18 June 2014 15:55:27", null, "20140618", "15:55:27"],
    // "Afternoon" and "before noon" precede the time.
    ["2014/6/18 \u4e0b\u5348 03:55:27", null, "20140618", "15:55:27"],
    ["2014/6/18 \u4e0a\u5348 12:05:27", null, "20140618", "00:05:27"],
    ["2014. 6. 18. \uc624\ud6c4 3:55:27", null, "20140618", "15:55:27"],
    ["2014-06-18 \uc624\uc804 3:55:27", null, "20140618", "03:55:27"],
    ["2014/06/18 \u5348\u5f8c 3:55", null, "20140618", "15:55:00"],
    ["18/06/2014 03:55:27 p. m.", null, "20140618", "15:55:27"],
    ["18/06/2014", null, "20140618", ""],
    ["no date", JUNE, "20140618", "13:55:12"],
    ["31/02/2014  15:55:27", JUNE, "20140618", "13:55:12"],
    ["no date", null, "", ""],
  ];
  for (const [text, utc, date, time] of cases) deepEqual(readWallClock(text, utc), { date, time }, text);
  deepEqual(readWallClock(null, JUNE), { date: "20140618", time: "13:55:12" });
});

Deno.test("any text gives a calendar date or none, in linear time", () => {
  const parts = fc.constantFrom("1", "12", "2014", "/", "-", ".", " ", ":", "PM", "Jun", "x", "\0", "   ");
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 400 }), fc.option(fc.double()), (words, utc) => {
      const { date, time } = readWallClock(
        words.join(""),
        Number.isFinite(utc) && Math.abs(utc!) < 8e15 ? utc : null,
      );
      equal(/^(\d{8})?$/.test(date) && /^(\d\d:\d\d:\d\d)?$/.test(time), true);
    }),
    { numRuns: 1000, seed: 2 },
  );
  readWallClock("1" + " ".repeat(1 << 20), null);
});
