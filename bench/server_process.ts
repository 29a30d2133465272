/** Server processes that are measured. */
import { BARE_SERVERS } from "./bare_servers.ts";
import { TREE } from "./setting.ts";

/** An answer as the API documents it. */
// deno-lint-ignore no-explicit-any
type Json = any;

/** A process that has printed its address. */
export class ServerProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #drained: Promise<void>;

  private constructor(child: Deno.ChildProcess, drained: Promise<void>, readonly port: number) {
    this.#child = child;
    this.#drained = drained;
  }

  /** Runs a Deno program until it has printed its address. @throws {Error} it ended before */
  static async start(cwd: string, args: readonly string[]): Promise<ServerProcess> {
    const options = { cwd, stdout: "null", stderr: "piped" } as const;
    const child = new Deno.Command(Deno.execPath(), { args: ["run", "-q", ...args], ...options }).spawn();
    const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
    let said = "";
    let port: string | undefined;
    while (port === undefined) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`A server ended at its start: ${said}`);
      said += value;
      port = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(said)?.[1];
    }
    const drained = (async () => {
      while (!(await reader.read()).done);
    })();
    return new ServerProcess(child, drained, Number(port));
  }

  /** One request with a JSON answer. */
  async json(method: string, path: string, body?: unknown): Promise<Json> {
    const headers = { "content-type": "application/json" };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    return await (await fetch(`http://127.0.0.1:${this.port}${path}`, init)).json();
  }

  /** Opens a file in a session. */
  open(path: string): Promise<Json> {
    return this.json("POST", "/api/v2/open", { path });
  }

  /** Deletes a session; does nothing where the open was refused. */
  async remove({ sessionId }: { readonly sessionId?: string }): Promise<void> {
    if (sessionId !== undefined) await this.json("DELETE", `/api/v2/sessions/${sessionId}`);
  }

  /** Resident memory in MiB, now (`VmRSS`) or the most so far (`VmHWM`); NaN where the system has no /proc. */
  async resident(field: "VmRSS" | "VmHWM" = "VmRSS"): Promise<number> {
    const status = await Deno.readTextFile(`/proc/${this.#child.pid}/status`).catch(() => "");
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? NaN) / 1024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGINT");
    await this.#child.status;
    await this.#drained;
  }
}

/** Starts the server of the measured checkout and waits for its first healthy answer. */
export async function startServer(args: readonly string[] = []): Promise<ServerProcess> {
  const all = ["-P", "--no-prompt", "main.ts", "--port", "0", "--log-level", "error", ...args];
  const server = await ServerProcess.start(TREE, all);
  await server.json("GET", "/api/v2/health");
  return server;
}

/** Starts one of {@linkcode BARE_SERVERS}. */
export const startBareServer = (name: (typeof BARE_SERVERS)[number]): Promise<ServerProcess> =>
  ServerProcess.start(import.meta.dirname!, ["-A", "bare_servers.ts", String(BARE_SERVERS.indexOf(name))]);
