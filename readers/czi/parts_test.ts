import fc from "fast-check";
import { equal } from "node:assert/strict";
import { StopFlag } from "../io/stop_flag.ts";
import { countCoveredPixels } from "./plane_plan.ts";

const AREA = fc.integer({ min: 0, max: 20 });
const SIDE = fc.integer({ min: 1, max: 12 });

Deno.test("counts pixels under several tiles once", () => {
  const tiles = fc.array(fc.record({ x: AREA, y: AREA, width: SIDE, height: SIDE }), { maxLength: 12 });
  const lines = fc.array(fc.record({ x: fc.constant(3), y: AREA, width: fc.constant(7), height: AREA }));
  fc.assert(
    fc.property(fc.oneof(tiles, lines), (tiles) => {
      const pixels = new Set(
        tiles.flatMap(({ x, y, width, height }) =>
          Array.from({ length: width * height }, (_, i) => 100 * (y + Math.floor(i / width)) + x + i % width)
        ),
      );
      equal(countCoveredPixels(tiles, new StopFlag()), pixels.size);
    }),
    { numRuns: 1000, seed: 3 },
  );
});
