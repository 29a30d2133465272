/**
 * Set-up of the browser tests: the real server as a process of its own with a dialog program that answers as the test wants,
 * and the Chromium of this machine.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
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

  /** Stops the process, which then answers nothing, or continues it. A signal takes a while to reach all of its threads. */
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
