import { doesNotThrow, throws } from "node:assert/strict";
import { NO_PROPERTIES } from "./image_properties.ts";
import { checkGeometry } from "./main_image.ts";

Deno.test("bytes that are whole rows of the intended count, and none of the stated width, are refused", () => {
  const layout = { lineScan: true, rows: 6, warnings: [] };
  const geometry = { width: 3, height: 8, depth: 2, rgb: false, colorType: "" };
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
