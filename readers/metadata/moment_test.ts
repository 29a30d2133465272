import { deepEqual } from "node:assert/strict";
import { buildMoment, chooseMoment, convertHour, findMoment, UNDATED } from "./moment.ts";

Deno.test("finds dates with the year first that exist in a calendar", () => {
  const cases: [string | undefined, string, string][] = [
    ["2010:03:05 12:08:52", "20100305", "12:08:52"],
    ["2013-01-15T17:02:40.123Z", "20130115", "17:02:40"],
    ["2018-10-03 13:54:41 -0700", "20181003", "13:54:41"],
    ["20200102 03:04:05.678", "20200102", "03:04:05"],
    ["2021-02-03", "20210203", ""],
    ["2025-12-31T99:99:99", "20251231", ""],
    ["2021:02:29 00:00:00", "", ""],
    ["0000:00:00 00:00:00", "", ""],
    [undefined, "", ""],
  ];
  for (const [text, date, time] of cases) deepEqual(findMoment(text), { date, time }, text);
});

Deno.test("accepts the first and last value of each part of a date, and none beyond", () => {
  const one = [2000, 1, 1] as const;
  for (const [year, month, day] of [[1900, 1, 1], [9999, 12, 31], [2000, 4, 30], [2000, 2, 29]] as const) {
    const two = (part: number) => String(part).padStart(2, "0");
    deepEqual(buildMoment([year, month, day]), { date: `${year}${two(month)}${two(day)}`, time: "" });
  }
  const before = [[1899, 12, 31], [2000, 0, 1], [2000, 1, 0]] as const;
  const after = [[10_000, 1, 1], [2000, 13, 1], [2000, 4, 31], [1900, 2, 29]] as const;
  for (const date of [...before, ...after]) deepEqual(buildMoment(date), UNDATED);
  // A leap second is the sixtieth.
  deepEqual(buildMoment(one, [0, 0, 0]).time, "00:00:00");
  deepEqual(buildMoment(one, [23, 59, 60]).time, "23:59:60");
  for (const time of [[24, 0, 0], [0, 60, 0], [0, 0, 61]] as const) {
    deepEqual(buildMoment(one, time).time, "");
  }
});

Deno.test("takes the first known moment", () => {
  const [one, two] = [findMoment("2020-01-02"), findMoment("2021-01-02")];
  deepEqual(chooseMoment(UNDATED, one, two), one);
  deepEqual(chooseMoment(UNDATED), UNDATED);
});

Deno.test("reads a twelve-hour clock", () => {
  const hours = [["12", "AM"], ["1", "AM"], ["12", "PM"], ["11", "pm"]].map(([h, half]) =>
    convertHour(h!, half)
  );
  deepEqual(hours, [0, 1, 12, 23]);
  deepEqual(convertHour("14", undefined), 14);
});
