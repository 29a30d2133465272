/**
 * A short path through the page in Firefox and WebKit: open, zoom, contrast, cursor, a band and its CSV; both draw
 * what Chromium draws.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../deadline.ts";
import { StubbedServer } from "./browser.ts";
import { lineScanFile, sample, SHAPE } from "./line_scan.ts";
import { hasBrowser, type RemotePage, startBrowser, startFirefox } from "./remote_page.ts";
import { level } from "./suite.ts";

/** Runs in the page: texts, labels of the line scan's axes and uncaught errors. */
const STATE = `({
  status: document.getElementById("status").textContent,
  labels: [...document.querySelectorAll("#source svg.labels > g text")].map((text) => text.textContent),
  readout: document.querySelector("#source .readout")?.textContent ?? "",
  server: document.getElementById("server").textContent,
  errors: globalThis.uncaught,
})`;

/** Whether the work is kept, and the number of bands. */
const WORK = `[
  document.getElementById("kept-words").textContent,
  document.querySelectorAll("#measure-bands li").length,
]`;

interface State {
  status: string;
  labels: string[];
  readout: string;
  server: string;
  errors: string[];
}

async function stateWhen(page: RemotePage, isReady: (state: State) => boolean): Promise<State> {
  for (let tries = 0;; tries += 1) {
    const state = await page.evaluate(STATE) as State;
    if (isReady(state)) return state;
    assert(tries < 150, JSON.stringify(state));
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Runs in the page: the colour of the line scan's picture over the centre of a sample at home. */
const colorAt = (row: number, column: number) =>
  `(() => {
    const canvas = document.querySelector("#source .plot canvas");
    const x = Math.floor((${row} + 0.5) / ${SHAPE[0]} * canvas.width);
    const y = Math.floor((1 - (${column} + 0.5) / ${SHAPE[1]}) * canvas.height);
    return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
  })()`;

/** A colour once it is as expected, or after a while. */
async function colorWhen(
  page: RemotePage,
  at: string,
  isReady: (color: number[]) => boolean,
): Promise<number[]> {
  for (let tries = 0;; tries += 1) {
    const color = await page.evaluate(at) as number[];
    if (isReady(color) || tries === 100) return color;
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Runs in the page: types into a field. */
const type = (id: string, value: string) =>
  `(() => {
    const field = document.getElementById("${id}");
    field.value = "${value}";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  })()`;

const click = (selector: string) => `document.querySelector("${selector}").click()`;

/** Draws a band and saves its traces: the mean over its columns in each line. */
async function checkBand(page: RemotePage): Promise<void> {
  await page.evaluate(click("#tool-band"));
  const box = await page.evaluate(`(() => {
    const { x, y, width, height } = document.querySelector("#source .plot").getBoundingClientRect();
    return [x, y, width, height];
  })()`) as number[];
  const [x, y, width, height] = box as [number, number, number, number];
  // A drag begins and ends in whole pixels.
  const [low, high] = [0.7, 0.3].map((part) => Math.round(y + height * part)) as [number, number];
  await page.drag([Math.round(x + width * 0.4), low], [Math.round(x + width * 0.5), high]);
  await page.evaluate(`(() => {
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      globalThis.saved = blob.text();
      return make.call(URL, blob);
    };
    document.getElementById("measure-export").open = true;
  })()`);
  await page.evaluate(click("#csv-traces"));
  const text = await page.evaluate("globalThis.saved") as string;
  const [about, table] = text.split("\r\n\r\n");
  const [first, last] = /^Band 1,"?columns (\d+) to (\d+)/m.exec(about!)!.slice(1).map(Number) as [
    number,
    number,
  ];
  // About 30 to 70 % of the columns; column 0 is at the bottom.
  const [from, to] = [low, high].map((at) => SHAPE[1] * (1 - (at - y) / height)) as [number, number];
  assert(Math.abs(first - from) <= 1 && Math.abs(last + 1 - to) <= 1, about);
  const rows = table!.trimEnd().split("\r\n").slice(1).map((row) => row.split(",").map(Number));
  assert.equal(rows.length, SHAPE[0]);
  rows.forEach(([, mean], line) => {
    // Samples rise evenly along the line, so their mean is that of the first and the last.
    assert(Math.abs(mean! - (sample(0, line, first) + sample(0, line, last)) / 2) < 1e-2, `${mean}`);
  });
}

/** The band is saved in an archive, taken back and restored from it. */
async function checkSaved(page: RemotePage): Promise<void> {
  await page.evaluate(`(() => {
    HTMLAnchorElement.prototype.click = function () {
      globalThis.archive = fetch(this.href).then((answer) => answer.blob());
    };
  })()`);
  await page.evaluate(click("#save"));
  await page.evaluate(click("#save-dialog .primary"));
  await until(
    async () => await page.evaluate("globalThis.archive !== undefined") as boolean,
    "an archive",
  );
  await page.evaluate(click("#undo"));
  await page.evaluate(`(async () => {
    const chosen = new DataTransfer();
    chosen.items.add(new File([await globalThis.archive], "saved.zip"));
    const input = document.getElementById("restore-file");
    input.files = chosen.files;
    input.dispatchEvent(new Event("change"));
  })()`);
  const notice = () => page.evaluate('document.getElementById("notice-text").textContent') as Promise<string>;
  await until(async () => await notice() !== "", "the band to be restored");
  assert.equal(await notice(), "Restored from saved.zip: 1 band. Undo shows what was there before.");
}

/** Waits for what the page says about keeping the work, and for so many bands. */
async function keeps(page: RemotePage, words: string, count: number): Promise<void> {
  const isSo = async () =>
    String(await page.evaluate(WORK)).startsWith(words) &&
    String(await page.evaluate(WORK)).endsWith(`,${count}`);
  await until(isSo, `"${words}" and ${count} bands`);
}

const KEPT = "Kept in this browser.";

/** The band is undone and redone, and comes back with its file. */
async function checkKept(page: RemotePage, url: string): Promise<void> {
  await keeps(page, KEPT, 1);
  await page.evaluate(click("#undo"));
  await keeps(page, KEPT, 0);
  await page.evaluate(click("#redo"));
  await keeps(page, KEPT, 1);
  await page.goto(url);
  await stateWhen(page, ({ status }) => status.startsWith("Opened"));
  await keeps(page, KEPT, 1);
}

/** Opens the file that the dialog answers with. */
async function openChosen(page: RemotePage, url: string): Promise<void> {
  await page.goto(url);
  await stateWhen(page, (state) => state.server !== "");
  await page.evaluate(click("#open"));
  await stateWhen(page, ({ status, labels }) => status.startsWith("Opened") && labels.length > 0);
}

Deno.test({
  name: "viewer: full storage, two tabs and a restart of Firefox lose no work",
  ignore: !hasBrowser("firefox"),
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using server = await StubbedServer.start();
    const url = `${server.baseUrl}/demo/v2/`;
    const scan = join(server.folder, "scan.oir");
    const profile = join(server.folder, "profile");
    await Deno.mkdir(profile);
    await Deno.writeFile(scan, lineScanFile());
    server.choose(scan);
    {
      await using page = await startFirefox({}, profile);
      await openChosen(page, url);
      await checkBand(page);
      await keeps(page, KEPT, 1);

      // A full disk: the browser refuses every write.
      await page.evaluate(`(() => {
        globalThis.put = IDBObjectStore.prototype.put;
        IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
      })()`);
      await page.evaluate(click("#undo"));
      await keeps(page, "Not saved", 0);
      await page.evaluate("void (IDBObjectStore.prototype.put = globalThis.put)");
      await page.evaluate(click("#redo"));
      await keeps(page, KEPT, 1);

      await using other = await page.openTab();
      await openChosen(other, url);
      await keeps(other, "Another tab keeps the work", 1);
      await other.evaluate(click("#take-over"));
      await keeps(other, KEPT, 1);
      await keeps(page, "Another tab keeps the work", 1);
      await other.evaluate(click("#undo"));
      await other.evaluate(click("#redo"));
      await keeps(other, KEPT, 1);

      // The first tab has changes of its own when it takes the work back.
      await page.evaluate(click("#undo"));
      await page.evaluate(click("#take-over"));
      await keeps(page, KEPT, 0);
      assert.equal(
        await page.evaluate('document.getElementById("notice-text").textContent'),
        "Another tab had kept other work on this recording. Undo shows it.",
      );
      await page.evaluate(click("#undo"));
      await keeps(page, KEPT, 1);
    }
    await using page = await startFirefox({}, profile);
    await openChosen(page, url);
    await keeps(page, KEPT, 1);
  },
});

for (const name of ["firefox", "webkit"] as const) {
  Deno.test({
    name: `viewer: a short path through the page in ${name}`,
    ignore: !hasBrowser(name),
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await using server = await StubbedServer.start();
      const scan = join(server.folder, "scan.oir");
      await Deno.writeFile(scan, lineScanFile());
      await using page = await startBrowser(name);
      await page.goto(`${server.baseUrl}/demo/v2/`);
      await page.evaluate(`(() => {
        globalThis.uncaught = [];
        addEventListener("error", (event) => uncaught.push(event.message));
        addEventListener("unhandledrejection", (event) => uncaught.push(String(event.reason)));
      })()`);
      await stateWhen(page, (state) => state.server !== "");
      server.choose(scan);
      await page.evaluate(click("#open"));
      const opened = await stateWhen(
        page,
        ({ status, labels }) => status.startsWith("Opened") && labels.length > 0,
      );

      // Contrast: green is channel 0, magenta channel 1.
      await page.evaluate(click("#source-0-more"));
      for (const [end, value] of [["Max", "2550"], ["Min", "0"]] as const) {
        await page.evaluate(type(`source-0-${end}`, value));
      }
      await page.evaluate(click("#source-1-visible"));
      for (const [row, column] of [[100, 20], [30, 50]] as const) {
        const color = await colorWhen(page, colorAt(row, column), ([red]) => red === 0);
        const green = level(sample(0, row, column), 0, 2550);
        // The pixel may belong to a neighbour: a row and a column are 17 of 2550.
        assert(color[0] === 0 && Math.abs(color[1]! - green) <= 3, `${color}, ${green}`);
      }

      // A step of the cursor and a zoom, by keys.
      await page.evaluate('document.querySelector("#source .plot").focus()');
      await page.press("]");
      await stateWhen(page, ({ labels }) => labels.join() !== opened.labels.join());
      await page.press("0");
      await stateWhen(page, ({ labels }) => labels.join() === opened.labels.join());
      await page.press("\uE014");
      const { readout } = await stateWhen(page, (state) => state.readout.includes("line "));
      assert.match(readout, /line 100, pixel 32/);

      await checkBand(page);
      await checkSaved(page);
      const { errors } = await page.evaluate(STATE) as State;
      assert.deepEqual(errors, []);
      await checkKept(page, `${server.baseUrl}/demo/v2/`);
    },
  });
}
