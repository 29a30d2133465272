import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import type { TiffData } from "./ome_xml.ts";
import { PlaneLookup } from "./ome_planes.ts";

const PLACE = { name: null, uuid: null };

const dataOf = (first: number, count: number): TiffData => ({
  first,
  count,
  counted: true,
  directory: 0,
  place: PLACE,
});

const ranges = fc.array(fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 25 })), { maxLength: 30 });

Deno.test("finds the last of several TiffData for a plane", () => {
  fc.assert(
    fc.property(ranges, fc.nat({ max: 50 }), (written, planes) => {
      const data = written.map(([first, count]) => dataOf(first, count));
      const lookup = new PlaneLookup(data, planes);
      const held = [];
      for (let plane = 0; plane < planes; plane += 1) {
        const last = data.findLast(({ first, count }) => plane >= first && plane < first + count);
        equal(lookup.find(plane), last, `${plane}`);
        if (last) held.push([plane, last]);
      }
      const listed = [...lookup.ranges()].flatMap(({ first, end, data: one }) =>
        Array.from({ length: end - first }, (_, i) => [first + i, one])
      );
      deepEqual(listed, held);
    }),
    { numRuns: 1000, seed: 20_262 },
  );
});

Deno.test("finds no TiffData before the first plane or after the last", () => {
  const lookup = new PlaneLookup([dataOf(3, 2)], 10);
  deepEqual([2, 3, 4, 5, 9, 10].map((plane) => lookup.find(plane) !== undefined), [
    false,
    true,
    true,
    false,
    false,
    false,
  ]);
  equal(new PlaneLookup([], 10).find(0), undefined);
});
