/** The page of `examples/web/`, opened from disk as its user does. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import type { StubbedServer } from "./browser.ts";

const PAGE = new URL("../../examples/web/planes.html", import.meta.url);

/** Opens a copy of the page that asks this server, which is at another port than the page says. */
export async function openExample(browser: Browser, server: StubbedServer): Promise<Page> {
  const text = Deno.readTextFileSync(PAGE);
  const copy = join(server.folder, "planes.html");
  Deno.writeTextFileSync(copy, text.replaceAll("http://127.0.0.1:8767", server.baseUrl));
  const page = await browser.newPage({ viewport: { width: 1280, height: 380 } });
  await page.goto(pathToFileURL(copy).href);
  return page;
}

/** Chooses a file in the dialog; waits until the page says something new. */
export async function chooseInExample(page: Page, server: StubbedServer, path: string): Promise<void> {
  server.choose(path);
  await page.locator("#open").click();
  await page.locator("#open:not([disabled])").waitFor();
}
