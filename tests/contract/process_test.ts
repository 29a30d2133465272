/** The program as a process: exit statuses, start-up lines, signals. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ROOT } from "../binary/server_process.ts";
import { noise, ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { ended, outputOf, run, spawn } from "../child_process.ts";
import { PATIENCE, pause, until, within } from "../deadline.ts";
import { programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

const MAIN = join(ROOT, "main.ts");
const WINDOWS = Deno.build.os === "windows";

function start(args: readonly string[]): Deno.ChildProcess {
  return spawn(FROM_SOURCE.program, {
    args: [...FROM_SOURCE.args, ...args],
    stdout: "piped",
    stderr: "piped",
  });
}

/** Starts a server and waits until it says where it listens. */
async function serving(args: readonly string[] = []) {
  const child = start(["--port", "0", ...args]);
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/http:\/\/\S+?:\d+/.test(text)) {
    const { done, value } = await within(PATIENCE, "the address of the server", reader.read());
    assert.ok(!done, `the server ended: ${text}`);
    text += value;
  }
  const base = /http:\/\/\S+?:\d+/.exec(text)![0];
  const rest = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    return text;
  })();
  void child.stdout.cancel();
  return { child, base, log: () => rest, text: () => text };
}

/** Asks a server to end, which it does with status 0. Windows knows no signal that it could answer. */
async function stop(child: Deno.ChildProcess, signal: Deno.Signal): Promise<void> {
  child.kill(WINDOWS ? "SIGKILL" : signal);
  const { code } = await ended(child, "the server");
  if (!WINDOWS) assert.equal(code, 0);
}

const post = (base: string, path: string, body: unknown): Promise<Response> =>
  fetch(base + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function outcome(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await outputOf(start(args), args.join(" "));
  return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

Deno.test("ends a wrong command line with status 2 and one line", async () => {
  for (
    const args of [["--host", "0.0.0.0"], ["--prot", "1"], ["--root", "/nowhere/at/all"], ["--root", MAIN]]
  ) {
    const { code, err } = await outcome(args);
    assert.equal(code, 2, err);
    assert.equal(err.trimEnd().split("\n").length, 1, err);
  }
});

Deno.test("--help and --version go to stdout", async () => {
  assert.match((await outcome(["--help"])).out, /^Serve [^]*--port <N>/);
  assert.match((await outcome(["--version"])).out, /^acq-server \d+\.\d+\.\d+/);
});

Deno.test("a port in use: exits with 3 if another acq-server has it, and 4 otherwise", async () => {
  const { child, base } = await serving();
  const beside = await outcome(["--port", new URL(base).port]);
  assert.equal(beside.code, 3, beside.err);
  assert.match(beside.err, new RegExp(`already running at ${base}`));
  await stop(child, "SIGINT");

  // Another program that answers something else, and one that never answers.
  for (const answer of ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", null]) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const held: Deno.Conn[] = [];
    const accepting = (async () => {
      for await (const connection of listener) {
        held.push(connection);
        if (answer === null) continue;
        await connection.write(new TextEncoder().encode(answer)).catch(() => {});
        connection.closeWrite().catch(() => {});
      }
    })();
    const other = await outcome(["--port", String(listener.addr.port)]);
    assert.equal(other.code, 4, other.err);
    assert.match(other.err, /^Port \d+ is taken by another program.*--port/);
    listener.close();
    await accepting;
    for (const connection of held) connection.close();
  }
});

Deno.test("a log that nobody reads delays neither answers nor the end", async () => {
  const child = start(["--port", "0", "--log-json"]);
  const reader = child.stderr.getReader();
  const first = await within(PATIENCE, "the address of the server", reader.read());
  const text = new TextDecoder().decode(first.value);
  const { baseUrl } = JSON.parse(text.split("\n")[0]!);
  // A line has 140 bytes and more, a pipe takes 64 KiB; what this side reads ahead is less.
  for (let i = 0; i < 1500; i += 1) {
    const signal = AbortSignal.timeout(20_000);
    await (await fetch(`${baseUrl}/api/v2/health`, { signal })).body?.cancel();
  }
  void child.stdout.cancel();
  child.kill(WINDOWS ? "SIGKILL" : "SIGTERM");
  const { code } = await ended(child, "the server");
  if (!WINDOWS) assert.equal(code, 0);
  await reader.cancel();
});

Deno.test("the start prints the addresses and the version, and warns about wide origins", async () => {
  const { child, base, log } = await serving(["--allow-origin", "*", "--allow-origin", "null"]);
  await (await fetch(`${base}/api/v2/health`)).body?.cancel();
  await stop(child, "SIGTERM");
  const text = await log();
  for (
    const part of [
      /acq-server \d/,
      `${base}/demo/v2/`,
      `${base}/docs`,
      /Warning: --allow-origin \*/,
      /Warning: --allow-origin null/,
    ]
  ) {
    assert.match(text, typeof part === "string" ? new RegExp(part) : part);
  }
  assert.match(text, /GET \/api\/v2\/health 200 \d+ bytes [\d.]+ ms/);
});

Deno.test("reports a file that cannot be opened at the start, and runs", async () => {
  using temporary = temporaryFolder();
  const { path: folder } = temporary;
  const [whole, cut] = [join(ROOT, "examples", "line_scan.oir"), join(folder, "cut.oir")];
  await Deno.writeFile(cut, (await Deno.readFile(whole)).subarray(0, 900));
  const unsupported = join(ROOT, "README.md");
  for (
    const [file, reported] of [[cut, /cut\.oir/], [unsupported, /README\.md.*no known format/], [
      whole,
      null,
    ]] as const
  ) {
    const { child, base, log, text } = await serving([file]);
    if (reported !== null) await until(() => reported.test(text().split("WARN ")[1] ?? ""), "a warning");
    const opened = await post(base, "/api/v2/open", { path: whole });
    assert.equal(opened.status, 200, await opened.text());
    await stop(child, "SIGTERM");
    if (reported === null) assert.doesNotMatch(await log(), /WARN/);
  }
});

Deno.test("--log-json writes lines of JSON only", async () => {
  const { child, base, log } = await serving(["--log-json"]);
  await (await fetch(`${base}/api/v2/none`)).body?.cancel();
  await stop(child, "SIGHUP");
  const lines = (await log()).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(lines[0].baseUrl, base);
  const { method, path, status, bytes, milliseconds } = lines[1];
  assert.deepEqual([method, path, status], ["GET", "/api/v2/none", 404]);
  assert.ok(bytes > 0 && milliseconds >= 0);
});

Deno.test("the server finishes a running response before it ends", { ignore: WINDOWS }, async () => {
  using temporary = temporaryFolder();
  const { path: folder } = temporary;
  const image = join(folder, "large.ome.zarr");
  const [rows, columns] = [16 * 1024, 1024];
  await writePlainStore(image, { planes: [ramp(rows, columns)], rows, columns });
  const { child, base, log } = await serving();
  const opened = await (await post(base, "/api/v2/open", { path: image })).json();
  const response = await fetch(base + opened.channels[0].dataUrl);
  child.kill("SIGINT");
  await pause(300);
  const plane = new Float32Array(await response.arrayBuffer());
  assert.equal(plane.length, rows * columns);
  assert.equal(plane.at(-1), (7 * (rows - 1) + columns - 1) % 65536);
  assert.equal((await ended(child, "the server")).code, 0);
  await log();
});

/** The part of an archive that a client has when its server is killed. */
async function cutArchive(folder: string): Promise<string> {
  const image = join(folder, "large.ome.zarr");
  const planes = Array.from({ length: 24 }, () => noise(1 << 20));
  await writePlainStore(image, { planes, rows: 1024, columns: 1024 });
  const { child, base, log } = await serving();
  const link = await (await post(base, "/api/v2/export", { members: [{ path: image }] })).json();
  const cut = join(folder, "cut.zip");
  using file = await Deno.open(cut, { write: true, create: true });
  const response = await fetch(base + link.downloadUrl);
  let received = 0;
  await assert.rejects(async () => {
    for await (const part of response.body!) {
      await file.write(part);
      received += part.length;
      if (received > 1 << 20) child.kill("SIGKILL");
    }
  });
  await ended(child, "the killed server");
  await log();
  return cut;
}

Deno.test("the archive of a killed server does not open", { ignore: WINDOWS }, async () => {
  using temporary = temporaryFolder();
  const cut = await cutArchive(temporary.path);
  const { code, stdout } = await run(Deno.execPath(), { args: [...FROM_SOURCE.args, "info", cut] });
  assert.deepEqual([code, JSON.parse(new TextDecoder().decode(stdout)).error], [1, "decode_failed"]);
});

for (const [program, args] of [["unzip", ["-t"]], ["python3", ["-m", "zipfile", "-t"]]] as const) {
  programTest([program], {
    name: `${program} rejects the archive of a killed server`,
    ignore: WINDOWS,
    async fn([path]) {
      using temporary = temporaryFolder();
      const { success } = await run(path!, { args: [...args, await cutArchive(temporary.path)] });
      assert.equal(success, false);
    },
  });
}
