/** A server that runs out of file descriptors: what it answers meanwhile, and how it goes on. */
import assert from "node:assert/strict";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { sampleFolder } from "../contract/harness.ts";
import { parts, raw } from "../contract/raw_socket.ts";
import { run } from "../child_process.ts";
import { pause } from "../deadline.ts";

const ignore = Deno.build.os !== "linux";
if (ignore) console.log("skipped: descriptors are limited by Linux's ulimit and prlimit");

/** A server that may have 64 descriptors, of which it has taken about 25 itself. */
function serverOf64(): Promise<ServerProcess> {
  const { program, args } = FROM_SOURCE;
  const limited = ["-c", 'ulimit -n 64 && exec "$0" "$@"', program, ...args];
  return ServerProcess.start({ program: "sh", args: limited }, ["--log-level", "warn"]);
}

const request = (method: string, path: string, body = "") =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

/** Whether the server answers within a second. */
async function isHealthy(port: number): Promise<boolean> {
  const answer = await Promise.race([
    raw(port, request("GET", "/api/v2/health")).catch(() => ""),
    pause(1000),
  ]);
  return typeof answer === "string" && parts(answer).status === 200;
}

Deno.test({
  name: "80 connections at 64 descriptors: opens are answered, and all goes on when the connections are gone",
  ignore,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using sample = await sampleFolder();
    const server = await serverOf64();
    await using _end = { [Symbol.asyncDispose]: () => server.stop() };
    const port = Number(new URL(server.baseUrl).port);
    for (let round = 0; round < 2; round += 1) {
      const connections = await Promise.all(
        Array.from({ length: 80 }, () => Deno.connect({ hostname: "127.0.0.1", port })),
      );
      const open = request("POST", "/api/v2/open", JSON.stringify({ path: sample.image }));
      // It takes the place of an idle connection; another may take its own before the request has arrived.
      let status = NaN;
      for (let i = 0; i < 5 && Number.isNaN(status); i += 1) status = parts(await raw(port, open)).status;
      assert.equal(status, 200);
      for (const connection of connections) connection.close();
      await pause(1000);
      assert(await isHealthy(port));
    }
    assert.equal(server.stderr.match(/connections are open, the most that/g)?.length, 1, server.stderr);
  },
});

Deno.test({
  name: "without any descriptor for a while, the server accepts again within a second of having some",
  ignore,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const server = await ServerProcess.start(FROM_SOURCE, ["--log-level", "warn"]);
    await using _end = { [Symbol.asyncDispose]: () => server.stop() };
    const port = Number(new URL(server.baseUrl).port);
    const limit = async (descriptors: number) => {
      const { success, stderr } = await run("prlimit", {
        args: ["--pid", String(server.pid), `--nofile=${descriptors}:`],
      });
      assert(success, new TextDecoder().decode(stderr));
    };
    for (let round = 0; round < 3; round += 1) {
      assert(await isHealthy(port));
      // A worker starts after the first answers and takes some.
      await pause(1500);
      const taken = new Set([...Deno.readDirSync(`/proc/${server.pid}/fd`)].map(({ name }) => Number(name)));
      await limit(Array.from({ length: 1024 }, (_, i) => i).find((number) => !taken.has(number))!);
      assert.equal(await isHealthy(port), false);
      // Also when the lack lasts for a moment only.
      await pause(round * 700);
      await limit(1024);
      await pause(1000);
    }
    assert(await isHealthy(port));
    assert.equal(server.stderr.match(/New connections did not arrive/g)?.length, 1, server.stderr);
  },
});
