import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { coveredPixels, coveredRows } from "./coverage.ts";

Deno.test("pixels under tiles are counted once", () => {
  const tile = fc.record({
    x: fc.integer({ min: 0, max: 20 }),
    y: fc.integer({ min: 0, max: 20 }),
    width: fc.integer({ min: 1, max: 12 }),
    height: fc.integer({ min: 1, max: 12 }),
  });
  fc.assert(
    fc.property(fc.array(tile, { maxLength: 12 }), (tiles) => {
      const pixels = new Set(
        tiles.flatMap(({ x, y, width, height }) =>
          Array.from({ length: width * height }, (_, i) => 100 * (y + Math.floor(i / width)) + x + i % width)
        ),
      );
      equal(coveredPixels(tiles), pixels.size);
    }),
    { numRuns: 1000, seed: 3 },
  );
});

Deno.test("rows under tiles of the plane's width are counted once", () => {
  const tile = fc.record({ y: fc.integer({ min: 0, max: 30 }), height: fc.integer({ min: 0, max: 12 }) });
  fc.assert(
    fc.property(fc.array(tile, { maxLength: 9 }), fc.integer({ min: 1, max: 40 }), (tiles, rows) => {
      const under = Array.from({ length: rows }, (_, row) => row)
        .filter((row) => tiles.some(({ y, height }) => row >= y && row < y + height));
      equal(coveredRows(tiles, rows), under.length);
    }),
    { numRuns: 1000, seed: 4 },
  );
});

Deno.test("a plane of many tiles", () => {
  const tiles = Array.from({ length: 40_000 }, (_, i) => ({
    x: 10 * (i % 200),
    y: 10 * Math.floor(i / 200),
    width: 10,
    height: 9,
  }));
  deepEqual(coveredPixels(tiles), 2000 * 1800);
});
