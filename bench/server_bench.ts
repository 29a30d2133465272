/** The server as a process: how soon it answers, how fast while a large file loads, and what memory it takes and gives back. */
import { join } from "node:path";
import { ramp, writePlainStore } from "../tests/fixtures/plain_store.ts";
import { run as memoryOfFormats } from "./memory_bench.ts";
import { scan } from "./oir_bench.ts";
import { tiff } from "./open_bench.ts";
import type { BenchRow } from "./report.ts";
import { json, resident, startServer } from "./server_process.ts";

const ROUNDS = 3;

/** Clients that ask for a plane and never read it. */
const STALLED = 8;

/** After 5 s workers that used a decoder are ended, and memory of planes goes back to the system. */
const REST_MS = 7000;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

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
    await pause(2);
  }
  times.sort((a, b) => a - b);
  return { slowest: times.at(-1) ?? NaN, median: times[times.length >> 1] ?? NaN };
}

/** Measures a server process. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "acq_bench_" });
  try {
    const large = join(folder, "large.ome.zarr");
    // Two channels of 250 MB each as uint16.
    const [rows, columns] = [61_000, 2048];
    await writePlainStore(large, { planes: [ramp(rows, columns), ramp(rows, columns, 9)], rows, columns });
    const middle = join(folder, "middle.ome.zarr");
    await writePlainStore(middle, { planes: [ramp(2048, 2048)], rows: 2048, columns: 2048 });
    return [
      ...await start(),
      ...await responsiveness(large),
      ...await afterRest(folder),
      ...await memory(large, middle),
      ...await memoryOfFormats(),
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Best of several starts; the first one fills the caches of the runtime. */
async function start(): Promise<BenchRow[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS + 2; round += 1) {
    const server = await startServer();
    times.push(server.startMs);
    await server.stop();
  }
  return [{
    group: "start",
    name: "process to first healthy answer",
    milliseconds: Math.min(...times.slice(1)),
    ratios: {},
  }];
}

/** The slowest of all answers, as the best of several loads: another program may take the cores during one. */
async function responsiveness(large: string): Promise<BenchRow[]> {
  const server = await startServer();
  try {
    const idle: { slowest: number; median: number }[] = [];
    const busy: typeof idle = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      idle.push(await healthWhile(server.base, pause(1000)));
      const opening = json(server.base, "POST", "/api/v2/open", { path: large });
      busy.push(await healthWhile(server.base, opening));
      await json(server.base, "DELETE", `/api/v2/sessions/${(await opening).sessionId}`);
    }
    const least = (of: typeof idle, key: "slowest" | "median") => Math.min(...of.map((times) => times[key]));
    const row = (name: string, key: "slowest" | "median"): BenchRow => ({
      group: "responsiveness",
      name,
      milliseconds: least(busy, key),
      ratios: { "to idle": least(busy, key) / least(idle, key) },
    });
    return [
      {
        group: "responsiveness",
        name: "health, idle: slowest",
        milliseconds: least(idle, "slowest"),
        ratios: {},
      },
      row("health while 500 MB load: slowest", "slowest"),
      row("health while 500 MB load: median", "median"),
    ];
  } finally {
    await server.stop();
  }
}

/** Files that are opened now and then, as by a person: a worker that has used a decoder is a fresh one then. */
const RESTED: readonly (readonly [name: string, write: () => Uint8Array])[] = [
  ["TIFF, 2 x 30,000 x 24, raw", () => tiff(30_000, 24, "none")],
  ["TIFF, 2 x 2048 x 2048, raw", () => tiff(2048, 2048, "none")],
  ["TIFF, 2 x 2048 x 2048, deflate", () => tiff(2048, 2048, "deflate")],
  ["OIR, 2 x 30,000 x 24", scan],
];

/** Opening a file when nothing was opened for a while, to opening it again at once: medians of three. */
async function afterRest(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, write] of RESTED) {
    const path = join(folder, name.startsWith("OIR") ? "rested.oir" : "rested.tif");
    await Deno.writeFile(path, write());
    const server = await startServer();
    const open = async () => {
      const start = performance.now();
      const { sessionId } = await json(server.base, "POST", "/api/v2/open", { path });
      const milliseconds = performance.now() - start;
      await json(server.base, "DELETE", `/api/v2/sessions/${sessionId}`);
      return milliseconds;
    };
    try {
      const first: number[] = [];
      const again: number[] = [];
      await open();
      for (let round = 0; round < ROUNDS; round += 1) {
        await pause(REST_MS);
        first.push(await open());
        for (let i = 0; i < 5; i += 1) await open();
        again.push(await open());
      }
      const median = (of: number[]) => of.toSorted((a, b) => a - b)[ROUNDS >> 1]!;
      const ratios = { "to opening it again at once": median(first) / median(again) };
      rows.push({ group: "open after 7 s of rest", name, milliseconds: median(first), ratios });
    } finally {
      await server.stop();
    }
  }
  return rows;
}

async function memory(large: string, middle: string): Promise<BenchRow[]> {
  const server = await startServer("main.ts", ["--session-ttl", "3s"]);
  const rows: BenchRow[] = [];
  const { base, pid } = server;
  let idle = NaN;
  const note = async (name: string) => {
    const mebibytes = await resident(pid);
    if (rows.length === 0) idle = mebibytes;
    rows.push({
      group: "memory",
      name,
      mebibytes,
      ratios: rows.length === 0 ? {} : { "MiB over idle": mebibytes - idle },
    });
  };
  const open = async (path: string) => await json(base, "POST", "/api/v2/open", { path });
  const remove = (id: string) => json(base, "DELETE", `/api/v2/sessions/${id}`);
  try {
    await pause(500);
    await note("idle");
    const { sessionId } = await open(large);
    await note("with a session of 953 MiB");
    await remove(sessionId);
    await pause(REST_MS);
    await note("after deleting it");
    for (let i = 0; i < 10; i += 1) await open(middle);
    await note("with ten sessions of 16 MiB");
    await pause(3000 + REST_MS);
    await note("after they expired");
    for (let i = 0; i < 100; i += 1) await remove((await open(middle)).sessionId);
    await pause(REST_MS);
    await note("after 100 opens and deletes of 16 MiB");
    const { channels: [channel], sessionId: stalled } = await open(middle);
    const connections: Deno.Conn[] = [];
    for (let i = 0; i < STALLED; i += 1) {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(base).port) });
      await connection.write(
        new TextEncoder().encode(`GET ${channel.dataUrl} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
      );
      connections.push(connection);
    }
    await pause(500);
    await note(`with ${STALLED} clients that do not read one plane of 16 MiB`);
    for (const connection of connections) connection.close();
    await remove(stalled).catch(() => {});
    await pause(REST_MS);
    await note("after they left");
    return rows;
  } finally {
    await server.stop();
  }
}
