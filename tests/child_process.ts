/** Programs that tests run: none lives longer than the test file that started it. */
import { kill as signal } from "node:process";
import { PATIENCE, within } from "./deadline.ts";

const running = new Set<Deno.ChildProcess>();
addEventListener("unload", () => {
  for (const child of running) kill(child);
});

export interface RunOptions extends Deno.CommandOptions {
  /** Until it is killed; by default four times {@linkcode PATIENCE}, as compilers and installers need minutes. */
  readonly seconds?: number;
}

/** Starts a program. The end of the test file kills it if it still runs. */
export function spawn(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
  const child = new Deno.Command(program, { stdin: "null", ...options }).spawn();
  running.add(child);
  void child.status.then(() => running.delete(child));
  return child;
}

/**
 * Runs a program to its end, whatever its exit status.
 *
 * @throws {Error} it could not start, or did not end in time; then it is killed, and the message has its output
 */
export async function run(program: string, options: RunOptions = {}): Promise<Deno.CommandOutput> {
  const { seconds = 4 * PATIENCE, ...command } = options;
  const what = [program, ...command.args ?? []].join(" ");
  return await outputOf(spawn(program, { stdout: "piped", stderr: "piped", ...command }), what, seconds);
}

/** The output of a started program at its end. @throws {Error} as {@linkcode run} */
export async function outputOf(
  child: Deno.ChildProcess,
  what: string,
  seconds: number = PATIENCE,
): Promise<Deno.CommandOutput> {
  const output = child.output();
  try {
    return await within(seconds, `the end of ${what}`, output);
  } catch (error) {
    kill(child);
    const { stdout, stderr } = await within(PATIENCE, `the output of ${what}`, output);
    const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
    throw new Error(`${(error as Error).message}, which said: ${said}`);
  }
}

/** The status of a started program at its end. @throws {Error} it did not end in time; then it is killed */
export async function ended(
  child: Deno.ChildProcess,
  what: string,
  seconds: number = PATIENCE,
): Promise<Deno.CommandStatus> {
  try {
    return await within(seconds, `the end of ${what}`, child.status);
  } catch (error) {
    kill(child);
    await child.status;
    throw error;
  }
}

export function isAlive(pid: number): boolean {
  try {
    return signal(pid, 0);
  } catch {
    return false;
  }
}

/** Resident mebibytes of a process; 0 after its end, and on systems without /proc. */
export function residentOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It ended by itself.
  }
}
