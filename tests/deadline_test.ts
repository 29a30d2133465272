import assert from "node:assert/strict";
import { until, within } from "./deadline.ts";
import { isAlive, run } from "./child_process.ts";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

Deno.test("a promise in time is its value, a late one a failure with a name", async () => {
  assert.equal(await within(10, "an answer", Promise.resolve(3)), 3);
  await assert.rejects(within(10, "an answer", Promise.reject(new Error("no"))), /^Error: no$/);
  await assert.rejects(
    within(0.01, "an answer", new Promise(() => {})),
    /Waited 0.01 s in vain for an answer$/,
  );
});

Deno.test("a condition that never holds is a failure with its source", async () => {
  let tries = 0;
  await until(() => (tries += 1) > 3);
  await assert.rejects(until(() => tries === 0, undefined, 0.01), /Waited 0.01 s in vain for tries === 0$/);
  await assert.rejects(until(() => false, "rain", 0.01), /in vain for rain$/);
});

Deno.test("a program that does not end is killed, and its output reported", async () => {
  const args = ["eval", "console.log('started'); setInterval(() => {}, 1000)"];
  await assert.rejects(run(Deno.execPath(), { args, seconds: 3 }), /in vain for the end of .*started/s);
});

Deno.test("a program whose test ends without it is killed when the file ends", async () => {
  const file = await Deno.makeTempFile({ suffix: "_test.ts" });
  const here = import.meta.resolve("./child_process.ts");
  await Deno.writeTextFile(
    file,
    `import { spawn } from ${JSON.stringify(here)};
    Deno.test({ name: "t", sanitizeOps: false, sanitizeResources: false, fn() {
      console.log("pid", spawn(Deno.execPath(), { args: ["eval", "setInterval(() => {}, 1000)"] }).pid);
    } });`,
  );
  try {
    const { stdout } = await run(Deno.execPath(), {
      args: ["test", "-A", "--no-check", "--no-config", file],
    });
    const pid = Number(/pid (\d+)/.exec(new TextDecoder().decode(stdout))![1]);
    await until(() => !isAlive(pid));
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("a test that the task runs keeps its name, its place and a deadline of its own", async () => {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "hanging_test.ts");
  await Deno.writeTextFile(
    file,
    `Deno.test("passes", () => {});
    Deno.test("hangs", { timeout: 100 }, () => new Promise(() => setTimeout(() => {}, 60_000)));
    Deno.test(function isNamed() {});`,
  );
  try {
    const preload = fileURLToPath(import.meta.resolve("./test_deadline.ts"));
    const { code, stdout } = await run(Deno.execPath(), {
      args: ["test", "-A", "--no-check", "--no-config", "--preload", preload, file],
      env: { NO_COLOR: "1" },
    });
    const text = new TextDecoder().decode(stdout);
    assert.equal(code, 1, text);
    assert.match(text, /^hangs => .*hanging_test\.ts:2:10\nerror: Test timed out after 100ms/m);
    assert.match(text, /^isNamed \.\.\. ok/m);
    assert.match(text, /2 passed \| 1 failed/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
