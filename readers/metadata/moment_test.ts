import { deepEqual } from "node:assert/strict";
import { firstMoment, hourOf, moment, momentOf, UNDATED } from "./moment.ts";

Deno.test("dates with the year first, and none that no calendar has", () => {
  deepEqual(momentOf("2010:03:05 12:08:52"), { date: "20100305", time: "12:08:52" });
  deepEqual(momentOf("2013-01-15T17:02:40.123Z"), { date: "20130115", time: "17:02:40" });
  deepEqual(momentOf("2018-10-03 13:54:41 -0700"), { date: "20181003", time: "13:54:41" });
  deepEqual(momentOf("2021-02-03"), { date: "20210203", time: "" });
  deepEqual(momentOf("0000:00:00 00:00:00"), UNDATED);
  deepEqual(momentOf("2020:13:01 00:00:00"), UNDATED);
  deepEqual(momentOf("20200102 03:04:05.678"), { date: "20200102", time: "03:04:05" });
  deepEqual(momentOf("2021:02:29 00:00:00"), UNDATED);
  deepEqual(momentOf("2020:02:29 00:00:00"), { date: "20200229", time: "00:00:00" });
  deepEqual(momentOf(undefined), UNDATED);
  deepEqual(momentOf("2025-13-45T99:99:99"), UNDATED);
  deepEqual(momentOf("2025-12-31T99:99:99"), { date: "20251231", time: "" });
  // A day count of a damaged MetaMorph file can lead to a year of five digits.
  deepEqual(moment([17_000, 3, 5]), UNDATED);
});

Deno.test("the first and the last of each part of a date, and what lies beyond", () => {
  const one = [2000, 1, 1] as const;
  for (const [year, month, day] of [[1900, 1, 1], [9999, 12, 31], [2000, 4, 30], [2000, 2, 29]] as const) {
    const two = (part: number) => String(part).padStart(2, "0");
    deepEqual(moment([year, month, day]), { date: `${year}${two(month)}${two(day)}`, time: "" });
  }
  const none = [[1899, 12, 31], [10_000, 1, 1], [2000, 0, 1], [2000, 13, 1], [2000, 1, 0], [2000, 4, 31], [
    1900,
    2,
    29,
  ]] as const;
  for (const date of none) deepEqual(moment(date), UNDATED);
  // A leap second is the sixtieth.
  deepEqual(moment(one, [0, 0, 0]).time, "00:00:00");
  deepEqual(moment(one, [23, 59, 60]).time, "23:59:60");
  for (const time of [[24, 0, 0], [0, 60, 0], [0, 0, 61]] as const) deepEqual(moment(one, time).time, "");
});

Deno.test("the first moment that is known counts", () => {
  const [one, two] = [momentOf("2020-01-02"), momentOf("2021-01-02")];
  deepEqual(firstMoment(UNDATED, one, two), one);
  deepEqual(firstMoment(UNDATED), UNDATED);
});

Deno.test("a clock of twelve hours", () => {
  deepEqual([["12", "AM"], ["1", "AM"], ["12", "PM"], ["11", "pm"]].map(([h, half]) => hourOf(h!, half)), [
    0,
    1,
    12,
    23,
  ]);
  deepEqual(hourOf("14", undefined), 14);
});
