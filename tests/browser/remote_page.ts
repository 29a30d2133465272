/**
 * Other browsers than Chromium, driven without a library: Firefox over WebDriver BiDi (W3C Working Draft, one WebSocket) and
 * WebKitGTK's MiniBrowser over WebDriver (W3C Recommendation, HTTP), both as Debian installs them.
 */
import { ended, spawn } from "../child_process.ts";
import { PATIENCE, until, within } from "../deadline.ts";
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

/** One page of a browser. */
export interface RemotePage extends AsyncDisposable {
  goto(url: string): Promise<void>;
  /** What an expression in the page answers, as JSON; promises are waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** Keys for whatever has the focus. */
  press(keys: string): Promise<void>;
  /** Drags with the mouse between two places of the page in CSS pixels. */
  drag(from: Point, to: Point): Promise<void>;
}

/** A place in the page. */
export type Point = readonly [x: number, y: number];

/** Whether a browser is installed; says so when it is not. */
export function hasBrowser(name: "firefox" | "webkit"): boolean {
  const wanted = name === "firefox" ? [[FIREFOX]] : [[WEBKIT_DRIVER], [XVFB], MINI_BROWSERS];
  const missing = wanted.find((places) => !places.some(exists));
  if (missing !== undefined) console.log(`skipped: ${missing[0]} is missing`);
  return missing === undefined;
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/** A page of Firefox, which can open more. */
export interface FirefoxPage extends RemotePage {
  /** Opens another tab of the same browser. */
  openTab(): Promise<RemotePage>;
}

/** Starts a browser with an empty profile, which takes certificates that nobody vouches for. */
export function startBrowser(
  name: "firefox" | "webkit",
  preferences: FirefoxPreferences = {},
): Promise<RemotePage> {
  return name === "firefox" ? startFirefox(preferences) : startWebkit();
}

/** Settings of Firefox besides its own, as `about:config` lists them. */
export type FirefoxPreferences = Readonly<Record<string, string | number>>;

/** Starts a program and reads its output up to its address. */
async function startProgram(
  program: string,
  options: Deno.CommandOptions,
  where: RegExp,
): Promise<{ process: Deno.ChildProcess; found: string }> {
  const process = spawn(program, options);
  const reader = process.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  for (;;) {
    const { done, value } = await within(PATIENCE, `the address of ${program}`, reader.read());
    if (done) throw new Error(`The program ended: ${said}`);
    said += value;
    const found = said.match(where)?.[1];
    if (found === undefined) continue;
    // It goes on and nobody reads it.
    (async () => {
      while (!(await reader.read()).done);
    })();
    return { process, found };
  }
}

/** Starts Firefox. @param kept folder of a profile that outlives it; by default one that goes with it */
export async function startFirefox(preferences: FirefoxPreferences, kept?: string): Promise<FirefoxPage> {
  const profile = kept ?? await Deno.makeTempDir({ prefix: "firefox_" });
  const lines = Object.entries(preferences).map(([name, value]) =>
    `user_pref("${name}", ${JSON.stringify(value)});\n`
  );
  await Deno.writeTextFile(`${profile}/user.js`, lines.join(""));
  const { process, found } = await startProgram(FIREFOX, {
    args: ["--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile],
    env: { HOME: profile, MOZ_DISABLE_CONTENT_SANDBOX: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }, /BiDi listening on (ws:\/\/\S+)/);
  const socket = new WebSocket(`${found}/session`);
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

/** A tab of Firefox by its browsing context. */
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
    press(keys) {
      const actions = [...keys].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
      return send("input.performActions", { context, actions: [{ type: "key", id: "keys", actions }] });
    },
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
  const { process: xvfb, found: display } = await startProgram(XVFB, {
    args: ["-displayfd", "2", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }, /^(\d+)$/m);
  const port = freePort();
  const driver = spawn(WEBKIT_DRIVER, {
    args: [`--port=${port}`],
    env: {
      DISPLAY: `:${display}`,
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
  const binary = MINI_BROWSERS.find(exists);
  const options = { binary, args: ["--automation"] };
  const { sessionId } = await call("POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options, acceptInsecureCerts: true } },
  });
  const session = `/session/${sessionId}`;
  return {
    goto: (url) => call("POST", `${session}/url`, { url }),
    async evaluate(expression) {
      const script = `const done = arguments[0];
        (async () => JSON.stringify(await (${expression})))().then(done, (error) => done("!" + error));`;
      const answer = await call("POST", `${session}/execute/async`, { script, args: [] });
      if (typeof answer === "string" && answer.startsWith("!")) throw new Error(answer.slice(1));
      return answer === null || answer === undefined ? undefined : JSON.parse(answer);
    },
    press(keys) {
      const actions = [...keys].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
      return call("POST", `${session}/actions`, { actions: [{ type: "key", id: "keys", actions }] });
    },
    drag: (from, to) => call("POST", `${session}/actions`, { actions: [mouseDrag(from, to)] }),
    async [Symbol.asyncDispose]() {
      await call("DELETE", session).catch(() => {});
      driver.kill();
      await ended(driver, "the driver of WebKit");
      xvfb.kill();
      await ended(xvfb, "Xvfb");
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
