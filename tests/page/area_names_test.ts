/** Where the names of areas stand in a picture. */
import assert from "node:assert/strict";
import { type Box, placeNames } from "../../static/demo/v2/drawing/area_names.ts";

/** Six pixels a letter, as a stand-in for a font. */
const measure = (text: string) => 6 * text.length;

const SIZE = { width: 200, height: 100 };

const box = (left: number, top: number, right: number, bottom: number): Box => ({ left, top, right, bottom });

/** Names with where they begin. */
const placed = (...areas: [box: Box, name: string, short?: string][]) =>
  placeNames(areas.map(([box, name, short = name]) => ({ box, name, short })), SIZE, measure)
    .map(({ text, at: [x, y] }) => [text, x, y]);

Deno.test("a name is above its area, at the upper edge of the picture below it", () => {
  assert.deepEqual(placed([box(20, 40, 60, 80), "Cell"]), [["Cell", 20, 30]]);
  assert.deepEqual(placed([box(20, 4, 60, 40), "Cell"]), [["Cell", 20, 50]]);
});

Deno.test("a name is inside an area that fills the picture", () => {
  assert.deepEqual(placed([box(0, 0, 200, 100), "Cell"]), [["Cell", 3, 10]]);
});

Deno.test("names of narrow neighbours are short if one has no place, and never touch", () => {
  const areas = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const left = 10 + 15 * i;
      return [box(left, 40, left + 10, 60), `Rectangle ${i + 1}`, `${i + 1}`] as [Box, string, string];
    });
  assert.deepEqual(placed(...areas(2)), [["Rectangle 1", 10, 30], ["Rectangle 2", 25, 70]]);
  assert.deepEqual(placed(...areas(4)), [["1", 10, 30], ["2", 25, 30], ["3", 40, 30], ["4", 55, 30]]);
  const own = areas(3).map(([box]) => [box, "Endothelium"] as [Box, string]);
  assert.deepEqual(placed(...own), [["Endothelium", 10, 30], ["Endothelium", 25, 70]]);
});

Deno.test("a name does not hide another area, but may lie in the one around its own", () => {
  const upper = box(20, 10, 120, 38);
  assert.deepEqual(placed([box(20, 40, 60, 60), "Cell"], [upper, "Upper"])[0], ["Cell", 20, 70]);
  const around = box(10, 10, 150, 90);
  assert.deepEqual(placed([box(20, 40, 60, 60), "Cell"], [around, "All"])[0], ["Cell", 20, 30]);
});

Deno.test("a name at the right edge of the picture ends there", () => {
  assert.deepEqual(placed([box(190, 40, 199, 60), "Cell"]), [["Cell", 176, 30]]);
});

Deno.test("areas out of view have no name, and neither have too many areas", () => {
  assert.deepEqual(placed([box(300, 40, 320, 60), "Outside"]), []);
  const many = Array.from({ length: 201 }, () => [box(20, 40, 60, 80), "Cell"] as [Box, string]);
  assert.deepEqual(placed(...many), []);
});
