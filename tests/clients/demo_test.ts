/** Commands and tasks that start a server, as README.md and the manual name them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import manifest from "../../deno.json" with { type: "json" };
import { ROOT } from "../binary/server_process.ts";
import { ended, spawn } from "../child_process.ts";
import { PATIENCE, within } from "../deadline.ts";
import { output, programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

const DENO = "npx -y deno@2.9.6 ";
const PROXY = "http://127.0.0.1:9";
const ignore = Deno.build.os === "windows";
if (ignore) console.log("Skipped: Windows has no signal that ends the demo");

const readPage = (path: string) => Deno.readTextFileSync(join(ROOT, path));

/** The lines of the first block of README.md: how to run the program and its tests from source. */
const firstCommands = () => /```sh\n(.*?)\n```/s.exec(readPage("README.md"))![1]!.split("\n");

/** What the first command of README.md prints until it serves, then ends it. */
async function demo(env: Record<string, string> = {}): Promise<string> {
  const child = spawn(Deno.execPath(), {
    args: firstCommands()[0]!.slice(DENO.length).split(" "),
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
    // A picture adds ten lines, and the first start one.
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

Deno.test("README.md begins with two commands: the demo, with its own permissions, and the tests", () => {
  assert.deepEqual(firstCommands(), [
    `${DENO}run -q -P=demo examples/walk_through.ts`,
    `${DENO}task test`,
  ]);
  // The walk-through lets requests to this machine bypass a proxy, and draws in colours.
  const { env, ...others } = manifest.permissions.demo;
  const { env: usual, ...program } = manifest.permissions.default;
  assert.deepEqual(others, program);
  assert.deepEqual(env, [...usual, "NO_PROXY", "TERM", "COLORTERM"]);
});

/** Commands of a page in which this Deno stands for that of `npx`. */
const here = (commands: string) => commands.replaceAll(DENO, `"${Deno.execPath()}" `);

programTest(["bash"], {
  name: "the line that defines acq-server works from a folder with spaces",
  fn: async ([bash]) => {
    const [line] = /^checkout=.*$/m.exec(readPage("README.md"))!;
    assert(readPage("docs/use-from/shell.md").includes(line));
    using folder = temporaryFolder();
    const cwd = folder.at("two words");
    Deno.mkdirSync(cwd);
    Deno.copyFileSync(join(ROOT, "examples/line_scan.oir"), join(cwd, "it's $(a) scan.oir"));
    const commands = `${here(line)}\ncd "$1" && acq-server info *.oir`;
    const told = await output(bash!, ["-c", commands, "bash", cwd], { cwd: ROOT });
    assert.equal(JSON.parse(told).source.name, "it's $(a) scan.oir");
  },
});

programTest(["sh"], {
  name: "docs/use-from/shell.md writes a program acq-server that any program can start",
  fn: async ([sh]) => {
    const [, commands] = /```sh\n(mkdir -p ~\/\.local\/bin\n.*?)```/s.exec(
      readPage("docs/use-from/shell.md"),
    )!;
    using folder = temporaryFolder();
    await output(sh!, ["-ec", here(commands!)], { cwd: ROOT, env: { HOME: folder.path } });
    const told = await output(folder.at(".local/bin/acq-server"), [
      "info",
      join(ROOT, "examples/line_scan.oir"),
    ], {
      cwd: folder.path,
    });
    assert.equal(JSON.parse(told).ok, true);
  },
});
