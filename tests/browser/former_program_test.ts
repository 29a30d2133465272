/** A program that used the port before cannot take over the page. */
import assert from "node:assert/strict";
import { startChromium } from "./browser.ts";
import { browserTest } from "./remote_page.ts";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";

const PAGE = `<!doctype html><title>former</title><script type="module" src="main.js"></script>
<script>navigator.serviceWorker.register("worker.js").then(() => navigator.serviceWorker.ready)
  .then(() => document.title = "registered");</script>`;

/** Answers every navigation itself, so that it would never ask the server again. */
const WORKER = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(new Response("<!doctype html><title>stolen</title>",
  { headers: { "Content-Type": "text/html" } })));`;

/** What the former program answers; its script may be kept for a year. */
function former(request: Request): Response {
  const { pathname } = new URL(request.url);
  const isScript = pathname.endsWith(".js");
  const body = pathname.endsWith("worker.js") ? WORKER : isScript ? "document.title = 'stolen';" : PAGE;
  return new Response(body, {
    headers: {
      "Content-Type": isScript ? "text/javascript" : "text/html",
      "Cache-Control": isScript ? "max-age=31536000, immutable" : "no-store",
    },
  });
}

browserTest("no worker or cached script of a former program on the port runs", "chromium", async () => {
  const before = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, former);
  const { port } = before.addr;
  const url = `http://127.0.0.1:${port}/demo/v2/`;
  await using browser = await startChromium();
  const page = await browser.newPage();
  await page.goto(url);
  await page.waitForFunction("document.title === 'registered'");
  await page.goto(url);
  assert.equal(await page.title(), "stolen", "the former program owns the address");
  await before.shutdown();
  await using _server = await ServerProcess.start(FROM_SOURCE, ["--port", String(port)]);
  // The worker answers once more, while the browser fetches its script anew and removes it.
  await page.goto(url);
  await page.waitForFunction("document.title === 'acq-server viewer'");
  await page.reload();
  assert.equal(await page.title(), "acq-server viewer");
  const registrations = "navigator.serviceWorker.getRegistrations().then((all) => all.length)";
  assert.equal(await page.evaluate(registrations), 0);
});
