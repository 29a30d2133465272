/**
 * A short path through the page in Firefox and WebKit: open, zoom, contrast, cursor, a band and its CSV; both draw
 * what Chromium draws.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { StubbedServer } from "./browser.ts";
import { lineScanFile, sample, SHAPE } from "./line_scan.ts";
import { tableOf } from "./saved_table.ts";
import { browserTest, startBrowser, startFirefox } from "./remote_page.ts";
import { RemoteViewer } from "./remote_viewer.ts";
import { level } from "./suite.ts";
import { listZipEntries } from "../../static/demo/v2/saving/zip_entries.ts";

/** A server whose dialog chooses the line scan. */
async function startServer(): Promise<StubbedServer> {
  const server = await StubbedServer.start();
  const scan = join(server.folder, "scan.oir");
  await Deno.writeFile(scan, lineScanFile());
  server.choose(scan);
  return server;
}

/** Draws a band over about 30 to 70 % of the columns. */
const drawBand = async (viewer: RemoteViewer) => {
  await viewer.click("#tool-band");
  await viewer.drag([0.4, 0.7], [0.5, 0.3]);
};

/** Saves the traces of the band with their settings, by one press: the mean over its columns in each line. */
async function checkTraces({ page }: RemoteViewer): Promise<void> {
  const bytes = await page.evaluate(`(async () => {
    const make = URL.createObjectURL;
    const saved = new Promise((done) => {
      URL.createObjectURL = (blob) => {
        done(blob.arrayBuffer());
        return make.call(URL, blob);
      };
    });
    document.getElementById("measure-export").open = true;
    document.getElementById("save-all").click();
    return [...new Uint8Array(await saved)];
  })()`) as number[];
  const entries = await listZipEntries(new Blob([Uint8Array.from(bytes)]));
  assert.deepEqual(
    entries.map(({ name }) => name),
    ["csv", "json", "svg"].map((end) => `scan-traces.${end}`),
  );
  const [table, settings] = await Promise.all(entries.map(({ read }) => read()));
  const { about, rows } = tableOf(table!, settings);
  const band = about.get("Columns of Band 1")!;
  const [first = NaN, last = NaN] = /^columns (\d+) to (\d+)/.exec(band)!.slice(1).map(Number);
  // Column 0 is at the bottom.
  assert(Math.abs(first - 0.3 * SHAPE[1]) <= 1 && Math.abs(last + 1 - 0.7 * SHAPE[1]) <= 1, band);
  assert.equal(rows.length, SHAPE[0]);
  rows.forEach(([, mean], line) => {
    // Samples rise evenly along the line, so their mean is that of the first and the last.
    assert(Math.abs(Number(mean) - (sample(0, line, first) + sample(0, line, last)) / 2) < 1e-2, mean);
  });
}

/** The band is saved in an archive, taken back and restored from it. */
async function checkSaved(viewer: RemoteViewer): Promise<void> {
  await viewer.keepArchive();
  await viewer.click("#undo");
  const notice = await viewer.restoreArchive();
  assert.equal(notice, "Restored from saved.zip: 1 band. Undo shows what was there before.");
}

/** Waits for what the page says about keeping the work, and for so many bands. */
const keeps = (viewer: RemoteViewer, words: string, count: number) =>
  viewer.when(`document.getElementById("kept-words").textContent.startsWith("${words}") &&
    document.querySelectorAll("#measure-bands li").length === ${count}`);

const KEPT = "Kept in this browser.";

browserTest("full storage, two tabs and a restart of Firefox lose no work", "firefox", async () => {
  await using server = await startServer();
  const profile = join(server.folder, "profile");
  await Deno.mkdir(profile);
  {
    await using page = await startFirefox({}, profile);
    const viewer = new RemoteViewer(page);
    await viewer.open(server);
    await drawBand(viewer);
    await keeps(viewer, KEPT, 1);

    // A full disk: the browser refuses every write.
    await page.evaluate(`(() => {
      globalThis.put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
    })()`);
    await viewer.click("#undo");
    await keeps(viewer, "Not saved", 0);
    await page.evaluate("void (IDBObjectStore.prototype.put = globalThis.put)");
    await viewer.click("#redo");
    await keeps(viewer, KEPT, 1);

    await using tab = await page.openTab();
    const other = new RemoteViewer(tab);
    await other.open(server);
    await keeps(other, "Another tab keeps the work", 1);
    await other.click("#take-over");
    await keeps(other, KEPT, 1);
    await keeps(viewer, "Another tab keeps the work", 1);
    await other.click("#undo");
    await other.click("#redo");
    await keeps(other, KEPT, 1);

    // The first tab has changes of its own when it takes the work back.
    await viewer.click("#undo");
    await viewer.click("#take-over");
    await keeps(viewer, KEPT, 0);
    assert.match(await viewer.text("#notice-text"), /^Another tab had kept other work .* Undo shows it\.$/);
    await viewer.click("#undo");
    await keeps(viewer, KEPT, 1);
  }
  await using page = await startFirefox({}, profile);
  const viewer = new RemoteViewer(page);
  await viewer.open(server);
  await keeps(viewer, KEPT, 1);
});

/** Runs in the page: the green part of the line scan's picture over a sample at home, or -1 where there is another colour. */
const greenAt = (row: number, column: number) =>
  `(() => {
    const canvas = document.querySelector("#source .plot canvas");
    const x = Math.floor((${row} + 0.5) / ${SHAPE[0]} * canvas.width);
    const y = Math.floor((1 - (${column} + 0.5) / ${SHAPE[1]}) * canvas.height);
    const [red, green] = canvas.getContext("2d").getImageData(x, y, 1, 1).data;
    return red === 0 ? green : -1;
  })()`;

/** Runs in the page: the labels of the line scan's axes. */
const LABELS =
  '[...document.querySelectorAll("#source svg.labels > g text")].map((text) => text.textContent).join()';

for (const name of ["firefox", "webkit"] as const) {
  browserTest(`a short path through the page in ${name}`, name, async () => {
    await using server = await startServer();
    await using page = await startBrowser(name);
    const viewer = new RemoteViewer(page);
    await viewer.open(server);
    await page.evaluate(`(() => {
      globalThis.uncaught = [];
      addEventListener("error", (event) => uncaught.push(event.message));
      addEventListener("unhandledrejection", (event) => uncaught.push(String(event.reason)));
    })()`);

    // Contrast: green is channel 0, magenta channel 1.
    await viewer.click("#source-0-more");
    await viewer.type("source-0-Max", "2550");
    await viewer.type("source-0-Min", "0");
    await viewer.click("#source-1-visible");
    for (const [row, column] of [[100, 20], [30, 50]] as const) {
      // The pixel may belong to a neighbour: a row and a column are 17 of 2550.
      const expected = level(sample(0, row, column), 0, 2550);
      await viewer.when(`Math.abs(${greenAt(row, column)} - ${expected}) <= 3`);
    }

    // A zoom and a step of the cursor, by keys.
    await viewer.focus("#source .plot");
    const home = JSON.stringify(await page.evaluate(LABELS));
    await page.press("]");
    await viewer.when(`${LABELS} !== ${home}`);
    await page.press("0");
    await viewer.when(`${LABELS} === ${home}`);
    await page.press("ArrowRight");
    await viewer.when('document.querySelector(".readout").textContent.includes("line 100, pixel 32")');

    await drawBand(viewer);
    await checkTraces(viewer);
    await checkSaved(viewer);
    assert.deepEqual(await page.evaluate("uncaught"), []);

    // The band is undone and redone, and comes back with its file.
    await keeps(viewer, KEPT, 1);
    await viewer.click("#undo");
    await keeps(viewer, KEPT, 0);
    await viewer.click("#redo");
    await keeps(viewer, KEPT, 1);
    await viewer.reopen(server);
    await keeps(viewer, KEPT, 1);
  });
}
