/** A server process to be measured. */
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** A server that answers. */
export interface ServerProcess {
  readonly base: string;
  readonly pid: number;
  /** Milliseconds from its start to its first healthy answer. */
  readonly startMs: number;
  /** What it has printed until it listened. */
  readonly said: string;
  stop(): Promise<void>;
}

/** Starts `main.ts`, or another file that prints an address, and waits for its first healthy answer. */
export async function startServer(file = "main.ts", args: readonly string[] = []): Promise<ServerProcess> {
  const began = performance.now();
  const permissions = file === "main.ts" ? "-P" : "-A";
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", permissions, "--no-prompt", file, "--port", "0", "--log-level", "error", ...args],
    cwd: ROOT,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/http:\/\/\S+?:\d+\/docs/.test(text)) text += (await reader.read()).value ?? "";
  const base = /http:\/\/\S+?:\d+/.exec(text)![0];
  await json(base, "GET", "/api/v2/health");
  const startMs = performance.now() - began;
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    base,
    pid: child.pid,
    startMs,
    said: text,
    async stop() {
      child.kill("SIGINT");
      await child.status;
      await drained;
    },
  };
}

/** Resident memory of a process in MiB; NaN where the system has no /proc. */
export const resident = (pid: number): Promise<number> => memory(pid, "VmRSS");

/** The most that it has been. */
export const largestResident = (pid: number): Promise<number> => memory(pid, "VmHWM");

async function memory(pid: number, field: string): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? NaN) / 1024;
}

/** One request with a JSON answer. */
export async function json(base: string, method: string, path: string, body?: unknown) {
  const response = await fetch(base + path, {
    method,
    ...(body !== undefined &&
      { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  return await response.json();
}
