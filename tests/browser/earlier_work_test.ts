/** The page opens what the page of November 2026 kept and saved, with the same numbers. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { earlierFiles, tablesOf, type Work, WORKS } from "./earlier_work.ts";
import { earlierContentOf } from "./saved_table.ts";
import { viewerSuite } from "./suite.ts";
import { Viewer } from "./viewer.ts";

const { test } = viewerSuite();

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/page/${name}`, import.meta.url));

/** What the tables held that the earlier page saved, which had settings above them. */
const savedTables = (work: Work) =>
  Object.fromEntries(
    Object.entries(JSON.parse(Deno.readTextFileSync(fixture(`${work}.json`))) as Record<string, unknown>)
      .map(([name, table]) => [
        name,
        typeof table === "string" ? earlierContentOf(table) : table as ReturnType<typeof earlierContentOf>,
      ]),
  );

/** Waits for the drawings and compares all tables. */
async function assertShown(viewer: Viewer, work: Work): Promise<void> {
  await viewer.page.locator("#source h2", { hasText: "Line scan" }).waitFor();
  await viewer.bands.first().waitFor();
  const [now, earlier] = [await tablesOf(viewer, work), savedTables(work)];
  for (const [name, { about, ...cells }] of Object.entries(now)) {
    const { about: known, ...before } = earlier[name]!;
    assert.deepEqual(cells, before, name);
    // Summaries may have gained facts.
    const facts = about.map((fact) => fact.join(": "));
    assert.deepEqual(known.map((fact) => fact.join(": ")).filter((fact) => !facts.includes(fact)), [], name);
  }
  assert.equal(await viewer.page.isChecked("#accepted"), work === "scan");
}

test("shows the work that an earlier page kept in the browser", async ({ server, page }) => {
  const files = earlierFiles(server.folder);
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

test("opens archives that an earlier page saved", async (viewer) => {
  for (const work of WORKS) {
    await viewer.openPath(fixture(`${work}.zip`));
    await assertShown(viewer, work);
  }
});

test("restores measurements that an earlier page saved onto their recordings", async (viewer, page) => {
  const files = earlierFiles(viewer.server.folder);
  for (const work of WORKS) {
    await viewer.openPath(files[work]);
    await page.setInputFiles("#restore-file", fixture(`${work}_measurements.zip`));
    await page.locator("#notice-text", { hasText: "Restored from" }).waitFor();
    await assertShown(viewer, work);
  }
});
