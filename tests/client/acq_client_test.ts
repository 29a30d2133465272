/** The client module against the real server: every resource of the contract, and what goes wrong with it. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { withoutTypes } from "../../routes/page_script.ts";
import { AcqError, connect, type RunOptions } from "../../static/client/v2/acq-client.ts";
import { Harness, type HarnessOptions, leftDialog } from "../contract/harness.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { output } from "../programs.ts";
import { PATIENCE, until, within } from "../deadline.ts";
import { withFiles } from "../temporary_files.ts";

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const SCAN = example("line_scan.oir");
const SERIES = example("time_series.ome.tif");

/** A server on a socket, and the client of it. */
async function withServer(
  work: (client: Awaited<ReturnType<typeof connect>>, server: Harness) => Promise<void>,
  options: HarnessOptions = {},
): Promise<void> {
  await using server = new Harness(options);
  await using socket = server.listen();
  await work(await connect(socket.base), server);
}

/** A server of the test's own, for answers that the real one does not give. */
async function answering(
  answer: (request: Request) => Response | Promise<Response>,
  work: (base: string) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/v2/health") {
      return Response.json({ ok: true, api_version: "v2", server_version: "1" });
    }
    if (pathname === "/api/v2/capabilities") return Response.json({ ok: true });
    return answer(request);
  });
  try {
    await work(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

const fails = (code: string, message = /./) => (error: unknown) => {
  assert(error instanceof AcqError, String(error));
  assert.equal(`${error.code}: ${error.name}`, `${code}: AcqError`, error.message);
  assert.match(error.message, message);
  return true;
};

/** An ImageJ hyperstack of 4 frames of 5 columns and 6 rows: frame t has samples 100 t + 10 y + x. */
const hyperstack = (): Uint8Array => {
  const description = "ImageJ=1.53t\nimages=4\nframes=4\nhyperstack=true\n";
  const sample = (x: number, y: number, _s: number, page: number) => BigInt(100 * page + 10 * y + x);
  return tiffBytes(grayLayout(5, 6, 16), sample, 4, [[270, 2, description]]);
};

const frame = (t: number, first = 0, end = 6) =>
  Array.from({ length: 5 * (end - first) }, (_, i) => 100 * t + 10 * (first + Math.floor(i / 5)) + i % 5);

const withStack = (work: (path: string) => Promise<void>): Promise<void> =>
  withFiles({ "stack.tif": hyperstack() }, work);

Deno.test("connect reads health, version and capabilities", () =>
  withServer(async (client) => {
    assert.equal(client.version, "1.2.3");
    assert.equal(client.health.api_version, "v2");
    assert(client.capabilities.supportedImportExtensions.includes(".oir"));
    assert.equal(client.capabilities.sessionTtlSeconds, 600);
    assert.deepEqual(await client.readHealth(), client.health);
    assert.deepEqual(await client.readCapabilities(), client.capabilities);
  }));

Deno.test("opens an acquisition by its path, with planes, reference and scan path", () =>
  withServer(async (client, server) => {
    {
      await using scan = await client.open(SCAN);
      assert.deepEqual([scan.name, scan.path, scan.shape], ["line_scan.oir", SCAN, [600, 48]]);
      assert.deepEqual(scan.axes.map(({ step, unit }) => `${step} ${unit}`), ["0.002118 seconds", "0.45 um"]);
      assert.deepEqual(scan.channels.map(({ index }) => index), [0, 1]);
      assert.deepEqual([scan.scene, scan.scenes.length, scan.times, scan.warnings], [0, 1, null, []]);
      const { samples, shape, axes, channel, firstRow } = await scan.plane(1);
      const response = await server.request(scan.channels[1]!.dataUrl);
      assert.deepEqual(samples, new Float32Array(await response.arrayBuffer()));
      assert.deepEqual([shape, axes, channel, firstRow], [scan.shape, scan.axes, scan.channels[1], 0]);
      // Rows of the same plane are a part of it.
      const part = await scan.plane(1, { rows: [100, 103] });
      assert.deepEqual([part.samples, part.shape, part.firstRow], [samples.slice(4800, 4944), [3, 48], 100]);
      assert(scan.reference);
      assert.deepEqual(scan.reference.shape, [128, 128]);
      assert.equal((await scan.reference.plane(0)).samples.length, 128 * 128);
      // The line of the sample, as its script writes it.
      const { path } = scan.reference;
      assert.deepEqual([path.at(0), path.at(-1)], [{ x: 40, y: 30 }, { x: 80, y: 55 }]);
      const state = await scan.state();
      assert.deepEqual([state.sessionId, state.channelIndices], [scan.sessionId, [0, 1]]);
      const [document] = await scan.metadata();
      assert.match(document!.text, /</);
      assert.equal(server.store.size, 1);
    }
    assert.equal(server.store.size, 0, "await using ended the session");
  }));

Deno.test("returns channels in the requested order", () =>
  withServer(async (client) => {
    await using scan = await client.open(SCAN, { channelIndices: [1, 0] });
    assert.deepEqual(scan.channels.map(({ index }) => index), [1, 0]);
    const [first, second] = await scan.planes();
    assert.deepEqual([first!.channel.index, second!.channel.index], [1, 0]);
    assert.deepEqual((await scan.planes([0]))[0]!.samples, second!.samples);
  }));

Deno.test("counts the progress of several planes together", () =>
  withServer(async (client) => {
    await using scan = await client.open(SCAN);
    const seen: [number, number][] = [];
    await scan.planes(null, { onProgress: (received, total) => seen.push([received, total]) });
    const whole = 2 * 4 * 600 * 48;
    assert(seen.every(([received, total], i) => total === whole && received >= (seen[i - 1]?.[0] ?? 0)));
    assert.equal(seen.at(-1)![0], whole);
  }));

Deno.test("reads planes of other time points and scenes", () =>
  withServer(async (client, server) => {
    const series = await client.open(SERIES);
    assert.equal(series.sizes.T, 12);
    assert.deepEqual(series.scenes.map(({ name }) => name), ["cells", "overview"]);
    const later = await series.plane(0, { t: 7 });
    const response = await server.request(`${series.channels[0]!.dataUrl}?t=7`);
    assert.deepEqual(later.samples, new Float32Array(await response.arrayBuffer()));
    // Asked for twice at once, the other scene is opened once.
    const [overview, again] = await Promise.all([
      series.plane(0, { scene: 1 }),
      series.plane(0, { scene: 1, signal: new AbortController().signal }),
    ]);
    assert.deepEqual(overview.samples, again.samples);
    assert.equal(server.store.size, 2);
    await using other = await series.reopen({ scene: 1 });
    assert.equal(other.scene, 1);
    assert.deepEqual(other.shape, overview.shape);
    await series.close();
    assert.equal(server.store.size, 1, "with the acquisition its other scenes are closed");
    await series.close();
  }));

Deno.test("reads frames whole and by rows", () =>
  withStack((path) =>
    withServer(async (client) => {
      await using stack = await client.open(path);
      for (let t = 0; t < 4; t += 1) assert.deepEqual([...(await stack.plane(0, { t })).samples], frame(t));
      assert.deepEqual([...(await stack.plane(0, { t: 2, rows: [1, 4] })).samples], frame(2, 1, 4));
    })
  ));

Deno.test("reads a run of planes as they arrive, whole or from one index to another", () =>
  withStack((path) =>
    withServer(async (client, server) => {
      await using stack = await client.open(path);
      const read = async (options: Partial<RunOptions>) => {
        const found: [number, number[]][] = [];
        for await (const { index, samples, shape } of stack.run(0, { along: "t", ...options })) {
          assert.deepEqual(shape, [6, 5]);
          found.push([index, [...samples]]);
        }
        return found;
      };
      assert.deepEqual(await read({}), [0, 1, 2, 3].map((t) => [t, frame(t)]));
      assert.deepEqual(await read({ first: 1, last: 2, t: 3 }), [1, 2].map((t) => [t, frame(t)]));
      assert.deepEqual(await read({ along: "z", t: 3 }), [[0, frame(3)]]);
      await assert.rejects(read({ last: 4 }), fails("position_out_of_range"));
      await assert.rejects(read({ signal: AbortSignal.abort() }), fails("cancelled"));
      for await (const { index } of stack.run(0, { along: "t" })) {
        if (index === 1) break;
      }
      await until(() => server.positions.counts.running === 0);
    })
  ));

Deno.test("a run leaves out planes that the file lacks, if asked to, and names them otherwise", () => {
  // Frame 1 of slice 1 was never taken.
  const planes = [[0, 0, 0, 0, 1], [0, 1, 0, 0, 2], [0, 0, 1, 0, 3], [0, 0, 2, 0, 4], [
    0,
    1,
    2,
    0,
    5,
  ]] as const;
  const bytes = microManagerBytes(grayLayout(4, 3, 16), { Channels: 1, Slices: 2, Frames: 3 }, planes);
  return withFiles({ "stack.tif": bytes }, (path) =>
    withServer(async (client) => {
      await using stack = await client.open(path);
      const read = async (options: Partial<RunOptions>) => {
        const found: number[] = [];
        for await (const { index } of stack.run(0, { along: "t", ...options })) found.push(index);
        return found;
      };
      assert.deepEqual(await read({ z: 1, skipsMissing: true }), [0, 2]);
      assert.deepEqual(await read({ z: 0 }), [0, 1, 2]);
      await assert.rejects(read({ z: 1 }), (error: AcqError) => {
        assert.deepEqual([error.code, error.missing], ["plane_not_found", [{ t: 1, z: 1, l: 0 }]]);
        return true;
      });
    }));
});

Deno.test("a run leaves out planes that the file tells of only when they are read", () =>
  withServer(async (client) => {
    // Frame 2 has no chunk.
    const path = fileURLToPath(new URL("../fixtures/nd2/zlib.nd2", import.meta.url));
    await using series = await client.open(path);
    const count = series.sizes.T!;
    const read = async (first: number) => {
      const found: number[] = [];
      for await (const { index } of series.run(0, { along: "t", first, skipsMissing: true })) {
        found.push(index);
      }
      return found;
    };
    for (const first of [0, 2, 3]) {
      const expected = Array.from({ length: count - first }, (_, i) => first + i).filter((t) => t !== 2);
      assert.deepEqual(await read(first), expected);
    }
  }));

Deno.test("a run that ends short fails for the reason of the plane that is missing", async () => {
  const plane = new Float32Array([1, 2, 3, 4, 5, 6]);
  const asked: string[] = [];
  await answering((request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname.endsWith("/open")) return Response.json(opened());
    asked.push(search);
    if (search.includes("t=1-")) {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(plane.buffer));
          controller.error(new Error("the plane is damaged"));
        },
      });
      return new Response(body, { headers: { "Content-Length": "72" } });
    }
    return Response.json({ ok: false, error: "decode_failed", message: "It is cut", details: null }, {
      status: 500,
    });
  }, async (base) => {
    const found: number[] = [];
    const stack = await (await connect(base)).open("/a.tif");
    await assert.rejects(async () => {
      for await (const { index } of stack.run(0, { along: "t", first: 1, last: 3 })) found.push(index);
    }, fails("decode_failed", /It is cut/));
    assert.equal(found.at(-1) ?? 0, asked.at(-1)!.includes("t=2") ? 1 : 0);
  });
});

Deno.test("lists a folder, and opens what it lists", () =>
  withStack((path) =>
    withServer(async (client) => {
      await using recording = await client.open(path);
      const { url, warnings: left } = await client.export([path, recording, { path, accepted: true }], {
        name: "All",
      });
      assert.deepEqual(left, []);
      const archive = new Uint8Array(await (await fetch(url)).arrayBuffer());
      // A ZIP file begins with a local header.
      assert.deepEqual([...archive.subarray(0, 4)], [0x50, 0x4b, 3, 4]);
      await assert.rejects(client.export([`${path}.missing`]), fails("path_not_found", /nothing exists/));
      const { path: folder, entries, truncated } = await client.list(dirname(path));
      assert.deepEqual([folder, truncated], [dirname(path), false]);
      const [entry] = entries;
      assert(entry !== undefined && entries.length === 1);
      const { size, mtime } = Deno.statSync(path);
      const modified = mtime!.toISOString();
      assert.deepEqual(entry, {
        name: "stack.tif",
        path,
        kind: "image",
        format: "tif",
        bytes: size,
        modified,
      });
      await using stack = await client.open(entry.path);
      assert.equal(stack.name, entry.name);
      await assert.rejects(client.list(path), fails("unsupported_format", /is a file/));
      await assert.rejects(client.list("relative"), fails("request_validation_failed"));
      await assert.rejects(client.list(folder, { signal: AbortSignal.abort() }), fails("cancelled"));
    })
  ));

Deno.test("the dialog opens what the user chooses, with scene and channels", () =>
  withServer(
    async (client) => {
      await using series = await client.pick({ scene: 1, channelIndices: [0], extensions: [".tif"] });
      assert.deepEqual([series.name, series.scene], ["time_series.ome.tif", 1]);
    },
    {
      pick: ({ extensions }) => {
        assert.deepEqual(extensions, [".tif"]);
        return Promise.resolve(SERIES);
      },
    },
  ));

Deno.test("errors of the server have code, status and message", async (t) => {
  const step = (name: string, options: HarnessOptions, work: Parameters<typeof withServer>[0]) =>
    t.step(name, () => withServer(work, options));
  await step("opening", {}, async (client) => {
    await assert.rejects(client.open("relative.oir"), (error) => {
      fails("request_validation_failed")(error);
      assert.deepEqual((error as AcqError).details![0]!.location, ["body", "path"]);
      assert.equal((error as AcqError).status, 422);
      return true;
    });
    await assert.rejects(client.pick(), (error) => {
      fails("cancelled", /No file was chosen/)(error);
      return (error as AcqError).status === 200;
    });
  });
  await step("planes", {}, async (client) => {
    await using series = await client.open(SERIES);
    await assert.rejects(series.plane(0, { t: 12 }), fails("position_out_of_range", /size 12/));
    await assert.rejects(series.plane(0, { t: 0.5 }), fails("request_validation_failed"));
    await assert.rejects(series.plane(3), fails("channel_not_found", /Channel 3 .* only 0$/));
    await assert.rejects(series.plane(0, { scene: 5 }), fails("scene_out_of_range"));
    await assert.rejects(series.plane(0, { scene: 5 }), fails("scene_out_of_range"));
    await assert.rejects(series.plane(0, { rows: [3, 3] }), fails("range_not_satisfiable"));
    await assert.rejects(series.plane(0, { rows: [0, 49] }), fails("range_not_satisfiable"));
    await using scan = await client.open(SCAN);
    await assert.rejects(scan.reference!.plane(9), fails("reference_channel_not_found"));
  });
  await step("a session that has ended", {}, async (client, server) => {
    const scan = await client.open(SCAN);
    server.clock.move(600_000);
    await assert.rejects(scan.plane(0), fails("session_not_found"));
    await assert.rejects(scan.state(), fails("session_not_found"));
    await assert.rejects(scan.metadata(), fails("session_not_found"));
    await assert.rejects(scan.reopen(), fails("session_not_found"));
    await scan.close();
  });
  await step("a file that changed", {}, async (client) => {
    await withStack(async (path) => {
      await using stack = await client.open(path);
      await Deno.writeFile(path, new Uint8Array(1), { append: true });
      await assert.rejects(stack.plane(0, { t: 1 }), fails("acquisition_changed"));
      await assert.rejects(stack.reopen(), fails("acquisition_changed"));
      assert.deepEqual([...(await stack.plane(0)).samples], frame(0), "the opened plane is still there");
    });
  });
});

Deno.test("an abort ends the dialog, the open, the wait for a scene and the transfer", async (t) => {
  await t.step("dialog", async () => {
    const [shown, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await withServer(
      async (client) => {
        const ending = new AbortController();
        const picking = assert.rejects(
          client.pick({ signal: ending.signal }),
          fails("cancelled", /^Cancelled$/),
        );
        await within(PATIENCE, "the dialog", shown.promise);
        ending.abort();
        await picking;
        await within(PATIENCE, "the end of the dialog", gone.promise);
      },
      {
        pick: ({ signal }) => {
          shown.resolve();
          return leftDialog(signal).finally(gone.resolve);
        },
      },
    );
  });
  // The abort may reach the server before the request, between request and dialog, or later.
  await t.step("dialog that may not be open yet", async () => {
    let open = 0;
    for (let milliseconds = 0; milliseconds <= 5; milliseconds += 1) {
      await withServer(
        async (client) => {
          const ending = new AbortController();
          setTimeout(() => ending.abort(), milliseconds);
          await assert.rejects(client.pick({ signal: ending.signal }), fails("cancelled", /^Cancelled$/));
        },
        {
          pick: ({ signal }) => {
            open += 1;
            return leftDialog(signal).finally(() => open -= 1);
          },
        },
      );
      assert.equal(open, 0, "the server ended before its dialog");
    }
  });
  await t.step("before it begins", () =>
    withServer(async (client, server) => {
      const signal = AbortSignal.abort();
      await assert.rejects(client.open(SCAN, { signal }), fails("cancelled"));
      await using series = await client.open(SERIES);
      await assert.rejects(series.plane(0, { signal }), fails("cancelled"));
      await assert.rejects(series.planes(null, { signal }), fails("cancelled"));
      await assert.rejects(series.plane(0, { scene: 1, signal }), fails("cancelled"));
      await series.close();
      assert.equal(server.store.size, 0);
    }));
  await t.step("transfer", async () => {
    const ended = Promise.withResolvers<void>();
    const endless = () =>
      new ReadableStream({
        // The first piece alone: then the transfer stands.
        start: (controller) => controller.enqueue(new Uint8Array(8)),
        cancel: () => ended.resolve(),
      });
    await answering(
      (request) => request.url.endsWith("/plane") ? new Response(endless()) : Response.json(opened()),
      async (base) => {
        const acquisition = await (await connect(base)).open("/x");
        const ending = new AbortController();
        const reading = acquisition.planes(null, {
          signal: ending.signal,
          onProgress: (received) => received === 8 && ending.abort(),
        });
        await assert.rejects(reading, fails("cancelled"));
        await within(PATIENCE, "the end of the transfer", ended.promise);
      },
    );
  });
  await t.step("a timeout is not a cancellation", () =>
    answering(
      () => new Promise((done) => setTimeout(() => done(new Response()), 200)),
      async (base) => {
        const client = await connect(base);
        const signal = AbortSignal.timeout(20);
        await assert.rejects(client.open("/x", { signal }), fails("server_unreachable", /in time/));
      },
    ));
});

/** An open response that a test can break. */
const opened = () => ({
  ok: true,
  sessionId: "a",
  source: { path: "/x", name: "x" },
  header: { sizes: {} },
  plane: {
    shape: [2, 3],
    axes: [{ step: 1 }, { step: 0.5 }],
    servedDtype: "float32",
    encoding: "raw-f32-le",
    layout: "row-major",
  },
  channels: [{ index: 0, name: "CH1", byteLength: 24, dataUrl: "/plane" }],
  reference: null,
});

Deno.test("requires little-endian samples, exactly as many as announced", async () => {
  // IEEE 754: 1 is 0x3f800000, -2.5 is 0xc0200000; the lowest byte comes first.
  let bytes = [0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x20, 0xc0, ...Array(16).fill(0)];
  await answering(
    (request) =>
      request.url.endsWith("/plane") ? new Response(Uint8Array.from(bytes)) : Response.json(opened()),
    async (base) => {
      const acquisition = await (await connect(base)).open("/x");
      assert.deepEqual([...(await acquisition.plane(0)).samples], [1, -2.5, 0, 0, 0, 0]);
      bytes = bytes.slice(1);
      await assert.rejects(acquisition.plane(0), fails("wrong_size", /23 bytes instead of 24/));
      bytes = Array(25).fill(0);
      await assert.rejects(acquisition.plane(0), fails("wrong_size", /more than its 24/));
      await assert.rejects(acquisition.plane(0, { rows: [0, 1] }), fails("no_acq_server", /HTTP 200/));
    },
  );
});

Deno.test("fails the open and ends its session if the description breaks the contract", async () => {
  const cases: [object, number, RegExp][] = [
    [{}, 23, /byteLength is 23, not 24/],
    [{ shape: [2] }, 24, /plane\.shape is \[2\]/],
    [{ shape: [2, 3, 1] }, 24, /plane\.shape/],
    [{ shape: [0, 3] }, 0, /plane\.shape is \[0,3\]/],
    [{ shape: [2, 1.5] }, 12, /plane\.shape/],
    [{ servedDtype: "float64" }, 24, /float64/],
    [{ encoding: "raw-f32-be" }, 24, /raw-f32-be/],
    [{ layout: "column-major" }, 24, /column-major/],
    [{ axes: [{ step: 1 }] }, 24, /plane\.axes/],
    [{ axes: [{ step: 1 }, { step: 0 }] }, 24, /plane\.axes/],
  ];
  for (const [change, byteLength, message] of cases) {
    const methods: string[] = [];
    const { plane, channels, ...rest } = opened();
    const group = { plane: { ...plane, ...change }, channels: [{ ...channels[0], byteLength }] };
    for (const answer of [{ ...rest, ...group }, { ...rest, plane, channels, reference: group }]) {
      await answering(
        ({ method }) => {
          methods.push(method);
          return Response.json(method === "DELETE" ? { ok: true } : answer);
        },
        async (base) => {
          await assert.rejects((await connect(base)).open("/x"), fails("no_acq_server", message));
        },
      );
    }
    assert.deepEqual(methods, ["POST", "DELETE", "POST", "DELETE"]);
  }
});

Deno.test("retries calls after `Retry-After`, and only then", async () => {
  let [asked, refusals, retryAfter] = [0, 2, "0"];
  const busy = () => {
    asked += 1;
    if (asked > refusals) return Response.json(opened());
    const headers: HeadersInit = retryAfter === "" ? {} : { "Retry-After": retryAfter };
    const body = { ok: false, error: "too_many_opens", message: "Wait", details: null };
    return Response.json(body, { status: 503, headers });
  };
  await answering(busy, async (base) => {
    const client = await connect(base);
    await client.open("/x");
    assert.equal(asked, 3);
    const refusedAfter = async (calls: number, call: () => Promise<unknown>, seconds: number | null) => {
      asked = 0;
      await assert.rejects(call(), (error) => {
        fails("too_many_opens")(error);
        assert.equal((error as AcqError).retryAfter, seconds);
        return true;
      });
      assert.equal(asked, calls);
    };
    refusals = Infinity;
    await refusedAfter(4, () => client.open("/x"), 0);
    // A dialog that opened again by itself would surprise.
    await refusedAfter(1, () => client.pick(), 0);
    retryAfter = "11";
    await refusedAfter(1, () => client.open("/x"), 11);
    retryAfter = "";
    await refusedAfter(1, () => client.open("/x"), null);
    retryAfter = "5";
    const ending = new AbortController();
    setTimeout(() => ending.abort(), 50);
    await assert.rejects(client.open("/x", { signal: ending.signal }), fails("cancelled"));
  });
});

Deno.test("fails with no_acq_server on answers that break the contract", async () => {
  const open = (answer: () => Response, message: RegExp) =>
    answering(answer, async (base) => {
      await assert.rejects((await connect(base)).open("/x"), fails("no_acq_server", message));
    });
  await open(() => new Response("<html>"), /not JSON/);
  await open(() => new Response("<html>", { status: 502 }), /HTTP 502/);
  await open(() => Response.json({}), /lacks ok/);
  await open(() => Response.json(null), /lacks ok/);
});

Deno.test("connecting to another program fails", async () => {
  for (const body of [[], { ok: true }]) {
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    await using other = Deno.serve(options, () => Response.json(body));
    const base = `http://127.0.0.1:${other.addr.port}`;
    await assert.rejects(connect(base), fails("no_acq_server", /is not an acq-server/));
  }
});

Deno.test("connecting without a server fails with server_unreachable", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  const message = new RegExp(`^The server at http://127\\.0\\.0\\.1:${port} does not answer$`);
  await assert.rejects(connect(`http://127.0.0.1:${port}/`), fails("server_unreachable", message));
});

Deno.test("accepts answers of older servers without newer fields", async () => {
  await answering(() => Response.json(opened()), async (base) => {
    const { scene, scenes, times, warnings, warningCodes, reference, position, lineScan } =
      await (await connect(`${base}/`)).open("/x");
    assert.deepEqual([scene, scenes, times, warnings, warningCodes], [0, [], null, [], []]);
    assert.deepEqual([reference, position, lineScan], [null, { t: 0, z: 0, l: 0 }, null]);
  });
});

Deno.test("serves the module and its types, linked for Deno", () =>
  withServer(async (_client, server) => {
    const source = await Deno.readTextFile(new URL("../../static/client/v2/acq-client.ts", import.meta.url));
    const files = {
      "acq-client.js": [/^text\/javascript/, withoutTypes(source)],
      "acq-client.d.ts": [/^application\/typescript/, 'export * from "./acq-client.ts";\n'],
      "acq-client.ts": [/^application\/typescript/, source],
    } as const;
    for (const [name, [type, text]] of Object.entries(files)) {
      const response = await server.request(`/client/v2/${name}`);
      assert.match(response.headers.get("content-type")!, type);
      assert.equal(await response.text(), text);
      assert.equal(
        response.headers.get("x-typescript-types"),
        name.endsWith(".js") ? "./acq-client.d.ts" : null,
      );
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
    }
  }));

const WORKED = `connect(BASE).then(async (server) => {
  const scan = await server.open(PATH);
  const { samples } = await scan.plane(0);
  await scan.close();
  console.log(samples.length);
});`;

Deno.test("Deno imports the client module from the server, with its types and address", () =>
  withServer(async (client) => {
    const file = await Deno.makeTempFile({ suffix: ".ts" });
    const module = JSON.stringify(`${client.base}/client/v2/acq-client.js`);
    const text = WORKED.replace("BASE", "").replace("PATH", JSON.stringify(SCAN));
    await Deno.writeTextFile(file, `import { connect } from ${module};\n${text}\n`);
    const flags = ["--no-config", "--no-lock", "--check", "--quiet", "--allow-net", "--allow-import"];
    const env = { NO_COLOR: "1" };
    try {
      assert.equal(await output(Deno.execPath(), ["run", ...flags, file], { env }), `${600 * 48}\n`);
      await Deno.writeTextFile(
        file,
        `import { connect } from ${module};\nconst count: string = (await connect()).base.length;\n`,
      );
      await assert.rejects(output(Deno.execPath(), ["run", ...flags, file], { env }), /TS2322/);
    } finally {
      await Deno.remove(file);
    }
  }));
