/** Names by which tables tell bands and rectangles apart. */
import { deepEqual, equal } from "node:assert/strict";
import { listImageParts } from "../../static/measure/image_parts.ts";
import { freeName } from "../../static/measure/free_name.ts";
import { listInWords } from "../../static/measure/word_list.ts";
import { makeNamesDistinct } from "../../static/measure/part_names.ts";
import { type Region, selectBands } from "../../static/demo/v2/drawing/region.ts";

Deno.test("parts of one name get a number, unnamed ones their kind and a number", () => {
  const cases: readonly (readonly [(string | undefined)[], string[]])[] = [
    [["cell", "cell", "cell"], ["cell", "cell (2)", "cell (3)"]],
    [["cell", "cell", "cell (2)"], ["cell", "cell (3)", "cell (2)"]],
    [[undefined, "a", "", " "], ["Band 1", "a", "Band 2", "Band 3"]],
    [["Band 1", undefined], ["Band 1", "Band 1 (2)"]],
  ];
  for (const [names, distinct] of cases) deepEqual(makeNamesDistinct(names, "Band"), distinct);
});

const band = (id: string, name: string): Region => ({
  id,
  kind: "band",
  name,
  color: "#fff",
  ends: [{ x: null, y: 2 }, { x: null, y: 9 }],
});

Deno.test("bands of the page have distinct names, and stay the same objects", () => {
  const regions = [band("a", "cell"), band("b", "cell"), band("c", "")];
  const found = selectBands(regions);
  deepEqual(found.map(({ name }) => name), ["cell", "cell (2)", "Band 1"]);
  selectBands(regions).forEach((one, i) => deepEqual(one === found[i], true));
  deepEqual(selectBands([regions[1]!]).map(({ name }) => name), ["cell"]);
});

Deno.test("rectangles have distinct names, and their corners may be swapped", () => {
  const places = [[[2, 3], [6, 9]], [[6, 9], [2, 3]], [[6, 3], [2, 9]]] as const;
  const regions = places.map(([start, stop], i) => ({ id: `${i}`, type: "rectangle", start, stop }));
  const named = regions.map((region, i) => i < 2 ? { ...region, name: "cell" } : region);
  deepEqual(listImageParts({ regions: named }), [
    { id: "", name: "whole image", place: null },
    { id: "0", name: "cell", place: { start: [2, 3], stop: [6, 9] } },
    { id: "1", name: "cell (2)", place: { start: [2, 3], stop: [6, 9] } },
    { id: "2", name: "Rectangle 1", place: { start: [2, 3], stop: [6, 9] } },
  ]);
});

Deno.test("takes the first free name", () => {
  const taken = new Set(["a", "a 2", "b"]);
  const isTaken = (name: string) => taken.has(name);
  deepEqual(["c", "a", "b"].map((name) => freeName(name, isTaken)), ["c", "a 3", "b 2"]);
  equal(freeName("b", isTaken, (n) => `b-${n}`), "b-2");
});

Deno.test("lists words in a sentence", () => {
  const lists = [[], ["A"], ["A", "B"], ["A", "B", "C"], ["A", "B", "C", "D", "E"]];
  deepEqual(lists.map((words) => listInWords(words)), [
    "",
    "A",
    "A and B",
    "A, B and C",
    "A, B, C, D and E",
  ]);
  equal(listInWords(lists[4]!, 3), "A, B, C and 2 more");
});
