/** Times pieces of work in turns, so that all of them see the same machine. */
import process from "node:process";
import { rounds } from "./setting.ts";

/** How long something took. */
export interface Times {
  /** Milliseconds by the clock. */
  readonly clock: number;
  /** Milliseconds of processor time of all threads, which other work on the machine changes less. */
  readonly processor: number;
}

/** The rounds of one piece of work; NaN where it could not run. */
export interface Measured {
  readonly least: Times;
  readonly median: Times;
}

/** Work that times itself; `null` when it cannot run, such as a reader that is not installed. */
export type TimedWork = () => Promise<Times | null>;

/** Times work of this process. */
export async function timed(work: () => unknown): Promise<Times> {
  const [start, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { clock: performance.now() - start, processor: (user + system) / 1000 };
}

function measured(times: readonly Times[]): Measured {
  const sorted = (key: keyof Times) => times.map((time) => time[key]).sort((a, b) => a - b);
  const [clock, processor] = [sorted("clock"), sorted("processor")];
  const at = (i: number): Times => ({ clock: clock[i] ?? NaN, processor: processor[i] ?? NaN });
  return { least: at(0), median: at(times.length >> 1) };
}

/**
 * Runs each work once to warm up, then all of them once per round.
 *
 * @param usual number of rounds, which `--rounds=N` lowers
 */
export async function inTurns<Name extends string>(
  usual: number,
  works: Readonly<Record<Name, TimedWork>>,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(works) as Name[];
  const times = new Map<Name, Times[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds(usual); round += 1) {
    for (const name of names) {
      const time = await works[name]();
      if (time !== null && round > 0) times.get(name)!.push(time);
    }
  }
  return Object.fromEntries([...times].map(([name, of]) => [name, measured(of)])) as Record<Name, Measured>;
}

/** Ratios of the least times of this program to those of another, by the clock and in processor time. */
export const comparedTo = (name: string, ours: Measured, theirs: Measured): Record<string, number> => ({
  [`to ${name}`]: ours.least.clock / theirs.least.clock,
  "in processor time": ours.least.processor / theirs.least.processor,
});
