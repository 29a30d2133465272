/**
 * A bare HTTP server: `GET /N` is answered with N bytes from memory, the least that sending a plane costs.
 *
 * usage: deno run -A bare_servers.ts NUMBER, the place of the server in {@linkcode BARE_SERVERS}
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The servers. */
export const BARE_SERVERS = [
  "bare TCP",
  "bare node:http, writes of 4 MiB",
  "bare Deno.serve, a stream of 4 MiB",
  "bare Deno.serve, the bytes at once",
] as const;

/** Bytes of one write. */
const STEP = 4 << 20;

const MEMORY = new Uint8Array(64 << 20).fill(1);
let answers = 0;

/** Each answer lies elsewhere in memory, as the planes of a server do. */
function bytesOf(target: string): Uint8Array<ArrayBuffer> {
  const length = Number(target.slice(1));
  const start = answers++ % Math.floor(MEMORY.length / length) * length;
  return MEMORY.subarray(start, start + length);
}

async function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  response.writeHead(200, { "content-length": bytes.length });
  for (let at = 0; at < bytes.length; at += STEP) {
    if (!response.write(bytes.subarray(at, at + STEP))) await once(response, "drain");
  }
  response.end();
}

/** Reads only the first line of each request, which it takes for one packet. */
function listenWithTcp(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async (connection: Deno.Conn) => {
    const request = new Uint8Array(4096);
    for (let n = await connection.read(request); n !== null; n = await connection.read(request)) {
      const bytes = bytesOf(new TextDecoder().decode(request.subarray(0, n)).split(" ")[1]!);
      const head = `HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`;
      for (const part of [new TextEncoder().encode(head), bytes]) {
        for (let at = 0; at < part.length;) at += await connection.write(part.subarray(at));
      }
    }
  };
  (async () => {
    // The client may leave meanwhile.
    for await (const connection of listener) serve(connection).catch(() => {});
  })();
  return listener.addr.port;
}

async function listenWithNode(): Promise<number> {
  const server = createServer((request, response) => {
    // The client may leave meanwhile.
    write(response, bytesOf(request.url!)).catch(() => {});
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

function listenWithDeno(body: (bytes: Uint8Array<ArrayBuffer>) => BodyInit): number {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const bytes = bytesOf(new URL(request.url).pathname);
    return new Response(body(bytes), { headers: { "content-length": String(bytes.length) } });
  }).addr.port;
}

const streamOf = (bytes: Uint8Array<ArrayBuffer>) =>
  ReadableStream.from((function* () {
    for (let at = 0; at < bytes.length; at += STEP) yield bytes.subarray(at, at + STEP);
  })());

if (import.meta.main) {
  const starts = [
    listenWithTcp,
    listenWithNode,
    () => listenWithDeno(streamOf),
    () => listenWithDeno((bytes) => bytes),
  ];
  console.error(`http://127.0.0.1:${await starts[Number(Deno.args[0])]!()}/`);
}
