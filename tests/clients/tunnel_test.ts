/** A server behind a tunnel: what docs/use-from/remote.md says about names, ports and pages. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { lookup } from "node:dns/promises";
import { join } from "node:path";
import { connect } from "../../static/client/v2/acq-client.ts";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { expectedFile, firstPlanes, FIXTURES } from "../fixtures/expected.ts";

const SCAN = join(FIXTURES, "oir", "line_scan.oir");

/** Passes bytes on between its own port and another, as the end of a tunnel does. */
function forward(hostname: string, port: number): Deno.Listener & Disposable {
  const listener = Deno.listen({ hostname, port: 0 });
  void (async () => {
    for await (const near of listener) {
      const far = await Deno.connect({ hostname: "127.0.0.1", port });
      void near.readable.pipeTo(far.writable).catch(() => {});
      void far.readable.pipeTo(near.writable).catch(() => {});
    }
  })().catch(() => {});
  return listener;
}

/** Opens the sample through `base` as a page of `origin` does, and reads its first plane. */
async function planeThrough(base: string, origin: string | null): Promise<string> {
  const headers = { "Content-Type": "application/json", ...(origin !== null && { Origin: origin }) };
  const opened = await fetch(`${base}/api/v2/open`, {
    method: "POST",
    headers,
    body: JSON.stringify({ path: SCAN }),
  });
  const { channels, sessionId } = await opened.json();
  const plane = await (await fetch(base + channels[0].dataUrl)).bytes();
  await (await fetch(`${base}/api/v2/sessions/${sessionId}`, { method: "DELETE" })).body?.cancel();
  return createHash("sha256").update(plane).digest("hex");
}

/** False where nothing resolves the name, as in a container without /etc/hosts. */
const hasLocalhost = await lookup("localhost").then(() => true, () => false);
if (!hasLocalhost) {
  console.log("Skipped: a tunnel by the name localhost, which this machine does not resolve");
}

const [EXPECTED] = firstPlanes(expectedFile("oir", "line_scan.oir").scenes[0]!);

Deno.test("serves scripts and the page through a tunnel to another port, by each loopback name", async (t) => {
  await using server = await ServerProcess.start(FROM_SOURCE);
  for (
    const [listen, name] of [["127.0.0.1", "127.0.0.1"], ["127.0.0.1", "localhost"], [
      "::1",
      "[::1]",
    ]] as const
  ) {
    const ignore = name === "localhost" && !hasLocalhost;
    await t.step({
      name,
      ignore,
      fn: async () => {
        using tunnel = forward(listen, Number(new URL(server.baseUrl).port));
        const base = `http://${name}:${(tunnel.addr as Deno.NetAddr).port}`;
        assert.notEqual(new URL(base).port, new URL(server.baseUrl).port);
        assert.equal(await planeThrough(base, null), EXPECTED);
        assert.equal(await planeThrough(base, base), EXPECTED);
        const page = await fetch(`${base}/demo/v2/`);
        await page.body?.cancel();
        assert.equal(page.status, 200);
      },
    });
  }
});

Deno.test("the client module works through a proxy with a path prefix", async () => {
  const prefix = "/user/me/acq";
  const server = await ServerProcess.start(FROM_SOURCE);
  // Asks the server by a loopback name, as jupyter-server-proxy does where its configuration says so.
  const proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith(`${prefix}/`)) return new Response(null, { status: 404 });
    const { method } = request;
    return await fetch(server.baseUrl + pathname.slice(prefix.length) + search, {
      method,
      ...(method === "POST" && {
        headers: { "Content-Type": "application/json" },
        body: await request.text(),
      }),
    });
  });
  try {
    const scan = await (await connect(`http://127.0.0.1:${proxy.addr.port}${prefix}/`)).open(SCAN);
    const { samples } = await scan.plane(0);
    await scan.close();
    assert.equal(createHash("sha256").update(new Uint8Array(samples.buffer)).digest("hex"), EXPECTED);
  } finally {
    await proxy.shutdown();
    await server.stop();
  }
});
