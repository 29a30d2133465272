/** What sessions hold beside planes, and what a page can take without asking the user. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import type { FromWorker } from "../../session/worker/orders.ts";
import { startDecodeWorker } from "../../session/decode_pool.ts";
import { PATIENCE, until, within } from "../deadline.ts";
import { expectError, Harness, type HarnessOptions, sampleFolder } from "./harness.ts";
import { temporaryFolder } from "../temporary_files.ts";

/** An OME-TIFF of pages of 16 x 16 samples of 8 bits, one for each image. */
function omeTiff(images: readonly (readonly string[])[]): Uint8Array<ArrayBuffer> {
  const xml = images.map((channels, i) =>
    `<Image ID="Image:${i}"><Pixels ID="Pixels:${i}" DimensionOrder="XYZCT" Type="uint8" SizeX="16" SizeY="16" SizeZ="1" ` +
    `SizeC="${channels.length}" SizeT="1">` +
    channels.map((name, c) => `<Channel ID="Channel:${i}:${c}" Name="${name}" SamplesPerPixel="1"/>`).join(
      "",
    ) +
    channels.map((_, c) => `<TiffData FirstC="${c}" IFD="${i * channels.length + c}" PlaneCount="1"/>`).join(
      "",
    ) +
    `</Pixels></Image>`
  ).join("");
  const text = `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">${xml}</OME>`;
  const pages = images.reduce((sum, { length }) => sum + length, 0);
  return tiffBytes(
    grayLayout(16, 16, 8),
    (x, _, __, page) => BigInt(x + page),
    pages,
    (page) => page === 0 ? [[270, 2, text]] : [],
  );
}

const PLANE = 16 * 16 * 4;

/** A server beside a file. */
async function withFile(
  bytes: Uint8Array<ArrayBuffer>,
  use: (server: Harness, path: string) => Promise<void>,
  options: HarnessOptions = {},
): Promise<void> {
  using temporary = temporaryFolder();
  const { path: folder } = temporary;
  const path = join(folder, "image.ome.tif");
  await Deno.writeFile(path, bytes);
  await using server = new Harness(options);
  await use(server, path);
}

const again = async (server: Harness, id: string, body: unknown = {}) =>
  await server.post(`/api/v2/sessions/${id}/open`, body);

Deno.test("cuts a name to 4 KiB of UTF-8 with a mark, before names are made distinct", () => {
  const long = "n".repeat(1 << 20);
  return withFile(omeTiff([[long, long]]), async (server, path) => {
    const { channels } = await server.open(path);
    const [first, second] = channels.map(({ name }) => name);
    // The mark has three bytes.
    const cut = `${"n".repeat(4093)}…`;
    assert.deepEqual([first === cut, second === `${cut} (2)`], [true, true]);
  });
});

Deno.test("counts channel names in the memory of their session", () => {
  const names = Array.from({ length: 1000 }, (_, i) => `${i}`.padStart(3000, "n"));
  return withFile(omeTiff([names]), async (server, path) => {
    const { sessionId } = await server.open(path, [0]);
    const held = server.budget.used - server.pool.openBytes - PLANE;
    assert(held > 2 * 1000 * 3000, `${held} bytes are counted`);
    assert(server.pool.openBytes > 2 * 1000 * 3000, "and so is what the worker keeps");
    await server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE" });
    await until(() => server.budget.used === 0);
  });
});

Deno.test("counts the texts that a reader keeps in the memory of the worker", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const path = join(sample.image, "zarr.json");
  const document = JSON.parse(Deno.readTextFileSync(path));
  document.attributes.notes = "n".repeat(1 << 20);
  Deno.writeTextFileSync(path, JSON.stringify(document));
  await server.open(sample.image);
  await until(() => server.pool.openBytes > 1 << 20);
});

Deno.test("cuts the message of an error to 4 KiB", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  const path = join(sample.folder, "scan.xml");
  const long = "n".repeat(1 << 20);
  Deno.writeTextFileSync(path, `<PVScan ${long}="1" ${long}="2"></PVScan>`);
  const { message } = await expectError(server.post("/api/v2/open", { path }), 500, "decode_failed");
  assert.equal(new TextEncoder().encode(message).length, 4096);
});

Deno.test("a repeated open shares the planes of the first session, which may end earlier", () =>
  withFile(omeTiff([["A", "B"]]), async (server, path) => {
    const { sessionId, channels } = await server.open(path);
    const before = server.budget.used;
    const { openBytes } = server.pool;
    const shared = await (await again(server, sessionId)).json();
    assert.equal(server.pool.openBytes, openBytes, "no worker opens the file again");
    assert.deepEqual(shared.channels.map(({ name }: { name: string }) => name), ["A", "B"]);
    assert(server.budget.used > before + (16 << 10), "its description counts, too");
    await server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE" });
    const plane = await server.request(shared.channels[1].dataUrl);
    assert.equal((await plane.bytes()).length, channels[1]!.byteLength);
    await server.completeAll();
    await server.request(`/api/v2/sessions/${shared.sessionId}`, { method: "DELETE" });
    await until(() => server.budget.used === 0);
  }));

Deno.test("an open of another channel does not share the planes", () =>
  withFile(omeTiff([["A", "B"]]), async (server, path) => {
    const { sessionId } = await server.open(path, [0]);
    await server.completeAll();
    const { openBytes } = server.pool;
    await again(server, sessionId, { channelIndices: [0] });
    assert.equal(server.pool.openBytes, openBytes, "the same channel is shared");
    const other = await (await again(server, sessionId, { channelIndices: [1] })).json();
    assert.deepEqual(other.channels.map(({ name }: { name: string }) => name), ["B"]);
  }));

Deno.test("limits a repeated open to half of the memory, and continues the user's own open", async () => {
  const capacity = 16 << 20;
  await withFile(omeTiff([["A", "B"]]), async (server, path) => {
    const { sessionId } = await server.open(path);
    let opened = 0;
    for (;; opened += 1) {
      const response = await again(server, sessionId, { channelIndices: [opened % 2] });
      if (response.status === 200) {
        await response.bytes();
        continue;
      }
      const { message } = await expectError(response, 507, "session_memory_exceeded");
      assert.match(message, /that they may have together/);
      break;
    }
    // Each takes 1 KiB of samples, 16 KiB, and its summary of a few KiB.
    assert(opened > 8 * 1024 / 24 && opened < 8 * 1024 / 17, `${opened} were opened`);
    assert(server.budget.used - server.pool.openBytes <= capacity / 2);
    await expectError(
      await again(server, sessionId, { channelIndices: [1, 0] }),
      507,
      "session_memory_exceeded",
    );
    await server.open(path);
  }, { maxSessionMemory: capacity });
});

Deno.test("opens and shares a recording of more than half of the memory, without decoding it again", () =>
  withFile(omeTiff([Array.from({ length: 70 }, (_, i) => `${i}`)]), async (server, path) => {
    const { sessionId } = await server.open(path);
    await expectError(
      await again(server, sessionId, { channelIndices: [3] }),
      507,
      "session_memory_exceeded",
    );
  }, { maxSessionMemory: 130 * PLANE }));

Deno.test("counts metadata documents while they are sent, one answer of a consent at a time", () => {
  // Each control character becomes six of JSON.
  const text = "\u0001".repeat(100_000);
  const bytes = tiffBytes(grayLayout(16, 16, 8), (x) => BigInt(x), 1, [[270, 2, `ImageJ=1.53t\n${text}`]]);
  return withFile(bytes, async (server, path) => {
    const { sessionId } = await server.open(path);
    await until(() => server.positions.counts.running === 0);
    const url = `/api/v2/sessions/${sessionId}/metadata`;
    const before = server.budget.used;
    const first = await server.request(url);
    assert.equal(first.status, 200);
    const length = Number(first.headers.get("content-length"));
    assert(length > 600_000);
    assert.equal(server.budget.used - before, length);
    let isSecond = false;
    const { sessionId: shared } = await (await again(server, sessionId)).json();
    const second = server.request(`/api/v2/sessions/${shared}/metadata`).then((response) => {
      isSecond = true;
      return response;
    });
    // If the second did not wait, the only worker would serve it before it rests.
    await server.open(path);
    await until(() => server.pool.counts.busy + server.pool.waitingPlanes === 0);
    const [document] = await first.json();
    assert.equal(document.text, `ImageJ=1.53t\n${text}`);
    assert.equal(isSecond, false);
    await server.completeAll();
    const { headers, body } = await within(PATIENCE, "the second answer", second);
    assert.equal(headers.get("content-length"), String(length));
    await body?.cancel();
    server.pool.giveUp(Infinity);
    const left = server.budget.reserve(server.budget.capacity - server.budget.used - length + 1);
    await expectError(server.request(url), 507, "session_memory_exceeded");
    left.release();
    assert.equal(
      (await server.request(url, { method: "HEAD" })).headers.get("content-length"),
      String(length),
    );
  });
});

Deno.test("reserves the bytes of metadata before a worker makes them", async () => {
  const made: (number | null)[] = [];
  const startWorker = () => {
    const worker = startDecodeWorker();
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
      if (data.type !== "answered" || typeof data.answer !== "object") return;
      // An answer without bytes only says how many are needed.
      if (data.answer instanceof Uint8Array) made.push(data.answer.length);
      if (data.answer !== null && "json" in data.answer) made.push(data.answer.json?.length ?? null);
    });
    return worker;
  };
  const text = "\u0001".repeat(1 << 20);
  const bytes = tiffBytes(grayLayout(16, 16, 8), (x) => BigInt(x), 1, [[270, 2, `ImageJ=1.53t\n${text}`]]);
  await withFile(bytes, async (server, path) => {
    const { sessionId } = await server.open(path);
    const url = `/api/v2/sessions/${sessionId}/metadata`;
    const before = server.budget.used;
    const left = server.budget.reserve(server.budget.capacity - before - (5 << 20));
    await expectError(server.request(url), 507, "session_memory_exceeded");
    assert.deepEqual(made, [null]);
    assert.ok(server.budget.used <= before + left.bytes);
    left.release();
    const response = await server.request(url);
    assert.equal((await response.bytes()).length, made.at(-1));
    assert.deepEqual(made.length, 3);
  }, { startWorker });
});
