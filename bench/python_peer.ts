/** Readers in Python that bench rows are compared with. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { openHere } from "../tests/load_here.ts";

/** Python that has them: `--python=PROGRAM`, by default `python3`. */
export const PYTHON = Deno.args.find((argument) => argument.startsWith("--python="))?.slice(9) ?? "python3";

const scriptPath = (script: string) => fileURLToPath(new URL(script, import.meta.url));

/** What a script of this folder prints, or `null` where Python or a package of the script is missing. */
export async function askPython(script: string, ...args: string[]): Promise<string | null> {
  try {
    const command = new Deno.Command(PYTHON, { args: [scriptPath(script), ...args], stderr: "null" });
    const { success, stdout } = await command.output();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch {
    return null;
  }
}

/** What something takes. */
interface Times {
  /** Milliseconds by the clock. */
  readonly clock: number;
  /** Milliseconds of processor time of all threads: other work on the machine changes it less. */
  readonly processor: number;
}

/** A script of this folder that runs, and answers lines with lines. */
export class PythonPeer implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #output: ReadableStreamDefaultReader<string>;
  #rest = "";

  /** Starts the script. @throws {Deno.errors.NotFound} there is no such Python */
  constructor(script: string, ...args: string[]) {
    this.#child = new Deno.Command(PYTHON, {
      args: [scriptPath(script), ...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#output = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Its next line; `null` where it has ended. */
  async line(): Promise<string | null> {
    while (!this.#rest.includes("\n")) {
      const { value, done } = await this.#output.read();
      if (done) return null;
      this.#rest += value;
    }
    const end = this.#rest.indexOf("\n");
    const line = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 1);
    return line;
  }

  /** How long it takes for what is asked; `null` where it cannot. */
  async times(asked: object): Promise<Times | null> {
    try {
      await this.#input.write(new TextEncoder().encode(`${JSON.stringify(asked)}\n`));
    } catch {
      return null;
    }
    const line = await this.line();
    const [clock = NaN, processor = NaN] = line?.split(" ").map(Number) ?? [];
    return line === null ? null : { clock, processor };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {});
    await this.#output.cancel();
    await this.#child.status;
  }
}

/** What a row tells of work that has a peer. */
export interface Compared {
  /** The least of ours, by the clock. */
  readonly milliseconds: number;
  /** `to NAME`, by the clock and in processor time: the least of ours to the least of theirs, where they are at hand. */
  readonly ratios: Record<string, number>;
}

const NEVER: Times = { clock: Infinity, processor: Infinity };

const least = (a: Times, b: Times): Times => ({
  clock: Math.min(a.clock, b.clock),
  processor: Math.min(a.processor, b.processor),
});

async function timesOf(work: () => unknown): Promise<Times> {
  const [start, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { clock: performance.now() - start, processor: (user + system) / 1000 };
}

/** Rounds of work in turns with those of a peer, after one of each to warm up. */
export async function inTurns(
  rounds: number,
  work: () => unknown,
  peer: PythonPeer | null,
  { name, asked }: { readonly name: string; readonly asked: object },
): Promise<Compared> {
  await work();
  let answer = await peer?.times(asked) ?? null;
  let [ours, theirs] = [NEVER, NEVER];
  for (let round = 0; round < rounds; round += 1) {
    ours = least(ours, await timesOf(work));
    if (answer !== null) answer = await peer?.times(asked) ?? null;
    theirs = least(theirs, answer ?? NEVER);
  }
  const ratios = theirs.clock === Infinity ? {} : {
    [`to ${name}`]: ours.clock / theirs.clock,
    "in processor time": ours.processor / theirs.processor,
  };
  return { milliseconds: ours.clock, ratios };
}

/**
 * The least time of some rounds of work, in turns with those of another reader, where it is at hand.
 *
 * @param peer its name, its script (see `peer_timing.py`) and what is asked of it
 */
export async function besidePeer(
  rounds: number,
  work: () => unknown,
  { name, script, asked }: { readonly name: string; readonly script: string; readonly asked: object },
): Promise<Compared> {
  let peer: PythonPeer | null = null;
  try {
    peer = new PythonPeer(script);
  } catch {
    // There is no Python.
  }
  try {
    return await inTurns(rounds, work, peer, { name, asked });
  } finally {
    await peer?.[Symbol.asyncDispose]();
  }
}

/** Opens a file and decodes channel 0 of its plane at a time point and a focus plane. */
export async function openPlane(
  path: string,
  at: { readonly t?: number; readonly z?: number },
): Promise<void> {
  await openHere(path, async (acquisition) => {
    const plan = await acquisition.plan([0], { t: 0, z: 0, l: 0, ...at });
    await plan.decode([new Float32Array(plan.rows * plan.columns)]);
  });
}
