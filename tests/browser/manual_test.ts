/** Pages of the manual in Chromium: what is read beside what, on screens and phones, and the rules of axe-core. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { hasChromium, startChromium, StubbedServer } from "./browser.ts";

const ignore = !hasChromium();
let browser: Browser;
let server: StubbedServer;
if (!ignore) {
  Deno.test.beforeAll(async () => {
    browser = await startChromium();
    server = await StubbedServer.start();
  });
  Deno.test.afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });
}

const SCREEN = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const PAGES = ["README.md", "docs/measure.md", "docs/build-a-client.md", "docs/security.md"];

/** Registers a test with a page; whatever the browser reports, such as a breach of the policy, fails it. */
function manualTest(name: string, viewport: typeof SCREEN, work: (page: Page) => Promise<void>): void {
  Deno.test({
    name: `manual: ${name}`,
    ignore,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const context = await browser.newContext({
        viewport,
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on("pageerror", ({ message }) => faults.push(message));
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      await work(page);
      await context.close();
      assert.deepEqual(faults, []);
    },
  });
}

const load = (page: Page, path: string) => page.goto(`${server.baseUrl}/${path}`);

for (const [device, viewport] of [["a screen", SCREEN], ["a phone", PHONE]] as const) {
  for (const colorScheme of ["light", "dark"] as const) {
    manualTest(`axe finds nothing, ${colorScheme}, on ${device}`, viewport, async (page) => {
      await page.emulateMedia({ colorScheme });
      for (const path of PAGES) {
        await load(page, path);
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate("axe.run()") as axe.AxeResults;
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], path);
        const surplus = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert(Number(surplus) <= 0, `${path} is wider than the window`);
      }
    });
  }
}

manualTest(
  "lists stand beside the text on a screen, and folded above it on a phone",
  SCREEN,
  async (page) => {
    await load(page, "docs/measure.md");
    const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
    const text = await boxOf("main");
    const [pages, contents] = [await boxOf(".pages nav"), await boxOf(".contents nav")];
    assert(pages.x + pages.width <= text.x && text.x + text.width <= contents.x);
    await page.setViewportSize(PHONE);
    await page.locator(".pages nav").waitFor({ state: "hidden" });
    assert(!await page.locator(".contents nav").isVisible());
    await page.click(".contents > summary");
    await page.click('.contents a[href="#bands-and-traces"]');
    await page.waitForURL("**#bands-and-traces");
    // Pictures that arrive later do not move it, since their room is reserved.
    const before = await boxOf("#bands-and-traces");
    await page.locator('img[src="images/measure-bands.png"]').evaluate((image: { decode(): Promise<void> }) =>
      image.decode()
    );
    assert.deepEqual(await boxOf("#bands-and-traces"), before);
  },
);

manualTest("a button copies the code beside it", SCREEN, async (page) => {
  await load(page, "README.md");
  const block = page.locator(".code", { hasText: "task test" });
  await block.locator("button").click();
  await block.locator("button", { hasText: "Copied" }).waitFor();
  const copied = await page.evaluate("navigator.clipboard.readText()");
  assert.equal(
    copied,
    "npx -y deno@2.9.6 run -q -P=demo examples/walk_through.ts\nnpx -y deno@2.9.6 task test",
  );
});

manualTest("numbers in cells stay on one line on a phone", PHONE, async (page) => {
  for (const path of ["docs/measure-accuracy.md", "docs/developers/performance.md"]) {
    await load(page, path);
    const lines = await page.evaluate(`[...document.querySelectorAll("td.number")].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return [cell.textContent, new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size];
    })`) as [string, number][];
    assert(lines.length > 10, path);
    assert.deepEqual(lines.filter(([, count]) => count !== 1), []);
  }
});
