/**
 * Runs the cases of one format, one after the other, in a process of its own: `fuzz_process.ts` watches it from
 * outside and finds the input of a case that ended it in the folder.
 *
 * usage: case_process.ts FORMAT SEED FIRST END FOLDER [--corpus DIR] [--python PROGRAM]; writes one line of JSON per
 * case. With a Python program, `peer_FORMAT.py` reads each case as well.
 */
import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { ReaderError } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { describeSession } from "../../session/open_response.ts";
import { OpenResponse } from "../../schemas/http.ts";
import { type LoadedAcquisition, planLoad, requestOf } from "../load_here.ts";
import { copy } from "../temporary_files.ts";
import {
  compare,
  compareTransplant,
  type Comparison,
  incomparable,
  type OwnReading,
  readingOf,
  transplant,
  type UndamagedReading,
} from "./comparison.ts";
import { mutate } from "./mutations.ts";
import { Peer, type PeerReading } from "./peer.ts";
import { Random } from "./random.ts";
import { type FuzzedFormat, type Seed, seedsOf } from "./seeds.ts";

export type Outcome = "planes" | "refused" | "large";

export interface CaseLine {
  readonly case: number;
  /** Absent before the case, present after it. */
  readonly outcome?: Outcome;
  readonly finding?: string;
  readonly compared?: string;
  readonly difference?: string;
  /** A seed whose cases are not compared, and why. */
  readonly unjudged?: string;
}

/** Planes beyond this are not allocated; the server would ask its memory budget. */
const MAX_BYTES = 64 << 20;

class TooLarge extends Error {}

async function load(path: string, scene: number | null = null): Promise<LoadedAcquisition> {
  using files = new FileAccess();
  const { plan, decode } = await planLoad(requestOf(path, { scene }), files);
  if (plan.bytes > MAX_BYTES) throw new TooLarge();
  const loaded = await decode();
  const bytes = [...loaded.planes, ...loaded.referencePlanes].reduce((sum, p) => sum + p.byteLength, 0);
  if (bytes > plan.bytes) throw new Error(`${bytes} bytes of planes, but ${plan.bytes} were planned`);
  return loaded;
}

/** What is wrong with an acquisition that was loaded, or `null`. */
function judge({ summary, planes, referencePlanes }: LoadedAcquisition): string | null {
  const { rows, columns, loaded, channels, reference, axes } = summary;
  if (loaded.length === 0 || planes.length !== loaded.length) {
    return `${planes.length} planes for ${loaded.length} channels`;
  }
  if (planes.some((plane) => plane.length !== rows * columns)) return "a plane of the wrong size";
  if (referencePlanes.some((plane) => plane.length !== reference!.rows * reference!.columns)) {
    return "a reference plane of the wrong size";
  }
  if (new Set(channels.map(({ name }) => name)).size !== channels.length) return "two channels with one name";
  if (channels.some(({ name }) => name.trim() === "")) return "a channel without a name";
  const order = axes.map(({ name }) => "TLCZYX".indexOf(name));
  if (order.some((at, i) => at < 0 || at <= (order[i - 1] ?? -1))) return "axes out of order";
  const answer = describeSession({ id: "0".repeat(32), summary });
  const judged = OpenResponse.safeParse(answer);
  return judged.success ? null : `an answer outside the contract: ${judged.error.message.slice(0, 500)}`;
}

/** Rows may be missing after a truncation, and the order of channels where a warning says so; other samples may not appear. */
function invented(whole: LoadedAcquisition, rest: LoadedAcquisition): string | null {
  const { summary: a } = whole;
  const { summary: b } = rest;
  if (a.channels.length !== b.channels.length || a.columns !== b.columns || b.rows > a.rows) return null;
  if (b.warnings.some(({ code }) => code === "opened_elsewhere")) return null;
  const unordered = b.warnings.some(({ text }) => /order of its channels.* are unknown/.test(text));
  for (const [c, plane] of rest.planes.entries()) {
    const fits = (other: Float32Array<ArrayBuffer>) =>
      Buffer.compare(new Uint8Array(plane.buffer), new Uint8Array(other.buffer, 0, plane.byteLength)) === 0;
    if (unordered ? !whole.planes.some(fits) : !fits(whole.planes[c]!)) {
      return `samples of channel ${c} differ after a truncation`;
    }
  }
  return null;
}

/** What is wrong with the last scene of a file that has several, or `null`. */
async function judgeLastScene(path: string, { summary }: LoadedAcquisition): Promise<string | null> {
  if (summary.sceneCount === 1) return null;
  try {
    return judge(await load(path, summary.sceneCount - 1));
  } catch (error) {
    if (error instanceof TooLarge || error instanceof ReaderError) return null;
    throw error;
  }
}

interface CaseResult {
  readonly outcome: Outcome;
  readonly reading: OwnReading;
  readonly finding?: string;
}

async function runCase(path: string, whole: LoadedAcquisition | null): Promise<CaseResult> {
  try {
    const loaded = await load(path);
    const finding = (whole && invented(whole, loaded)) ?? judge(loaded) ?? await judgeLastScene(path, loaded);
    return { outcome: "planes", reading: readingOf(loaded), ...(finding !== null && { finding }) };
  } catch (error) {
    if (error instanceof TooLarge) return { outcome: "large", reading: { refused: "too large" } };
    const reading = { refused: error instanceof Error ? error.message : `${error}` };
    if (error instanceof ReaderError && error.tag !== "shutting_down") {
      const faulty = !/^(Cannot read ".+": |")/.test(error.message) || /\[object |\.$/.test(error.message);
      return { outcome: "refused", reading, ...(faulty && { finding: `message: ${error.message}` }) };
    }
    const finding = error instanceof Error ? error.stack ?? error.message : `${error}`;
    return { outcome: "refused", reading, finding };
  }
}

/** Asks a peer about cases, and about their undamaged files once. */
class PeerJudge {
  /** What our reader makes of each seed; `null` where the two do not agree on it. */
  readonly #undamaged = new Map<Seed, UndamagedReading | null>();

  constructor(readonly peer: Peer, readonly folder: string) {}

  /** Reads a seed that lies at `path` undamaged; says why its cases cannot be judged. */
  async learn(seed: Seed, path: string): Promise<string | null> {
    if (this.#undamaged.has(seed)) return null;
    const { reading } = await runCase(path, null);
    const peers = await this.peer.ask(path, { pages: true, samples: true });
    const reason = incomparable(reading, peers);
    this.#undamaged.set(seed, reason === null ? { ...peers, ...reading } : null);
    return reason;
  }

  /** Asks about a case while ours is read, and compares the two. */
  async judge(seed: Seed, path: string, read: () => Promise<CaseResult>): Promise<Partial<CaseLine>> {
    const undamaged = this.#undamaged.get(seed)!;
    const answer: Promise<PeerReading | null> | null = undamaged && this.peer.ask(path);
    const { reading, ...line } = await read();
    if (answer === null) return { ...line, compared: "not judged" };
    const first = compare(undamaged, reading, await answer);
    const { outcome, ...found } = await this.#again(seed, path, undamaged, reading, first);
    return { ...found, ...line, compared: outcome };
  }

  /** Looks whether the samples alone explain what a case is. */
  async #again(
    seed: Seed,
    path: string,
    undamaged: UndamagedReading,
    reading: OwnReading,
    first: Comparison,
  ): Promise<Comparison> {
    const { samples } = undamaged;
    if ((first.finding ?? first.difference) === undefined || samples === undefined) return first;
    for (const [name, bytes] of seed.files) {
      const changed = name === seed.open ? transplant(bytes, Deno.readFileSync(path), samples) : bytes;
      write(this.folder, name, changed);
    }
    const whole = join(this.folder, seed.open);
    const ours = (await runCase(whole, null)).reading;
    return compareTransplant(undamaged, reading, first, {
      ours,
      peers: await this.peer.ask(whole, { first: true }),
    });
  }
}

function say(line: CaseLine): void {
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(line) + "\n"));
}

function write(folder: string, name: string, bytes: Uint8Array): void {
  Deno.mkdirSync(dirname(join(folder, name)), { recursive: true });
  Deno.writeFileSync(join(folder, name), bytes);
}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { corpus: { type: "string" }, python: { type: "string" } },
  });
  const [format, seed, first, end, work] = positionals;
  const seeds = seedsOf(format as FuzzedFormat, values.corpus ?? null);
  const judge = values.python
    ? new PeerJudge(new Peer(values.python, format as FuzzedFormat), join(work!, "transplant"))
    : null;
  const wholes = new Map<Seed, LoadedAcquisition | null>();
  const folder = join(work!, format === "zarr" ? "case.ome.zarr" : "case");
  let laid: Seed | null = null;
  for (let n = Number(first); n < Number(end); n += 1) {
    const random = new Random(Number(seed), n);
    // A seed serves a run of cases, so that its files are laid out once.
    const chosen = new Random(Number(seed), -1 - Math.floor(n / 25)).of(seeds);
    if (laid !== chosen) {
      if (laid !== null) Deno.removeSync(folder, { recursive: true });
      Deno.mkdirSync(folder, { recursive: true });
      for (const [name, bytes] of chosen.files) write(folder, name, bytes);
      laid = chosen;
    }
    const path = join(folder, chosen.open);
    if (!wholes.has(chosen)) wholes.set(chosen, await load(path).catch(() => null));
    const unjudged = await judge?.learn(chosen, path);
    if (unjudged) say({ case: n, unjudged: `${chosen.name}: ${unjudged}` });
    const names = [...chosen.files.keys()];
    const documents = names.filter((name) => /\.z[a-z]+$|zarr\.json$|\.xml$/.test(name));
    const changed = documents.length > 0 && random.oneIn(2) ? random.of(documents) : random.of(names);
    const original = chosen.files.get(changed)!;
    const donor = random.of(seeds).files;
    const { bytes, truncatedOnly } = mutate(original, random, random.of([...donor.values()]));
    write(folder, changed, bytes);
    say({ case: n });
    const read = () => runCase(path, truncatedOnly ? wholes.get(chosen)! : null);
    const { reading: _, ...found } = await (judge ? judge.judge(chosen, path, read) : read()) as CaseResult;
    const line: CaseLine = { case: n, ...found };
    // Kept before the next case changes it.
    if ((line.finding ?? line.difference) !== undefined) copy(folder, join(work!, `finding_${n}`));
    say(line);
    write(folder, changed, original);
  }
  await judge?.peer.close();
}

if (import.meta.main) await main([...Deno.args]);
