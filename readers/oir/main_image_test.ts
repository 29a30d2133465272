import { doesNotThrow, throws } from "node:assert/strict";
import { NO_PROPERTIES } from "./image_properties.ts";
import { checkGeometry } from "./main_image.ts";

Deno.test("bytes that are whole rows of the intended count, and none of the stated width, are refused", () => {
  const layout = { lineScan: true, rows: 6 };
  const geometry = { width: 3, height: 8, depth: 2, rgb: false };
  const properties = { ...NO_PROPERTIES, axes: new Map([["TIMELAPSE", { maxSize: 10, step: null }]]) };
  const check = (...bytes: number[]) => () =>
    checkGeometry(layout, geometry, { bytes, stated: [geometry], properties });
  // A row of 3 samples has 6 bytes; 10 rows of samples of 2 bytes are a multiple of 20.
  throws(check(40, 60), /the stored bytes make 10 whole rows of another width/);
  throws(check(40, 120), /the stored bytes make 10 whole rows/);
  for (const fitting of [[60, 120], [40, 50], [36, 36]]) doesNotThrow(check(...fitting), `${fitting}`);
  // A channel without pixels makes no whole rows.
  doesNotThrow(check(40, 0));
});

Deno.test("what documents state counts only where the rows are not those that were intended", () => {
  const geometry = { width: 3, height: 8, depth: 2, rgb: false };
  const check = (rows: number, change: Partial<typeof NO_PROPERTIES>) => () =>
    checkGeometry({ lineScan: false, rows }, geometry, {
      bytes: [6 * rows],
      stated: [geometry],
      properties: { ...NO_PROPERTIES, ...change },
    });
  // A frame has 8 rows.
  for (const rows of [8, 9]) {
    for (const change of [{}, { width: 3, depths: [2] }]) doesNotThrow(check(rows, change));
  }
  for (const change of [{ width: 4 }, { depths: [1] }]) doesNotThrow(check(8, change));
  throws(check(9, { width: 4 }), /9 rows of 3 samples of 2 bytes .* in place of 8: .* state 4 columns$/);
  throws(check(9, { depths: [1] }), /in place of 8: the image properties state 1 bytes a sample$/);
});
