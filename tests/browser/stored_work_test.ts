/** The page opens what it kept and saved when the keys of its documents were settled, with the same numbers. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { storedFiles, tablesOf, type Work, WORKS } from "./stored_work.ts";
import { viewerSuite } from "./suite.ts";
import { Viewer } from "./viewer.ts";

const { test } = viewerSuite();

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/page/${name}`, import.meta.url));

/** The tables that the page saved. */
const savedTables = (work: Work): Awaited<ReturnType<typeof tablesOf>> =>
  JSON.parse(Deno.readTextFileSync(fixture(`${work}.json`)));

/** Waits for the drawings and compares all tables. */
async function assertShown(viewer: Viewer, work: Work): Promise<void> {
  await viewer.page.locator("#source h2", { hasText: "Line scan" }).waitFor();
  await viewer.bands.first().waitFor();
  const [now, stored] = [await tablesOf(viewer, work), savedTables(work)];
  for (const [name, { about, ...cells }] of Object.entries(now)) {
    const { about: known, ...before } = stored[name]!;
    assert.deepEqual(cells, before, name);
    // Summaries may have gained facts.
    const facts = about.map((fact) => fact.join(": "));
    assert.deepEqual(known.map((fact) => fact.join(": ")).filter((fact) => !facts.includes(fact)), [], name);
  }
  assert.equal(await viewer.page.isChecked("#accepted"), work === "scan");
}

test("shows the work that is kept in the browser", async ({ server, page }) => {
  const files = storedFiles(server.folder);
  const stored = Deno.readTextFileSync(fixture("kept.json"))
    .replaceAll("ORIGIN", server.baseUrl).replaceAll("FOLDER", server.folder);
  const context = { storageState: JSON.parse(stored) };
  await using viewer = await Viewer.load(page.context().browser()!, server, context);
  await viewer.page.locator("#recent-list li").nth(WORKS.length - 1).waitFor();
  for (const work of WORKS) {
    await viewer.openPath(files[work]);
    await assertShown(viewer, work);
    if (work === "scan") {
      await viewer.openCard("source-1");
      assert.equal(await viewer.page.inputValue("#source-1-Max"), "900", "the contrast of the channel");
    }
  }
  assert.deepEqual(viewer.faults, []);
});

test("opens archives that were saved", async (viewer) => {
  for (const work of WORKS) {
    await viewer.openPath(fixture(`${work}.zip`));
    await assertShown(viewer, work);
  }
});

test("restores saved measurements onto their recordings", async (viewer, page) => {
  const files = storedFiles(viewer.server.folder);
  for (const work of WORKS) {
    await viewer.openPath(files[work]);
    await page.setInputFiles("#restore-file", fixture(`${work}_measurements.zip`));
    await page.locator("#notice-text", { hasText: "Restored from" }).waitFor();
    await assertShown(viewer, work);
  }
});
