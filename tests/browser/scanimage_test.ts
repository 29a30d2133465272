/** The page measures the true velocity of streaks in a ScanImage line scan, so its steps in time and space are right. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { saved, tableOf, unfold } from "./measuring_hand.ts";
import { viewerSuite } from "./suite.ts";
import { SCAN_LINES, SCAN_VELOCITY, scanImageLineScan } from "./scanimage_scan.ts";

const { test } = viewerSuite();

/** Lines per window. */
const WINDOW = 120;

const cases = [
  { name: "frames without a gap: one kymograph", frames: 3, gap: 0, lines: SCAN_LINES },
  { name: "frames with a gap: the first is shown", frames: 2, gap: 0.001, lines: SCAN_LINES / 2 },
] as const;

for (const { name, frames, gap, lines } of cases) {
  test(`velocity in a line scan of ScanImage: ${name}`, async (viewer) => {
    const { page, server } = viewer;
    const path = join(server.folder, `lines_${frames}.tif`);
    await Deno.writeFile(path, scanImageLineScan(frames, gap));
    await viewer.open(path);
    await unfold(viewer, "velocity");
    await viewer.enter("#velocity-window", String(WINDOW));
    await page.click("#velocity-start");
    await page.locator("#measure-velocity .result", { hasText: "With a velocity" }).waitFor();
    const { rows } = tableOf((await saved(viewer, "#csv-velocity")).text);
    const velocities = rows.map(([, velocity]) => Number(velocity)).sort((a, b) => a - b);
    assert(velocities.length >= (lines - WINDOW) / WINDOW, `${velocities.length} windows`);
    const median = velocities[Math.floor(velocities.length / 2)]!;
    const off = median / SCAN_VELOCITY - 1;
    console.log(`${median.toFixed(2)} um/s of ${SCAN_VELOCITY}: ${(100 * off).toFixed(2)} %`);
    assert(Math.abs(off) < 0.02, `${median} um/s, not ${SCAN_VELOCITY}`);
  });
}
