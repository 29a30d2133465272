/**
 * Set-up of the browser tests: the real server as a process of its own with a dialog program that answers as the test wants,
 * and the Chromium of this machine.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { type PlainImage, writePlainStore } from "../fixtures/plain_store.ts";
import {
  forgetStatus,
  hasText,
  openingEnded,
  readPng,
  serverIsKnown,
  twoFrames,
  workIsSettled,
} from "./in_page.js";
import { until } from "../deadline.ts";

/** Chromium has several names, and machines of continuous integration have Chrome. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** What `CHROME` names and nothing else, or the first known name in a folder of `PATH`. */
function findChromium(): string | null {
  const { CHROME, PATH = "" } = Deno.env.toObject();
  if (CHROME) return existsSync(CHROME) ? CHROME : null;
  const folders = PATH.split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync) ?? null;
}

const CHROMIUM = findChromium();

/** Whether a browser is installed; logs a line without one. @throws {Error} REQUIRE_BROWSER is 1 and no browser is installed */
export function hasChromium(): boolean {
  if (CHROMIUM !== null) return true;
  const words = "no Chromium or Chrome in PATH; CHROME can name one";
  if (Deno.env.get("REQUIRE_BROWSER") === "1") {
    throw new Error(`REQUIRE_BROWSER is set, and there is ${words}`);
  }
  console.log(`skipped: ${words}`);
  return false;
}

const QUIET = ["--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-sync"];
const LAUNCH = {
  ...(CHROMIUM === null ? {} : { executablePath: CHROMIUM }),
  args: [...QUIET, "--disable-component-update", "--disable-gpu"],
};

/** Starts Chromium, which draws in software, with more flags of its command line. */
export function startChromium(...flags: string[]): Promise<Browser> {
  return chromium.launch({ ...LAUNCH, args: [...LAUNCH.args, ...flags] });
}

/** Starts Chromium with a profile that outlives it. */
export function startWithProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    ...LAUNCH,
    viewport: { width: 1280, height: 800 },
    acceptDownloads: true,
  });
}

export class StubbedServer {
  readonly folder = Deno.makeTempDirSync({ prefix: "viewer_" });
  readonly #programs = join(this.folder, "programs");
  #display: Record<string, string> = { DISPLAY: ":99" };
  #process: ServerProcess | null = null;
  /** Such as `http://127.0.0.1:40123`. */
  baseUrl = "";

  /** Starts `main.ts` with these flags on a free port. */
  static async start(...flags: string[]): Promise<StubbedServer> {
    const server = new StubbedServer();
    Deno.mkdirSync(server.#programs);
    const script =
      `#!/bin/sh\nprintf '%s\\n' "$*" >> '${server.folder}/dialogs'\n. '${server.folder}/answer'\n`;
    Deno.writeTextFileSync(join(server.#programs, "zenity"), script, { mode: 0o755 });
    server.cancel();
    await server.#listen(flags);
    return server;
  }

  /** The same on a machine without a display. */
  static async startWithoutDisplay(): Promise<StubbedServer> {
    const server = new StubbedServer();
    server.#display = {};
    await server.#listen([]);
    return server;
  }

  choose(path: string): void {
    this.#answer(`printf '%s\\n' '${path}'`);
  }

  /** The next dialogs are closed without a choice. */
  cancel(): void {
    this.#answer("exit 1");
  }

  wait(): void {
    this.#answer("exec /bin/sleep 60");
  }

  /** What the dialog program was started with, a line a dialog. */
  dialogs(): string[] {
    try {
      return Deno.readTextFileSync(join(this.folder, "dialogs")).trimEnd().split("\n");
    } catch {
      return [];
    }
  }

  /** Ends the server's process and leaves its files. */
  async stop(): Promise<void> {
    if (this.#process === null) return;
    const process = this.#process;
    this.#process = null;
    await process.stop();
  }

  /** The process stands still and answers nothing, or goes on. A signal takes a while to reach all of its threads. */
  async freeze(isFrozen: boolean): Promise<void> {
    Deno.kill(this.#process!.pid, isFrozen ? "SIGSTOP" : "SIGCONT");
    if (!isFrozen) return;
    await until(() => {
      const health = fetch(`${this.baseUrl}/api/v2/health`, { signal: AbortSignal.timeout(500) });
      return health.then((response) => response.text()).then(() => false, () => true);
    }, "the server to stand still");
  }

  async resume(): Promise<void> {
    await this.#listen(["--port", new URL(this.baseUrl).port]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await Deno.remove(this.folder, { recursive: true });
  }

  #answer(commands: string): void {
    Deno.writeTextFileSync(join(this.folder, "answer"), commands + "\n");
  }

  async #listen(flags: string[]): Promise<void> {
    const env = { PATH: `${this.#programs}:${Deno.env.get("PATH")}`, ...this.#display };
    this.#process = await ServerProcess.start(FROM_SOURCE, flags, env);
    this.baseUrl = this.#process.baseUrl;
  }
}

/** A page of the viewer that records faults. */
export class Viewer {
  /** Console errors, uncaught errors and requests to other hosts. */
  readonly faults: string[] = [];
  /** Requests since the page was made, such as `POST /api/v2/open`. */
  readonly requests: string[] = [];

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

  /** What a button saves. */
  async saved(button: string): Promise<{ name: string; text: string; bytes: Uint8Array }> {
    const [download] = await Promise.all([this.page.waitForEvent("download"), this.page.click(button)]);
    const bytes = await Deno.readFile((await download.path())!);
    return { name: download.suggestedFilename(), text: new TextDecoder().decode(bytes), bytes };
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}
