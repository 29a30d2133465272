/** Colours, time stamps, events, drawings and scan information of LSM files. */
import { deepEqual, throws } from "node:assert/strict";
import { concat, doubles, latin1, words } from "../../tests/fixtures/bytes.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import { FileAccess } from "../io/file_access.ts";
import { UNDATED } from "../metadata/moment.ts";
import { TiffFile } from "../tiff/tiff_file.ts";
import {
  collectRecording,
  readChannelColors,
  readDrawings,
  readEvents,
  readLsmStamps,
  readScanInformation,
  startMoment,
} from "./parts.ts";

/** Reads a part after the eight bytes of the header of a TIFF. */
function at<T>(read: (tiff: TiffFile, offset: number) => T, ...parts: readonly Uint8Array[]): T {
  const bytes = concat(latin1("II*\0"), words(0), ...parts);
  return read(new TiffFile(new DecodedBytes(bytes, "the file"), new FileAccess()), 8);
}

Deno.test("reads colours and names with and without a count", () => {
  // The block of a real file: 53 bytes, one red channel called ChS1.
  const real = [words(53, 1, 1, 40, 44, 0), zeros(16), words(0xff, 5), latin1("ChS1\0")];
  deepEqual(at(readChannelColors, ...real), { colors: ["#ff0000"], names: ["ChS1"] });
  const old = [words(36, 2, 2, 20, 28), latin1("\0\xff\x80\0\0\0\0\0Ch1\0Ch2\0")];
  deepEqual(at(readChannelColors, ...old), { colors: ["#00ff80", "#ffffff"], names: ["Ch1", "Ch2"] });
  // A block that ends with its colours, and as many names as there may be, of four bytes each.
  const bare = [words(24, 1, 0, 20, 24), latin1("\x01\x02\x03\0")];
  deepEqual(at(readChannelColors, ...bare), { colors: ["#010203"], names: [] });
  const most = at(readChannelColors, words(4020, 0, 1000, 20, 20), latin1("abc\0".repeat(1000)));
  deepEqual([most.names.length, most.names.at(-1)], [1000, "abc"]);
  const few = [words(28, 0, 3, 20, 20, 4), latin1("Ch1\0")];
  deepEqual(at(readChannelColors, ...few), { colors: [], names: ["Ch1"] });
});

Deno.test("bounds the number of time stamps", () => {
  const stamps = at(readLsmStamps, words(32, 3), doubles(5, 5.5, 7));
  deepEqual([...stamps], [5, 5.5, 7]);
  throws(() => at(readLsmStamps, words(8 + 8 * 1_048_577, 1_048_577)), /are 1048577 in/);
});

Deno.test("events have a time and a text", () => {
  const first = [words(20), doubles(1.5), words(3), latin1("abc\0")];
  deepEqual(at(readEvents, words(60, 2), ...first, words(16), doubles(2), words(4)), [
    { seconds: 1.5, type: 3, text: "abc" },
    { seconds: 2, type: 4, text: "" },
  ]);
  for (const size of [15, 5_000_000]) {
    const message = `event 0 at 16 has ${size} bytes`;
    throws(() => at(readEvents, words(60, 1, size), doubles(1), words(3)), { message });
  }
});

const zeros = (count: number) => new Uint8Array(count);

/** An element with 188 to 204 bytes before its geometry. */
const element = (shape: number, head: number, ...points: number[]) =>
  concat(
    words(shape, head + 4 + 8 * points.length),
    zeros(head - 8),
    words(points.length / 2),
    doubles(...points),
  );

const list = (count: number, ...elements: Uint8Array[]) => {
  const inside = concat(...elements);
  return concat(words(count, 200 + inside.length), zeros(192), inside);
};

const read = (...parts: Uint8Array[]) => at((tiff, offset) => readDrawings(tiff, offset, "Roi"), ...parts);

Deno.test("reads points at the end of an element, whatever precedes them", () => {
  for (const head of [188, 196, 200, 204]) {
    deepEqual(read(list(2, element(14, head, 1.5, 2, 30, 40), element(21, head, 1, 1, 2, 3, 4, 4))), [
      { shape: "line", points: [[1.5, 2], [30, 40]] },
      { shape: "open polyline", points: [[1, 1], [2, 3], [4, 4]] },
    ]);
  }
});

Deno.test("texts and unknown shapes have no points", () => {
  deepEqual(read(list(2, element(13, 200, 1, 2, 3, 4), element(99, 200, 1, 2, 3, NaN))), [
    { shape: "text", points: [] },
    { shape: "99", points: [] },
  ]);
  deepEqual(read(list(0)), []);
});

Deno.test("rejects lists and elements outside the file", () => {
  throws(() => read(words(1, 199), zeros(192)), /has 1 elements in 199 bytes/);
  throws(() => read(words(1, 4_194_305), zeros(400)), /in 4194305 bytes/);
  throws(() => read(words(1, 4_000_000), zeros(400)), /ends after the file/);
  throws(() => read(list(2, element(14, 200, 1, 2, 3, 4))), /element 1 of Roi at 444 has 0 bytes of 0/);
  throws(
    () => read(list(1, words(14, 163), zeros(200))),
    /element 0 of Roi at 208 has 163 bytes of 208/,
  );
});

const open = (id: number) => words(id, 0, 0);
const close = words(0xffff_ffff, 0, 0);
const long = (id: number, value: number) => words(id, 4, 4, value);
const real = (id: number, value: number) => concat(words(id, 5, 8), doubles(value));
const text = (id: number, value: string) => concat(words(id, 2, value.length + 1), latin1(`${value}\0`));

const scan = (...parts: readonly Uint8Array[]) => at(readScanInformation, ...parts);

/** A track with a channel. */
const track = (acquired: number, seconds: number, name: string, pixelTime = 0) => [
  open(0x4000_0000),
  long(0x4000_0006, acquired),
  real(0x4000_000b, seconds),
  real(0x4000_0019, pixelTime),
  open(0xc000_0000),
  open(0xd000_0000),
  text(0xd000_0001, name),
  close,
  close,
  close,
];

Deno.test("reads a tree of entries, without the values of unknown types", () => {
  deepEqual(scan(open(0x1000_0000), text(0x1000_0001, "a\xb5"), words(9, 77, 4, 1), close), {
    id: 0x1000_0000,
    value: null,
    entries: [
      { id: 0x1000_0001, value: "a\u00b5", entries: [] },
      { id: 9, value: null, entries: [] },
    ],
  });
});

Deno.test("takes times and names from acquired tracks", () => {
  const tree = scan(
    open(0x1000_0000),
    real(0x1000_0036, 5.5),
    long(0x1000_0013, 1),
    open(0x2000_0000),
    ...track(0, 1, "unused", 9.5),
    ...track(-1, 0, "one", 1.5),
    ...track(1, 0.5, "two", 2.5),
    close,
    close,
  );
  deepEqual(collectRecording(tree), {
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
  deepEqual(collectRecording(scan(open(0x1000_0000), real(0x1000_0036, NaN), close)), empty);
});

Deno.test("rejects a tree that is too deep, too large or unterminated", () => {
  throws(() => scan(open(0x2000_0000), close), /at 8 is not a recording/);
  throws(() => scan(open(0x1000_0000), long(1, 2)), /ends after the file/);
  const blocks = (count: number) => [open(0x1000_0000), ...Array.from({ length: count }, () => open(7))];
  throws(() => scan(...blocks(16)), /nests more than 16 blocks/);
  throws(() => scan(...blocks(15)), /ends after the file/);
  throws(() => scan(open(0x1000_0000), words(1, 2, 5_000_000)), /more than 4194304 bytes/);
  deepEqual(scan(open(0x1000_0000), close).entries, []);
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
