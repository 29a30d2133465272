import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { scanMoment } from "./scan_date.ts";

const TIME = "14:18:24.0593086";

Deno.test("the day is that of the document, the time that of the sequence, cut to seconds", () => {
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
    // Day first, or in which order cannot be told.
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

Deno.test("every day that a US system writes is read, and no other text gives a day that does not exist", () => {
  const days = fc.date({ min: new Date("1990-01-01"), max: new Date("2090-01-01"), noInvalidDate: true });
  fc.assert(fc.property(days, (day) => {
    const [year, month, date] = day.toISOString().slice(0, 10).split("-");
    const { date: read } = scanMoment(`${Number(month)}/${Number(date)}/${year} 1:02:03 AM`, "01:02:03.5");
    equal(read, `${year}${month}${date}`);
  }));
  fc.assert(fc.property(fc.string(), fc.string(), (date, time) => {
    const { date: day, time: clock } = scanMoment(date, time);
    equal(/^(?:\d{8})?$/.test(day) && /^(?:\d\d:\d\d:\d\d)?$/.test(clock), true);
  }));
});
