/** A display without a screen (Xvfb) and a user without hands (xdotool). */
import { ended, run, spawn } from "../child_process.ts";
import { PATIENCE, pause, until, within } from "../deadline.ts";

export class Display implements AsyncDisposable {
  /** Factor on the time that a program gets between two keys; a machine that is busy needs more. */
  pace = 1;
  readonly name: string;
  readonly #server: Deno.ChildProcess;

  private constructor(name: string, server: Deno.ChildProcess) {
    this.name = name;
    this.#server = server;
  }

  static async start(): Promise<Display> {
    // Without -noreset it starts anew after its last client, and refuses the next one meanwhile.
    const server = spawn("Xvfb", {
      args: ["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    });
    const reader = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("\n")) {
      const { value, done } = await within(PATIENCE, "the display of Xvfb", reader.read());
      if (done) throw new Error("Xvfb ended before it opened a display");
      text += value;
    }
    await reader.cancel();
    return new Display(`:${text.trim()}`, server);
  }

  /** Runs xdotool and answers what it printed; `null` when it failed, as a search without a match does. */
  async xdotool(...args: string[]): Promise<string | null> {
    const { success, stdout } = await run("xdotool", {
      args,
      env: { DISPLAY: this.name },
      stderr: "null",
    });
    return success ? new TextDecoder().decode(stdout).trim() : null;
  }

  async titles(): Promise<string[]> {
    const titles = (await this.#windows(".")).map((id) => this.xdotool("getwindowname", id));
    return (await Promise.all(titles)).filter((title) => title !== null);
  }

  /** Waits for a window with this part in its title, gives it the keyboard and answers its whole title. */
  async focus(title: string): Promise<string> {
    const id = await this.#until(async () => (await this.#windows(title)).at(-1), `a window "${title}"`);
    await this.xdotool("windowfocus", "--sync", id);
    return await this.xdotool("getwindowname", id) ?? "";
  }

  async gone(title: string): Promise<void> {
    await this.#until(
      async () => (await this.#windows(title)).length === 0 || undefined,
      `the end of "${title}"`,
    );
  }

  /**
   * Presses a key until a promise settles, some times at most: a dialog that is still drawing itself swallows keys.
   *
   * @returns whether it settled
   */
  async press(key: string, answer: Promise<unknown>): Promise<boolean> {
    let settled = false;
    answer.then(() => settled = true, () => settled = true);
    for (let tries = 0; !settled && tries < 12; tries += 1) {
      await this.xdotool("key", key);
      for (let n = 0; !settled && n < 8; n += 1) await pause(50 * this.pace);
    }
    return settled;
  }

  async #windows(title: string): Promise<string[]> {
    return (await this.xdotool("search", "--onlyvisible", "--name", title) ?? "").split("\n").filter(Boolean);
  }

  async #until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    let found: T | undefined;
    try {
      await until(async () => (found = await look()) !== undefined, what);
    } catch (error) {
      throw new Error(`${(error as Error).message}; windows: ${(await this.titles()).join(", ")}`);
    }
    return found!;
  }

  /** Writes a path into the location bar of GTK's file dialog; a relative one counts from the folder shown. */
  async locate(path: string): Promise<void> {
    await pause(500 * this.pace);
    await this.xdotool("key", "ctrl+l");
    await pause(300 * this.pace);
    await this.xdotool("key", "ctrl+a");
    await this.xdotool("type", "--delay", String(20 * this.pace), path);
    await pause(300 * this.pace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.kill();
    await ended(this.#server, "Xvfb");
  }
}
