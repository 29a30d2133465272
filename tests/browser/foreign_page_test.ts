/** What a page of another site, cookies of neighbours and a former program on the port can do. */
import assert from "node:assert/strict";
import type { Viewer } from "./viewer.ts";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { startChromium } from "./browser.ts";
import { postWithHeaders } from "./in_page.js";
import { browserTest } from "./remote_page.ts";
import { serveHtml, viewerSuite } from "./suite.ts";

const { test, files } = viewerSuite("--host-resolver-rules=MAP attacker.test 127.0.0.1");

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Around every limit: the runtime's 128 headers, the 1000 and 2000 of servers that drop the others. */
const COUNTS = [
  ...from(0, 5),
  ...from(60, 140),
  ...from(240, 270),
  ...from(500, 520),
  ...from(900, 910),
  ...from(975, 1100),
  ...from(1490, 1510),
  ...from(1980, 2010),
  3000,
  5000,
];

/** What a page sees of a request that the runtime refuses. */
const REFUSED = "TypeError: Failed to fetch";

/** Posts from a page of `http://attacker.test`, whose name leads to this machine; answers by the count of headers. */
async function postFromAttacker(
  { page, server }: Viewer,
  path: string,
  body: unknown,
  counts: readonly number[],
): Promise<string[]> {
  await using site = serveHtml("<!doctype html><title>x</title>");
  const foreign = await page.context().newPage();
  await foreign.goto(`http://attacker.test:${site.addr.port}/`);
  const asked = { url: server.baseUrl + path, body: JSON.stringify(body), counts };
  const answers = await foreign.evaluate(postWithHeaders, asked);
  await foreign.close();
  return answers;
}

test("a page of another site opens no path, with any number of headers", async (viewer) => {
  const answers = await postFromAttacker(viewer, "/api/v2/open", { path: files.image }, COUNTS);
  assert.deepEqual([...new Set(answers)].sort(), ["403 origin_not_allowed", REFUSED]);
  assert.equal(answers[0], "403 origin_not_allowed");
  assert.equal(answers.filter((answer) => answer === REFUSED).length > 200, true);
});

test("every dialog requested by another site names it, with any number of headers", async (viewer) => {
  const { server } = viewer;
  server.choose(files.image);
  const counts = COUNTS.filter((count) => count % 4 === 0);
  const answers = await postFromAttacker(viewer, "/api/v2/pick-and-open", {}, counts);
  assert.deepEqual([...new Set(answers)].sort(), ["200 opened", REFUSED]);
  const opened = answers.filter((answer) => answer === "200 opened").length;
  const dialogs = server.dialogs();
  assert.equal(dialogs.length, opened);
  for (const dialog of dialogs) assert.match(dialog, /for http:\/\/attacker\.test:\d+/);
  // Three that are cancelled are the last ones, with any number of headers.
  server.cancel();
  const cancelled = await postFromAttacker(viewer, "/api/v2/pick-and-open", {}, [0, 1, 2, 3, 0, 990, 1000]);
  assert.deepEqual(cancelled.slice(0, 3), Array(3).fill("200 cancelled"));
  assert.deepEqual(new Set(cancelled.slice(3)), new Set(["409 dialog_busy", REFUSED]));
  assert.equal(server.dialogs().length, opened + 3);
}, { flags: [] });

const COOKIES = Array.from({ length: 11 }, (_, i) => ({
  name: `cookie${i}`,
  value: "x".repeat(4080),
  domain: "127.0.0.1",
  path: "/",
  expires: -1,
  httpOnly: false,
  secure: false,
  sameSite: "Lax" as const,
}));

test("40 KiB of foreign cookies load the page, whose own requests send none", async (viewer, page) => {
  const sent: Promise<boolean>[] = [];
  page.on("request", (request) => {
    if (request.resourceType() !== "fetch") return;
    sent.push(request.allHeaders().then((headers) => "cookie" in headers));
  });
  await viewer.open(files.image);
  page.removeAllListeners("request");
  const haveCookies = await Promise.all(sent);
  assert(haveCookies.length >= 2);
  assert(!haveCookies.includes(true));
  const document = await page.reload();
  assert.equal(document!.status(), 200);
  const { cookie = "" } = await document!.request().allHeaders();
  assert(cookie.length > 40 * 1024, `${cookie.length} bytes of cookies`);
}, { context: { storageState: { cookies: COOKIES, origins: [] } } });

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
