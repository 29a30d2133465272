/** What a page of another site can do to a server on this machine, and what cookies of its neighbours do. */
import assert from "node:assert/strict";
import type { Viewer } from "./viewer.ts";
import { postWithHeaders } from "./in_page.js";
import { serveHtml, viewerSuite } from "./suite.ts";

const { test, files } = viewerSuite("--host-resolver-rules=MAP attacker.test 127.0.0.1");

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Around every limit: the server's 100 headers, the 1000 and 2000 of servers that drop the others. */
const COUNTS = [
  ...from(0, 5),
  ...from(60, 120),
  ...from(240, 270),
  ...from(500, 520),
  ...from(900, 910),
  ...from(975, 1100),
  ...from(1490, 1510),
  ...from(1980, 2010),
  3000,
  5000,
];

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
  assert.deepEqual([...new Set(answers)].sort(), ["403 origin_not_allowed", "431 request_validation_failed"]);
  assert.equal(answers[0], "403 origin_not_allowed");
  assert.equal(answers.filter((answer) => answer.startsWith("431")).length > 200, true);
});

test("every dialog requested by another site names it, with any number of headers", async (viewer) => {
  const { server } = viewer;
  server.choose(files.image);
  const counts = COUNTS.filter((count) => count % 4 === 0);
  const answers = await postFromAttacker(viewer, "/api/v2/pick-and-open", {}, counts);
  assert.deepEqual([...new Set(answers)].sort(), ["200 opened", "431 request_validation_failed"]);
  const opened = answers.filter((answer) => answer === "200 opened").length;
  const dialogs = server.dialogs();
  assert.equal(dialogs.length, opened);
  for (const dialog of dialogs) assert.match(dialog, /for http:\/\/attacker\.test:\d+/);
  // Three that are cancelled are the last ones, with any number of headers.
  server.cancel();
  const cancelled = await postFromAttacker(viewer, "/api/v2/pick-and-open", {}, [0, 1, 2, 3, 0, 990, 1000]);
  assert.deepEqual(cancelled.slice(0, 3), Array(3).fill("200 cancelled"));
  for (const answer of cancelled.slice(3)) assert.match(answer, /^409 dialog_busy|^431 /);
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
