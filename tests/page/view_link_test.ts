import assert from "node:assert/strict";
import fc from "fast-check";
import { makeViewLink, parseViewLink } from "../../static/demo/v2/opening/view_link.ts";

const view = (path: string, scene = 0, t = 0, z = 0, l = 0) => ({ path, scene, position: { t, z, l } });

Deno.test("a link has path, scene and position, without zeros", () => {
  assert.equal(makeViewLink(view("/data/scan.oir")), "#path=/data/scan.oir");
  assert.equal(makeViewLink(view("/data/a b.tif", 2, 7, 1)), "#path=/data/a+b.tif&scene=2&t=7&z=1");
  assert.deepEqual(parseViewLink("#path=/data/scan.oir&scene=1&t=3"), view("/data/scan.oir", 1, 3));
  assert.deepEqual(parseViewLink("#path=%2Fdata%2Fa%20b.tif"), view("/data/a b.tif"));
});

Deno.test("the page reads the link that the server prints for a file of the command line", () => {
  // The same link as in tests/dialogs/default_browser_test.ts.
  assert.deepEqual(parseViewLink("#path=/data/a+scan+%231+%2B+%C3%A4.oir"), view("/data/a scan #1 + ä.oir"));
});

Deno.test("a link has the typed calibration, and no invalid one", () => {
  const typed = {
    time: "rows" as const,
    secondsPerLine: 0.002,
    micrometresPerPixel: 0.5,
    secondsPerPixel: 2e-6,
    textFile: "a scan.txt",
  };
  const link = "#path=/a.tif&line-scan=rows,0.002,0.5,0.000002&text-file=a+scan.txt";
  assert.equal(makeViewLink({ ...view("/a.tif"), typed }), link);
  assert.deepEqual(parseViewLink(link), { ...view("/a.tif"), typed });
  for (const text of ["", "rows", "rows,0,1", "rows,1,-1", "lines,1,1", "rows,x,1", "rows,1,1,-1"]) {
    assert.deepEqual(parseViewLink(`#path=/a.tif&line-scan=${text}`), view("/a.tif"), text);
  }
});

Deno.test("invalid links are null, invalid indices are 0", () => {
  for (const hash of ["", "#", "#x", "#path=", "#path=%20", "#scene=1"]) {
    assert.equal(parseViewLink(hash), null, hash);
  }
  assert.deepEqual(parseViewLink("#path=/a&scene=-1&t=1.5&z=1e3&l=99999999999"), view("/a"));
});

Deno.test("every view survives a round trip through its link", () => {
  const index = fc.nat({ max: 999_999_999 });
  const path = fc.string({ unit: "grapheme", minLength: 1 }).filter((path) => path.trim() !== "");
  fc.assert(
    fc.property(path, index, index, index, index, (path, scene, t, z, l) => {
      assert.deepEqual(parseViewLink(makeViewLink(view(path, scene, t, z, l))), view(path, scene, t, z, l));
    }),
    { numRuns: 1000, seed: 6 },
  );
});
