/** Other readers, in Python. */
import { fileURLToPath } from "node:url";
import { PYTHON } from "./setting.ts";
import type { Times } from "./timing.ts";

/** The name of a function of a script, and its arguments. */
export type Asked = { readonly do: string } & Readonly<Record<string, unknown>>;

function start(script: string, args: readonly string[]) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  try {
    const options = { stdin: "piped", stdout: "piped", stderr: "null" } as const;
    return new Deno.Command(PYTHON, { args: [path, ...args], ...options }).spawn();
  } catch {
    return null;
  }
}

/** A script of this folder that does what lines of its input ask for and answers with times; see `peers.py`. */
export class PythonPeer implements AsyncDisposable {
  /** `null` without Python. */
  readonly #child: Deno.ChildProcess | null;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> | undefined;
  readonly #output: ReadableStreamDefaultReader<string> | undefined;

  constructor(script: string, ...args: string[]) {
    this.#child = start(script, args);
    this.#input = this.#child?.stdin.getWriter();
    this.#output = this.#child?.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Has it do something once. Returns `null` when it fails, such as for a missing package. */
  async times(asked: Asked): Promise<Times | null> {
    let line = "";
    try {
      await this.#input?.write(new TextEncoder().encode(`${JSON.stringify(asked)}\n`));
      while (!line.endsWith("\n")) line += (await this.#output?.read())?.value ?? "\n";
    } catch {
      return null;
    }
    const [clock, processor] = line.split(" ").map(Number);
    return clock && processor ? { clock, processor } : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input?.close().catch(() => {});
    await this.#output?.cancel();
    await this.#child?.status;
  }
}

/** Has `peers.py` write a file. Returns its path, or `null` when it cannot. */
export async function writtenByPython(asked: Asked & { readonly path: string }): Promise<string | null> {
  await using python = new PythonPeer("peers.py");
  return await python.times(asked) && asked.path;
}
