import { deepEqual } from "node:assert/strict";
import { moment, momentOf, UNDATED } from "./stack.ts";

Deno.test("dates with the year first, and none that no calendar has", () => {
  deepEqual(momentOf("2010:03:05 12:08:52"), { date: "20100305", time: "12:08:52" });
  deepEqual(momentOf("2013-01-15T17:02:40.123Z"), { date: "20130115", time: "17:02:40" });
  deepEqual(momentOf("2018-10-03 13:54:41 -0700"), { date: "20181003", time: "13:54:41" });
  deepEqual(momentOf("2021-02-03"), { date: "20210203", time: "" });
  deepEqual(momentOf("0000:00:00 00:00:00"), UNDATED);
  deepEqual(momentOf("2020:13:01 00:00:00"), UNDATED);
  deepEqual(momentOf(undefined), UNDATED);
  // A day count of a damaged MetaMorph file can lead to a year of five digits.
  deepEqual(moment(17_000, 3, 5), UNDATED);
});
