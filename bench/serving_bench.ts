/** Serving a plane of 64 MiB over loopback, against a bare TCP copy between the same two processes. */
import { join } from "node:path";
import { ramp, writePlainStore } from "../tests/fixtures/plain_store.ts";
import { type BenchRow, best } from "./report.ts";
import { json, startServer } from "./server_process.ts";

const ROUNDS = 15;

/** What a connection brought: milliseconds until its first payload byte, and bytes in all. */
interface Arrival {
  readonly firstByte: number;
  readonly bytes: number;
}

/** Sends a request and reads until the other side closes, into one buffer as a client that streams does. */
async function receive(port: number, request: string): Promise<Arrival> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const chunk = new Uint8Array(1 << 20);
  const start = performance.now();
  await connection.write(new TextEncoder().encode(request));
  let firstByte = NaN;
  let bytes = 0;
  for (let n = await connection.read(chunk); n !== null; n = await connection.read(chunk)) {
    if (bytes === 0) firstByte = performance.now() - start;
    bytes += n;
  }
  connection.close();
  return { firstByte, bytes };
}

/** Measures a server process. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "acq_bench_" });
  const path = join(folder, "plane.ome.zarr");
  await writePlainStore(path, { planes: [ramp(4096, 4096)], rows: 4096, columns: 4096 });
  const server = await startServer("bench/serving_peer.ts");
  try {
    const { channels: [channel] } = await json(server.base, "POST", "/api/v2/open", { path });
    const port = Number(new URL(server.base).port);
    const barePort = Number(/bare copy at port (\d+)/.exec(server.said)![1]);
    const request = (method: string, headers = "") =>
      `${method} ${channel.dataUrl} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`;
    const plane = () => receive(port, request("GET"));
    const bare = () => receive(barePort, "x");
    const rows: BenchRow[] = [];
    for (const clients of [1, 2, 8]) {
      const together = (one: () => Promise<Arrival>) => () =>
        Promise.all(Array.from({ length: clients }, one));
      // In turns, so that both see the same machine.
      let [copied, served] = [Infinity, Infinity];
      for (let round = 0; round < ROUNDS; round += 1) {
        copied = Math.min(copied, await best(1, together(bare)));
        served = Math.min(served, await best(1, together(plane)));
      }
      const name = clients === 1 ? "1 client" : `${clients} clients`;
      rows.push(
        { group: "serving 64 MiB", name: `${name}: bare TCP copy`, milliseconds: copied, ratios: {} },
        {
          group: "serving 64 MiB",
          name: `${name}: plane`,
          milliseconds: served,
          ratios: { "of the throughput of bare TCP": copied / served },
        },
      );
    }
    const firstByte = async (one: () => Promise<Arrival>) => {
      let shortest = Infinity;
      for (let round = 0; round < ROUNDS; round += 1) shortest = Math.min(shortest, (await one()).firstByte);
      return shortest;
    };
    const bareFirst = await firstByte(bare);
    const small: [string, () => Promise<Arrival>][] = [
      ["first byte of a plane", plane],
      ["HEAD", () => receive(port, request("HEAD"))],
      ["range of 1 MiB", () => receive(port, request("GET", "Range: bytes=1048576-2097151\r\n"))],
    ];
    rows.push({
      group: "serving 64 MiB",
      name: "first byte of the bare copy",
      milliseconds: bareFirst,
      ratios: {},
    });
    for (const [name, one] of small) {
      const milliseconds = name.startsWith("range") ? await best(ROUNDS, one) : await firstByte(one);
      rows.push({
        group: "serving 64 MiB",
        name,
        milliseconds,
        ratios: { "to the first byte of the bare copy": milliseconds / bareFirst },
      });
    }
    return rows;
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
