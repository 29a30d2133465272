/** Fake dialog programs on PATH, and a picker process that finds nothing else there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ended, isAlive, spawn } from "../child_process.ts";
import { PATIENCE, until, within } from "../deadline.ts";

/** Writes down what it was given, then answers from files beside it. Built-ins and absolute paths only. */
const SCRIPT = `#!/bin/sh
here="\${0%/*}"
for argument do printf '%s\\0' "$argument"; done > "$here/args"
printf '%s' "$ACQ_SERVER_DIALOG" > "$here/question"
printf '%s' "$LD_LIBRARY_PATH" > "$here/loader"
printf '%s' "$$" > "$here/pid.new"
/bin/mv "$here/pid.new" "$here/pid"
. "$here/behaviour"
`;

/** The permissions under which dialogs must work. */
const PERMISSIONS = [
  "--no-prompt",
  "--allow-read",
  "--allow-env=DISPLAY,WAYLAND_DISPLAY",
  "--allow-run=zenity,kdialog,osascript,powershell.exe",
];

/** What a pick answers: a path or `null`, or the name and message of an error. */
export interface PickOutcome {
  readonly path?: string | null;
  readonly error?: string;
  readonly message?: string;
}

export class FakeSystem {
  /** Where the programs are: the whole of `PATH`. */
  readonly folder = Deno.makeTempDirSync({ prefix: "fake_programs_" });
  #process: Deno.ChildProcess | null = null;
  #lines: ReadableStreamDefaultReader<string> | null = null;
  #text = "";

  /**
   * Installs a program, or one in place of the last.
   *
   * @param behaviour shell commands: `exit 1`, `printf '/a\n'`
   */
  install(program: string, behaviour: string): void {
    const folder = join(this.folder, program + ".d");
    Deno.mkdirSync(folder, { recursive: true });
    const real = join(folder, program);
    Deno.writeTextFileSync(real, SCRIPT, { mode: 0o755 });
    // The program finds its files beside itself, so PATH gets a launcher of the same name.
    const launcher = `#!/bin/sh\nexec '${real}' "$@"\n`;
    Deno.writeTextFileSync(join(this.folder, program), launcher, { mode: 0o755 });
    this.behave(program, behaviour);
  }

  behave(program: string, behaviour: string): void {
    Deno.writeTextFileSync(join(this.folder, program + ".d", "behaviour"), behaviour + "\n");
  }

  /** What the program wrote down: `args` (each ended by NUL), `question`, `loader`, `pid`. */
  seen(program: string, what: string): string {
    return Deno.readTextFileSync(join(this.folder, program + ".d", what));
  }

  async running(program: string): Promise<number> {
    await until(() => this.#pidOf(program) !== null, `the start of ${program}`);
    return this.#pidOf(program)!;
  }

  /** Sends an order to the picker process; see `picker_driver.ts`. */
  async order(order: unknown): Promise<void> {
    this.#process ??= this.#start();
    const writer = this.#process.stdin.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify(order) + "\n"));
    writer.releaseLock();
  }

  async outcome(): Promise<PickOutcome> {
    while (!this.#text.includes("\n")) {
      const { value, done } = await within(PATIENCE, "an answer of the picker", this.#lines!.read());
      assert(!done, "the picker process ended");
      this.#text += value;
    }
    const end = this.#text.indexOf("\n");
    const line = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 1);
    return JSON.parse(line);
  }

  async pick(system: string, extensions = [".tif"], asker: string | null = null): Promise<PickOutcome> {
    await this.order({ pick: system, extensions, asker });
    return await this.outcome();
  }

  /** Ends the picker process and the programs, and answers what the picker wrote to standard error. */
  async end(): Promise<string> {
    try {
      if (this.#process === null) return "";
      await this.#process.stdin.close();
      await this.#lines!.cancel();
      const stderr = new Response(this.#process.stderr).text();
      await ended(this.#process, "the picker process");
      return stderr;
    } finally {
      for (const { name, isDirectory } of Deno.readDirSync(this.folder)) {
        const pid = isDirectory ? this.#pidOf(name.replace(/\.d$/, "")) : null;
        if (pid !== null && isAlive(pid)) Deno.kill(pid, "SIGKILL");
      }
      Deno.removeSync(this.folder, { recursive: true });
    }
  }

  /** Process id of the last start of a program, `null` before its first. */
  #pidOf(program: string): number | null {
    try {
      return Number(this.seen(program, "pid"));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return null;
      throw error;
    }
  }

  #start(): Deno.ChildProcess {
    const driver = fileURLToPath(new URL("./picker_driver.ts", import.meta.url));
    const child = spawn(Deno.execPath(), {
      args: ["run", "--quiet", ...PERMISSIONS, driver],
      // As in the shell of a user of conda or of a module system, and a variable that the loader does not know.
      env: {
        PATH: this.folder,
        LD_LIBRARY_PATH: "/opt/lib",
        DYLD_LIBRARY_PATH: "/opt/lib",
        LD_OF_A_SITE: "1",
      },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    });
    this.#lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    return child;
  }
}

/** Registers tests, each with its own fake programs; a warning of the picker process fails them. */
export const fakeTest =
  (ignore: boolean) => (name: string, body: (fakes: FakeSystem) => Promise<void>): void =>
    Deno.test({
      name,
      ignore,
      fn: async () => {
        const fakes = new FakeSystem();
        let stderr = "";
        try {
          await body(fakes);
        } finally {
          stderr = await fakes.end();
        }
        assert.equal(stderr, "");
      },
    });
