/** Colours, time stamps, events and drawings of LSM files. */
import { deepEqual, throws } from "node:assert/strict";
import { packed, PART_AT, tiffWith } from "../../tests/fixtures/lsm_parts.ts";
import { readChannelColors, readDrawings, readEvents, readTimeStamps } from "./parts.ts";

const at = <T>(read: (tiff: ReturnType<typeof tiffWith>, offset: number) => T, bytes: Uint8Array): T =>
  read(tiffWith(bytes), PART_AT);

Deno.test("reads colours and names with and without a count", () => {
  // The block of a real file: 53 bytes, one red channel called ChS1.
  const real = packed(["i", 53, 1, 1, 40, 44, 0], "\0".repeat(16), "\xff\0\0\0", ["u", 5], "ChS1\0");
  deepEqual(at(readChannelColors, real), { colors: ["#ff0000"], names: ["ChS1"] });
  const old = packed(["i", 36, 2, 2, 20, 28], "\0\xff\x80\0", "\0\0\0\0", "Ch1\0Ch2\0");
  deepEqual(at(readChannelColors, old), { colors: ["#00ff80", "#ffffff"], names: ["Ch1", "Ch2"] });
  // A block that ends with its colours, and as many names as there may be, of four bytes each.
  const bare = packed(["i", 24, 1, 0, 20, 24], "\x01\x02\x03\0");
  deepEqual(at(readChannelColors, bare), { colors: ["#010203"], names: [] });
  const most = at(readChannelColors, packed(["i", 4020, 0, 1000, 20, 20], "abc\0".repeat(1000)));
  deepEqual([most.names.length, most.names.at(-1)], [1000, "abc"]);
  const few = packed(["i", 28, 0, 3, 20, 20], ["u", 4], "Ch1\0");
  deepEqual(at(readChannelColors, few), { colors: [], names: ["Ch1"] });
});

Deno.test("bounds the number of time stamps", () => {
  const stamps = at(readTimeStamps, packed(["i", 32, 3], ["d", 5, 5.5, 7]));
  deepEqual([...stamps], [5, 5.5, 7]);
  throws(() => at(readTimeStamps, packed(["i", 8 + 8 * 1_048_577, 1_048_577])), /are 1048577 in/);
});

Deno.test("events have a time and a text", () => {
  const events = packed(["u", 60, 2, 20], ["d", 1.5], ["u", 3], "abc\0", ["u", 16], ["d", 2], ["u", 4]);
  deepEqual(at(readEvents, events), [{ seconds: 1.5, type: 3, text: "abc" }, {
    seconds: 2,
    type: 4,
    text: "",
  }]);
  throws(() => at(readEvents, packed(["u", 60, 1, 15], ["d", 1], ["u", 3])), /event 0 at 16 has 15 bytes/);
  throws(
    () => at(readEvents, packed(["u", 60, 1, 5_000_000], ["d", 1], ["u", 3])),
    /event 0 at 16 has 5000000 bytes/,
  );
});

const zeros = (count: number) => "\0".repeat(count);

/** An element with 188 to 204 bytes before its geometry. */
const element = (shape: number, head: number, ...points: number[]) =>
  packed(["i", shape, head + 4 + 8 * points.length], zeros(head - 8), ["i", points.length / 2], [
    "d",
    ...points,
  ]);

const list = (count: number, ...elements: Uint8Array[]) => {
  const size = elements.reduce((sum, { length }) => sum + length, 200);
  return Uint8Array.from([
    ...packed(["i", count, size], zeros(192)),
    ...elements.flatMap((bytes) => [...bytes]),
  ]);
};

const read = (bytes: Uint8Array) => readDrawings(tiffWith(bytes), PART_AT, "Roi");

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
  throws(() => read(packed(["i", 1, 199], zeros(192))), /has 1 elements in 199 bytes/);
  throws(() => read(packed(["i", 1, 4_194_305], zeros(400))), /in 4194305 bytes/);
  throws(() => read(packed(["i", 1, 4_000_000], zeros(400))), /ends after the file/);
  throws(() => read(list(2, element(14, 200, 1, 2, 3, 4))), /element 1 of Roi at 444 has 0 bytes of 0/);
  throws(
    () => read(list(1, packed(["i", 14, 163], zeros(200)))),
    /element 0 of Roi at 208 has 163 bytes of 208/,
  );
});
