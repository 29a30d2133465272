/**
 * Sending a plane of 16 MiB from memory over loopback: the server against bare ones of TCP, of `node:http` and of `Deno.serve`, on
 * which it is built.
 */
import { join } from "node:path";
import { ramp, writePlainStore } from "../tests/fixtures/plain_store.ts";
import { BARE_SERVERS } from "./bare_servers.ts";
import { Client } from "./http_client.ts";
import type { BenchRow } from "./report.ts";
import { startBareServer, startServer } from "./server_process.ts";
import { withFolder } from "./setting.ts";
import { inTurns, timed, type TimedWork } from "./timing.ts";

const [ROUNDS, SIDE] = [60, 2048];

/** Measures one client, and eight at once. */
export const run = (): Promise<BenchRow[]> =>
  withFolder(async (folder) => {
    const path = join(folder, "plane.ome.zarr");
    await writePlainStore(path, { planes: [ramp(SIDE, SIDE)], rows: SIDE, columns: SIDE });
    await using server = await startServer();
    // A process each: one that has just answered is faster than one that has waited.
    await using bare = new AsyncDisposableStack();
    const ports: Record<string, number> = {};
    for (const name of BARE_SERVERS) ports[name] = bare.use(await startBareServer(name)).port;
    const { channels: [{ dataUrl }] } = await server.open(path);
    const rows: BenchRow[] = [];
    for (const count of [1, 8]) {
      using clients = new DisposableStack();
      const getting = async (port: number, target: string): Promise<TimedWork> => {
        const connected = await Promise.all(Array.from({ length: count }, () => Client.connect(port)));
        for (const client of connected) clients.use(client);
        return () => timed(() => Promise.all(connected.map((client) => client.get(target))));
      };
      const works = { "acq-server": await getting(server.port, dataUrl) };
      for (const [name, port] of Object.entries(ports)) {
        Object.assign(works, { [name]: await getting(port, `/${4 * SIDE * SIDE}`) });
      }
      const times = Object.entries(await inTurns(ROUNDS, works));
      const floor = times[1]![1];
      const group = `serving a plane of 16 MiB, ${count === 1 ? "one client" : `${count} clients at once`}`;
      rows.push(...times.map(([name, { least, median }]) => ({
        ...{ group, name, milliseconds: least.clock },
        ratios: {
          "to bare TCP": least.clock / floor.least.clock,
          "in the median": median.clock / floor.median.clock,
        },
      })));
    }
    return rows;
  });
