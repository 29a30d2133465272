import assert from "node:assert/strict";
import fc from "fast-check";
import { pathPoints } from "../../static/client/v2/acq-client.ts";
import { findColumnNear, placeOfColumn } from "../../static/demo/v2/picture/scan_path.ts";

Deno.test("takes the path from scanPath, else from lineRoi", () => {
  const lineRoi = [1, 2, 3, 4];
  const line = [{ x: 1, y: 2 }, { x: 3, y: 4 }];
  assert.deepEqual(pathPoints({ lineRoi, scanPath: { x: [5, 6, 7], y: [8, 9, 10] } })[2], { x: 7, y: 10 });
  assert.deepEqual(pathPoints({ lineRoi, scanPath: { x: [5], y: [8, 9] } }), line);
  assert.deepEqual(pathPoints({ lineRoi, scanPath: { x: [], y: [] } }), line);
  assert.deepEqual(pathPoints({ lineRoi, scanPath: null }), line);
  assert.deepEqual(pathPoints({ lineRoi: [1, 2, 3], scanPath: null }), []);
  assert.deepEqual(pathPoints({ lineRoi: null }), []);
  assert.deepEqual(pathPoints({}), []);
  assert.deepEqual(pathPoints(null), []);
});

Deno.test("columns are spread from the start of the path to its end", () => {
  const points = [{ x: 100, y: 20 }, { x: 30, y: 110 }];
  assert.deepEqual(placeOfColumn(points, 64, 0), { x: 100, y: 20 });
  assert.deepEqual(placeOfColumn(points, 64, 63), { x: 30, y: 110 });
  // A third of the way: 21 of 63.
  const third = placeOfColumn(points, 64, 21);
  assert(Math.hypot(third.x - (100 - 70 / 3), third.y - 50) < 1e-9);
  // Over a bent path by length: 5 pixels, then 10; column 10 of 0 to 15 lies 5 pixels into the second part.
  const bent = [{ x: 0, y: 0 }, { x: 3, y: 4 }, { x: 3, y: 14 }];
  assert.deepEqual(placeOfColumn(bent, 16, 10), { x: 3, y: 9 });
  // With one point per column one to one.
  const each = [{ x: 0, y: 0 }, { x: 1, y: 0 }, { x: 9, y: 0 }];
  assert.deepEqual(placeOfColumn(each, 3, 1), { x: 1, y: 0 });
  assert.equal(findColumnNear(each, 3, { x: 2, y: 1 }).column, 1);
});

Deno.test("finds the nearest column and its distance for a place beside the path", () => {
  const points = [{ x: 0, y: 0 }, { x: 10, y: 0 }];
  assert.deepEqual(findColumnNear(points, 11, { x: 4, y: 3 }), { column: 4, distance: 3 });
  assert.deepEqual(findColumnNear(points, 11, { x: 14, y: 3 }), { column: 10, distance: 5 });
});

Deno.test("finds the place of a column on repeated and single points", () => {
  const still = [{ x: 5, y: 5 }, { x: 5, y: 5 }];
  assert.deepEqual(placeOfColumn(still, 8, 3), { x: 5, y: 5 });
  assert.equal(findColumnNear(still, 8, { x: 5, y: 7 }).distance, 2);
  assert.deepEqual(placeOfColumn([{ x: 1, y: 2 }], 8, 7), { x: 1, y: 2 });
});

Deno.test("the place of a column lies on the path", () => {
  const coordinate = fc.integer({ min: 0, max: 127 });
  const points = fc.array(fc.record({ x: coordinate, y: coordinate }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(points, fc.integer({ min: 1, max: 300 }), fc.nat(299), (path, columns, wanted) => {
      const column = wanted % columns;
      const place = placeOfColumn(path, columns, column);
      assert(findColumnNear(path, columns, place).distance < 1e-6);
    }),
    { numRuns: 1000, seed: 6 },
  );
});
