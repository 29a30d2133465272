/** Memory of a server in the life of its sessions, and what loads of each format leave. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ramp, writePlainStore } from "../tests/fixtures/plain_store.ts";
import { Client } from "./http_client.ts";
import type { BenchRow } from "./report.ts";
import { SAMPLES, type Write } from "./samples.ts";
import { type ServerProcess, startServer } from "./server_process.ts";
import { REST_MS, rounds, withFolder } from "./setting.ts";

/** Loads of a format, one after the other and in pairs. */
const LOADS = 15;

/** Servers that are measured at once: they are idle most of the time. */
const AT_ONCE = 4;

/** Clients that ask for a plane and never read it. */
const STALLED = 50;

/** Notes the memory of a fresh server under a name. */
type Note = (name: string) => Promise<void>;

/** Measures a server of its own. */
async function measure(
  group: string,
  args: readonly string[],
  work: (server: ServerProcess, note: Note) => Promise<void>,
): Promise<BenchRow[]> {
  await using server = await startServer(args);
  // The first worker has started by then.
  await pause(1000);
  const idle = await server.resident();
  const rows: BenchRow[] = [];
  await work(server, async (name) => {
    const mebibytes = await server.resident();
    const most = await server.resident("VmHWM") - idle;
    const ratios = { "MiB over idle": mebibytes - idle, "MiB over idle at most": most };
    rows.push({ group, name, mebibytes, ratios });
  });
  return [{ group, name: "idle", mebibytes: idle }, ...rows];
}

const sessions = (): Promise<BenchRow[]> =>
  withFolder((folder) =>
    measure("memory, sessions of OME-Zarr", ["--session-ttl", "3s"], async (server, note) => {
      const [large, middle] = [join(folder, "large.ome.zarr"), join(folder, "middle.ome.zarr")];
      const size = { rows: 61_000, columns: 2048 };
      const plane = ramp(size.rows, size.columns);
      await writePlainStore(large, { planes: [plane, plane], ...size });
      await writePlainStore(middle, { planes: [ramp(2048, 2048)], rows: 2048, columns: 2048 });
      const opened = await server.open(large);
      await note("with a session of 953 MiB");
      await server.remove(opened);
      await pause(REST_MS);
      await note("after deleting it");
      for (let i = 0; i < 10; i += 1) await server.open(middle);
      await note("with ten sessions of 16 MiB");
      await pause(3000 + REST_MS);
      await note("after they expired");
      for (let i = 0; i < 100; i += 1) await server.remove(await server.open(middle));
      await pause(REST_MS);
      await note("after 100 opens and deletes of 16 MiB");
      const stalled = await server.open(middle);
      using clients = new DisposableStack();
      for (let i = 0; i < STALLED; i += 1) {
        await clients.use(await Client.connect(server.port)).ask(stalled.channels[0].dataUrl);
      }
      await pause(500);
      await note(`with ${STALLED} clients that do not read one plane of 16 MiB`);
      clients.dispose();
      await server.remove(stalled);
      await pause(REST_MS);
      await note("after they left");
    })
  );

const FILES: readonly (readonly [name: string, write: Write])[] = [
  ...SAMPLES.map(([format, name, write]) => [`${format}, ${name}`, write] as const),
  // These decode to hundreds of megabytes.
  ...["jpeg2000_largest.tif", "lerc_largest.tif", "webp_largest.tif", "zstd_tile_bomb.tif"].map((name) => {
    const path = fileURLToPath(new URL(`../tests/fixtures/tiff/${name}`, import.meta.url));
    return [name, () => path] as const;
  }),
];

const loads = (name: string, write: Write): Promise<BenchRow[]> =>
  withFolder(async (folder) => {
    const path = await write(folder);
    if (path === null) return [];
    return await measure(`memory, ${name}`, [], async (server, note) => {
      const load = async () => await server.remove(await server.open(path));
      for (let i = 0; i < rounds(LOADS); i += 1) await load();
      await pause(REST_MS);
      await note(`after ${rounds(LOADS)} loads`);
      for (let i = 0; i < rounds(LOADS); i += 1) await Promise.all([load(), load()]);
      await pause(REST_MS);
      await note(`after ${rounds(LOADS)} pairs of loads`);
    });
  });

/** Measures all. */
export async function run(): Promise<BenchRow[]> {
  const rows: BenchRow[][] = [await sessions()];
  const queue = FILES.entries();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (const [i, [name, write]] of queue) rows[i + 1] = await loads(name, write);
  }));
  return rows.flat();
}
