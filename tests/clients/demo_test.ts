/** The first command of README.md, as a task. */
import assert from "node:assert/strict";
import { ROOT } from "../binary/server_process.ts";
import { ended, spawn } from "../child_process.ts";
import { PATIENCE, within } from "../deadline.ts";

/** Nobody listens there. */
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
