/**
 * Any browser, all but Chromium driven without a library: Firefox over WebDriver BiDi (W3C Working Draft, one WebSocket) and
 * WebKitGTK's MiniBrowser over WebDriver (W3C Recommendation, HTTP), both as Debian installs them.
 */
import { existsSync } from "node:fs";
import { ended, spawn } from "../child_process.ts";
import { PATIENCE, until, within } from "../deadline.ts";
import { Display } from "../dialogs/display.ts";
import { hasChromium, startChromium } from "./browser.ts";

const FIREFOX = "/usr/bin/firefox-esr";
const WEBKIT_DRIVER = "/usr/bin/WebKitWebDriver";
const XVFB = "/usr/bin/Xvfb";
/** By the versions of WebKitGTK's interface that Debian has. */
const MINI_BROWSERS = ["4.1", "6.0", "4.0"].flatMap((version) =>
  ["x86_64", "aarch64"].map((machine) => {
    const name = version === "6.0" ? "webkitgtk-6.0" : `webkit2gtk-${version}`;
    return `/usr/lib/${machine}-linux-gnu/${name}/MiniBrowser`;
  })
);

export interface RemotePage extends AsyncDisposable {
  goto(url: string): Promise<void>;
  /** What an expression in the page answers, as JSON; promises are waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** A key for whatever has the focus: a letter or a name of {@linkcode CODES}. */
  press(key: string): Promise<void>;
  drag(from: Point, to: Point): Promise<void>;
}

export const BROWSERS = ["chromium", "firefox", "webkit"] as const;

export type BrowserName = (typeof BROWSERS)[number];

/** Keys by WebDriver's table of code points. */
const CODES: Record<string, string> = {
  Backspace: "\uE003",
  Tab: "\uE004",
  Enter: "\uE007",
  Escape: "\uE00C",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
  Delete: "\uE017",
};

/** A press of a key as both protocols take it. */
function keyPress(key: string): object {
  const value = CODES[key] ?? key;
  return { type: "key", id: "keys", actions: [{ type: "keyDown", value }, { type: "keyUp", value }] };
}

export type Point = readonly [x: number, y: number];

/** Whether a browser is installed; says so when it is not. */
export function hasBrowser(name: BrowserName): boolean {
  if (name === "chromium") return hasChromium();
  const wanted = name === "firefox" ? [[FIREFOX]] : [[WEBKIT_DRIVER], [XVFB], MINI_BROWSERS];
  const missing = wanted.find((places) => !places.some(existsSync));
  if (missing !== undefined) console.log(`skipped: ${missing[0]} is missing`);
  return missing === undefined;
}

export function browserTest(name: string, browser: BrowserName, fn: () => Promise<void>): void {
  const ignore = !hasBrowser(browser);
  Deno.test({ name: `viewer: ${name}`, ignore, sanitizeOps: false, sanitizeResources: false, fn });
}

export interface FirefoxPage extends RemotePage {
  openTab(): Promise<RemotePage>;
}

/** Settings of Firefox besides its own, as `about:config` lists them. */
type FirefoxPreferences = Readonly<Record<string, string | number>>;

/** Starts a browser with an empty profile, which takes certificates that nobody vouches for. */
export function startBrowser(name: BrowserName, preferences: FirefoxPreferences = {}): Promise<RemotePage> {
  if (name === "chromium") return startChromiumPage();
  return name === "firefox" ? startFirefox(preferences) : startWebkit();
}

async function startChromiumPage(): Promise<RemotePage> {
  const browser = await startChromium();
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  return {
    goto: async (url) => void await page.goto(url),
    evaluate: (expression) => page.evaluate(expression),
    press: (key) => page.keyboard.press(key),
    async drag([x, y], [toX, toY]) {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(toX, toY, { steps: 2 });
      await page.mouse.up();
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Reads what Firefox says up to the address of its socket. */
async function addressOf({ stderr }: Deno.ChildProcess): Promise<string> {
  const reader = stderr.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  for (;;) {
    const { done, value } = await within(PATIENCE, "the address of Firefox", reader.read());
    if (done) throw new Error(`Firefox ended: ${said}`);
    said += value;
    const found = /BiDi listening on (ws:\/\/\S+)/.exec(said)?.[1];
    if (found === undefined) continue;
    // It continues, and nobody reads it.
    (async () => {
      while (!(await reader.read()).done);
    })();
    return found;
  }
}

/** Starts Firefox. @param kept folder of a profile that outlives it; by default one that goes with it */
export async function startFirefox(preferences: FirefoxPreferences, kept?: string): Promise<FirefoxPage> {
  const profile = kept ?? await Deno.makeTempDir({ prefix: "firefox_" });
  const lines = Object.entries(preferences).map(([name, value]) =>
    `user_pref("${name}", ${JSON.stringify(value)});\n`
  );
  await Deno.writeTextFile(`${profile}/user.js`, lines.join(""));
  const process = spawn(FIREFOX, {
    args: ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile],
    env: { HOME: profile, MOZ_DISABLE_CONTENT_SANDBOX: "1" },
    stdout: "null",
    stderr: "piped",
  });
  const socket = new WebSocket(`${await addressOf(process)}/session`);
  const opened = new Promise((done, failed) => {
    socket.onopen = done;
    socket.onerror = failed;
  });
  await within(PATIENCE, "the socket of Firefox", opened);
  const send = bidiCommands(socket);
  await send("session.new", { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
  const { contexts } = await send("browsingContext.getTree", {});
  return {
    ...firefoxTab(send, contexts[0].context),
    async openTab() {
      const { context } = await send("browsingContext.create", { type: "tab" });
      return firefoxTab(send, context);
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => socket.onclose = done);
      await send("browser.close", {});
      await ended(process, "Firefox");
      await within(PATIENCE, "the end of the socket of Firefox", closed);
      if (kept === undefined) await Deno.remove(profile, { recursive: true });
    },
  };
}

function firefoxTab(send: ReturnType<typeof bidiCommands>, context: string): RemotePage {
  return {
    goto: (url) => send("browsingContext.navigate", { context, url, wait: "complete" }),
    async evaluate(expression) {
      const answer = await send("script.evaluate", {
        expression: `(async () => JSON.stringify(await (${expression})))()`,
        target: { context },
        awaitPromise: true,
      });
      if (answer.type !== "success") throw new Error(answer.exceptionDetails.text);
      return answer.result.type === "string" ? JSON.parse(answer.result.value) : undefined;
    },
    press: (key) => send("input.performActions", { context, actions: [keyPress(key)] }),
    drag: (from, to) => send("input.performActions", { context, actions: [mouseDrag(from, to)] }),
    [Symbol.asyncDispose]: () => send("browsingContext.close", { context }),
  };
}

/** Sends commands and matches answers by their number. */
// deno-lint-ignore no-explicit-any
function bidiCommands(socket: WebSocket): (method: string, params: object) => Promise<any> {
  const waiting = new Map<number, { done: (result: unknown) => void; failed: (error: Error) => void }>();
  socket.onmessage = ({ data }) => {
    const { id, type, result, error, message } = JSON.parse(data);
    const { done, failed } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (type === "error") failed?.(new Error(`${error}: ${message}`));
    else done?.(result);
  };
  let last = 0;
  return (method, params) => {
    const answer = new Promise((done, failed) => {
      const id = last += 1;
      waiting.set(id, { done, failed });
      socket.send(JSON.stringify({ id, method, params }));
    });
    return within(PATIENCE, `the answer to ${method}`, answer);
  };
}

async function startWebkit(): Promise<RemotePage> {
  const home = await Deno.makeTempDir({ prefix: "webkit_" });
  const display = await Display.start();
  const port = freePort();
  const driver = spawn(WEBKIT_DRIVER, {
    args: [`--port=${port}`],
    env: {
      DISPLAY: display.name,
      HOME: home,
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
      NO_AT_BRIDGE: "1",
    },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  const base = `http://127.0.0.1:${port}`;
  const call = async (method: string, path: string, body?: object) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await within(PATIENCE, `the answer to ${method} ${path}`, fetch(base + path, init));
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  await until(() => call("GET", "/status").then(() => true, () => false), "the driver of WebKit");
  const binary = MINI_BROWSERS.find(existsSync);
  const options = { binary, args: ["--automation"] };
  const { sessionId } = await call("POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options, acceptInsecureCerts: true } },
  });
  const session = `/session/${sessionId}`;
  const act = (action: object) => call("POST", `${session}/actions`, { actions: [action] });
  return {
    goto: (url) => call("POST", `${session}/url`, { url }),
    async evaluate(expression) {
      const script = `const done = arguments[0];
        (async () => JSON.stringify(await (${expression})))().then(done, (error) => done("!" + error));`;
      const answer = await call("POST", `${session}/execute/async`, { script, args: [] });
      if (typeof answer === "string" && answer.startsWith("!")) throw new Error(answer.slice(1));
      return answer === null || answer === undefined ? undefined : JSON.parse(answer);
    },
    press: (key) => act(keyPress(key)),
    drag: (from, to) => act(mouseDrag(from, to)),
    async [Symbol.asyncDispose]() {
      await call("DELETE", session).catch(() => {});
      driver.kill();
      await ended(driver, "the driver of WebKit");
      await display[Symbol.asyncDispose]();
      await Deno.remove(home, { recursive: true });
    },
  };
}

/** A drag as both protocols take it. */
function mouseDrag(from: Point, to: Point): object {
  const move = ([x, y]: Point) => ({ type: "pointerMove", x: Math.round(x), y: Math.round(y), duration: 50 });
  const middle: Point = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const actions = [
    move(from),
    { type: "pointerDown", button: 0 },
    move(middle),
    move(to),
    { type: "pointerUp", button: 0 },
  ];
  return { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions };
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}
