/** Planes away from index 0: the query, ranges, errors, the cache, what happens when files change. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { MetadataDocuments } from "../../schemas/http.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { WorkerGate } from "./gated_worker.ts";
import { describedBytes, expectError, Harness, type HarnessOptions, sampleFolder } from "./harness.ts";
import { until } from "../deadline.ts";
import { temporaryFolder } from "../temporary_files.ts";

const [ROWS, COLUMNS, T, Z, C] = [60, 50, 4, 3, 2];
const PLANE_BYTES = 4 * ROWS * COLUMNS;

/** An ImageJ hyperstack: page p, which is channel p % 2, slice p / 2 % 3, frame p / 6, has samples 100 p + 10 y + x. */
const hyperstack = (): Uint8Array =>
  tiffBytes(
    grayLayout(COLUMNS, ROWS, 16),
    (x, y, _s, page) => BigInt(100 * page + 10 * y + x),
    T * Z * C,
    [[
      270,
      2,
      `ImageJ=1.53t\nimages=${T * Z * C}\nchannels=${C}\nslices=${Z}\nframes=${T}\nhyperstack=true\n`,
    ]],
  );

const samplesAt = (t: number, z: number, c: number): number[] =>
  Array.from(
    { length: ROWS * COLUMNS },
    (_, i) => 100 * ((t * Z + z) * C + c) + 10 * Math.floor(i / COLUMNS) + i % COLUMNS,
  );

interface Opened {
  readonly server: Harness;
  readonly path: string;
  readonly sessionId: string;
  /** Path of a plane. */
  url(channel: number, query?: string): string;
}

/** A server with a hyperstack open. `room` are the bytes of its budget beside the descriptions of so many more opens of channel 0. */
async function withStack(
  use: (opened: Opened) => Promise<void>,
  options: HarnessOptions = {},
  room?: { readonly bytes: number; readonly opens: number },
): Promise<void> {
  using temporary = temporaryFolder();
  const { path: folder } = temporary;
  const path = join(folder, "stack.tif");
  await Deno.writeFile(path, hyperstack());
  const maxSessionMemory = room &&
    room.bytes + await describedBytes(path) + room.opens * await describedBytes(path, [0]);
  await using server = new Harness({ ...options, ...maxSessionMemory && { maxSessionMemory } });
  const { sessionId } = await server.open(path);
  const url = (channel: number, query = "") =>
    `/api/v2/sessions/${sessionId}/channels/${channel}/data${query}`;
  await use({ server, path, sessionId, url });
}

async function samplesOf(response: Response): Promise<number[]> {
  const bytes = await response.arrayBuffer();
  assert.ok(response.ok, `${response.status} ${new TextDecoder().decode(bytes.slice(0, 400))}`);
  return [...new Float32Array(bytes)];
}

Deno.test("serves every plane of every channel at its position", () =>
  withStack(async ({ server, url }) => {
    for (let t = 0; t < T; t += 1) {
      for (let z = 0; z < Z; z += 1) {
        for (let c = 0; c < C; c += 1) {
          const response = await server.request(url(c, `?t=${t}&z=${z}`));
          assert.equal(response.headers.get("content-length"), String(PLANE_BYTES));
          assert.equal(response.headers.get("content-type"), "application/octet-stream");
          assert.deepEqual(await samplesOf(response), samplesAt(t, z, c));
        }
      }
    }
    assert.deepEqual(await samplesOf(await server.request(url(1, "?z=2&name=x&t=03"))), samplesAt(3, 2, 1));
    assert.deepEqual(await samplesOf(await server.request(url(1, "?"))), samplesAt(0, 0, 1));
  }));

Deno.test("checks the query as sent", () =>
  withStack(async ({ server, url }) => {
    const faulty: [string, string[]][] = [
      ["?t=", ["t"]],
      ["?t", ["t"]],
      ["?t=1.0", ["t"]],
      ["?t=+1", ["t"]],
      ["?t=%2B1", ["t"]],
      ["?t=1e1", ["t"]],
      ["?z=0x1", ["z"]],
      ["?z=one", ["z"]],
      ["?l= 1", ["l"]],
      ["?t=1&t=1", ["t"]],
      ["?t=1&%74=2", ["t"]],
      ["?T=1", ["T"]],
      ["?Z=1", ["Z"]],
      ["?L=1", ["L"]],
      ["?time=1", ["time"]],
      ["?scene=1", ["scene"]],
      ["?scene=1&z=x", ["scene", "z"]],
      ["?t=%D9%A1", ["t"]],
    ];
    for (const [query, names] of faulty) {
      for (const method of ["GET", "HEAD"]) {
        const response = await server.request(url(0, query), { method });
        assert.equal(response.status, 422, query);
        if (method === "HEAD") continue;
        const { details } = await expectError(response, 422, "request_validation_failed");
        assert.deepEqual(
          details?.map(({ location }) => location),
          names.map((name) => ["query", name]),
          query,
        );
      }
    }
  }));

Deno.test("rejects a position outside the sizes with its axis and size", () =>
  withStack(async ({ server, url }) => {
    const refused: [string, RegExp][] = [
      ["?t=4", /4 along T .* size 4/],
      ["?t=99999999999999999999", /along T .* size 4/],
      ["?z=3", /3 along Z .* size 3/],
      ["?l=1", /1 along L .* size 1/],
      ["?t=-1", /-1 along T .* size 4/],
      ["?z=-0", /-0 along Z .* size 3/],
    ];
    for (const [query, message] of refused) {
      const body = await expectError(server.request(url(0, query)), 422, "position_out_of_range");
      assert.match(body.message, message);
      assert.equal((await server.request(url(0, query), { method: "HEAD" })).status, 422);
    }
  }));

Deno.test("checks form, sign, session, channel and bounds in this order", () =>
  withStack(async ({ server, url }) => {
    const elsewhere = (rest: string) => server.request(`/api/v2/sessions/none/channels/${rest}`);
    await expectError(await elsewhere("x/data?t=-1"), 422, "request_validation_failed");
    await expectError(await elsewhere("-1/data?t=x"), 422, "request_validation_failed");
    await expectError(await elsewhere("-1/data?t=-1"), 422, "channel_out_of_range");
    await expectError(await elsewhere("0/data?t=-1"), 422, "position_out_of_range");
    await expectError(await elsewhere("9/data?t=99"), 404, "session_not_found");
    await expectError(server.request(url(9, "?t=99")), 404, "channel_not_found");
    const range = { headers: { range: `bytes=${PLANE_BYTES}-` } };
    await expectError(server.request(url(0, "?t=99"), range), 422, "position_out_of_range");
    await expectError(server.request(url(0, "?t=1"), range), 416, "range_not_satisfiable");
  }));

Deno.test("reads only the rows that a range needs, and answers HEAD with its length", () =>
  withStack(async ({ server, url }) => {
    const whole = new Uint8Array(new Float32Array(samplesAt(2, 1, 1)).buffer);
    for (
      const [start, end] of [[0, 4], [20, 24], [37, 61], [PLANE_BYTES - 4, PLANE_BYTES], [0, PLANE_BYTES]]
    ) {
      const response = await server.request(url(1, "?t=2&z=1"), {
        headers: { range: `bytes=${start}-${end! - 1}` },
      });
      assert.equal(response.status, 206, await response.clone().text());
      assert.equal(response.headers.get("content-range"), `bytes ${start}-${end! - 1}/${PLANE_BYTES}`);
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), whole.slice(start, end));
    }
    await server.completeAll();
    assert.equal(
      server.positions.counts.cached,
      PLANE_BYTES,
      "only the range that is the whole plane enters the cache",
    );
    const budget = server.budget.used;
    await samplesOf(await server.request(url(0, "?t=3"), { headers: { range: "bytes=0-3" } }));
    await server.completeAll();
    assert.equal(server.budget.used, budget, "a part is given back with its response");
    const head = await server.request(url(0, "?t=3"), { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, String(PLANE_BYTES)]);
  }));

Deno.test("decodes a plane once for many clients", async () => {
  const gate = new WorkerGate();
  await withStack(async ({ server, url }) => {
    gate.shut();
    const answers = Array.from({ length: 10 }, () => server.request(url(0, "?t=2")));
    await until(() => gate.waiting === 1);
    gate.open();
    for (const answer of await Promise.all(answers)) {
      assert.deepEqual(await samplesOf(answer), samplesAt(2, 0, 0));
    }
    assert.equal(gate.planes, 1);
    assert.deepEqual(await samplesOf(await server.request(url(0, "?t=2"))), samplesAt(2, 0, 0));
    assert.equal(gate.planes, 1);
  }, { startWorker: gate.start });
});

Deno.test("reads ahead the next planes of a stepping client", async () => {
  const gate = new WorkerGate();
  await withStack(async ({ server, url }) => {
    await samplesOf(await server.request(url(0, "?t=2&z=0")));
    await until(() => server.positions.counts.running === 0);
    assert.equal(gate.planes, 1, "one plane is not a step");
    await samplesOf(await server.request(url(0, "?t=2&z=1")));
    await until(() => gate.planes === 3 && server.positions.counts.running === 0);
    assert.equal(server.positions.counts.cached, 3 * PLANE_BYTES, "z = 2 is the last one of the axis");
    assert.deepEqual(await samplesOf(await server.request(url(0, "?t=2&z=2"))), samplesAt(2, 2, 0));
    assert.equal(gate.planes, 3);
  }, { startWorker: gate.start });
});

Deno.test("reads nothing ahead that cannot be kept or takes memory from requested planes", async () => {
  const opens: [bytes: number, more: number][] = [
    // An eighth is less than a plane.
    [7 * PLANE_BYTES, 0],
    // Of eight planes, the opens have seven.
    [8 * PLANE_BYTES, 5],
  ];
  for (const [bytes, more] of opens) {
    const gate = new WorkerGate();
    await withStack(
      async ({ server, path, url }) => {
        for (let i = 0; i < more; i += 1) await server.open(path, [0]);
        for (const t of [1, 2]) {
          assert.deepEqual(await samplesOf(await server.request(url(0, `?t=${t}`))), samplesAt(t, 0, 0));
          await server.completeAll();
          await until(() => server.positions.counts.running === 0);
        }
        assert.equal(gate.planes, 2);
        assert.equal(server.positions.counts.cached, more === 0 ? 0 : PLANE_BYTES, "the last plane stays");
      },
      { startWorker: gate.start },
      { bytes, opens: more },
    );
  }
});

Deno.test("read-ahead gives way to a requested plane", async () => {
  const gate = new WorkerGate();
  await withStack(async ({ server, url }) => {
    await samplesOf(await server.request(url(0, "?t=1")));
    gate.shut();
    const second = server.request(url(0, "?t=2"));
    await until(() => gate.waiting === 1);
    gate.open();
    gate.shut();
    await samplesOf(await second);
    await until(() => gate.waiting === 1);
    const other = server.request(url(1, "?t=3&z=2"));
    gate.open();
    assert.deepEqual(await samplesOf(await other), samplesAt(3, 2, 1));
    await until(() => server.positions.counts.running === 0);
    assert.equal(
      server.positions.counts.cached,
      3 * PLANE_BYTES,
      "the plane that was read ahead was given up",
    );
  }, { startWorker: gate.start });
});

Deno.test("ends the wait with the session, the client or the time-out", async () => {
  const gate = new WorkerGate();
  await withStack(async ({ server, sessionId, url, path }) => {
    gate.shut();
    const gone = new AbortController();
    const left = server.request(url(0, "?t=1"), { signal: gone.signal });
    await until(() => gate.waiting === 1);
    gone.abort();
    await left.catch(() => {});
    await until(() => server.positions.counts.waiting === 0);
    gate.open();
    await until(() => server.positions.counts.running === 0);

    gate.shut();
    const late = server.request(url(0, "?t=2"));
    await until(() => gate.waiting === 1);
    server.clock.move(120_000);
    await expectError(await late, 504, "load_timeout");
    gate.open();
    await until(() => server.positions.counts.running === 0);

    gate.shut();
    const deleted = server.request(url(0, "?t=3"));
    await until(() => gate.waiting === 1);
    await server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE" });
    await expectError(await deleted, 404, "session_not_found");
    gate.open();
    await until(() => server.positions.counts.running === 0);
    await server.completeAll();
    assert.equal(server.budget.used, 0, "nothing of the session is left");

    const next = await server.open(path);
    server.clock.move(20_000);
    gate.shut();
    const expired = server.request(`${next.channels[0]!.dataUrl}?t=3`);
    await until(() => gate.waiting === 1);
    server.clock.move(110_000);
    await expectError(await expired, 404, "session_not_found");
    gate.open();
  }, { startWorker: gate.start, sessionTtlSeconds: 130, loadTimeoutSeconds: 120 });
});

Deno.test("queues sixteen planes of a session, and lets other sessions take turns", async () => {
  const gate = new WorkerGate();
  await withStack(async ({ server, path, url }) => {
    const other = await server.open(path);
    gate.shut();
    const order: string[] = [];
    const ask = (name: string, target: string) =>
      server.request(target).then((response) => {
        order.push(name);
        return samplesOf(response);
      });
    const places = Array.from({ length: T * Z }, (_, i) => `?t=${Math.floor(i / Z)}&z=${i % Z}`).slice(1);
    const running = ask("first", url(0, places[0]));
    await until(() => gate.waiting === 1);
    const mine = [
      ...places.slice(1).map((place) => url(0, place)),
      ...places.slice(0, 6).map((place) => url(1, place)),
    ].map((target, i) => ask(`mine ${i}`, target));
    await until(() => server.positions.counts.waiting === 16);
    const refused = await server.request(url(1, places[7]));
    assert.equal(refused.headers.get("retry-after"), "2");
    await expectError(refused, 503, "too_many_opens");
    const theirs = ask("theirs", `${other.channels[0]!.dataUrl}?t=1`);
    await until(() => server.positions.counts.waiting === 17);
    gate.open();
    await Promise.all([running, ...mine, theirs]);
    assert.deepEqual(order.slice(0, 3), ["first", "mine 0", "theirs"]);
  }, { startWorker: gate.start });
});

Deno.test("evicts cached planes for an open, and keeps planes whole while they are sent", async () => {
  // Of 12.7 planes the open has two, the cache one and more opens nine; the index of the file is given up.
  await withStack(
    async ({ server, path, url }) => {
      const sent = await server.request(url(0, "?t=1"));
      assert.equal(server.positions.counts.cached, PLANE_BYTES);
      for (let opens = 0; opens < 9; opens += 1) await server.open(path, [0]);
      assert.equal(server.positions.counts.cached, PLANE_BYTES, "there was room for the cache until now");
      const last = await server.post("/api/v2/open", { path, channelIndices: [0] });
      assert.equal(last.status, 507, "what is being sent cannot be given up");
      await last.body?.cancel();
      assert.equal(server.positions.counts.cached, 0);
      assert.deepEqual(await samplesOf(sent), samplesAt(1, 0, 0));
      await server.completeAll();
      assert.equal((await server.post("/api/v2/open", { path, channelIndices: [0] })).status, 200);
      await expectError(server.request(url(0, "?t=1")), 507, "session_memory_exceeded");
    },
    {},
    { bytes: 12.7 * PLANE_BYTES, opens: 9 },
  );
});

Deno.test("evicts another plane, as one that is being sent frees nothing", async () => {
  // The open has two planes, the cache two, and more opens have twelve: less than one is left.
  await withStack(
    async ({ server, path, url }) => {
      await samplesOf(await server.request(url(0, "?t=1")));
      await samplesOf(await server.request(url(0, "?t=3")));
      await server.completeAll();
      const sent = await server.request(url(0, "?t=1"));
      // The plane that is being sent is the one that was used least recently.
      await server.request(url(0, "?t=3"), { method: "HEAD" });
      const ask = () => server.post("/api/v2/open", { path, channelIndices: [0] });
      for (let opens = 0; opens < 12; opens += 1) assert.equal((await ask()).status, 200);
      assert.equal(server.positions.counts.cached, 2 * PLANE_BYTES);
      assert.equal((await ask()).status, 200, "the plane that is not being sent makes room");
      assert.deepEqual(await samplesOf(sent), samplesAt(1, 0, 0));
    },
    {},
    { bytes: 16.7 * PLANE_BYTES, opens: 12 },
  );
});

Deno.test("counts and closes an acquisition opened for its metadata", async () => {
  await withStack(async ({ server, path }) => {
    const before = server.budget.used;
    const other = await server.open(path);
    const metadata = await server.request(`/api/v2/sessions/${other.sessionId}/metadata`);
    assert.equal(metadata.status, 200, await metadata.text());
    await server.completeAll();
    await until(() => server.positions.counts.running === 0);
    assert.ok(server.budget.used - before > other.channels.length * PLANE_BYTES, "its index is counted");
    await server.request(`/api/v2/sessions/${other.sessionId}`, { method: "DELETE" });
    assert.equal(server.budget.used, before);
  });
});

Deno.test("reserves no memory for planes of changed files", async () => {
  await using sample = await sampleFolder();
  const path = join(sample.folder, "time.ome.zarr");
  const array = await writeTimeStore(path);
  await using server = new Harness();
  const { sessionId, channels } = await server.open(path);
  const url = `${channels[0]!.dataUrl}?t=1`;
  assert.deepEqual(await samplesOf(await server.request(url)), [2, 3]);
  await server.completeAll();
  await until(() => server.positions.counts.running === 0);
  const held = server.budget.used;
  await Deno.utime(join(array, "1.0.0"), 1, 1);
  for (let asked = 0; asked < 5; asked += 1) {
    await expectError(server.request(url), 409, "acquisition_changed");
    await until(() => server.positions.counts.running === 0);
  }
  await server.completeAll();
  assert.ok(server.budget.used < held, "neither the plane of the cache nor those that were refused are held");
  await server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE" });
  assert.equal(server.budget.used, 0);
});

Deno.test("a chunk written or removed after its plane was served changes the acquisition", async () => {
  await using sample = await sampleFolder();
  const path = join(sample.folder, "time.ome.zarr");
  const chunk = join(await writeTimeStore(path), "1.0.0");
  const bytes = await Deno.readFile(chunk);
  const ask = async (answers: (get: (range?: string) => Promise<Response>) => Promise<void>) => {
    await using server = new Harness();
    const { channels } = await server.open(path);
    await answers((range) =>
      server.request(`${channels[0]!.dataUrl}?t=1`, range === undefined ? {} : { headers: { range } })
    );
  };
  await ask(async (get) => {
    assert.deepEqual(await samplesOf(await get()), [2, 3]);
    await Deno.remove(chunk);
    for (let i = 0; i < 3; i += 1) await expectError(await get(), 409, "acquisition_changed");
  });
  await ask(async (get) => {
    // The fill value stands for a chunk that is absent.
    assert.deepEqual(await samplesOf(await get()), [0, 0]);
    assert.deepEqual(await samplesOf(await get("bytes=0-3")), [0]);
    await Deno.writeFile(chunk, bytes);
    for (const range of [undefined, "bytes=0-3", undefined]) {
      await expectError(await get(range), 409, "acquisition_changed");
    }
  });
  await Deno.remove(chunk);
  await ask(async (get) => {
    await Deno.writeFile(chunk, bytes);
    assert.deepEqual(await samplesOf(await get()), [2, 3], "nobody had asked for it before");
  });
});

/** A series of two images of one column, [0, 1] and [2, 3], raw in a chunk each. Gives the folder of the chunks. */
async function writeTimeStore(path: string): Promise<string> {
  const array = join(path, "0");
  await Deno.mkdir(array, { recursive: true });
  const write = (name: string, value: unknown) => Deno.writeTextFile(join(path, name), JSON.stringify(value));
  const scale = { type: "scale", scale: [1, 1, 1] };
  const axes = [{ name: "t", type: "time" }, { name: "y", type: "space" }, { name: "x", type: "space" }];
  await write(".zgroup", { zarr_format: 2 });
  await write(".zattrs", {
    multiscales: [{ version: "0.4", axes, datasets: [{ path: "0", coordinateTransformations: [scale] }] }],
  });
  const layout = { zarr_format: 2, shape: [2, 2, 1], chunks: [1, 2, 1], dtype: "<f4", order: "C" };
  await write("0/.zarray", { ...layout, compressor: null, fill_value: 0, filters: null });
  await Deno.writeFile(join(array, "0.0.0"), new Uint8Array(new Float32Array([0, 1]).buffer));
  await Deno.writeFile(join(array, "1.0.0"), new Uint8Array(new Float32Array([2, 3]).buffer));
  return array;
}

Deno.test("keeps opened planes of a changed file and rejects others", async () => {
  const changes: [string, (path: string) => Promise<void>][] = [
    ["grown", (path) => Deno.writeFile(path, new Uint8Array(2), { append: true })],
    ["touched", (path) => Deno.utime(path, 1, 1)],
    ["removed", (path) => Deno.remove(path)],
    ["replaced", async (path) => {
      await Deno.writeFile(`${path}.new`, hyperstack());
      await Deno.rename(`${path}.new`, path);
    }],
  ];
  // On Windows a file that is open may stay where it is until it is closed.
  const possible = changes.filter(([name]) =>
    Deno.build.os !== "windows" || ["grown", "touched"].includes(name)
  );
  for (const [name, change] of possible) {
    await withStack(async ({ server, sessionId, path, url }) => {
      await samplesOf(await server.request(url(0, "?t=1")));
      await change(path);
      for (const query of ["?t=1", "?t=2", "?t=2&z=1"]) {
        const body = await expectError(server.request(url(0, query)), 409, "acquisition_changed");
        assert.match(body.message, /stack\.tif/, name);
        assert.equal((await server.request(url(0, query), { method: "HEAD" })).status, 409);
      }
      assert.deepEqual(await samplesOf(await server.request(url(1))), samplesAt(0, 0, 1));
      await expectError(server.request(url(0, "?t=9")), 422, "position_out_of_range");
      const again = await server.post(`/api/v2/sessions/${sessionId}/open`, {});
      await expectError(again, 409, "acquisition_changed");
      await expectError(server.request(`/api/v2/sessions/${sessionId}/metadata`), 409, "acquisition_changed");
    });
  }
});

Deno.test("reports a change if a file of a large set is removed before its first plane", async () => {
  await using sample = await sampleFolder();
  // More files than an open marks.
  const names = Array.from({ length: 80 }, (_, t) => `${t}.ome.tif`);
  const xml = `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ` +
    `ID="Pixels:0" DimensionOrder="XYCZT" Type="uint16" SizeX="1" SizeY="2" SizeC="1" SizeZ="1" SizeT="80">` +
    names.map((name, t) => `<TiffData FirstT="${t}"><UUID FileName="${name}"/></TiffData>`).join("") +
    `</Pixels></Image></OME>`;
  for (const [t, name] of names.entries()) {
    const file = tiffBytes(
      grayLayout(1, 2, 16),
      (_x, y) => BigInt(10 * t + y),
      1,
      t === 0 ? [[270, 2, xml]] : [],
    );
    await Deno.writeFile(join(sample.folder, name), file);
  }
  await using server = new Harness();
  const { channels } = await server.open(join(sample.folder, names[0]!));
  const ask = (t: number) => server.request(`${channels[0]!.dataUrl}?t=${t}`);
  assert.deepEqual(await samplesOf(await ask(41)), [410, 411]);
  await Deno.remove(join(sample.folder, names[40]!));
  const body = await expectError(await ask(40), 409, "acquisition_changed");
  assert.match(body.message, /40\.ome\.tif/);
  assert.deepEqual(await samplesOf(await ask(42)), [420, 421]);
});

Deno.test("closes files after 15 s and reopens them for the next plane", () =>
  withStack(async ({ server, path, url }) => {
    await samplesOf(await server.request(url(0, "?t=1")));
    await until(() => server.positions.counts.running === 0);
    const held = () => {
      const links = [...Deno.readDirSync("/proc/self/fd")].map(({ name }) => {
        try {
          return Deno.readLinkSync(`/proc/self/fd/${name}`);
        } catch {
          return "";
        }
      });
      return links.filter((link) => link === path).length;
    };
    if (Deno.build.os === "linux") assert.equal(held(), 1);
    server.clock.move(15_000);
    if (Deno.build.os === "linux") await until(() => held() === 0);
    assert.deepEqual(await samplesOf(await server.request(url(0, "?t=3"))), samplesAt(3, 0, 0));
  }));

Deno.test("reopens a live session, for any origin and under every flag", () =>
  withStack(async ({ server, sessionId }) => {
    const target = `/api/v2/sessions/${sessionId}/open`;
    const foreign = { headers: { origin: "https://example.org" } };
    const again = await server.post(target, { channelIndices: [1], scene: 0 }, foreign);
    const body = await again.json();
    assert.equal(again.status, 200, JSON.stringify(body));
    assert.notEqual(body.sessionId, sessionId);
    assert.deepEqual(body.channels.map(({ index }: { index: number }) => index), [1]);
    assert.deepEqual([body.scene, body.sceneCount, body.scenes, body.times], [0, 1, [{
      index: 0,
      name: "Scene 1",
      sizes: { T, C, Z, Y: ROWS, X: COLUMNS },
    }], null]);
    assert.deepEqual(
      await samplesOf(await server.request(`${body.channels[0].dataUrl}?t=3`)),
      samplesAt(3, 0, 1),
    );
    const out = await expectError(server.post(target, { scene: 1 }), 422, "scene_out_of_range");
    assert.match(out.message, /Scene 1 does not exist/);
    await expectError(server.post(target, { scene: -1 }), 422, "request_validation_failed");
    await expectError(server.post(target, { scene: "0" }), 422, "request_validation_failed");
    await expectError(server.post(target, { path: "/x" }), 422, "request_validation_failed");
    assert.equal((await server.post(target, { scene: null, channelIndices: null })).status, 200);
    await server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE" });
    await expectError(server.post(target, {}), 404, "session_not_found");
    assert.deepEqual(
      await samplesOf(await server.request(`${body.channels[0].dataUrl}?t=1`)),
      samplesAt(1, 0, 1),
    );
  }));

Deno.test("serves the metadata documents of the file", () =>
  withStack(async ({ server, sessionId }) => {
    const response = await server.request(`/api/v2/sessions/${sessionId}/metadata`);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const documents = MetadataDocuments.parse(await response.json());
    assert.deepEqual(documents.map(({ mediaType }) => mediaType), ["text/plain"]);
    assert.match(documents[0]!.text, /^ImageJ=1\.53t\nimages=24\nchannels=2\n/);
    await expectError(server.request("/api/v2/sessions/none/metadata"), 404, "session_not_found");
  }));

Deno.test("accepts only the one position of a reference image", async () => {
  await withStack(async ({ server, sessionId }) => {
    const target = `/api/v2/sessions/${sessionId}/reference/channels/0/data`;
    await expectError(server.request(`${target}?t=x`), 422, "request_validation_failed");
    await expectError(server.request(`${target}?t=-1`), 422, "position_out_of_range");
    await expectError(server.request(`${target}?t=1`), 404, "reference_channel_not_found");
  });
});

Deno.test("counts open acquisitions, and closes them with their session", async () => {
  await withStack(async ({ server, sessionId, url }) => {
    const opened = C * PLANE_BYTES;
    const kept = server.budget.used - opened;
    assert.ok(kept > 65_536 && kept < 300_000, `${kept} bytes for a file of 24 pages`);
    await samplesOf(await server.request(url(0, "?t=1")));
    await until(() => server.positions.counts.running === 0);
    assert.equal(server.budget.used - opened - server.positions.counts.cached, kept, "opened once");
    await samplesOf(await server.request(url(0, "?t=3&z=1")));
    await until(() => server.positions.counts.running === 0);
    assert.equal(server.budget.used - opened - server.positions.counts.cached, kept, "counted once");
    server.clock.move(15_000);
    assert.ok(server.pool.openBytes > 0, "a resting worker keeps the acquisition of a live session open");
    await samplesOf(await server.request(url(0, "?t=2&z=1")));
    await until(() => server.positions.counts.running === 0);
    await server.completeAll();
    await server.request(`/api/v2/sessions/${sessionId}`, { method: "DELETE" });
    assert.equal(server.budget.used, 0);
  });
});

Deno.test("decodes a plane on request that could not be read ahead", async () => {
  const gate = new WorkerGate();
  await withStack(async ({ server, path, url }) => {
    const other = await server.open(path);
    await samplesOf(await server.request(url(0, "?t=1")));
    gate.shut();
    const slow = server.request(`${other.channels[0]!.dataUrl}?t=2&z=2`);
    const second = server.request(url(0, "?t=2"));
    await until(() => gate.waiting === 2);
    gate.openLast();
    assert.deepEqual(await samplesOf(await second), samplesAt(2, 0, 0));
    await until(() => server.positions.counts.running === 1);
    assert.equal(gate.planes, 3, "nothing is read ahead beside other work");
    const third = server.request(url(0, "?t=3"));
    await until(() => gate.waiting === 2);
    gate.open();
    assert.deepEqual(await samplesOf(await third), samplesAt(3, 0, 0));
    assert.deepEqual(await samplesOf(await slow), samplesAt(2, 2, 0));
  }, { startWorker: gate.start, workers: 3 });
});
