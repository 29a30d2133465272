/** Colours, time stamps, events and drawings of LSM files. */
import { deepEqual, throws } from "node:assert/strict";
import { packed, PART_AT, tiffWith } from "../../tests/fixtures/lsm_parts.ts";
import { readDrawings, readEvents } from "./parts.ts";

const at = <T>(read: (tiff: ReturnType<typeof tiffWith>, offset: number) => T, bytes: Uint8Array): T =>
  read(tiffWith(bytes), PART_AT);

Deno.test("events have a time and a text", () => {
  const events = packed(["u", 60, 2, 20], ["d", 1.5], ["u", 3], "abc\0", ["u", 16], ["d", 2], ["u", 4]);
  deepEqual(at(readEvents, events), [{ seconds: 1.5, type: 3, text: "abc" }, {
    seconds: 2,
    type: 4,
    text: "",
  }]);
  throws(() => at(readEvents, packed(["u", 60, 65_536])), /are 65536, more than 65535/);
  throws(() => at(readEvents, packed(["u", 60, 1, 15], ["d", 1], ["u", 3])), /event 0 at 16 has 15 bytes/);
  throws(
    () => at(readEvents, packed(["u", 60, 1, 1 << 17], ["d", 1], ["u", 3])),
    /event 0 at 16 has 131072 bytes/,
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

Deno.test("points are at the end of an element, whatever precedes them", () => {
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

Deno.test("lists and elements outside of the file are refused", () => {
  throws(() => read(packed(["i", 1, 199], zeros(192))), /has 1 elements in 199 bytes/);
  throws(() => read(packed(["i", 10_001, 400], zeros(400))), /has 10001 elements/);
  throws(() => read(packed(["i", 1, 4_194_305], zeros(400))), /in 4194305 bytes/);
  throws(() => read(packed(["i", 1, 4_000_000], zeros(400))), /ends after the file/);
  throws(() => read(list(2, element(14, 200, 1, 2, 3, 4))), /element 1 of Roi at 444 has 0 bytes of 0/);
  throws(
    () => read(list(1, packed(["i", 14, 163], zeros(200)))),
    /element 0 of Roi at 208 has 163 bytes of 208/,
  );
});
