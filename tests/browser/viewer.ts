/** The page of the viewer in Chromium, and what a user's hand does in it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Download,
  Locator,
  Page,
} from "playwright-core";
import { connect, type Server } from "../../static/client/v2/acq-client.ts";
import { PATIENCE } from "../deadline.ts";
import { type PlainImage, writePlainStore } from "../fixtures/plain_store.ts";
import type { StubbedServer } from "./browser.ts";
import {
  forgetStatus,
  hasText,
  openingEnded,
  readPng,
  serverIsKnown,
  twoFrames,
  workIsSettled,
} from "./in_page.js";
import { measuredScan, SCAN_SHAPE } from "./measured_scan.ts";
import { IMAGES, measuredStack } from "./measured_stack.ts";
import { type SavedTable, tableOf } from "./saved_table.ts";

/** Fractions of the plot, from its upper left corner. */
export type Place = readonly [x: number, y: number];

/** Downloads of a page before one that Chromium may swallow. */
const MOST_DOWNLOADS = 10;

/** A page of the viewer that records faults. */
export class Viewer {
  /** Console errors, uncaught errors and requests to other hosts. */
  readonly faults: string[] = [];
  /** Requests since the page was made, such as `POST /api/v2/open`. */
  readonly requests: string[] = [];
  #downloads = 0;

  private constructor(readonly page: Page, readonly server: StubbedServer) {}

  static async load(
    browser: Browser,
    server: StubbedServer,
    options: BrowserContextOptions = {},
  ): Promise<Viewer> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      acceptDownloads: true,
      ...options,
    });
    return await Viewer.loadIn(context, server);
  }

  static async loadIn(context: BrowserContext, server: StubbedServer): Promise<Viewer> {
    const page = await context.newPage();
    const viewer = new Viewer(page, server);
    page.on("console", (message) => message.type() === "error" && viewer.faults.push(message.text()));
    page.on("pageerror", (error) => viewer.faults.push(String(error.stack)));
    page.on("request", (request) => {
      const url = request.url();
      viewer.requests.push(`${request.method()} ${new URL(url).pathname}`);
      if (!/^(data|blob):/.test(url) && !url.startsWith(server.baseUrl)) viewer.faults.push(`asked ${url}`);
    });
    await page.goto(`${server.baseUrl}/demo/v2/`);
    await page.waitForFunction(serverIsKnown);
    return viewer;
  }

  /** Requests that open something. */
  get opens(): string[] {
    return this.requests.filter((request) => request.endsWith("open"));
  }

  /** Opens `path` through the stubbed dialog and waits for the picture; answers the session's id. */
  async open(path: string): Promise<string> {
    this.server.choose(path);
    await this.page.evaluate(forgetStatus);
    await this.page.click("#open");
    await this.ended();
    const tree = await this.page.locator("#open-json").textContent();
    return tree!.match(/sessionId: "([0-9a-f]{32})"/)![1]!;
  }

  /**
   * The screen pixel over the centre of sample (row, column) of a pane at home, as its middle in CSS pixels of the page, and the
   * sample under that middle, which is a neighbour where pixels are larger than samples. Line scans lie as in a plot: row 0 at
   * the left, column 0 at the bottom. Images lie upright: row 0 on top, column 0 at the left.
   */
  async place(pane: string, shape: readonly [number, number], row: number, column: number) {
    const plot = this.page.locator(`#${pane} .plot`);
    // The reference may have scrolled away with what stands below it.
    await plot.scrollIntoViewIfNeeded();
    const box = (await plot.boundingBox())!;
    const isPlot = pane === "source" && await this.text("#source h2") === "Line scan";
    const [rowPart, columnPart] = [(row + 0.5) / shape[0], (column + 0.5) / shape[1]];
    const [across, down] = isPlot ? [rowPart, 1 - columnPart] : [columnPart, rowPart];
    const x = Math.floor(box.x + across * box.width) + 0.5;
    const y = Math.floor(box.y + down * box.height) + 0.5;
    const [fx, fy] = [(x - box.x) / box.width, (y - box.y) / box.height];
    const [partOfRows, partOfColumns] = isPlot ? [fx, 1 - fy] : [fy, fx];
    const at = { row: Math.floor(partOfRows * shape[0]), column: Math.floor(partOfColumns * shape[1]) };
    return { x, y, at };
  }

  /** Red, green and blue on the screen at a point, after all drawing. */
  async color({ x, y }: { x: number; y: number }): Promise<number[]> {
    await this.settle();
    const clip = { x: Math.floor(x), y: Math.floor(y), width: 1, height: 1 };
    const png = await this.page.screenshot({ clip });
    return (await this.page.evaluate(readPng, { bytes: [...png], x: 0, y: 0 })).color;
  }

  async settle(): Promise<void> {
    await this.page.evaluate(twoFrames);
  }

  /** Opens by path, so that a reload shows the file again. */
  async openPath(path: string): Promise<void> {
    if (await this.page.locator("#viewer").isVisible()) await this.page.click("#more-ways");
    await this.page.fill("#path-field", path);
    await this.page.evaluate(forgetStatus);
    await this.page.click("#path-open");
    await this.ended();
  }

  /** Writes a recording into the folder of the server and opens it by its path, which is the answer. */
  async openBytes(name: string, bytes: Uint8Array): Promise<string> {
    const path = join(this.server.folder, name);
    await Deno.writeFile(path, bytes);
    await this.openPath(path);
    return path;
  }

  /** Opens a new plain OME-Zarr image of the server's folder through the dialog. */
  async openPlain(name: string, image: PlainImage): Promise<string> {
    const store = join(this.server.folder, `${name}.ome.zarr`);
    writePlainStore(store, image);
    await this.open(join(store, "zarr.json"));
    return store;
  }

  /** Waits until a recording is open. */
  async shows(name: string): Promise<void> {
    await this.says("#title", name);
    await this.ended();
  }

  /** Waits until opening has ended, with or without success. */
  async ended(): Promise<void> {
    await this.page.waitForFunction(openingEnded);
  }

  /** Waits until an element has this text; any white space counts as one space. */
  async says(selector: string, text: string): Promise<void> {
    await this.page.waitForFunction(hasText, { selector, text });
  }

  /** Waits until the work is saved, or cannot be. */
  async kept(): Promise<void> {
    await this.settle();
    await this.page.waitForFunction(workIsSettled);
  }

  /** Reloads a page that shows a file opened by its path. */
  async reload(): Promise<void> {
    await this.kept();
    await this.page.reload();
    await this.page.waitForSelector("#viewer:not([hidden])");
    await this.ended();
    await this.settle();
  }

  /** Loads the page anew and opens a file through the dialog. */
  async reopen(path: string): Promise<void> {
    await this.kept();
    await this.page.reload();
    await this.page.waitForFunction(serverIsKnown);
    await this.open(path);
  }

  /**
   * The download that a button starts. Chromium may swallow every eleventh one of a page, as nobody answers its question, and takes
   * the next: then the button is pressed again.
   */
  async download(button: string): Promise<Download> {
    const press = async (timeout: number) => {
      const event = this.page.waitForEvent("download", { timeout });
      const [download] = await Promise.all([event, this.page.click(button)]);
      return download;
    };
    this.#downloads += 1;
    const isDoubtful = this.#downloads > MOST_DOWNLOADS && this.#downloads % MOST_DOWNLOADS === 1;
    return isDoubtful && await press(8_000).catch(() => null) || await press(1000 * PATIENCE);
  }

  /** What a button saves, in "Export" or elsewhere. */
  async saved(button: string): Promise<{ name: string; text: string; bytes: Uint8Array }> {
    await this.unfold("export");
    const download = await this.download(button);
    const bytes = await Deno.readFile((await download.path())!);
    return { name: download.suggestedFilename(), text: new TextDecoder().decode(bytes), bytes };
  }

  /** The table that a button saves, with the JSON file that the button beside it saves. */
  async table(button: string): Promise<SavedTable> {
    const table = await this.saved(button);
    const settings = await this.saved(button === "#many-csv" ? "#many-json" : button.replace("csv", "json"));
    assert.equal(settings.name, table.name.replace(/\.csv$/, ".json"));
    return tableOf(table.text, settings.text);
  }

  async enter(selector: string, value: string): Promise<void> {
    await this.page.fill(selector, value);
    await this.page.keyboard.press("Enter");
  }

  /** Box of an element in CSS pixels of the page. */
  async box(selector: string) {
    return (await this.page.locator(selector).first().boundingBox())!;
  }

  /** Points at a place of a plot or chart, in fractions from its upper left corner. */
  async hover(x: number, y: number, selector = "#source .plot"): Promise<void> {
    const box = await this.box(selector);
    await this.page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  }

  async drag(from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
    await this.page.mouse.move(from.x, from.y);
    await this.page.mouse.down();
    await this.page.mouse.move(to.x, to.y, { steps: 4 });
    await this.page.mouse.up();
  }

  /** Labels of the axes of the source, after all drawing. */
  async labels(): Promise<string[]> {
    await this.settle();
    return await this.page.locator("#source svg.labels > g text").allTextContents();
  }

  text(selector: string): Promise<string> {
    return this.page.locator(selector).innerText();
  }

  /** Opens the measured scan, which other tests of the server change. */
  openScan(): Promise<string> {
    return this.openBytes("vessel.oir", measuredScan());
  }

  openStack(): Promise<string> {
    return this.openBytes("spot.ome.tif", measuredStack());
  }

  /** Exports recordings into an archive and opens it. */
  async openArchive(name: string, members: Parameters<Server["export"]>[0]): Promise<void> {
    const server = await connect(this.server.baseUrl);
    const { url } = await server.export(members);
    await this.openBytes(`${name}.zip`, await (await fetch(url)).bytes());
  }

  /** Presses at the first place of a picture, moves through the others and lets go at the last. */
  async dragOver(pane: string, ...places: readonly Place[]): Promise<void> {
    const { mouse } = this.page;
    const box = await this.box(`#${pane} .plot`);
    const at = ([x, y]: Place) => [box.x + x * box.width, box.y + y * box.height] as const;
    await mouse.move(...at(places[0]!));
    await mouse.down();
    for (const place of places.slice(1)) await mouse.move(...at(place), { steps: 4 });
    await mouse.up();
  }

  async draw(tool: string, ...places: readonly Place[]): Promise<void> {
    await this.page.click(`#tool-${tool}`);
    await this.dragOver("source", ...places);
  }

  /** Draws a band over columns `from` to `to` of the measured scan, end excluded; column 0 is at the bottom. */
  drawBand(from: number, to: number): Promise<void> {
    const columns = SCAN_SHAPE[1];
    return this.draw("band", [0.4, 1 - (from + 0.4) / columns], [0.45, 1 - (to - 0.4) / columns]);
  }

  /** The rows of the list of bands. */
  get bands(): Locator {
    return this.page.locator("#measure-bands li");
  }

  async pin(line: number, column: number): Promise<void> {
    // In a field letters are not shortcuts.
    await this.page.focus("#source .plot");
    const { x, y } = await this.place("source", SCAN_SHAPE, line, column);
    await this.page.mouse.move(x, y);
    await this.page.keyboard.press("x");
  }

  async unfold(...parts: string[]): Promise<void> {
    for (const part of parts) {
      const details = this.page.locator(`#measure-${part}`);
      if (await details.getAttribute("open") === null) await details.locator(":scope > summary").click();
    }
  }

  /** Measures velocities over time and waits for the end. */
  async measureVelocities(found = "With a velocity"): Promise<void> {
    await this.unfold("velocity");
    await this.page.click("#velocity-start");
    await this.page.locator(":is(#drawer-velocity, #measure-velocity) .result", { hasText: found }).waitFor();
  }

  /** Finds events in the first channel, or in this one. */
  async findEvents(channel?: string): Promise<void> {
    await this.unfold("events");
    if (channel !== undefined) await this.page.selectOption("#events-channel", channel);
    await this.page.click("#events-start");
  }

  /** Finds the highest peaks of a trace in which no event stands out of the noise. */
  async findPeaks(): Promise<void> {
    await this.unfold("events");
    await this.page.selectOption("#events-chosen", "automatically");
    await this.page.click("#events-start");
  }

  /** Treats an image as a line scan of 2 ms a line and 0.5 µm a pixel. */
  async treatAsLineScan(time = "rows"): Promise<void> {
    await this.unfold("typed");
    await this.page.selectOption("#typed-time", time);
    await this.enter("#typed-line", "2");
    await this.enter("#typed-pixel", "0.5");
    await this.page.click("#typed-treat");
  }

  async makeKymograph(): Promise<void> {
    await this.page.click("#kymograph-start");
    await this.says("#measure-kymograph [role=status]", `${IMAGES} of ${IMAGES} images`);
    await this.says("#source h2", "Line scan");
    await this.says("#kymograph-start", "Make kymograph");
  }

  /** Opens the row of a channel to its histogram and range. */
  async openCard(card: string): Promise<void> {
    const isOpen = await this.page.getAttribute(`#${card}-more`, "aria-expanded") === "true";
    if (!isOpen) await this.page.click(`#${card}-more`);
  }

  async setRange(card: string, min: number, max: number): Promise<void> {
    await this.openCard(card);
    for (const [end, value] of [["Max", max], ["Min", min], ["Max", max]] as const) {
      await this.enter(`#${card}-${end}`, String(value));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}
