/** Tasks that start a server: the first command of README.md is one. */
import assert from "node:assert/strict";
import { ROOT } from "../binary/server_process.ts";
import { ended, spawn } from "../child_process.ts";
import { PATIENCE, within } from "../deadline.ts";

const PROXY = "http://127.0.0.1:9";
const ignore = Deno.build.os === "windows";
if (ignore) console.log("Skipped: a task of Windows hands no signal on to the server behind it");

/** What the demo prints until it serves, then ends it. */
async function demo(env: Record<string, string> = {}): Promise<string> {
  const child = spawn(Deno.execPath(), {
    args: ["task", "--quiet", "demo"],
    cwd: ROOT,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  });
  let text = "";
  const read = async () => {
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.endsWith("to stop.\n")) child.kill("SIGINT");
    }
  };
  await within(PATIENCE, "the end of the demo", read());
  assert.equal((await ended(child, "the demo")).code, 0);
  return text;
}

Deno.test({
  name:
    "the demo bypasses a proxy, and prints its address first and last in at most 30 lines without colours",
  ignore,
  fn: async () => {
    const text = await demo({ http_proxy: PROXY, HTTP_PROXY: PROXY, NO_PROXY: "", no_proxy: "" });
    const lines = text.trimEnd().split("\n");
    const [, address] = /^acq-server serves at (http:\/\/127\.0\.0\.1:\d+\/demo\/v2\/)$/.exec(lines[0]!)!;
    assert.equal(lines.at(-1), `Open ${address} in a browser. Press Ctrl+C to stop.`);
    // A picture adds ten lines, and `deno task` one.
    assert(lines.length <= 19, text);
    assert(!text.includes("\x1b"), text);
    assert.match(text, /^GET .*\/channels\/0\/data {2}CH1: 28800 samples, \d+ to \d+, mean /m);
  },
});

Deno.test({
  name: "the demo takes port 8767, and another one where that is taken",
  ignore,
  fn: async () => {
    const portOf = (text: string) => Number(/:(\d+)\/demo/.exec(text)![1]);
    let taken: Deno.Listener | null = null;
    try {
      taken = Deno.listen({ hostname: "127.0.0.1", port: 8767 });
    } catch (error) {
      // A server of the user has it.
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
    assert.notEqual(portOf(await demo()), 8767);
    if (taken === null) return console.log("Skipped: the demo on port 8767, which is taken");
    taken.close();
    assert.equal(portOf(await demo()), 8767);
  },
});

for (const task of ["start", "dev", "demo"]) {
  Deno.test(`the task "${task}" serves and prints no warning`, async () => {
    const child = spawn(Deno.execPath(), {
      args: ["task", "--quiet", task, ...task === "demo" ? [] : ["--port", "0", "--no-open"]],
      cwd: ROOT,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
    let said = "";
    const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
      for await (const part of stream.pipeThrough(new TextDecoderStream())) {
        said += part;
        if (part.includes("http://127.0.0.1:")) child.kill("SIGINT");
      }
    };
    await within(PATIENCE, "the end of the task", Promise.all([read(child.stdout), read(child.stderr)]));
    await ended(child, "the task");
    assert.match(said, /http:\/\/127\.0\.0\.1:/);
    assert.doesNotMatch(said, /warning|info|experimental/i);
  });
}
