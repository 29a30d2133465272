/** The recordings of the folder of the open one: list, previous and next, what is new, what grows. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Viewer } from "./viewer.ts";
import { focused, forgetStatus, lookAgain, tabIsShown } from "./in_page.js";
import { lineScanFile } from "./line_scan.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

/** Recordings differ in content, else they share their work. */
const numbered = (number: number) => lineScanFile(128 - number);

/** A folder with recordings 1, 2 and 10, and what else lies in one. */
function writeDay({ server }: Viewer, name: string): (file: string) => string {
  const at = (file: string) => join(server.folder, name, file);
  Deno.mkdirSync(at("analysis"), { recursive: true });
  for (const number of [1, 2, 10]) Deno.writeFileSync(at(`scan_${number}.oir`), numbered(number));
  Deno.writeTextFileSync(at("notes.txt"), "");
  return at;
}

const names = ({ page }: Viewer) => page.locator("#recording-list .file").allTextContents();
const open = ({ page }: Viewer) => page.locator("#recording-list [aria-current]").allTextContents();

/** Waits until a recording is open and marked. */
async function shows(viewer: Viewer, name: string): Promise<void> {
  await viewer.shows(name);
  await viewer.page.locator(".recording[aria-current] .file", { hasText: name }).waitFor();
}

test("buttons, keys and the list open the recordings of the folder", async (viewer, page) => {
  const at = writeDay(viewer, "day");
  assert.equal(await page.locator("#recording-steps").isVisible(), false);
  await viewer.openPath(at("scan_2.oir"));
  await shows(viewer, "scan_2.oir");
  assert.deepEqual(await names(viewer), ["scan_1.oir", "scan_2.oir", "scan_10.oir"]);
  assert.equal(await viewer.text("#recordings-folder"), "day");
  assert.equal(await viewer.text("#recording-count"), "2 of 3");
  await page.focus("#recording-next");
  await page.keyboard.press("Enter");
  await shows(viewer, "scan_10.oir");
  assert.equal(await page.evaluate(focused), "recording-next");
  assert.equal(await viewer.text("#recording-count"), "3 of 3");
  // Nothing follows the last one.
  assert.equal(await page.getAttribute("#recording-next", "aria-disabled"), "true");
  await page.evaluate(forgetStatus);
  await page.keyboard.press("Enter");
  await page.keyboard.press(">");
  assert.equal(await viewer.text("#status"), "");
  await page.keyboard.press("<");
  await shows(viewer, "scan_2.oir");
  await page.click("#recording-previous");
  await shows(viewer, "scan_1.oir");
  await page.locator(".recording", { hasText: "scan_10.oir" }).click();
  await shows(viewer, "scan_10.oir");
  assert.equal((await open(viewer)).length, 1);
  // The list can be put away, and stays so.
  await page.click("#recording-count");
  assert.equal(await page.locator("#recordings").isVisible(), false);
  await viewer.reload();
  await viewer.says("#recording-count", "3 of 3");
  assert.equal(await page.locator("#recordings").isVisible(), false);
  await page.click("#recording-count");
  assert(await page.locator("#recordings").isVisible());
  // What the dialog opens lies in a folder too.
  await viewer.open(at("scan_1.oir"));
  await shows(viewer, "scan_1.oir");
  await page.click("#more-ways");
  await page.click("#sample");
  await page.locator("#recording-steps").waitFor({ state: "hidden" });
  assert.equal(await page.locator("#recordings").isVisible(), false);
});

test("shows what was measured beside its recording", async (viewer, page) => {
  const at = writeDay(viewer, "measured");
  await viewer.openPath(at("scan_1.oir"));
  await viewer.draw("band", [0.4, 0.4], [0.4, 0.6]);
  await viewer.kept();
  const words = () => page.locator("#recording-list .words").allTextContents();
  assert.deepEqual(await words(), ["1 band", "", ""]);
  await page.check("#accepted");
  await viewer.kept();
  assert.deepEqual(await words(), ["1 band, accepted", "", ""]);
  await page.uncheck("#accepted");
  await viewer.kept();
  await page.keyboard.press(">");
  await shows(viewer, "scan_2.oir");
  assert.deepEqual(await words(), ["1 band", "", ""]);
});

test("a visible page reports a new recording, which grows until it is written", async (viewer, page) => {
  const at = writeDay(viewer, "night");
  await viewer.openPath(at("scan_10.oir"));
  await shows(viewer, "scan_10.oir");
  Deno.writeFileSync(at("scan_11.oir"), numbered(11).subarray(0, 5000));
  // Without any help, as the page looks every few seconds.
  await viewer.says("#status", "New: scan_11.oir");
  const growing = () =>
    page.locator(".recording", { hasText: "still growing" }).locator(".file").allTextContents();
  assert.deepEqual(await growing(), ["scan_11.oir"]);
  assert.equal(await viewer.text("#recording-count"), "3 of 4");
  await page.evaluate(lookAgain);
  await page.locator(".recording", { hasText: "still growing" }).waitFor({ state: "detached" });
  Deno.writeFileSync(at("scan_11.oir"), numbered(11));
  await page.evaluate(lookAgain);
  await page.locator(".recording", { hasText: "still growing" }).waitFor();
  await page.keyboard.press(">");
  await shows(viewer, "scan_11.oir");
  Deno.removeSync(at("scan_1.oir"));
  await page.evaluate(lookAgain);
  await viewer.says("#recording-count", "3 of 3");
  // A page that nobody sees does not look.
  await page.evaluate(tabIsShown, false);
  Deno.removeSync(at("scan_2.oir"));
  viewer.requests.length = 0;
  await page.evaluate(lookAgain);
  await viewer.settle();
  assert.deepEqual(viewer.requests, []);
  await page.evaluate(tabIsShown, true);
  await page.evaluate(lookAgain);
  await viewer.says("#recording-count", "2 of 2");
});

test(
  "of thousands of recordings, only those in view are in the page, and keys go through all",
  async (viewer, page) => {
    const at = (file: string) => join(viewer.server.folder, "thousands", file);
    Deno.mkdirSync(at(""), { recursive: true });
    const count = 9_000;
    for (let i = 0; i < count; i += 1) {
      Deno.writeTextFileSync(
        at(`scan_${String(i).padStart(4, "0")}.oir`),
        "",
      );
    }
    Deno.writeFileSync(at("scan_4500.oir"), numbered(3));
    await viewer.openPath(at("scan_4500.oir"));
    await shows(viewer, "scan_4500.oir");
    assert.equal(await viewer.text("#recording-count"), "4,501 of 9,000");
    const rows = () => page.locator("#recording-list li").count();
    assert(await rows() < 200, `${await rows()} rows`);
    assert(await page.locator(".recording[aria-current]").isVisible());
    // One tab stop, which is the open recording.
    assert.equal(await page.locator("#recording-list [tabindex='0']").count(), 1);
    await page.focus(".recording[aria-current]");
    const focusedName = () => page.evaluate("document.activeElement.querySelector('.file').textContent");
    const steps = [["ArrowDown", "scan_4501.oir"], ["End", "scan_8999.oir"], ["ArrowUp", "scan_8998.oir"], [
      "Home",
      "scan_0000.oir",
    ]] as const;
    for (const [key, name] of steps) {
      await page.keyboard.press(key);
      assert.equal(await focusedName(), name);
      assert(await page.locator("#recording-list :focus").isVisible());
    }
    const place = await page.locator("#recording-list :focus").evaluate((
      button,
    ) => [button.parentElement!.ariaPosInSet, button.parentElement!.ariaSetSize]);
    assert.deepEqual(place, ["1", "9000"]);
    // By the wheel, rows come and go.
    await page.locator("#recording-list").evaluate((list) => list.scrollTop = list.scrollHeight / 2);
    await page.locator(".recording[aria-current]").waitFor();
    assert(await rows() < 200, `${await rows()} rows`);
  },
);
