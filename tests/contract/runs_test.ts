/** Runs of planes: the query, order and length, missing and damaged planes, changed files, limits, memory. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { compress, grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { until, within } from "../deadline.ts";
import { temporaryFolder } from "../temporary_files.ts";
import { WorkerGate } from "./gated_worker.ts";
import { describedBytes, expectError, Harness, type HarnessOptions } from "./harness.ts";

/** An ImageJ hyperstack of frames and slices; page p has samples p + x + y. */
function stackBytes(
  { columns = 8, rows = 6, frames = 5, slices = 1, codec }: {
    columns?: number;
    rows?: number;
    frames?: number;
    slices?: number;
    codec?: "deflate";
  },
): Uint8Array<ArrayBuffer> {
  const images = frames * slices;
  const layout = { ...grayLayout(columns, rows, 16), ...codec && { codec } };
  const text = `ImageJ=1.53t\nimages=${images}\nslices=${slices}\nframes=${frames}\nhyperstack=true\n`;
  return tiffBytes(layout, (x, y, _s, page) => BigInt(page + x + y), images, [[270, 2, text]]);
}

/** Samples of pages of {@linkcode stackBytes}, one page after the other. */
const samplesOfPages = (pages: readonly number[], columns = 8, rows = 6): Float32Array =>
  Float32Array.from(
    pages.flatMap((page) =>
      Array.from({ length: rows * columns }, (_, i) => page + i % columns + Math.floor(i / columns))
    ),
  );

const count = (length: number, from = 0) => Array.from({ length }, (_, i) => from + i);

/** A server with a file open, and a function that asks for planes of its first channel over a socket. */
async function withFile(
  bytes: Uint8Array,
  use: (opened: {
    server: Harness;
    path: string;
    dataUrl: string;
    ask: (query: string, init?: RequestInit) => Promise<Response>;
  }) => Promise<void>,
  options: HarnessOptions = {},
): Promise<void> {
  using temporary = temporaryFolder();
  const path = join(temporary.path, "stack.tif");
  await Deno.writeFile(path, bytes);
  await using server = new Harness(options);
  await using socket = server.listen();
  const { channels } = await server.open(path);
  const { dataUrl } = channels[0]!;
  await use({ server, path, dataUrl, ask: (query, init) => fetch(`${socket.base}${dataUrl}${query}`, init) });
}

const samplesOf = async (response: Response) => {
  assert.equal(response.status, 200);
  return new Float32Array(await within(60, "the planes of a run", response.arrayBuffer()));
};

Deno.test("a run along an axis has its planes one after the other", () =>
  withFile(stackBytes({ frames: 4, slices: 3 }), async ({ ask, server }) => {
    const runs: [query: string, pages: number[]][] = [
      ["?t=0-3", [0, 3, 6, 9]],
      ["?t=1-2&z=2", [5, 8]],
      ["?z=0-2&t=3", [9, 10, 11]],
      ["?z=1-1", [1]],
      ["?l=0-0&t=2", [6]],
      ["?t=01-002", [3, 6]],
    ];
    for (const [query, pages] of runs) {
      const response = await ask(query);
      assert.equal(response.headers.get("content-length"), String(4 * 48 * pages.length));
      assert.equal(response.headers.get("content-type"), "application/octet-stream");
      assert.deepEqual(await samplesOf(response), samplesOfPages(pages), query);
      const head = await ask(query, { method: "HEAD" });
      assert.deepEqual([head.status, head.headers.get("content-length")], [200, String(192 * pages.length)]);
      const range = await ask(query, { headers: { Range: "bytes=0-3" } });
      assert.deepEqual(await samplesOf(range), samplesOfPages(pages), "Range is ignored");
    }
    await until(() => server.positions.counts.running === 0);
    assert.equal(server.positions.counts.cached, 0, "planes of runs enter no cache");
  }));

Deno.test("a run of another form is a fault of the request", () =>
  withFile(stackBytes({ frames: 4, slices: 3 }), async ({ ask, server, dataUrl }) => {
    for (const query of ["?t=0-3&z=0-2", "?t=3-1", "?t=1-", "?t=0-1-2", "?t=0-1&t=2", "?t=0- 1", "?t=0-x"]) {
      await expectError(await server.request(dataUrl + query), 422, "request_validation_failed");
      assert.equal((await ask(query, { method: "HEAD" })).status, 422, query);
    }
    for (const query of ["?t=0-4", "?t=4-4", "?z=0-3", "?t=-1-2", "?l=0-1", "?t=0-99999999999999999999"]) {
      const code = query === "?t=-1-2" ? "request_validation_failed" : "position_out_of_range";
      await expectError(await server.request(dataUrl + query), 422, code);
    }
    const reference = dataUrl.replace("/channels/", "/reference/channels/");
    await expectError(await server.request(`${reference}?t=0-0`), 422, "request_validation_failed");
  }));

/** Sizes of planes: many planes a block, a block a plane, several chunks a plane. */
const SIZES = [
  { columns: 1, rows: 2, frames: 3000 },
  { columns: 64, rows: 40, frames: 900 },
  { columns: 256, rows: 256, frames: 60 },
  { columns: 1200, rows: 900, frames: 3 },
];

for (const { columns, rows, frames } of SIZES) {
  Deno.test(`memory that is used again changes nothing on its way: ${frames} planes of ${rows} x ${columns}`, () =>
    withFile(stackBytes({ columns, rows, frames, codec: "deflate" }), async ({ ask, server }) => {
      const read = async (isSlow: boolean) => {
        const response = await ask(`?t=0-${frames - 1}`);
        let at = 0;
        for await (const bytes of response.body!) {
          if (isSlow) await new Promise((done) => setTimeout(done, 1));
          for (let i = 0; i + 4 <= bytes.length; i += 4096) {
            if ((at + i) % 4 !== 0) i += 4 - (at + i) % 4;
            if (i + 4 > bytes.length) break;
            const sample = (at + i) / 4;
            const [page, rest] = [Math.floor(sample / (rows * columns)), sample % (rows * columns)];
            const expected = page + rest % columns + Math.floor(rest / columns);
            const value = new DataView(bytes.buffer, bytes.byteOffset + i, 4).getFloat32(0, true);
            if (value !== expected) assert.fail(`sample ${sample} is ${value}, not ${expected}`);
          }
          at += bytes.length;
        }
        assert.equal(at, 4 * rows * columns * frames);
      };
      await within(120, "the runs", Promise.all([read(false), read(true)]));
      await until(() => server.positions.counts.running === 0);
    }));
}

Deno.test("lists the missing planes of a run before it begins", async () => {
  // Of two slices and three frames, frames 1 and 2 of slice 1 were never taken.
  const planes = [[0, 0, 0, 0, 1], [0, 1, 0, 0, 2], [0, 0, 1, 0, 3], [0, 0, 2, 0, 4]] as const;
  const bytes = microManagerBytes(grayLayout(4, 3, 16), { Channels: 1, Slices: 2, Frames: 3 }, planes);
  await withFile(bytes, async ({ server, dataUrl, ask }) => {
    const body = await expectError(await server.request(`${dataUrl}?t=0-2&z=1`), 404, "plane_not_found");
    assert.equal(body.details, null);
    assert.deepEqual(body.missing, [{ t: 1, z: 1, l: 0 }, { t: 2, z: 1, l: 0 }]);
    assert.match(
      body.message,
      /^"stack\.tif" does not hold the plane T=1 Z=1 L=0 of channel 0, nor 1 other of the run$/,
    );
    const whole = await ask("?t=0-2", { method: "HEAD" });
    assert.equal(whole.headers.get("content-length"), String(3 * 48));
    const single = await expectError(await server.request(`${dataUrl}?t=1&z=1`), 404, "plane_not_found");
    assert.equal(single.missing, undefined);
  });
});

/** Reads as far as the body goes. */
async function readShort(response: Response): Promise<{ samples: Float32Array; isShort: boolean }> {
  const bytes: number[] = [];
  let isShort = false;
  try {
    for await (const part of response.body!) bytes.push(...part);
  } catch {
    isShort = true;
  }
  return { samples: new Float32Array(Uint8Array.from(bytes).buffer), isShort };
}

Deno.test("a body ends short before a damaged plane, which alone says why", () => {
  const bytes = stackBytes({ frames: 5, codec: "deflate" });
  const strip = compress(new Uint8Array(2), "deflate").slice(0, 2);
  // The zlib header of page 3: its compression method becomes one that does not exist.
  let at = -1;
  for (let found = 0; found < 4; found += 1) {
    at = bytes.findIndex((byte, i) => i > at && byte === strip[0] && bytes[i + 1] === strip[1]);
  }
  bytes[at] = 0x79;
  return withFile(bytes, async ({ ask, server, dataUrl }) => {
    const response = await ask("?t=0-4");
    assert.equal(response.headers.get("content-length"), String(5 * 192));
    const { samples, isShort } = await within(60, "the end of a short body", readShort(response));
    assert(isShort);
    assert.deepEqual(samples, samplesOfPages([0, 1, 2]).subarray(0, samples.length));
    await expectError(await server.request(`${dataUrl}?t=3`), 500, "decode_failed");
    await expectError(await server.request(`${dataUrl}?t=3-4`), 500, "decode_failed");
    assert.deepEqual(await samplesOf(await ask("?t=4-4")), samplesOfPages([4]));
    await until(() => server.positions.counts.running === 0);
  });
});

Deno.test("a file that changes during a run ends it short", async () => {
  const gate = new WorkerGate();
  await withFile(stackBytes({ frames: 5 }), async ({ ask, path, dataUrl, server }) => {
    gate.shut();
    const asked = ask("?t=0-4");
    await until(() => gate.waiting === 1);
    gate.openLast();
    const response = await asked;
    await until(() => gate.waiting === 1);
    await Deno.writeFile(path, new Uint8Array(1), { append: true });
    gate.open();
    const { samples, isShort } = await within(60, "the end of a short body", readShort(response));
    assert(isShort);
    assert.deepEqual(samples, samplesOfPages([0]).subarray(0, samples.length));
    await expectError(await server.request(`${dataUrl}?t=0-4`), 409, "acquisition_changed");
  }, { startWorker: gate.start });
});

Deno.test("sends two runs of a session and four in all", () =>
  withFile(stackBytes({ frames: 5 }), async ({ server, path, dataUrl }) => {
    const other = async () => (await server.open(path)).channels[0]!.dataUrl;
    const [second, third] = [await other(), await other()];
    // Answers count as being sent until they are completed.
    const begin = async (url: string) => {
      const response = await server.request(`${url}?t=0-4`);
      if (response.status === 200) return await response.arrayBuffer();
      assert.equal(response.headers.get("retry-after"), "2");
      return (await expectError(response, 503, "too_many_opens")).message;
    };
    await begin(dataUrl);
    await begin(dataUrl);
    assert.match(await begin(dataUrl) as string, /^2 runs of planes of this session/);
    await begin(second);
    await begin(second);
    assert.match(await begin(third) as string, /^4 runs of planes are/);
    await server.completeAll();
    assert.deepEqual(new Float32Array(await begin(third) as ArrayBuffer), samplesOfPages(count(5)));
  }));

Deno.test("a run that is left, refused or cut holds no memory, and its session can end", async () => {
  const gate = new WorkerGate();
  await withFile(stackBytes({ columns: 300, rows: 300, frames: 40 }), async ({ server, ask, dataUrl }) => {
    await (await server.request(`${dataUrl}?t=1`)).arrayBuffer();
    await server.completeAll();
    await until(() => server.positions.counts.running === 0);
    const used = () => server.budget.used - server.positions.counts.cached;
    const before = used();
    const gone = new AbortController();
    const response = await ask("?t=0-39", { signal: gone.signal });
    assert(used() > before, "what is decoded ahead is counted");
    gone.abort();
    await response.arrayBuffer().catch(() => {});
    await until(() => server.positions.counts.running === 0 && used() === before);

    gate.shut();
    const early = new AbortController();
    const left = server.request(`${dataUrl}?t=0-39`, { signal: early.signal });
    await until(() => gate.waiting === 1);
    early.abort();
    await left.catch(() => {});
    gate.open();
    await until(() => server.positions.counts.running === 0 && used() === before);

    const stalled = await server.request(`${dataUrl}?t=0-39`);
    const reader = stalled.body!.getReader();
    await reader.read();
    server.clock.move(61_000);
    await until(() => server.positions.counts.running === 0 && used() === before);
    await assert.rejects(async () => {
      while (!(await reader.read()).done);
    });
    assert.match(server.logged.join(), /moved no byte for 60 s/);

    gate.shut();
    const late = server.request(`${dataUrl}?t=0-39`);
    await until(() => gate.waiting === 1);
    server.clock.move(120_000);
    await expectError(await late, 504, "load_timeout");
    gate.open();
    await until(() => server.positions.counts.running === 0 && used() === before);

    const ended = await server.request(`${dataUrl}?t=0-39`);
    await server.request(dataUrl.replace(/\/channels.*/, ""), { method: "DELETE" });
    await assert.rejects(ended.arrayBuffer());
    await until(() => server.positions.counts.running === 0 && server.budget.used === 0);
  }, { startWorker: gate.start, loadTimeoutSeconds: 120, sessionTtlSeconds: 10_000 });
});

Deno.test("a run decodes as far ahead as memory allows, and opens go before its blocks", async () => {
  const bytes = stackBytes({ columns: 300, rows: 300, frames: 12 });
  using temporary = temporaryFolder();
  const path = join(temporary.path, "stack.tif");
  await Deno.writeFile(path, bytes);
  const planeBytes = 4 * 300 * 300;
  // Of three planes the open has one; one plane of the run waits or is sent while the next is decoded.
  const maxSessionMemory = await describedBytes(path) + Math.floor(3.5 * planeBytes);
  await using server = new Harness({ maxSessionMemory });
  await using socket = server.listen();
  const { channels } = await server.open(path);
  const url = `${socket.base}${channels[0]!.dataUrl}`;
  assert.deepEqual(await samplesOf(await fetch(`${url}?t=0-11`)), samplesOfPages(count(12), 300, 300));
  await until(() => server.positions.counts.running === 0);
  const tight = await describedBytes(path) + Math.floor(1.5 * planeBytes);
  await using small = new Harness({ maxSessionMemory: tight });
  const { channels: [channel] } = await small.open(path);
  await expectError(await small.request(`${channel!.dataUrl}?t=0-11`), 507, "session_memory_exceeded");
});
