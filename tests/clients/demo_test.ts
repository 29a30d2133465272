/** Tasks that start a server: the first command of README.md is one. */
import assert from "node:assert/strict";
import { ROOT } from "../binary/server_process.ts";
import { ended, spawn } from "../child_process.ts";
import { PATIENCE, within } from "../deadline.ts";

const PROXY = "http://127.0.0.1:9";
const ignore = Deno.build.os === "windows";
if (ignore) console.log("Skipped: a task of Windows hands no signal on to the server behind it");

Deno.test({
  name: "the demo bypasses a proxy of the environment",
  ignore,
  fn: async () => {
    const demo = spawn(Deno.execPath(), {
      args: ["task", "--quiet", "demo"],
      cwd: ROOT,
      env: { http_proxy: PROXY, HTTP_PROXY: PROXY, NO_PROXY: "", no_proxy: "" },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    });
    let text = "";
    const read = async () => {
      for await (const part of demo.stdout.pipeThrough(new TextDecoderStream())) {
        text += part;
        if (text.endsWith("to stop.\n")) demo.kill("SIGINT");
      }
    };
    await within(PATIENCE, "the end of the demo", read());
    assert.match(text, /^The server goes on: open http:\/\/127\.0\.0\.1:\d+\/demo\/v2\//m);
    assert.equal((await ended(demo, "the demo")).code, 0);
  },
});

/** Environment of a process, and of those that it started. */
function* environments(pid: number): Generator<string> {
  yield Deno.readTextFileSync(`/proc/${pid}/environ`);
  for (const { name: thread } of Deno.readDirSync(`/proc/${pid}/task`)) {
    const children = Deno.readTextFileSync(`/proc/${pid}/task/${thread}/children`);
    for (const child of children.split(" ").filter(Boolean)) yield* environments(Number(child));
  }
}

for (const task of ["start", "dev", "demo"]) {
  Deno.test({
    name: `the task "${task}" makes glibc map large blocks, and keeps the user's settings`,
    ignore: Deno.build.os !== "linux",
    fn: async () => {
      const child = spawn(Deno.execPath(), {
        args: ["task", "--quiet", task, ...task === "demo" ? [] : ["--port", "0", "--no-open"]],
        cwd: ROOT,
        env: { GLIBC_TUNABLES: "glibc.malloc.perturb=0" },
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      });
      const expected = "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=1048576:glibc.malloc.perturb=0";
      let found = false;
      const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
        for await (const part of stream.pipeThrough(new TextDecoderStream())) {
          if (!part.includes("http://127.0.0.1:")) continue;
          // glibc splits its list in place.
          found ||= [...environments(child.pid)].some((text) =>
            text.replaceAll("\0", ":").includes(expected)
          );
          child.kill("SIGINT");
        }
      };
      await within(PATIENCE, "the end of the task", Promise.all([read(child.stdout), read(child.stderr)]));
      await ended(child, "the task");
      assert(found);
    },
  });
}
