/**
 * Stepping through the planes of a stack, against reading and converting the same bytes in one process and a bare TCP copy of
 * them between the same two processes.
 */
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import type { BenchRow } from "./report.ts";
import { json, resident, startServer } from "./server_process.ts";
import { type StackShape, writeChunks, writeImageJ, writePages } from "./stack_files.ts";

/** A connection that stays open, read into one buffer as a client that streams does. */
class Client {
  readonly #connection: Deno.TcpConn;
  readonly #buffer = new Uint8Array(1 << 20);

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  static async connect(port: number): Promise<Client> {
    return new Client(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Sends a request and reads its whole answer. */
  async get(target: string): Promise<void> {
    const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    await this.#connection.write(new TextEncoder().encode(request));
    let head = "";
    let body = 0;
    while (!head.includes("\r\n\r\n")) {
      const n = await this.#connection.read(this.#buffer);
      if (n === null) throw new Error("the server closed the connection");
      head += String.fromCharCode(...this.#buffer.subarray(0, Math.min(n, 2048)));
      body += n;
    }
    body -= head.indexOf("\r\n\r\n") + 4;
    if (!head.startsWith("HTTP/1.1 200")) throw new Error(head.slice(0, 500));
    const length = Number(/content-length: (\d+)/i.exec(head)![1]);
    await this.#take(length - body);
  }

  /** Asks the peer for a bare copy. */
  async copy(bytes: number): Promise<void> {
    const asked = new Uint8Array(4);
    new DataView(asked.buffer).setUint32(0, bytes);
    await this.#connection.write(asked);
    await this.#take(bytes);
  }

  async #take(bytes: number): Promise<void> {
    for (let left = bytes; left > 0;) {
      const n = await this.#connection.read(this.#buffer);
      if (n === null) throw new Error("the server closed the connection");
      left -= n;
    }
  }

  close(): void {
    this.#connection.close();
  }
}

/** Milliseconds in which `clients` connections do one thing for each plane, each as soon as it is free. */
async function stepping(
  port: number,
  clients: number,
  planes: number,
  one: (client: Client, plane: number) => Promise<void>,
) {
  const open = await Promise.all(Array.from({ length: clients }, () => Client.connect(port)));
  const start = performance.now();
  let next = 0;
  await Promise.all(open.map(async (client) => {
    while (next < planes) await one(client, next++);
  }));
  const time = performance.now() - start;
  for (const client of open) client.close();
  return time;
}

/** Milliseconds of reading and converting all planes in this process, one after the other. */
function converting(read: (plane: number) => Uint8Array<ArrayBuffer>, { planes, side }: StackShape): number {
  const start = performance.now();
  for (let plane = 0; plane < planes; plane += 1) {
    const bytes = read(plane);
    const stored = new Uint16Array(bytes.buffer, bytes.byteOffset, side * side);
    const samples = new Float32Array(side * side);
    for (let i = 0; i < samples.length; i += 1) samples[i] = stored[i]!;
  }
  return performance.now() - start;
}

/** Reads planes that lie at equal distances in one file. */
function reader(path: string, first: number, distance: number, bytes: number) {
  const file = Deno.openSync(path);
  const buffer = new Uint8Array(bytes);
  return (plane: number) => {
    file.seekSync(first + plane * distance, Deno.SeekMode.Start);
    for (let done = 0; done < bytes;) done += file.readSync(buffer.subarray(done)) ?? bytes;
    return buffer;
  };
}

interface Stack {
  readonly name: string;
  readonly path: string;
  readonly shape: StackShape;
  readonly read: (plane: number) => Uint8Array<ArrayBuffer>;
}

const SMALL: StackShape = { planes: 1000, side: 512 };
const LARGE: StackShape = { planes: 100, side: 2048 };
const MANY: StackShape = { planes: 10_000, side: 128 };

/** Bytes of header and directory before the first plane of {@linkcode writePages}. */
const BEFORE = 8 + 6 + 12 * 9;

const bytesOf = ({ side }: StackShape) => 2 * side * side;

function stacks(folder: string): Stack[] {
  const at = (name: string) => join(folder, name);
  writePages(at("raw.tif"), SMALL);
  writeImageJ(at("imagej.tif"), SMALL);
  writePages(at("deflate.tif"), SMALL, true);
  writeChunks(at("chunks.ome.zarr"), SMALL);
  writePages(at("large.tif"), LARGE);
  const small = bytesOf(SMALL);
  const deflated = Deno.readFileSync(at("deflate.tif"));
  const offsets: number[] = [];
  for (let dir = 8; dir !== 0;) {
    const view = new DataView(deflated.buffer, dir);
    offsets.push(dir);
    dir = view.getUint32(2 + 12 * 9, true);
  }
  return [
    {
      name: "raw",
      path: at("raw.tif"),
      shape: SMALL,
      read: reader(at("raw.tif"), BEFORE, small + BEFORE - 8, small),
    },
    {
      name: "ImageJ, one directory",
      path: at("imagej.tif"),
      shape: SMALL,
      read: reader(at("imagej.tif"), 200, small, small),
    },
    {
      name: "deflate",
      path: at("deflate.tif"),
      shape: SMALL,
      read: (plane) => {
        const first = offsets[plane]! + BEFORE - 8;
        return new Uint8Array(inflateSync(deflated.subarray(first, offsets[plane + 1] ?? deflated.length)));
      },
    },
    {
      name: "OME-Zarr chunks",
      path: at("chunks.ome.zarr"),
      shape: SMALL,
      read: (plane) => Deno.readFileSync(join(at("chunks.ome.zarr"), `0/c/${plane}/0/0`)),
    },
    {
      name: "raw",
      path: at("large.tif"),
      shape: LARGE,
      read: reader(at("large.tif"), BEFORE, bytesOf(LARGE) + BEFORE - 8, bytesOf(LARGE)),
    },
  ];
}

/** Planes are chosen by the axis that the format makes of them. */
async function open(
  base: string,
  path: string,
): Promise<{ sessionId: string; target: (plane: number) => string }> {
  const { header, channels: [channel], sessionId } = await json(base, "POST", "/api/v2/open", { path });
  const axis = header.dims[0].toLowerCase();
  return { sessionId, target: (plane) => `${channel.dataUrl}?${axis}=${plane}` };
}

/** Measures a server process. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "acq_bench_" });
  const server = await startServer("bench/serving_peer.ts");
  const rows: BenchRow[] = [];
  try {
    const port = Number(new URL(server.base).port);
    const barePort = Number(/bare copy at port (\d+)/.exec(server.said)![1]);
    for (const { name, path, shape, read } of stacks(folder)) {
      const group = `stepping through ${shape.planes} planes of ${shape.side} x ${shape.side}, each`;
      for (const clients of [1, 4]) {
        let [converted, copied, served] = [Infinity, Infinity, Infinity];
        for (let round = 0; round < 3; round += 1) {
          converted = Math.min(converted, converting(read, shape));
          copied = Math.min(
            copied,
            await stepping(barePort, clients, shape.planes, (client) => client.copy(2 * bytesOf(shape))),
          );
          const { sessionId, target } = await open(server.base, path);
          served = Math.min(
            served,
            await stepping(port, clients, shape.planes, (client, plane) => client.get(target(plane))),
          );
          await json(server.base, "DELETE", `/api/v2/sessions/${sessionId}`);
        }
        rows.push({
          group,
          name: `${name}, ${clients === 1 ? "one at a time" : "four at once"}`,
          milliseconds: served / shape.planes,
          ratios: {
            "to read + convert + bare TCP": served / (converted + copied),
            "of the throughput of bare TCP": copied / served,
          },
        });
      }
    }
    rows.push(...await jumps(server, folder));
    return rows;
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** A jump to the end after a rest, against a step to a neighbour; and memory. */
async function jumps(
  { base, pid }: Awaited<ReturnType<typeof startServer>>,
  folder: string,
): Promise<BenchRow[]> {
  const path = join(folder, "many.tif");
  writePages(path, MANY);
  const { target } = await open(base, path);
  const port = Number(new URL(base).port);
  let client = await Client.connect(port);
  const timed = async (plane: number) => {
    const start = performance.now();
    await client.get(target(plane));
    return performance.now() - start;
  };
  const median = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1]!;
  await timed(1);
  // Every other plane, so that none is read ahead.
  const early: number[] = [];
  for (let plane = 11; plane < 400; plane += 7) early.push(await timed(plane));
  const late: number[] = [];
  for (let plane = 9000; plane < 9400; plane += 7) late.push(await timed(plane));
  await new Promise((done) => setTimeout(done, 30_000));
  client.close();
  // The server has closed the old connection by now.
  client = await Client.connect(port);
  await client.get("/api/v2/health");
  const jump = await timed(MANY.planes - 1);
  client.close();
  const group = `a stack of ${MANY.planes} pages of ${MANY.side} x ${MANY.side}`;
  const step = median(early);
  return [
    { group, name: "a step near the start", milliseconds: step, ratios: {} },
    {
      group,
      name: "a step near the end",
      milliseconds: median(late),
      ratios: { "to a step near the start": median(late) / step },
    },
    {
      group,
      name: "the last page after 30 s",
      milliseconds: jump,
      ratios: { "to a step near the start": jump / step },
    },
    { group, name: "resident at the end", mebibytes: await resident(pid), ratios: {} },
  ];
}
