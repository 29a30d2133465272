/**
 * The client module in pages that the server does not serve: what each browser allows a page from disk, of http and of https
 * (the table of docs/use-from/web.md).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findProgram, output } from "../programs.ts";
import { hasChromium, startChromium, StubbedServer } from "./browser.ts";
import { lineScanFile, SHAPE } from "./line_scan.ts";
import { hasBrowser, startBrowser } from "./remote_page.ts";
import { temporaryFolder } from "../temporary_files.ts";

const openssl = findProgram("openssl", "a page of https");

/** A name that leads to this machine, at ports that the browsers take for those of a machine in the internet. */
const AWAY = "lab.example";

/** Addresses of a page without content. */
interface Sites extends AsyncDisposable {
  readonly file: string;
  readonly http: string;
  readonly https: string;
  /** Of another machine. */
  readonly httpAway: string;
  readonly httpsAway: string;
  /** `host:port` of both. */
  readonly away: readonly string[];
}

async function serveSites(folder: string): Promise<Sites> {
  const [key, certificate, page] = ["key.pem", "certificate.pem", "page.html"].map((name) =>
    join(folder, name)
  );
  await output(openssl!, [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
    ...["-addext", `subjectAltName=DNS:localhost,DNS:${AWAY}`, "-keyout", key!, "-out", certificate!],
  ]);
  const [html, type] = ["<!doctype html><title>x</title>", "text/html"];
  Deno.writeTextFileSync(page!, html);
  const secret = { key: Deno.readTextFileSync(key!), cert: Deno.readTextFileSync(certificate!) };
  const local = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const answer = () => new Response(html, { headers: { "Content-Type": type } });
  const plain = [1, 2].map(() => Deno.serve(local, answer));
  const secure = [1, 2].map(() => Deno.serve({ ...local, ...secret }, answer));
  const [http, httpAway, https, httpsAway] = [...plain, ...secure].map(({ addr }) => addr.port);
  return {
    file: pathToFileURL(page!).href,
    http: `http://localhost:${http}/`,
    https: `https://localhost:${https}/`,
    httpAway: `http://${AWAY}:${httpAway}/`,
    httpsAway: `https://${AWAY}:${httpsAway}/`,
    away: [`127.0.0.1:${httpAway}`, `127.0.0.1:${httpsAway}`],
    async [Symbol.asyncDispose]() {
      await Promise.all([...plain, ...secure].map((site) => site.shutdown()));
    },
  };
}

/** Runs in the page: opens by the dialog, then by path; the code of what fails, the number of samples of what works. */
const use = (base: string, path: string) =>
  `(async () => {
    const { connect } = await import("${base}/client/v2/acq-client.js");
    const server = await connect();
    const samples = async (opening) => {
      const scan = await opening;
      const plane = await scan.plane(0);
      await scan.close();
      return plane.samples.length;
    };
    return [await samples(server.pick()), await samples(server.open(${
    JSON.stringify(path)
  })).catch(({ code }) => code)];
  })().catch((error) => error.code ?? error.name)`;

const SAMPLES = SHAPE[0] * SHAPE[1];

/** What {@linkcode use} answers where the page may have the module, and where it is not loaded. */
const WORKS = [SAMPLES, SAMPLES];
const BY_DIALOG = [SAMPLES, "origin_not_allowed"];
const NOT_LOADED = "TypeError";

interface Visitor extends AsyncDisposable {
  visit(url: string, expression: string): Promise<unknown>;
}

/** `isAllowed` is the user's answer where the browser asks whether a page may reach this machine. */
type StartVisitor = (sites: Sites, isAllowed: boolean) => Promise<Visitor>;

const inChromium: StartVisitor = async (sites, isAllowed) => {
  const browser = await startChromium(
    `--host-resolver-rules=MAP ${AWAY} 127.0.0.1`,
    `--ip-address-space-overrides=${sites.away.map((place) => `${place}=public`).join()}`,
  );
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  // Headless, it answers its own question with no.
  if (isAllowed) await context.grantPermissions(["local-network-access"]);
  return {
    async visit(url, expression) {
      const page = await context.newPage();
      await page.goto(url);
      return await page.evaluate(expression);
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
};

const inRemote = (name: "firefox" | "webkit"): StartVisitor => async (sites, isAllowed) => {
  const page = await startBrowser(name, {
    "network.dns.localDomains": AWAY,
    "network.lna.address_space.public.override": sites.away.join(),
    // By nsIPermissionManager.idl 1 is to allow and 2 to deny.
    "permissions.default.loopback-network": isAllowed ? 1 : 2,
  });
  return {
    async visit(url, expression) {
      await page.goto(url);
      return await page.evaluate(expression);
    },
    [Symbol.asyncDispose]: () => page[Symbol.asyncDispose](),
  };
};

async function withPages(work: (sites: Sites, expression: string) => Promise<void>): Promise<void> {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  await using sites = await serveSites(folder);
  const origin = new URL(sites.httpsAway).origin;
  await using server = await StubbedServer.start("--allow-origin", origin);
  const path = join(server.folder, "scan.oir");
  await Deno.writeFile(path, lineScanFile());
  server.choose(path);
  await work(sites, use(server.baseUrl, path));
}

function moduleTest(name: string, isThere: boolean, fn: () => Promise<void>): void {
  const ignore = !isThere || openssl === null;
  Deno.test({ name: `client module: ${name}`, ignore, sanitizeOps: false, sanitizeResources: false, fn });
}

/** Permissions of the two browsers that ask their user; they differ in pages of http, which others may have altered. */
const asking = (start: StartVisitor, httpAwayAllowed: unknown) => () =>
  withPages(async (sites, expression) => {
    {
      await using visitor = await start(sites, false);
      assert.deepEqual(await visitor.visit(sites.file, expression), BY_DIALOG);
      assert.deepEqual(await visitor.visit(sites.http, expression), WORKS);
      assert.deepEqual(await visitor.visit(sites.https, expression), WORKS);
      assert.equal(await visitor.visit(sites.httpsAway, expression), NOT_LOADED);
      assert.equal(await visitor.visit(sites.httpAway, expression), NOT_LOADED);
    }
    await using visitor = await start(sites, true);
    assert.deepEqual(await visitor.visit(sites.httpsAway, expression), WORKS);
    assert.deepEqual(await visitor.visit(sites.httpAway, expression), httpAwayAllowed);
  });

moduleTest(
  "pages from disk, of this machine and of another in Chromium",
  hasChromium(),
  asking(inChromium, NOT_LOADED),
);

moduleTest(
  "pages from disk, of this machine and of another in Firefox",
  hasBrowser("firefox"),
  asking(inRemote("firefox"), BY_DIALOG),
);

moduleTest(
  "pages from disk and of this machine in WebKit",
  hasBrowser("webkit"),
  () =>
    withPages(async (sites, expression) => {
      await using visitor = await inRemote("webkit")(sites, true);
      assert.deepEqual(await visitor.visit(sites.file, expression), BY_DIALOG);
      assert.deepEqual(await visitor.visit(sites.http, expression), WORKS);
      assert.equal(await visitor.visit(sites.https, expression), NOT_LOADED);
    }),
);
