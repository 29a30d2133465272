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
    listenWithNode,
    () => listenWithDeno(streamOf),
    () => listenWithDeno((bytes) => bytes),
  ];
  console.error(`http://127.0.0.1:${await starts[Number(Deno.args[0])]!()}/`);
}
