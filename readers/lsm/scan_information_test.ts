import { deepEqual, equal, throws } from "node:assert/strict";
import { packed, PART_AT, tiffWith, type Written } from "../../tests/fixtures/lsm_parts.ts";
import { UNDATED } from "../metadata/moment.ts";
import { readScanInformation, recordingOf, startMoment } from "./parts.ts";

const open = (id: number): Written => ["u", id, 0, 0];
const close: Written = ["u", 0xffff_ffff, 0, 0];
const long = (id: number, value: number): Written[] => [["u", id, 4, 4], ["i", value]];
const real = (id: number, value: number): Written[] => [["u", id, 5, 8], ["d", value]];
const text = (
  id: number,
  value: string,
): (Written | string)[] => [["u", id, 2, value.length + 1], `${value}\0`];

const read = (...values: readonly (Written | string)[]) =>
  readScanInformation(tiffWith(packed(...values)), PART_AT);

/** A track with a channel. */
const track = (acquired: number, seconds: number, name: string, pixelTime = 0) => [
  open(0x4000_0000),
  ...long(0x4000_0006, acquired),
  ...real(0x4000_000b, seconds),
  ...real(0x4000_0019, pixelTime),
  open(0xc000_0000),
  open(0xd000_0000),
  ...text(0xd000_0001, name),
  close,
  close,
  close,
];

Deno.test("reads a tree of entries, without the values of unknown types", () => {
  deepEqual(read(open(0x1000_0000), ...text(0x1000_0001, "a\xb5"), ["u", 9, 77, 4, 1], close), {
    id: 0x1000_0000,
    value: null,
    entries: [
      { id: 0x1000_0001, value: "a\u00b5", entries: [] },
      { id: 9, value: null, entries: [] },
    ],
  });
});

Deno.test("takes times and names from acquired tracks", () => {
  const tree = read(
    open(0x1000_0000),
    ...real(0x1000_0036, 5.5),
    ...long(0x1000_0013, 1),
    open(0x2000_0000),
    ...track(0, 1, "unused", 9.5),
    ...track(-1, 0, "one", 1.5),
    ...track(1, 0.5, "two", 2.5),
    close,
    close,
  );
  deepEqual(recordingOf(tree), {
    start: startMoment(5.5),
    timeBetweenStacks: 0.5,
    pixelTime: 1.5,
    bidirectional: true,
    channelNames: ["one", "two"],
  });
  const empty = {
    start: UNDATED,
    timeBetweenStacks: null,
    pixelTime: null,
    bidirectional: null,
    channelNames: [],
  };
  deepEqual(recordingOf(read(open(0x1000_0000), ...real(0x1000_0036, NaN), close)), empty);
});

Deno.test("rejects a tree that is too deep, too large or unterminated", () => {
  throws(() => read(open(0x2000_0000), close), /at 8 is not a recording/);
  throws(() => read(open(0x1000_0000), ...long(1, 2)), /ends after the file/);
  const blocks = (count: number) => [open(0x1000_0000), ...Array.from({ length: count }, () => open(7))];
  throws(() => read(...blocks(16)), /nests more than 16 blocks/);
  throws(() => read(...blocks(15)), /ends after the file/);
  throws(() => read(open(0x1000_0000), ["u", 1, 2, 5_000_000]), /more than 4194304 bytes/);
  equal(read(open(0x1000_0000), close).entries.length, 0);
});

Deno.test("converts days since 1899-12-30 to a date and time", () => {
  // Of two real files, whose times are known from elsewhere.
  deepEqual(startMoment(41732.6559837963), { date: "20140403", time: "15:44:37" });
  deepEqual(startMoment(42888.651192129626), { date: "20170602", time: "15:37:43" });
  // 25569 days are 70 years of 365 days, 17 of 366 and two days in 1899.
  deepEqual(startMoment(25569), { date: "19700101", time: "00:00:00" });
});

Deno.test("gives no date for days outside the calendar", () => {
  for (const days of [null, 0, -5, NaN, Infinity, 1e300]) {
    deepEqual(startMoment(days), { date: "", time: "" });
  }
});
