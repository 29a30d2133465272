/** The contract over a real socket: what `app.request` cannot show. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ToWorker } from "../../session/worker/orders.ts";
import { listenOn } from "../../routes/listener.ts";
import { startDecodeWorker } from "../../session/decode_pool.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { Harness, sampleFolder } from "./harness.ts";
import { raw } from "./raw_socket.ts";
import { PATIENCE, pause, until, within } from "../deadline.ts";

/** A store whose one plane has `mebibytes` MiB as float32. */
async function largeStore(folder: string, mebibytes: number): Promise<string> {
  const path = join(folder, `large${mebibytes}.ome.zarr`);
  const rows = 256 * mebibytes;
  await writePlainStore(path, { planes: [ramp(rows, 1024)], rows, columns: 1024 });
  return path;
}

Deno.test("checks Host as sent: absent, repeated, or with an absolute target", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  const requests: [string, number][] = [
    ["GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200],
    ["GET /api/v2/health HTTP/1.0\r\n\r\n", 403],
    ["GET http://localhost/api/v2/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403],
    ["GET http://evil.example/api/v2/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200],
    [
      "GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
      400,
    ],
  ];
  for (const [request, status] of requests) {
    const answer = await raw(socket.port, request);
    assert.match(answer, new RegExp(`^HTTP/1\\.[01] ${status} `), request);
  }
});

Deno.test("rejects an absolute request target that is not a URL, also in a preflight and for a plane", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  const preflight = "Origin: https://page.example\r\nAccess-Control-Request-Method: POST\r\n";
  for (const authority of ["localhost:99999", "[bad", "%00"]) {
    for (
      const [line, headers] of [
        [`OPTIONS http://${authority}/api/v2/open`, preflight],
        [`GET http://${authority}/api/v2/sessions/a/channels/0/data?t=0`, ""],
      ]
    ) {
      const head = `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`;
      assert.match(await raw(socket.port, head), /^HTTP\/1\.1 403 [^]*"host_not_allowed"/, line);
    }
  }
});

Deno.test("ignores the body of a GET or HEAD", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  for (const method of ["GET", "HEAD"]) {
    for (
      const body of ["Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"]
    ) {
      const head = `${method} /api/v2/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
      assert.match(await raw(socket.port, head + body), /^HTTP\/1\.1 200 /, method + body);
    }
  }
});

Deno.test("releases the lease of a client that leaves during a plane", async () => {
  await using sample = await sampleFolder();
  const image = await largeStore(sample.folder, 32);
  await using server = new Harness();
  await using socket = server.listen();
  const { sessionId, channels: [channel] } = await server.open(image);
  const leaving = new AbortController();
  const response = await fetch(socket.base + channel!.dataUrl, { signal: leaving.signal });
  const plane = server.store.channel(sessionId, 0);
  assert.equal(plane.leases, 1);
  await within(PATIENCE, "the start of the plane", response.body!.getReader().read());
  leaving.abort();
  await until(() => plane.leases === 0);
});

Deno.test("cancels a body whose client left before it began", async () => {
  const cancelled = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)),
    cancel: () => cancelled.resolve(),
  }, { highWaterMark: 0 });
  const listener = listenOn("127.0.0.1", 0, async ({ signal }) => {
    signal.addEventListener("abort", () => left.resolve());
    await left.promise;
    return new Response(body);
  });
  const client = await Deno.connect({ hostname: "127.0.0.1", port: listener.port });
  await client.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  await pause(50);
  client.close();
  await within(PATIENCE, "the news that the client left", left.promise);
  await within(PATIENCE, "the end of the body", cancelled.promise);
  await listener.close();
});

Deno.test("cuts a client that does not read after 60 s, without a complete answer", async () => {
  await using sample = await sampleFolder();
  const image = await largeStore(sample.folder, 32);
  await using server = new Harness();
  await using socket = server.listen();
  const { sessionId, channels: [channel] } = await server.open(image);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: socket.port });
  await connection.write(
    new TextEncoder().encode(`GET ${channel!.dataUrl} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
  );
  const plane = server.store.channel(sessionId, 0);
  await until(() => plane.leases === 1);
  // Let the buffers of the connection fill up.
  await pause(300);
  server.clock.move(59_999);
  assert.equal(plane.leases, 1);
  server.clock.move(1);
  await until(() => plane.leases === 0);
  assert.ok(server.logged.some((line) => line.includes("moved no byte")));
  let received = 0;
  const chunk = new Uint8Array(1 << 20);
  const read = () => within(PATIENCE, "the end of the connection", connection.read(chunk).catch(() => null));
  for (let n = await read(); n !== null; n = await read()) received += n;
  assert.ok(received > 0 && received < channel!.byteLength, `${received} bytes`);
});

Deno.test("never sends bytes of another plane to a client that was cut and reads on", async () => {
  await using sample = await sampleFolder();
  const image = await largeStore(sample.folder, 32);
  await using server = new Harness();
  await using socket = server.listen();
  const { sessionId, channels: [channel] } = await server.open(image);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: socket.port });
  const head = new TextEncoder().encode(`GET ${channel!.dataUrl} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await connection.write(head);
  const plane = server.store.channel(sessionId, 0);
  await until(() => plane.leases === 1);
  await pause(300);
  server.clock.move(60_000);
  assert.equal(plane.leases, 0);
  server.store.delete(sessionId);
  // Takes the memory of the last plane if it is free, and no sample is equal.
  const other = join(sample.folder, "other.ome.zarr");
  const [rows, columns] = [256 * 32, 1024];
  await writePlainStore(other, { planes: [ramp(rows, columns, 50_000)], rows, columns });
  await server.open(other);
  const answer = new Uint8Array(33 << 20);
  const read = (part: Uint8Array) => within(PATIENCE, "the end", connection.read(part).catch(() => null));
  let received = 0;
  for (let n = await read(answer); n !== null; n = await read(answer.subarray(received))) received += n;
  const start = new TextDecoder("latin1").decode(answer.subarray(0, 4096)).indexOf("\r\n\r\n") + 4;
  const samples = new Float32Array(answer.slice(start, received - (received - start) % 4).buffer);
  assert.ok(samples.length > 1 << 20, `${samples.length} samples`);
  const expected = ramp(rows, columns);
  const wrong = samples.findIndex((sample, i) => sample !== expected[i]);
  assert.equal(wrong, -1, `sample ${wrong} is ${samples[wrong]}, not ${expected[wrong]}`);
});

Deno.test("leaves no session and no memory if a client leaves during an open, however its body arrived", async () => {
  await using sample = await sampleFolder();
  const image = await largeStore(sample.folder, 256);
  await using server = new Harness();
  await using socket = server.listen();
  const text = JSON.stringify({ path: image });
  const bodies: [string, string[]][] = [
    [`Content-Length: ${text.length}`, [text]],
    [`Content-Length: ${text.length + 5000}`, [" ".repeat(5000) + text]],
    ["Transfer-Encoding: chunked", [`${text.length.toString(16)}\r\n${text}\r\n`, "0\r\n\r\n"]],
  ];
  for (const [header, parts] of bodies) {
    for (const isOnePacket of [true, false]) {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: socket.port });
      const head =
        `POST /api/v2/open HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;
      for (const part of isOnePacket ? [head + parts.join("")] : [head, ...parts]) {
        await connection.write(new TextEncoder().encode(part));
        await pause(20);
      }
      await until(() => server.budget.used > 0);
      connection.close();
      await until(() => server.pool.counts.busy === 0 && server.budget.used === 0);
      assert.equal(server.store.size, 0, header);
    }
  }
});

Deno.test("leaves no session and no bytes if a client sends head and body apart and leaves during a decode of 2 s", async () => {
  await using sample = await sampleFolder();
  let decodes = 0;
  const startWorker = () => {
    const worker = startDecodeWorker();
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: ToWorker, transfer?: unknown) => {
      const send = () => post(message, transfer as Transferable[]);
      if (message.type !== "ask" || message.question.type !== "decode") return send();
      decodes += 1;
      setTimeout(send, 2000);
    };
    return worker;
  };
  await using server = new Harness({ startWorker });
  await using socket = server.listen();
  const body = JSON.stringify({ path: await largeStore(sample.folder, 1) });
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: socket.port });
  const head = "POST /api/v2/open HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
    `Content-Length: ${body.length}\r\n\r\n`;
  for (const part of [head, body]) {
    await connection.write(new TextEncoder().encode(part));
    await pause(20);
  }
  await until(() => decodes === 1);
  connection.close();
  await until(() => server.logged.length === 1, "the line of the request in the log");
  await until(() => server.store.size === 0 && server.budget.used === server.pool.openBytes);
});

Deno.test("leaves no session if a client left during its dialog, however its body arrived", async () => {
  await using sample = await sampleFolder();
  const image = await largeStore(sample.folder, 1);
  let answer = Promise.withResolvers<string>();
  let asked = 0;
  await using server = new Harness({
    pick: () => {
      asked += 1;
      return answer.promise;
    },
  });
  await using socket = server.listen();
  for (const isOnePacket of [true, false]) {
    asked = 0;
    answer = Promise.withResolvers();
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: socket.port });
    const head = "POST /api/v2/pick-and-open HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n" +
      "Content-Type: application/json\r\n\r\n";
    for (const part of isOnePacket ? [head + "{}"] : [head, "{}"]) {
      await connection.write(new TextEncoder().encode(part));
      await pause(20);
    }
    await until(() => asked === 1);
    connection.close();
    await pause(50);
    answer.resolve(image);
    const logged = server.logged.length;
    await until(() => server.logged.length > logged, "the line of the request in the log");
    await until(() => server.store.size === 0 && server.budget.used === server.pool.openBytes);
  }
});

Deno.test("answers an incomplete request that it rejects, and has the client close the connection", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  const head = "POST /api/v2/open HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: socket.port });
  await connection.write(new TextEncoder().encode(`${head}Content-Length: 9999999\r\n\r\n{`));
  const chunk = new Uint8Array(4096);
  const read = await within(PATIENCE, "the answer", connection.read(chunk));
  const answer = new TextDecoder().decode(chunk.subarray(0, read!));
  assert.match(answer, /^HTTP\/1\.1 413 .*\r\nconnection: close\r\n.*"payload_too_large"/s);
});

Deno.test("answers a method that the Fetch standard forbids with 405", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  const answer = await raw(
    socket.port,
    "TRACE /api/v2/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
  );
  assert.match(answer, /^HTTP\/1\.1 405 [^]*"TRACE is not allowed at/);
});

Deno.test("waits for running responses at the end, not for idle connections", async () => {
  await using sample = await sampleFolder();
  const image = await largeStore(sample.folder, 32);
  await using server = new Harness();
  const socket = server.listen();
  const { channels: [channel] } = await server.open(image);
  const connect = () => Deno.connect({ hostname: "127.0.0.1", port: socket.port });
  // As browsers do ahead of a request, and a request that is not complete.
  using _unused = await connect();
  using partial = await connect();
  await partial.write(new TextEncoder().encode("GET /api/v2/health HTTP/1.1\r\nHost:"));
  using kept = await connect();
  await kept.write(new TextEncoder().encode("GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  await within(PATIENCE, "an answer on the connection", kept.read(new Uint8Array(1000)));
  const running = await fetch(socket.base + channel!.dataUrl);
  let ended = false;
  const end = socket[Symbol.asyncDispose]().then(() => ended = true);
  await pause(50);
  assert.equal(ended, false);
  assert.equal((await running.arrayBuffer()).byteLength, channel!.byteLength);
  await within(20, "the end of the server", end);
});

Deno.test("keeps the rejection of a malformed second request out of a running answer", async () => {
  await using sample = await sampleFolder();
  const image = await largeStore(sample.folder, 32);
  await using server = new Harness();
  await using socket = server.listen();
  const { channels: [channel] } = await server.open(image);
  const expected = new Uint8Array(await (await fetch(socket.base + channel!.dataUrl)).arrayBuffer());
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: socket.port });
  const request = `GET ${channel!.dataUrl} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const chunk = new Uint8Array(1 << 16);
  const read = () => within(PATIENCE, "the rest of the plane", connection.read(chunk).catch(() => null));
  const parts = [chunk.slice(0, (await read())!)];
  await connection.write(new TextEncoder().encode("garbage\r\n\r\n"));
  for (let left = expected.length; left > 0;) {
    const n = await read();
    if (n === null) break;
    parts.push(chunk.slice(0, n));
    left -= n;
  }
  const all = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  const head = new TextDecoder("latin1").decode(all.subarray(0, 4096)).indexOf("\r\n\r\n") + 4;
  assert.match(new TextDecoder("latin1").decode(all.subarray(0, head)), /^HTTP\/1\.1 200 /);
  const body = all.subarray(head, head + expected.length);
  assert.ok(body.every((byte, i) => byte === expected[i]), `${body.length} bytes`);
});

Deno.test("bodies that arrive slowly take a bounded room; a large one is then answered 503, and small ones as before", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  using clients = new DisposableStack();
  const bytes = 1000 << 10;
  const filler = new Uint8Array(bytes - 10).fill(0x20);
  const head = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const answers: string[] = [];
  for (const path of Array.from({ length: 48 }, (_, i) => i % 2 === 0 ? "/api/v2/open" : "/api/v2/list")) {
    const client = clients.use(await Deno.connect({ hostname: "127.0.0.1", port: socket.port }));
    const room = new Uint8Array(4096);
    void client.read(room).then(
      (n) => n && answers.push(new TextDecoder().decode(room.subarray(0, n))),
      () => {},
    );
    void (async () => {
      await client.write(new TextEncoder().encode(head(path, bytes)));
      for (let at = 0; at < filler.length;) at += await client.write(filler.subarray(at));
    })().catch(() => {});
  }
  // 32 MiB hold 33 of them.
  await until(() => answers.length >= 48 - 33);
  for (const answer of answers) {
    assert.match(answer, /^HTTP\/1\.1 503 /);
    assert.match(answer, /retry-after: 2/i);
    assert.match(answer, /"too_many_opens"/);
  }
  assert.ok(answers.length <= 48 - 32, `${answers.length} of 48 were refused`);
  const small = await raw(
    socket.port,
    head("/api/v2/list", 14).replace("Content-Type", "Connection: close\r\nContent-Type") + '{"path": "/x"}',
  );
  assert.match(small, /^HTTP\/1\.1 404 /);
});
