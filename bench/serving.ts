/**
 * Sending a plane of 16 MiB from memory over loopback: the server against bare ones of `node:http`, on which it is built, and of
 * `Deno.serve`, which could take its place.
 */
import { join } from "node:path";
import { ramp, writePlainStore } from "../tests/fixtures/plain_store.ts";
import { BARE_SERVERS } from "./bare_servers.ts";
import { Client } from "./http_client.ts";
import type { BenchRow } from "./report.ts";
import { startBareServers, startServer } from "./server_process.ts";
import { withFolder } from "./setting.ts";
import { inTurns, timed, type TimedWork } from "./timing.ts";

const [ROUNDS, SIDE] = [60, 2048];

/** Measures one client, and eight at once. */
export const run = (): Promise<BenchRow[]> =>
  withFolder(async (folder) => {
    const path = join(folder, "plane.ome.zarr");
    await writePlainStore(path, { planes: [ramp(SIDE, SIDE)], rows: SIDE, columns: SIDE });
    await using server = await startServer();
    await using bare = await startBareServers();
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
      for (const [i, name] of BARE_SERVERS.entries()) {
        Object.assign(works, { [name]: await getting(bare.ports[i]!, `/${4 * SIDE * SIDE}`) });
      }
      const times = Object.entries(await inTurns(ROUNDS, works));
      const floor = times[1]![1];
      const group = `serving a plane of 16 MiB, ${count === 1 ? "one client" : `${count} clients at once`}`;
      rows.push(...times.map(([name, { least, median }]) => ({
        ...{ group, name, milliseconds: least.clock },
        ratios: {
          "to node:http with 4 MiB": least.clock / floor.least.clock,
          "in the median": median.clock / floor.median.clock,
        },
      })));
    }
    return rows;
  });
