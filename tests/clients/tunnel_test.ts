/** A server behind a tunnel: what docs/use-from/remote.md says of names, ports and pages. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { connect } from "../../static/client/v2/acq-client.js";
import { parts, raw } from "../contract/raw_socket.ts";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { expectedFile, firstPlanes, FIXTURES } from "../fixtures/expected.ts";
import { output } from "./program.ts";
import { ended, spawn } from "../child_process.ts";
import { until } from "../deadline.ts";

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

/** Status and code of an open with these headers, which a browser sets itself. */
async function openAs(
  server: ServerProcess,
  host: string,
  origin: string | null,
): Promise<[number, string?]> {
  const body = JSON.stringify({ path: SCAN });
  const headers = [`Host: ${host}`, ...(origin === null ? [] : [`Origin: ${origin}`])].join("\r\n");
  const answer = parts(
    await raw(
      Number(new URL(server.baseUrl).port),
      `POST /api/v2/open HTTP/1.1\r\n${headers}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
  );
  return [answer.status, JSON.parse(answer.body).error];
}

const [EXPECTED] = firstPlanes(expectedFile("oir", "line_scan.oir").scenes[0]!);

Deno.test("a tunnel to another port, by each loopback name, for scripts and the page", async (t) => {
  const server = await ServerProcess.start(FROM_SOURCE);
  try {
    for (
      const [listen, name] of [["127.0.0.1", "127.0.0.1"], ["127.0.0.1", "localhost"], [
        "::1",
        "[::1]",
      ]] as const
    ) {
      await t.step(name, async () => {
        using tunnel = forward(listen, Number(new URL(server.baseUrl).port));
        const base = `http://${name}:${(tunnel.addr as Deno.NetAddr).port}`;
        assert.notEqual(new URL(base).port, new URL(server.baseUrl).port);
        assert.equal(await planeThrough(base, null), EXPECTED);
        assert.equal(await planeThrough(base, base), EXPECTED);
        const page = await fetch(`${base}/demo/v2/`);
        await page.body?.cancel();
        assert.equal(page.status, 200);
      });
    }
  } finally {
    await server.stop();
  }
});

Deno.test("a proxy that forwards a foreign host name is refused, and so are pages of that host", async () => {
  const server = await ServerProcess.start(FROM_SOURCE);
  const allowing = await ServerProcess.start(FROM_SOURCE, ["--allow-origin", "https://hub.example.org"]);
  try {
    const hub = "https://hub.example.org";
    assert.deepEqual(await openAs(server, "hub.example.org", null), [403, "host_not_allowed"]);
    // With the name rewritten, the page is still one of another site.
    assert.deepEqual(await openAs(server, "localhost", hub), [403, "origin_not_allowed"]);
    assert.deepEqual(await openAs(allowing, "localhost", hub), [200, undefined]);
  } finally {
    await server.stop();
    await allowing.stop();
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

const SSHD = "/usr/sbin/sshd";
/** It wants this folder where it is started as root. */
const RUN = "/run/sshd";
const missing = [SSHD, ...(Deno.uid() === 0 ? [RUN] : [])].find((path) => !existsSync(path));
if (missing !== undefined) console.log(`Skipped: ssh -L needs ${missing}`);

Deno.test({
  name: "ssh -L",
  ignore: missing !== undefined,
  fn: async () => {
    const folder = Deno.makeTempDirSync({ prefix: "ssh_" });
    const server = await ServerProcess.start(FROM_SOURCE);
    const children: Deno.ChildProcess[] = [];
    try {
      for (const key of ["host", "user"]) {
        await output("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, key)]);
      }
      const [sshPort, near] = [freePort(), freePort()];
      const option = (name: string, value: string) => ["-o", `${name}=${value}`];
      children.push(start(SSHD, [
        ...["-D", "-e", "-f", "/dev/null", "-p", String(sshPort), "-h", join(folder, "host")],
        ...[option("ListenAddress", "127.0.0.1"), option("AuthorizedKeysFile", join(folder, "user.pub"))]
          .flat(),
        ...[option("StrictModes", "no"), option("UsePAM", "no"), option("PidFile", "none")].flat(),
      ]));
      await listening(sshPort);
      children.push(start("ssh", [
        ...["-N", "-F", "/dev/null", "-i", join(folder, "user"), "-p", String(sshPort)],
        ...[option("StrictHostKeyChecking", "no"), option("UserKnownHostsFile", "/dev/null")].flat(),
        ...["-L", `${near}:127.0.0.1:${new URL(server.baseUrl).port}`, `${userInfo().username}@127.0.0.1`],
      ]));
      await listening(near);
      assert.equal(await planeThrough(`http://localhost:${near}`, `http://localhost:${near}`), EXPECTED);
    } finally {
      for (const child of children.reverse()) {
        child.kill();
        await ended(child, "a program of SSH");
      }
      await server.stop();
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

const start = (program: string, args: string[]) =>
  spawn(program, { args, stdin: "null", stdout: "null", stderr: "null" });

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Waits until something accepts connections. */
async function listening(port: number): Promise<void> {
  await until(async () => {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    } catch {
      return false;
    }
  }, `something that listens at port ${port}`);
}
