/**
 * Runs a dialog program. To end its child processes too, the server would need permission to run every program; so a wrapper
 * script has to `exec` the dialog program.
 */
import { Buffer } from "node:buffer";
import { type DialogCommand, explainUnavailable, type ProgramCall, type ProgramResult } from "./commands.ts";

/** Milliseconds between SIGTERM and SIGKILL. */
const END_GRACE = 2000;

/** Milliseconds to wait for output after the program's end, since a child process may hold the pipe. */
const OUTPUT_GRACE = 500;

/** Most bytes of output that are kept: a path in JSON, whose longest has 32,767 characters, or why the program failed. */
const MAX_OUTPUT_BYTES = 256 << 10;

/**
 * Starts a program and waits for it; `null` if it was not installed when the server started. The signal ends it; its result is then
 * meaningless.
 *
 * @throws {DialogUnavailable} it cannot be started
 */
export async function runProgram(command: DialogCommand, signal: AbortSignal): Promise<ProgramResult | null> {
  let child: Deno.ChildProcess | null;
  try {
    child = startProgram(command, { stdin: "null", stdout: "piped", stderr: "piped" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw explainUnavailable(`"${command.program}" cannot be started (${reason})`, cause);
  }
  if (child === null) return null;
  const kill = (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch {
      // It has ended already.
    }
  };
  let deadline: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    kill("SIGTERM");
    deadline = setTimeout(() => kill("SIGKILL"), END_GRACE);
  };
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const enough = new AbortController();
  try {
    const outputs = Promise.all([collect(child.stdout, enough.signal), collect(child.stderr, enough.signal)]);
    const { code } = await child.status;
    clearTimeout(deadline);
    deadline = setTimeout(() => enough.abort(), signal.aborted ? 0 : OUTPUT_GRACE);
    const [stdout, stderr] = await outputs;
    return { code, stdout, stderr };
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener("abort", end);
  }
}

/** Starts a program, without a shell; `null` if it was not installed when the server started. */
export function startProgram(call: ProgramCall, options: Deno.CommandOptions): Deno.ChildProcess | null {
  const { program, args, env } = call;
  const spawn = (loader: Record<string, string>) =>
    new Deno.Command(program, { ...options, args: [...args], env: { ...env, ...loader } }).spawn();
  try {
    try {
      return spawn({});
    } catch (cause) {
      const loader = listLoaderVariables(cause);
      if (loader.length === 0) throw cause;
      return spawn(Object.fromEntries(loader.map((name) => [name, ""])));
    }
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return null;
    // Deno resolves listed programs at its start, and only in absolute folders of PATH.
    if (cause instanceof Deno.errors.NotCapable && /run access/.test(cause.message)) return null;
    throw cause;
  }
}

/**
 * Variables of the system's loader (`LD_…`, `DYLD_…`), which users of conda and module systems set and which Deno refuses to pass
 * to a listed program; an empty value counts as unset. The names come from the refusal: reading the environment needs a
 * permission.
 */
function listLoaderVariables(cause: unknown): string[] {
  if (!(cause instanceof Deno.errors.NotCapable)) return [];
  return /subprocess with (.+?) environment variable/.exec(cause.message)?.[1]?.split(", ") ?? [];
}

/** Collects what a program writes, up to {@linkcode MAX_OUTPUT_BYTES}; the rest is read and dropped, so that the program can end. */
async function collect(stream: ReadableStream<Uint8Array>, enough: AbortSignal): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let left = MAX_OUTPUT_BYTES;
  const sink = new WritableStream<Uint8Array>({
    write(part) {
      if (left > 0) parts.push(part.slice(0, left));
      left -= part.length;
    },
  });
  await stream.pipeTo(sink, { signal: enough }).catch(() => {});
  return Buffer.concat(parts);
}
