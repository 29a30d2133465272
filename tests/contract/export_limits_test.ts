/** What an order to export may take: members, memory, links, and time of the serving thread. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startDecodeWorker } from "../../session/decode_pool.ts";
import type { ToWorker } from "../../session/worker/orders.ts";
import { ExportResponse } from "../../schemas/http.ts";
import { until } from "../deadline.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { expectError, Harness, type HarnessOptions, sampleFolder } from "./harness.ts";

async function withServer(
  use: (server: Harness, image: string, folder: string) => Promise<void>,
  options: HarnessOptions = {},
): Promise<void> {
  await using sample = await sampleFolder();
  await using server = new Harness(options);
  await use(server, sample.image, sample.folder);
}

const members = (sessionId: string, count: number, more = {}) => ({
  members: Array.from({ length: count }, () => ({ sessionId, ...more })),
});

async function linkTo(server: Harness, order: unknown): Promise<string> {
  const response = await server.post("/api/v2/export", order);
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return ExportResponse.parse(body).downloadUrl;
}

/** Workers whose questions are noted as they are asked. */
function notedWorkers(note: (type: string) => void) {
  return () => {
    const worker = startDecodeWorker();
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: ToWorker, given?: Transferable[] | StructuredSerializeOptions) => {
      post(message, Array.isArray(given) ? { transfer: given } : given);
      if (message.type === "ask") note(message.question.type);
    };
    return worker;
  };
}

Deno.test("an order over HTTP has at most 1,000 members", () =>
  withServer(async (server, image) => {
    const { sessionId } = await server.open(image);
    const order = { images: "none", ...members(sessionId, 1000) };
    await linkTo(server, order);
    order.members.push({ sessionId });
    const { details } = await expectError(
      server.post("/api/v2/export", order),
      422,
      "request_validation_failed",
    );
    assert.deepEqual(details!.map(({ location }) => location), [["body", "members"]]);
  }));

Deno.test("workers parse an order and check each recording once, however many members name it", async () => {
  const asked: string[] = [];
  await withServer(async (server, image) => {
    const [one, two] = [await server.open(image), await server.open(image)];
    const named = [one, two, one, one, two].map(({ sessionId }) => ({ sessionId }));
    asked.length = 0;
    await linkTo(server, {
      members: [...named, { path: image }, { path: image, scene: 0 }, { path: image }],
    });
    // The path without a scene is described first; the one with a scene counts as another recording.
    assert.deepEqual(asked, ["parse", "check", "check", "open", "check", "open", "check"]);
  }, { startWorker: notedWorkers((type) => asked.push(type)) });
});

Deno.test("a client that leaves ends the checking of its order", async () => {
  let gone = new AbortController();
  await withServer(async (server, image) => {
    const { sessionId } = await server.open(image);
    const before = server.budget.used;
    for (const count of [1, 1000]) {
      gone = new AbortController();
      const { signal } = gone;
      await server.post("/api/v2/export", members(sessionId, count), { signal }).catch(() => {});
      await until(() => server.pool.counts.busy === 0, "the end of the work");
      assert.equal(server.budget.used, before);
    }
  }, { startWorker: notedWorkers((type) => type === "check" && gone.abort()) });
});

Deno.test("two archives wait under one consent, and a third replaces the oldest", () =>
  withServer(async (server, image) => {
    const first = await server.open(image);
    const response = await server.post(`/api/v2/sessions/${first.sessionId}/open`, {});
    const { sessionId: again } = await response.json();
    const other = await server.open(image);
    const statusOf = async (link: string) => (await server.request(link, { method: "HEAD" })).status;
    const before = server.budget.used;
    const kept = await linkTo(server, members(other.sessionId, 1));
    const held = server.budget.used - before;
    const links: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      links.push(await linkTo(server, members(i % 2 === 0 ? first.sessionId : again, 1)));
    }
    const found = await Promise.all(links.map(statusOf));
    assert.deepEqual(found, [...Array(10).fill(404), 200, 200]);
    assert.equal(await statusOf(kept), 200);
    assert.ok(server.budget.used - before <= 4 * held, "the replaced ones hold memory");
    // A download that has begun is never replaced.
    const stream = (await server.request(links[10]!)).body!;
    for (let i = 0; i < 3; i += 1) await linkTo(server, members(again, 1));
    let bytes = 0;
    for await (const part of stream) bytes += part.length;
    assert.ok(bytes > 1000);
  }));

Deno.test("orders and archives of one consent leave memory to the opens of others", () =>
  withServer(async (server, image) => {
    const { sessionId } = await server.open(image);
    const text = "x".repeat(3 << 20);
    const order = members(sessionId, 1, { experimentMetadata: { text } });
    const headers = { "x-acq-session": sessionId, "content-length": String(JSON.stringify(order).length) };
    const post = () => server.post("/api/v2/export", order, { headers });
    // Half of 16 MiB holds two such orders.
    assert.equal((await post()).status, 200);
    assert.equal((await post()).status, 200);
    const { message } = await expectError(post(), 507, "session_memory_exceeded");
    assert.match(message, /^The export needs 3\.\d MiB, and its sessions hold 6\.\d MiB of the 8\.0 MiB/);
    await server.open(image);
    const before = server.budget.used;
    server.clock.move(600_000);
    await until(() => server.budget.used < before - (6 << 20), "the memory of expired links");
  }, { maxSessionMemory: 16 << 20 }));

Deno.test("a recording of more than half of the memory can be exported", () =>
  withServer(async (server, _, folder) => {
    const path = join(folder, "large.ome.zarr");
    writePlainStore(path, { planes: [ramp(256, 256)], rows: 256, columns: 256 });
    const { sessionId } = await server.open(path);
    assert.ok(server.budget.used > server.budget.capacity / 2, `${server.budget.used}`);
    const order = { ...members(sessionId, 1), images: "none" };
    const headers = { "content-length": String(JSON.stringify(order).length) };
    assert.equal((await server.post("/api/v2/export", order, { headers })).status, 200);
  }, { maxSessionMemory: 500_000 }));
