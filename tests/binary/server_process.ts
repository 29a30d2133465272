/** The program as a process of its own: from its sources or compiled. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ended, spawn } from "../child_process.ts";
import { PATIENCE, within } from "../deadline.ts";

/** Root of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
}

/** The program from its sources, with the permissions of deno.json and nothing else. */
export const FROM_SOURCE: Launch = {
  program: Deno.execPath(),
  args: [
    "run",
    "--quiet",
    "--permission-set",
    "--no-prompt",
    ROOT + "main.ts",
  ],
};

/** A server that listens, until it is stopped or its scope ends. */
export class ServerProcess implements AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly baseUrl: string;
  readonly #child: Deno.ChildProcess;
  readonly #lines: string[];
  readonly #output: Promise<void>;
  #isStopped = false;

  private constructor(baseUrl: string, child: Deno.ChildProcess, lines: string[], output: Promise<void>) {
    this.baseUrl = baseUrl;
    this.#child = child;
    this.#lines = lines;
    this.#output = output;
  }

  /** Starts a server, on a free port unless `args` names one, and waits until it listens. */
  static async start(
    launch: Launch,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<ServerProcess> {
    const child = spawn(launch.program, {
      args: [...launch.args, ...args.includes("--port") ? [] : ["--port", "0"], ...args],
      env: { ...env },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    });
    const lines: string[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const output = (async () => {
      for await (const part of child.stderr.pipeThrough(new TextDecoderStream())) {
        lines.push(part);
        const address = /http:\/\/[^/\s]+:\d+/.exec(lines.join(""));
        if (address) resolve(address[0]);
      }
      reject(new Error(`The server ended: ${lines.join("")}`));
    })();
    const baseUrl = await within(PATIENCE, "the address of the server", promise);
    return new ServerProcess(baseUrl, child, lines, output);
  }

  get pid(): number {
    return this.#child.pid;
  }

  get stderr(): string {
    return this.#lines.join("");
  }

  async json(path: string, init?: RequestInit): Promise<{ status: number; body: Record<string, unknown> }> {
    const answer = fetch(this.baseUrl + path, init).then(async (response) => ({
      status: response.status,
      body: await response.json(),
    }));
    return await within(PATIENCE, `the answer to ${init?.method ?? "GET"} ${path}`, answer);
  }

  post(
    path: string,
    body: unknown,
    init: RequestInit = {},
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const headers = { "Content-Type": "application/json", ...init.headers as Record<string, string> };
    return this.json(path, { ...init, method: "POST", body: JSON.stringify(body), headers });
  }

  /** Asks it to end, waits for that, and checks that it ended by its own decision. */
  /** Settles with the exit status. */
  get exited(): Promise<number> {
    return this.#child.status.then(({ code }) => code);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    // Windows knows no signal that a process could answer.
    this.#child.kill(Deno.build.os === "windows" ? "SIGKILL" : "SIGTERM");
    const status = await ended(this.#child, "the server");
    await within(PATIENCE, "the end of what the server writes", this.#output.catch(() => {}));
    if (Deno.build.os !== "windows") assert.equal(status.code, 0, this.stderr);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
