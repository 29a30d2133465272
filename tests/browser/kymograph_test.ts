/** Kymographs of a T series by the page. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { IMAGES, measuredStack, spot, SPOT_LINE, SPOT_ROW, SPOT_START } from "./measured_stack.ts";
import { dragOver, dragPoints } from "./measuring_hand.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

test("a line over a T series becomes a kymograph that can be measured and left", async (viewer) => {
  const { page, server } = viewer;
  const path = join(server.folder, "spot.ome.tif");
  await Deno.writeFile(path, measuredStack());
  await viewer.open(path);
  assert(await page.locator("#tool-band").isDisabled());
  assert(!await page.locator("#measure-bands").isVisible());
  await page.click("#tool-line");
  await dragOver(viewer, "source", ...SPOT_LINE);
  await page.click("#kymograph-start");
  await page.locator("#kymograph-back").waitFor();
  await page.locator("#measure-kymograph [role=status]", { hasText: `${IMAGES} of ${IMAGES} images` })
    .waitFor();
  assert.equal(await viewer.text("#source h2"), "Line scan");
  assert(await page.locator("#reference").isVisible());
  assert(!await page.locator("#positions").isVisible());
  // Its samples are those of the images: read one under the cursor, the spot in image 20 at column 32.
  const [time, position] = [20, SPOT_START + 20 - 4];
  const shape = [IMAGES, 56] as const;
  const place = await viewer.place("source", shape, time, position);
  await page.mouse.move(place.x, place.y);
  const read = Number((await viewer.text("#source .readout b")).replace(",", ""));
  const expected = spot(4 + place.at.column, SPOT_ROW, place.at.row);
  // The line was drawn by hand: half a pixel off, the spot is a tenth darker.
  assert(Math.abs(read - expected) < 25, `${read}, not ${expected}`);
  assert(await page.locator('#reference polyline[stroke="#ffd84d"]').count() > 0);
  // The spot moves by one pixel an image: 0.5 µm in 0.1 s.
  await page.locator("#measure-lines summary").click();
  await page.click("#tool-line");
  const line = async (t: number): Promise<[number, number]> => {
    const box = await viewer.box("#source .plot");
    const { x, y } = await viewer.place("source", shape, t, SPOT_START + t - 4);
    return [(x - box.x) / box.width, (y - box.y) / box.height];
  };
  await dragOver(viewer, "source", await line(5), await line(35));
  const velocity = Number(
    (await viewer.text("#measure-lines .drawn")).match(/velocity ([\d.]+) µm\/s/)![1],
  );
  assert(Math.abs(velocity - 5) < 0.2, `${velocity}`);
  await page.click("#kymograph-back");
  assert.equal(await viewer.text("#source h2"), "Image");
  assert(await page.locator("#positions").isVisible());
  assert(!await page.locator("#reference").isVisible());
  // Freehand, with a width, there and back.
  await page.check("#kymograph-freehand");
  await page.click("#tool-line");
  await dragPoints(viewer, "source", [[0.2, 0.3], [0.5, 0.5], [0.8, 0.3]]);
  await page.fill("#kymograph-width", "3");
  await page.click("#kymograph-start");
  await page.locator("#kymograph-back").waitFor();
  await page.locator("#measure-kymograph [role=status]", { hasText: "images" }).waitFor();
});

test("a kymograph without times counts frames, and its tables have the line", async (viewer) => {
  const { page, server } = viewer;
  const path = join(server.folder, "untimed.ome.tif");
  await Deno.writeFile(path, measuredStack({ isTimed: false }));
  await viewer.open(path);
  // A slider takes no letters: they are the page's.
  await page.focus("#position-t");
  await page.keyboard.press("n");
  assert.equal(await page.getAttribute("#tool-line", "aria-pressed"), "true");
  // From edge to edge: from the middle of the first sample to that of the last, and nothing is missing.
  await dragOver(viewer, "source", [0, 0.5], [1, 0.5]);
  await page.click("#kymograph-start");
  await page.locator("#measure-kymograph [role=status]", { hasText: `${IMAGES} of ${IMAGES} images` })
    .waitFor();
  assert.equal(await viewer.text("#source h2"), "Line scan");
  assert.equal(await page.locator("#source-cards .notes").textContent(), "");
  await page.click("#tool-band");
  await dragOver(viewer, "source", [0.4, 0.4], [0.4, 0.6]);
  await page.locator("#measure-export summary").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#csv-traces")]);
  const text = await Deno.readTextFile((await download.path())!);
  assert.match(text, /\r\n"Line over the images, x y \(um\)","0 [\d.]+; 31\.5 [\d.]+"\r\n/);
  assert.match(text, /\r\nWidth of the line \(px\),1\r\n/);
  assert.match(text, /\r\nTime \(frames\),Band 1\r\n0,/);
  assert.equal(text.trimEnd().split("\r\n").at(-1)!.split(",")[0], String(IMAGES - 1));
});
