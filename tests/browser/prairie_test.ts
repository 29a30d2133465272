/** A line scan of Prairie View in the viewer: names and axes of its document, the line in its source image, linked cursors. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

const SCAN = fileURLToPath(
  new URL(
    "../fixtures/prairie/LineScan-03142018-1454-2042/LineScan-03142018-1454-2042.xml",
    import.meta.url,
  ),
);

/** Of `write_files.py`: 40 lines of 33 pixels, along row 17 of a source image of 48 x 64 from column 11 to 43. */
const [SHAPE, SOURCE, FIRST, ROW] = [[40, 33] as const, [48, 64] as const, 11, 17];

test("a line scan of Prairie View shows its line, and the cursor is linked along it", async (viewer) => {
  const { page } = viewer;
  await viewer.open(SCAN);
  // 11.9239 ms between lines and 0.294118 um between pixels, as its document says.
  assert.match(await viewer.text("header"), /11\.92 ms\/line · 0\.2941 µm\/px · 40 lines/);
  const size = await viewer.box("#reference .plot");
  for (const column of [0, 16, 32]) {
    const { x, y, at } = await viewer.place("source", SHAPE, 20, column);
    await page.mouse.move(x, y);
    const ring = page.locator('#reference circle[stroke="#ff7a1a"]');
    const [cx, cy] = await Promise.all(
      ["cx", "cy"].map(async (name) => Number(await ring.getAttribute(name))),
    );
    const across = ((FIRST + at.column + 0.5) / SOURCE[1]) * size.width;
    const down = ((ROW + 0.5) / SOURCE[0]) * size.height;
    assert(Math.abs(cx! - across) < 0.1 && Math.abs(cy! - down) < 0.1, `ring at ${cx}, ${cy}`);
  }
  const onPath = await viewer.place("reference", SOURCE, ROW, FIRST + 20);
  await page.mouse.move(onPath.x, onPath.y);
  assert.match(await viewer.text("#reference .readout"), /→ line scan column (19|20|21)$/);
});
