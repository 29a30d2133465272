import { deepEqual } from "node:assert/strict";
import { startMoment } from "./start_time.ts";

Deno.test("days since 1899-12-30 are a date and a time", () => {
  // Of two real files, whose times are known from elsewhere.
  deepEqual(startMoment(41732.6559837963), { date: "20140403", time: "15:44:37" });
  deepEqual(startMoment(42888.651192129626), { date: "20170602", time: "15:37:43" });
  // 25569 days are 70 years of 365 days, 17 of 366 and two days in 1899.
  deepEqual(startMoment(25569), { date: "19700101", time: "00:00:00" });
});

Deno.test("no date is known of days that no calendar has", () => {
  for (const days of [null, 0, -5, NaN, Infinity, 1e300]) {
    deepEqual(startMoment(days), { date: "", time: "" });
  }
});
