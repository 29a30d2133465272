/** The server and a fake `xdg-open` on PATH: when the client opens, and failures that must not affect the server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { ended, isAlive, run, spawn } from "../child_process.ts";
import { until } from "../deadline.ts";
import { type FakeSystem, fakeTest } from "./fake_programs.ts";

const ignore = Deno.build.os !== "linux";
if (ignore) console.log("Skipped: the fake browser program is one of Linux, a shell script");

const withFakes = fakeTest(ignore);

/** As in the shell of a user of conda. */
const envOf = (fakes: FakeSystem, env: Record<string, string> = {}) => ({
  PATH: fakes.folder,
  LD_LIBRARY_PATH: "/opt/lib",
  DISPLAY: ":0",
  WAYLAND_DISPLAY: "",
  ...env,
});

const start = (fakes: FakeSystem, args: string[], env: Record<string, string> = {}) =>
  ServerProcess.start(FROM_SOURCE, args, envOf(fakes, env));

async function outcome(fakes: FakeSystem, args: string[]): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await run(FROM_SOURCE.program, {
    args: [...FROM_SOURCE.args, ...args],
    env: envOf(fakes),
    stdin: "null",
  });
  return { code, stderr: new TextDecoder().decode(stderr) };
}

/** Addresses that the browser was asked for, each time anew. */
function opened(fakes: FakeSystem): string[] {
  try {
    return fakes.seen("xdg-open", "all").split("\0").slice(0, -1);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

const NOTE = `printf '%s\\0' "$@" >> "$here/all"`;

async function healthy(server: ServerProcess): Promise<void> {
  assert.equal((await server.json("/api/v2/health")).status, 200);
}

withFakes("--open opens the client once, whatever the display, and leaves no process", async (fakes) => {
  fakes.install("xdg-open", NOTE);
  for (const env of [{ DISPLAY: ":0" }, { DISPLAY: "" }, { LD_LIBRARY_PATH: "" }]) {
    const before = opened(fakes).length;
    const server = await start(fakes, ["--open"], env);
    try {
      await until(() => opened(fakes).length > before);
      assert.deepEqual(opened(fakes).slice(before), [`${server.baseUrl}/demo/v2/`]);
      assert.equal(fakes.seen("xdg-open", "loader"), "");
      // A process that ended and that nobody waited for would still be there.
      await until(() => !isAlive(Number(fakes.seen("xdg-open", "pid"))));
      assert.match(server.stderr, /^Opening the demo in your browser; --no-open starts without it\.$/m);
      await healthy(server);
    } finally {
      await server.stop();
    }
    assert.doesNotMatch(server.stderr, /No browser/);
  }
});

withFakes("nothing opens without --open or after --no-open", async (fakes) => {
  fakes.install("xdg-open", NOTE);
  for (const args of [[], ["--no-open"], ["--open", "--no-open"]]) {
    const server = await start(fakes, args);
    await healthy(server);
    await server.stop();
    assert.doesNotMatch(server.stderr, /browser/);
  }
  assert.deepEqual(opened(fakes), []);
});

withFakes("beside a running server, its client opens and the status is 0", async (fakes) => {
  fakes.install("xdg-open", NOTE);
  const server = await start(fakes, []);
  try {
    const port = ["--port", new URL(server.baseUrl).port];
    const beside = await outcome(fakes, [...port, "--open"]);
    assert.equal(beside.code, 0, beside.stderr);
    const page = `${server.baseUrl}/demo/v2/`;
    assert.equal(
      beside.stderr,
      `An acq-server is already running at ${server.baseUrl}; opening ${page} in your browser\n`,
    );
    assert.deepEqual(opened(fakes), [page]);
    for (const args of [port, [...port, "--no-open"]]) {
      const { code, stderr } = await outcome(fakes, args);
      assert.equal(code, 3, stderr);
      assert.match(
        stderr,
        /^An acq-server is already running at \S+; open \S+ or start this one with --port 0\n$/,
      );
    }
    assert.deepEqual(opened(fakes), [page]);

    fakes.behave("xdg-open", "exit 3");
    const failed = await outcome(fakes, [...port, "--open"]);
    assert.equal(failed.code, 3, failed.stderr);
    assert.equal(
      failed.stderr.split("\n")[1],
      `No browser was opened: "xdg-open" failed with exit status 3; open ${page} by hand`,
    );

    // A browser that xdg-open runs in the foreground: this process does not wait for its end, and leaves it alone.
    fakes.behave("xdg-open", "exec /bin/sleep 600");
    const foreground = await outcome(fakes, [...port, "--open"]);
    assert.equal(foreground.code, 0, foreground.stderr);
    const browser = Number(fakes.seen("xdg-open", "pid"));
    assert(isAlive(browser));
    Deno.kill(browser);
  } finally {
    await server.stop();
  }
});

withFakes("the address of the client contains the file of the command line", async (fakes) => {
  fakes.install("xdg-open", NOTE);
  const file = join(fakes.folder, "a scan #1 + ä.oir");
  Deno.writeTextFileSync(file, "");
  // Python: urllib.parse.quote_plus, with slashes as they are
  const link = `demo/v2/#path=${fakes.folder}/a+scan+%231+%2B+%C3%A4.oir`;
  const server = await start(fakes, [file, "--open"]);
  try {
    await until(() => opened(fakes).length > 0);
    assert.deepEqual(opened(fakes), [`${server.baseUrl}/${link}`]);
    const beside = await outcome(fakes, ["--port", new URL(server.baseUrl).port, file, "--open"]);
    assert.equal(beside.code, 0, beside.stderr);
    assert.deepEqual(opened(fakes).slice(1), [`${server.baseUrl}/${link}`]);
  } finally {
    await server.stop();
  }
  // A checkout opens nothing without `--open`; the user can copy the address.
  const quiet = await start(fakes, [file]);
  assert(quiet.stderr.includes(`${quiet.baseUrl}/${link}\n`), quiet.stderr);
  await quiet.stop();
  assert.equal(opened(fakes).length, 2);
});

withFakes("another program on the port is not opened", async (fakes) => {
  fakes.install("xdg-open", NOTE);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepting = (async () => {
    for await (const connection of listener) connection.close();
  })();
  const { code, stderr } = await outcome(fakes, ["--port", String(listener.addr.port), "--open"]);
  assert.equal(code, 4, stderr);
  assert.deepEqual(opened(fakes), []);
  listener.close();
  await accepting;
});

withFakes(
  "a missing or failing browser program is reported in one line, and the server keeps running",
  async (fakes) => {
    const rows: [behaviour: string | null, reason: string][] = [
      [null, `there is no "xdg-open" in a folder of PATH`],
      ["exit 3", `"xdg-open" failed with exit status 3`],
      ["kill -9 $$", `"xdg-open" failed with exit status 137`],
    ];
    for (const [behaviour, reason] of rows) {
      if (behaviour !== null) fakes.install("xdg-open", behaviour);
      for (const format of [[], ["--log-json"]]) {
        const server = await start(fakes, ["--open", ...format]);
        await until(() => server.stderr.includes("No browser"));
        await healthy(server);
        await server.stop();
        const line = server.stderr.split("\n").find((text) => text.includes("No browser"))!;
        const said = `No browser was opened: ${reason}; open ${server.baseUrl}/demo/v2/ by hand`;
        if (format.length === 0) assert.equal(line.replace(/^\d\d:\d\d:\d\d WARN /, ""), said);
        else assert.equal(JSON.parse(line).message, said);
      }
    }
  },
);

withFakes(
  "a browser in the foreground of xdg-open outlives Ctrl+C and the end of the server",
  async (fakes) => {
    fakes.install("xdg-open", "exec /bin/sleep 600");
    const child = spawn(FROM_SOURCE.program, {
      args: [...FROM_SOURCE.args, "--port", "0", "--open"],
      env: envOf(fakes),
      stdin: "null",
      stderr: "null",
      // A group of processes, as a shell makes one for a command in its foreground.
      detached: true,
    });
    const browser = await fakes.running("xdg-open");
    // What a terminal does at Ctrl+C.
    Deno.kill(-child.pid, "SIGINT");
    assert.equal((await ended(child, "the server")).code, 0);
    assert(isAlive(browser));
    Deno.kill(browser);
  },
);
