/** How the server listens: address families, taken ports, exhausted descriptors. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { listenOn } from "../../routes/listener.ts";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { PATIENCE, pause, until, within } from "../deadline.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

const answer = () => new Response("ours");

/** Whether this machine has an address of loopback. */
function has(hostname: string): boolean {
  try {
    Deno.listen({ hostname, port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

const bothFamilies = { ignore: !has("127.0.0.1") || !has("::1") };
if (bothFamilies.ignore) console.log("Skipped: this machine has no two address families");

const textOf = async (host: string, port: number): Promise<string> =>
  await within(PATIENCE, `an answer at ${host}`, fetch(`http://${host}:${port}/`).then((r) => r.text()));

Deno.test("localhost listens on both address families", bothFamilies, async () => {
  const { port, close } = listenOn("localhost", 0, answer);
  try {
    for (const host of ["127.0.0.1", "[::1]"]) assert.equal(await textOf(host, port), "ours");
  } finally {
    await close();
  }
  // Both are free again.
  for (const hostname of ["127.0.0.1", "::1"]) Deno.listen({ hostname, port }).close();
});

Deno.test("localhost listens on one family if the other is taken, and says so", bothFamilies, async () => {
  using taken = Deno.listen({ hostname: "::1", port: 0 });
  const said: string[] = [];
  const { port, close } = listenOn("localhost", taken.addr.port, answer, {
    warn: (message) => said.push(message),
  });
  try {
    assert.equal(await textOf("127.0.0.1", port), "ours");
    assert.match(said.join(), /^Another program listens at \[::1\]:\d+; use 127\.0\.0\.1, not localhost$/);
  } finally {
    await close();
  }
});

Deno.test("a port that another program has taken is an error with its code", () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  for (const host of ["127.0.0.1", "localhost"]) {
    assert.throws(() => listenOn(host, taken.addr.port, answer), { code: "EADDRINUSE" });
  }
});

for (const limit of [64, 256]) {
  programTest(["sh"], {
    name: `listens again after ${limit} descriptors ran out`,
    ignore: Deno.build.os === "windows",
    async fn([shell]) {
      const args = ["-c", `ulimit -n ${limit} && exec "$0" "$@"`, FROM_SOURCE.program, ...FROM_SOURCE.args];
      await using server = await ServerProcess.start({ program: shell!, args });
      const port = Number(new URL(server.baseUrl).port);
      const connect = () => Deno.connect({ hostname: "127.0.0.1", port });
      using clients = new DisposableStack();
      for (let n = 0; n < limit; n += 1) {
        const client = await connect().catch(() => null);
        if (client === null) break;
        clients.use(client);
        await client.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost:")).catch(() => {});
      }
      await until(() => /WARN .*ended and starts again: .*Too many open files/.test(server.stderr));
      // The clients stay.
      const isHealthy = async () => (await fetch(`${server.baseUrl}/api/v2/health`)).json();
      await until(() => isHealthy().then(({ ok }) => ok, () => false), "a healthy answer");
    },
  });
}

/** Runs with a `Deno.serve` whose first listener ends with this error, and whose further calls are `again`. */
async function withEndedListener(again: typeof Deno.serve, use: () => Promise<void>): Promise<void> {
  const { serve } = Deno;
  let calls = 0;
  const fake = (...args: Parameters<typeof Deno.serve>) => {
    if ((calls += 1) > 1) return again(...args);
    const finished = Promise.reject(new Error("Too many open files"));
    return { addr: { port: 4711 }, finished, shutdown: () => Promise.resolve() };
  };
  Object.assign(Deno, { serve: fake });
  try {
    await use();
  } finally {
    Object.assign(Deno, { serve });
  }
}

Deno.test("a port that another program takes from a running server is an error, and no warning", async () => {
  const said: string[] = [];
  const again = () => {
    throw new Deno.errors.AddrInUse("taken");
  };
  await withEndedListener(again, async () => {
    listenOn("127.0.0.1", 0, answer, { lost: (message) => said.push(message) });
    await until(() => said.length > 0);
  });
  assert.deepEqual(said, ["Another program has taken the port of the listener at 127.0.0.1:4711"]);
});

Deno.test("a listener that ended listens again before anything else runs", async () => {
  const order: string[] = [];
  const again = () => {
    order.push("listens");
    return { addr: { port: 4711 }, finished: new Promise(() => {}), shutdown: () => Promise.resolve() };
  };
  await withEndedListener(again as unknown as typeof Deno.serve, async () => {
    listenOn("127.0.0.1", 0, answer);
    setTimeout(() => order.push("a timer runs"), 0);
    await until(() => order.length === 2);
  });
  assert.deepEqual(order, ["listens", "a timer runs"]);
});

programTest(["sh"], {
  name: "a server whose port was taken while it had no descriptors says so and ends with status 4",
  ignore: Deno.build.os === "windows",
  async fn([shell]) {
    const args = ["-c", 'ulimit -n 64 && exec "$0" "$@"', FROM_SOURCE.program, ...FROM_SOURCE.args];
    const server = await ServerProcess.start({ program: shell!, args });
    const port = Number(new URL(server.baseUrl).port);
    let thief: Deno.TcpListener | null = null;
    using clients = new DisposableStack();
    // Holds the descriptors and tries to take the port whenever it is free.
    for (let round = 0; round < 200 && thief === null; round += 1) {
      const client = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
      if (client !== null) clients.use(client);
      try {
        thief = Deno.listen({ hostname: "127.0.0.1", port });
      } catch {
        // The server has it.
      }
    }
    if (thief === null) {
      await until(() => server.json("/api/v2/health").then(() => true, () => false), "a healthy answer");
      return await server.stop();
    }
    assert.equal(await within(PATIENCE, "the end of the server", server.exited), 4);
    assert.match(server.stderr, /Another program has taken the port/);
    thief.close();
  },
});

programTest(["sh"], {
  name: "finishes the responses of a listener that ended before it stops",
  ignore: Deno.build.os === "windows",
  async fn([shell]) {
    using temporary = temporaryFolder();
    const path = join(temporary.path, "large.ome.zarr");
    const [rows, columns] = [16 * 1024, 1024];
    await writePlainStore(path, { planes: [ramp(rows, columns)], rows, columns });
    const args = ["-c", 'ulimit -n 64 && exec "$0" "$@"', FROM_SOURCE.program, ...FROM_SOURCE.args];
    await using server = await ServerProcess.start({ program: shell!, args });
    const { body } = await server.post("/api/v2/open", { path });
    const [{ dataUrl }] = body.channels as [{ dataUrl: string }];
    const running = await fetch(server.baseUrl + dataUrl);
    const port = Number(new URL(server.baseUrl).port);
    {
      using clients = new DisposableStack();
      for (let n = 0; n < 64; n += 1) {
        const client = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
        if (client !== null) clients.use(client);
      }
      await until(() => server.stderr.includes("ended and starts again"));
    }
    await until(() => server.json("/api/v2/health").then(() => true, () => false), "a healthy answer");
    const stopped = server.stop();
    await pause(300);
    const plane = await within(PATIENCE, "the rest of the plane", running.arrayBuffer());
    assert.equal(plane.byteLength, 4 * rows * columns);
    await stopped;
  },
});
