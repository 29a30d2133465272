/** One browser, one server and two files for the tests of a module, and what they expect of a picture. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { writePlainStore } from "../fixtures/plain_store.ts";
import { hasChromium, startChromium, StubbedServer } from "./browser.ts";
import { lineScanFile } from "./line_scan.ts";
import { Viewer } from "./viewer.ts";

/** What a test needs besides a page of the shared server. */
export interface Surroundings {
  /** Starts a server of its own with these flags. */
  readonly flags?: readonly string[];
  /** Starts a server of its own without a display. */
  readonly hasDisplay?: false;
  readonly context?: BrowserContextOptions;
}

/** Registers a test with a page of its own; faults of the page fail it. */
export type ViewerTest = (
  name: string,
  work: (viewer: Viewer, page: Page) => Promise<void>,
  surroundings?: Surroundings,
) => void;

/** Paths to choose, known once tests run: the line scan and a 30 x 50 image of red, green and blue. */
export interface Files {
  scan: string;
  image: string;
}

/** Registers start and end of browser and server. Without Chromium all tests are skipped. */
export function viewerSuite(...chromiumFlags: string[]): { test: ViewerTest; files: Files } {
  const ignore = !hasChromium();
  const files = { scan: "", image: "" };
  let browser: Browser;
  let server: StubbedServer;
  if (!ignore) {
    Deno.test.beforeAll(async () => {
      browser = await startChromium(...chromiumFlags);
      server = await StubbedServer.start();
      files.scan = join(server.folder, "scan.oir");
      await Deno.writeFile(files.scan, lineScanFile());
      files.image = writeColors(join(server.folder, "tissue.ome.zarr"));
    });
    Deno.test.afterAll(async () => {
      await browser.close();
      await server[Symbol.asyncDispose]();
    });
  }
  const test: ViewerTest = (name, work, { flags, hasDisplay = true, context = {} } = {}) =>
    Deno.test({
      name: `viewer: ${name}`,
      ignore,
      sanitizeOps: false,
      sanitizeResources: false,
      async fn() {
        await using own = hasDisplay
          ? flags && await StubbedServer.start(...flags)
          : await StubbedServer.startWithoutDisplay();
        await using viewer = await Viewer.load(browser, own ?? server, context);
        await work(viewer, viewer.page);
        assert.deepEqual(viewer.faults, []);
      },
    });
  return { test, files };
}

/** A step of half a micrometre. */
export const MICROMETRES = { step: 0.5, unit: "micrometer" };

/** Serves a page of another site. */
export const serveHtml = (html: string): Deno.HttpServer<Deno.NetAddr> =>
  Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(html, { headers: { "Content-Type": "text/html" } }),
  );

/** Sample of channel c at column x is 100 c + x. */
function writeColors(store: string): string {
  const planes = [0, 1, 2].map((c) => Uint16Array.from({ length: 30 * 50 }, (_, i) => 100 * c + i % 50));
  const names = ["Red", "Green", "Blue"];
  writePlainStore(store, { planes, rows: 30, columns: 50, y: MICROMETRES, x: MICROMETRES, names });
  return join(store, "zarr.json");
}

/** Which of 256 levels a value is drawn in, by hand: the nearest. */
export const level = (value: number, min: number, max: number): number =>
  Math.floor(255 * Math.min(1, Math.max(0, (value - min) / (max - min))) + 0.5);

export function assertColor(actual: number[], expected: number[]): void {
  const isNear = actual.every((part, i) => Math.abs(part - expected[i]!) <= 1);
  assert(isNear, `drawn ${actual}, expected ${expected}`);
}
