import { equal } from "node:assert/strict";
import { strayTag } from "./tags.ts";

Deno.test("a tag without a name is a stray where it breaks the ascending order", () => {
  const cases: [number[], number | undefined][] = [
    [[256, 257, 258, 259, 273, 34412], undefined],
    // 270 with one bit changed: 2578 and 14 break the order, 271 and 33038 behind all others do not.
    [[256, 2578, 273], 2578],
    [[256, 14, 273], 14],
    [[256, 271, 273], undefined],
    [[256, 33038, 273], 33038],
    [[256, 273, 33038], undefined],
    [[256, 2578], undefined],
    // Private tags in an order of their own, and named ones out of order, as some programs write them.
    [[256, 51123, 50838], undefined],
    [[256, 339, 320], undefined],
    [[256, 348], undefined],
    [[256, 348, 347], 348],
    [[254, 253], 253],
    [[], undefined],
  ];
  for (const [tags, stray] of cases) equal(strayTag(tags), stray, tags.join());
});
