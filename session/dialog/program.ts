/**
 * Runs a dialog program to its end; an abort ends it. What the program started itself stays: ending a group of
 * processes needs the permission to run everything, so a wrapper script has to `exec` the program.
 */
import { Buffer } from "node:buffer";
import { type DialogCommand, type ProgramCall, type ProgramResult, unavailable } from "./commands.ts";

/** Milliseconds that a program has to end by itself when its dialog is no longer wanted. */
const END_GRACE = 2000;

/** Milliseconds for the last output after the end; a child of the program may hold the pipe for ever. */
const OUTPUT_GRACE = 500;

/** Bytes kept of each output: a path has at most 32767 characters; toolkits may print warnings for hours. */
const MAX_OUTPUT = 256 << 10;

/**
 * Starts a program, without a shell, and waits for it.
 *
 * @param signal ends the program; its result then means nothing
 * @returns `null` when the program is not installed, or was not when the server started
 * @throws {DialogUnavailable} it cannot be started
 */
export async function runProgram(command: DialogCommand, signal: AbortSignal): Promise<ProgramResult | null> {
  const child = start(command);
  if (child === null) return null;
  let deadline: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    kill(child, "SIGTERM");
    deadline = setTimeout(() => kill(child, "SIGKILL"), END_GRACE);
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

function start(command: DialogCommand): Deno.ChildProcess | null {
  try {
    return startProgram(command, { stdin: "null", stdout: "piped", stderr: "piped" });
  } catch (cause) {
    throw unavailable(
      `"${command.program}" cannot be started (${cause instanceof Error ? cause.message : cause})`,
      cause,
    );
  }
}

/**
 * Starts a program, without a shell.
 *
 * @param options streams, and whether it belongs to this process's group
 * @returns `null` when it is not installed, or was not when the server started
 * @throws whatever else the runtime says
 */
export function startProgram(call: ProgramCall, options: Deno.CommandOptions): Deno.ChildProcess | null {
  const { program, args, env } = call;
  const spawn = (loader: Record<string, string>) =>
    new Deno.Command(program, { ...options, args: [...args], env: { ...env, ...loader } }).spawn();
  try {
    try {
      return spawn({});
    } catch (cause) {
      const loader = loaderVariables(cause);
      if (loader.length === 0) throw cause;
      return spawn(Object.fromEntries(loader.map((name) => [name, ""])));
    }
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return null;
    // Deno looks the listed programs up once, at its start, and in absolute folders of PATH only.
    if (cause instanceof Deno.errors.NotCapable && /run access/.test(cause.message)) return null;
    throw cause;
  }
}

/**
 * Names that Deno refuses to hand to a listed program, since they tell the system's loader what to load (`LD_…`,
 * `DYLD_…`). Users of conda and of module systems have some set; blank counts as unset. Only the refusal tells
 * which: reading the environment would need a permission.
 */
function loaderVariables(cause: unknown): string[] {
  if (!(cause instanceof Deno.errors.NotCapable)) return [];
  return /subprocess with (.+?) environment variable/.exec(cause.message)?.[1]?.split(", ") ?? [];
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended already.
  }
}

async function collect(stream: ReadableStream<Uint8Array>, enough: AbortSignal): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const sink = new WritableStream<Uint8Array>({
    write(part) {
      if (size < MAX_OUTPUT) parts.push(part);
      size += part.length;
    },
  });
  await stream.pipeTo(sink, { signal: enough }).catch(() => {});
  return Buffer.concat(parts);
}
