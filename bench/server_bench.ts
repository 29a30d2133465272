/**
 * The server as a process: how fast it answers while a large file loads, how fast a plane is served, and how much
 * memory it gives back.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ramp, writePlainStore } from "../tests/fixtures/plain_store.ts";
import { type BenchRow, best } from "./report.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const ROOT = fileURLToPath(new URL("../", import.meta.url));

interface Server {
  readonly base: string;
  readonly pid: number;
  stop(): Promise<void>;
}

async function startServer(): Promise<Server> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-P", "--no-prompt", MAIN, "--port", "0", "--log-level", "error"],
    cwd: ROOT,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let text = "";
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes("/docs")) text += (await reader.read()).value ?? "";
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    base: /http:\/\/\S+?:\d+/.exec(text)![0],
    pid: child.pid,
    async stop() {
      child.kill("SIGINT");
      await child.status;
      await drained;
    },
  };
}

/** Resident memory of a process in MiB; NaN where the system has no /proc. */
async function resident(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? NaN) / 1024;
}

async function json(base: string, method: string, path: string, body?: unknown) {
  const response = await fetch(base + path, {
    method,
    ...(body !== undefined &&
      { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  return await response.json();
}

/** Asks for the health every 2 ms until `work` is done; the slowest answer and the median in milliseconds. */
async function healthWhile(
  base: string,
  work: Promise<unknown>,
): Promise<{ slowest: number; median: number }> {
  let running = true;
  void work.finally(() => running = false);
  const times: number[] = [];
  while (running) {
    const start = performance.now();
    await (await fetch(`${base}/api/v2/health`)).arrayBuffer();
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  times.sort((a, b) => a - b);
  return { slowest: times.at(-1) ?? NaN, median: times[times.length >> 1] ?? NaN };
}

/** Copies `bytes` over loopback through bare TCP and gives the time in milliseconds. */
async function bareCopy(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const send = async () => {
    using connection = await listener.accept();
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at, at + (1 << 20)));
  };
  const start = performance.now();
  const sent = send();
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  await new Response(connection.readable).arrayBuffer();
  await sent;
  return performance.now() - start;
}

/** Measures a server process. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "acq_bench_" });
  const rows: BenchRow[] = [];
  try {
    const large = join(folder, "large.ome.zarr");
    // Two channels of 250 MB each as uint16.
    const [lines, columns] = [61_000, 2048];
    await writePlainStore(large, {
      planes: [ramp(lines, columns), ramp(lines, columns, 9)],
      rows: lines,
      columns,
    });
    const plane = join(folder, "plane.ome.zarr");
    await writePlainStore(plane, { planes: [ramp(4096, 4096)], rows: 4096, columns: 4096 });

    const server = await startServer();
    try {
      await json(server.base, "GET", "/api/v2/health");
      const idle = await healthWhile(server.base, new Promise((resolve) => setTimeout(resolve, 1500)));
      const idleMemory = await resident(server.pid);
      const opening = json(server.base, "POST", "/api/v2/open", { path: large });
      const busy = await healthWhile(server.base, opening);
      const opened = await opening;
      const loadedMemory = await resident(server.pid);
      await json(server.base, "DELETE", `/api/v2/sessions/${opened.sessionId}`);
      const deletedMemory = await resident(server.pid);
      rows.push(
        {
          group: "responsiveness",
          name: "health, idle: slowest answer",
          milliseconds: idle.slowest,
          ratios: {},
        },
        {
          group: "responsiveness",
          name: "health while 500 MB load: slowest answer",
          milliseconds: busy.slowest,
          ratios: { "to idle": busy.slowest / idle.slowest },
        },
        {
          group: "responsiveness",
          name: "health while 500 MB load: median",
          milliseconds: busy.median,
          ratios: { "to idle": busy.median / idle.median },
        },
        { group: "memory", name: "idle", mebibytes: idleMemory, ratios: {} },
        { group: "memory", name: "with a session of 953 MiB", mebibytes: loadedMemory, ratios: {} },
        {
          group: "memory",
          name: "after deleting it",
          mebibytes: deletedMemory,
          ratios: { "to idle": deletedMemory / idleMemory },
        },
      );

      const { channels: [channel] } = await json(server.base, "POST", "/api/v2/open", { path: plane });
      const bare = await best(5, () => bareCopy(new Uint8Array(64 << 20)));
      const served = await best(
        5,
        async () => await (await fetch(server.base + channel.dataUrl)).arrayBuffer(),
      );
      rows.push(
        { group: "serving 64 MiB", name: "bare TCP copy", milliseconds: bare, ratios: {} },
        {
          group: "serving 64 MiB",
          name: "one plane",
          milliseconds: served,
          ratios: { "to bare TCP": served / bare },
        },
      );
    } finally {
      await server.stop();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return rows;
}
