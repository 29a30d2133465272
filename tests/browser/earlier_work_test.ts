/** The page says that it found work of an earlier page, and neither reads nor changes it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { viewerSuite } from "./suite.ts";
import { Viewer } from "./viewer.ts";

const { test } = viewerSuite();

/** The database of work up to November 2026. */
const EARLIER = "acq-server work";

/** A storage state of Playwright with this database. */
const stateWith = (origin: string, records: readonly { value: Record<string, unknown> }[]) => ({
  cookies: [],
  origins: [{
    origin,
    localStorage: [],
    indexedDB: [{
      name: EARLIER,
      version: 2,
      stores: [{
        name: "work",
        keyPath: "key",
        autoIncrement: false,
        records,
        indexes: [{ name: "place", keyPath: "place", multiEntry: false, unique: false }],
      }],
    }],
  }],
});

test("says that an earlier page kept work, and neither reads nor changes it", async ({ server, page }) => {
  const path = join(server.folder, "vessel.oir");
  const work = { key: `${path}#0`, place: `${path}#0`, path, scene: 0, name: "vessel.oir", words: "2 bands" };
  for (const records of [[{ value: work }], []]) {
    const storageState = stateWith(server.baseUrl, records);
    await using viewer = await Viewer.load(page.context().browser()!, server, { storageState } as object);
    const said = viewer.page.locator("#earlier-work");
    if (records.length > 0) await said.waitFor();
    assert.equal(await viewer.page.locator("#recent-list li").count(), 0);
    await viewer.openScan();
    assert.equal(await viewer.bands.count(), 0);
    await viewer.drawBand(30, 50);
    await viewer.kept();
    const state = await viewer.page.context().storageState({ indexedDB: true });
    const [origin] = state.origins as unknown as ReturnType<typeof stateWith>["origins"];
    const [earlier, own, ...more] = origin!.indexedDB.toSorted((a, b) => a.name.length - b.name.length);
    assert.deepEqual([earlier!.name, earlier!.version, more.length], [EARLIER, 2, 0]);
    assert.deepEqual(earlier!.stores[0]!.records, records);
    assert.equal(own!.stores[0]!.records.length, 1);
    await viewer.reload();
    await viewer.page.locator("#more-ways").click();
    assert.equal(await said.isVisible(), records.length > 0);
    assert.deepEqual(viewer.faults, []);
  }
});
