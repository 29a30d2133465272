/** The executable as a click starts it: without arguments, which takes the usual port. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ended, outputOf, run, spawn } from "../child_process.ts";
import { PATIENCE, until, within } from "../deadline.ts";
import { temporaryFolder } from "../temporary_files.ts";

const HOST = { hostname: "127.0.0.1", port: 8767 };
const PAGE = "http://127.0.0.1:8767/demo/v2/";

/**
 * Starts it on several displays, beside itself and beside another program.
 *
 * @param scratch folder for temporary files
 */
export async function startClicked(binary: string, scratch: string): Promise<void> {
  if (Deno.build.os !== "linux") return console.log("Skipped: the fake browser program is one of Linux");
  try {
    Deno.listen(HOST).close();
  } catch {
    return console.log(`Skipped: port ${HOST.port} is taken, which a start without arguments needs`);
  }
  using temporary = temporaryFolder();
  const folder = temporary.path;
  await onDisplays(binary, folder, scratch);
  await besideAnotherProgram(binary, folder);
}

async function onDisplays(binary: string, folder: string, scratch: string): Promise<void> {
  const asked = join(folder, "asked");
  const program = `#!/bin/sh\nprintf '%s\\n' "$@" >> '${asked}'\n`;
  Deno.writeTextFileSync(join(folder, "xdg-open"), program, { mode: 0o755 });
  const start = (display: string) =>
    spawn(binary, {
      env: { PATH: folder, DISPLAY: display, WAYLAND_DISPLAY: "", TMPDIR: scratch },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    });
  // A display of another host is one that SSH forwards.
  for (const [display, opens] of [["localhost:10.0", false], ["", false], [":0", true]] as const) {
    const server = start(display);
    const said = await readUntil(server.stderr, "Ctrl+C");
    assert.equal(said.includes("Opening the demo in your browser"), opens, said);
    if (opens) {
      const beside = await outputOf(start(display), binary);
      assert.equal(beside.code, 0, new TextDecoder().decode(beside.stderr));
      assert.equal((await outputOf(start(""), binary)).code, 3);
      assert.equal(Deno.readTextFileSync(asked), `${PAGE}\n${PAGE}\n`);
    } else assert(!existsSync(asked));
    server.kill("SIGINT");
    assert.equal((await ended(server, "the server")).code, 0);
    await server.stderr.cancel();
  }
}

/**
 * A window, simulated by a terminal, stays open with an error until Enter is pressed; without one a dialog shows it.
 * So it does for files that were dropped on the program.
 */
async function besideAnotherProgram(binary: string, folder: string): Promise<void> {
  using listener = Deno.listen(HOST);
  const accepting = (async () => {
    for await (const connection of listener) connection.close();
  })();
  const shown = join(folder, "shown");
  const zenity = `#!/bin/sh\nprintf '%s\\n' "$@" > '${shown}.new'\n/bin/mv '${shown}.new' '${shown}'\n`;
  Deno.writeTextFileSync(join(folder, "zenity"), zenity, { mode: 0o755 });
  const env = { PATH: folder, DISPLAY: ":0" };
  const message = /^Port 8767 is taken by another program/;
  const rows: [args: string[], code: number, message: RegExp][] = [
    [[], 4, message],
    [[join(folder, "zenity"), join(folder, "xdg-open")], 2, /^The client opens one path at a time/],
    [[join(folder, "none.oir")], 2, /none\.oir" is neither a command nor an existing path/],
  ];
  for (const [args, code, said] of rows) {
    const plain = await run(binary, { args, env, stdin: "null" });
    const text = new TextDecoder().decode(plain.stderr).trimEnd();
    assert.match(text, said);
    assert.equal(plain.code, code);
    await until(() => existsSync(shown), "a dialog");
    assert.equal(Deno.readTextFileSync(shown).split("\n").at(-2), `--text=${text}`);
    Deno.removeSync(shown);
  }
  if (existsSync("/usr/bin/script")) {
    const window = spawn("/usr/bin/script", {
      args: ["--quiet", "--return", "--command", binary, join(folder, "typescript")],
      env,
      stdin: "piped",
      stdout: "piped",
    });
    assert.match(await readUntil(window.stdout, "Press Enter"), message);
    const writer = window.stdin.getWriter();
    await writer.write(new TextEncoder().encode("\n"));
    assert.equal((await ended(window, "the terminal")).code, 4);
    await writer.close();
    await window.stdout.cancel();
  } else console.log("Skipped: no terminal without the program script");
  listener.close();
  await accepting;
}

async function readUntil(stream: ReadableStream<Uint8Array>, word: string): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let text = "";
  try {
    while (true) {
      const { done, value } = await within(PATIENCE, `"${word}" after "${text}"`, reader.read());
      if (done) break;
      text += decoder.decode(value, { stream: true });
      if (text.includes(word)) return text;
    }
  } finally {
    reader.releaseLock();
  }
  throw new assert.AssertionError({ message: `it ended before it said "${word}": ${text}` });
}
