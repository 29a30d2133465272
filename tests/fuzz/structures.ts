/**
 * Damages structures of HDF5 files and compares every plane and fact with the whole file.
 *
 * usage: deno task stress structures [--cases N] [--first N] [--seed N]
 *
 * Each case writes zeros over a structure, or replaces an address by another valid one; half of the cases correct the
 * checksum. It is silent where something that is served differs without a warning that the whole file does not have.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ReaderError } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import {
  pointersIn,
  type Structure,
  structuresIn,
  withChecksum,
  withWord,
} from "../fixtures/hdf5_structures.ts";
import { planHere, requestOf } from "../load_here.ts";
import { OpenAcquisition } from "../../session/worker/open_acquisition.ts";
import type { AcquisitionSummary } from "../../session/acquisition_summary.ts";
import type { Axis } from "../../readers/reader.ts";
import { Random } from "./random.ts";
import { type Seed, seedsOf } from "./seeds.ts";

/** What is served of a scene: facts by their names, digests of planes by their positions, and warnings. */
interface SceneReading {
  readonly facts: Readonly<Record<string, string>>;
  readonly planes: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** Readings by scene; `null` for a scene that is refused. */
type Reading = readonly (SceneReading | null)[];

/** Slowest case that is not a hang, in milliseconds. */
const MAX_CASE_MS = 5000;

async function readScene(path: string, scene: number): Promise<SceneReading> {
  using files = new FileAccess();
  const open = await OpenAcquisition.open({ request: requestOf(path, { scene }), marks: new Map() }, files);
  const { summary } = await open.describe();
  const { acquisition } = open;
  const { axes, channels } = acquisition;
  const planes: Record<string, string> = {};
  const warnings = summary.warnings.map(({ text }) => text);
  for (const position of positionsOf(axes)) {
    for (const { index } of channels) {
      try {
        const plan = await acquisition.plan([index], position);
        const plane = new Float32Array(plan.rows * plan.columns);
        await plan.decode([plane]);
        warnings.push(...plan.warnings.map(({ text }) => text));
        planes[`${index} at ${JSON.stringify(position)}`] = createHash("sha256").update(plane).digest("hex");
      } catch (error) {
        if (!(error instanceof ReaderError)) throw error;
      }
    }
  }
  return { facts: factsOf(summary), planes, warnings };
}

/** Seventeen facts, in words. */
function factsOf(summary: AcquisitionSummary): Record<string, string> {
  const { axes, channels, times, lineScan, date, time, rows, columns } = summary;
  const of = (name: string) => axes.find((axis) => axis.name === name);
  const facts = {
    ...Object.fromEntries(["T", "C", "Z", "Y", "X"].map((name) => [`size of ${name}`, of(name)?.size])),
    ...Object.fromEntries(
      ["T", "Z", "Y", "X"].map((name) => [`step of ${name}`, [of(name)?.step, of(name)?.unit]]),
    ),
    names: channels.map(({ name }) => name),
    colours: channels.map(({ color }) => color),
    types: channels.map(({ sampleType }) => sampleType),
    date,
    time,
    times,
    lineScan,
    shape: [rows, columns],
  };
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, JSON.stringify(value) ?? "none"]),
  );
}

async function readAll(path: string, scenes: number): Promise<Reading> {
  const readings: (SceneReading | null)[] = [];
  for (let scene = 0; scene < scenes; scene += 1) {
    readings.push(
      await readScene(path, scene).catch((error) => {
        if (error instanceof ReaderError) return null;
        throw error;
      }),
    );
  }
  return readings;
}

/** What differs without a warning. */
function silentIn(whole: Reading, damaged: Reading): string[] {
  return damaged.flatMap((own, scene) => {
    const before = whole[scene]!;
    if (own === null || before === null || own.warnings.some((text) => !before.warnings.includes(text))) {
      return [];
    }
    const differ = (kind: "facts" | "planes") =>
      Object.entries(own[kind]).filter(([name, value]) => before[kind][name] !== value)
        .map(([name, value]) =>
          `scene ${scene}: ${name} is ${value.slice(0, 80)}, not ${before[kind][name]?.slice(0, 80)}`
        );
    return [...differ("facts"), ...differ("planes")].slice(0, 3);
  });
}

/** A change of a file, in words too. */
function damage(bytes: Uint8Array, structures: readonly Structure[], random: Random): [Uint8Array, string] {
  const structure = random.of(structures);
  const { kind, at, length } = structure;
  const isRepaired = random.oneIn(2);
  const repair = (changed: Uint8Array) => isRepaired ? withChecksum(bytes, changed, structure) : changed;
  const targets = new Set(structures.map(({ at }) => at));
  const pointers = pointersIn(bytes, structure, targets);
  if (pointers.length > 0 && random.oneIn(2)) {
    const pointer = random.of(pointers);
    const own = structures.find((one) => one.at === pointer.value)!.kind;
    const others = structures.filter((one) =>
      one.at !== pointer.value && (random.oneIn(4) || one.kind === own)
    );
    if (others.length > 0) {
      const other = random.of(others);
      const changed = repair(withWord(bytes, pointer.at, other.at));
      return [
        changed,
        `${kind} at ${at}: ${pointer.at} leads to ${other.kind} at ${other.at}, not ${pointer.value}`,
      ];
    }
  }
  const from = random.oneIn(2) ? at : at + random.below(length);
  const to = Math.min(at + length, from + random.of([4, 8, 16, 64, length]));
  return [repair(bytes.slice().fill(0, from, to)), `${kind} at ${at}: zeros from ${from} to ${to}`];
}

/** Damages structures as the arguments say, and ends the process. */
export async function damageFromShell(args: readonly string[]): Promise<never> {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      cases: { ...text, default: "1000" },
      first: { ...text, default: "0" },
      seed: { ...text, default: "1" },
    },
  });
  const folder = Deno.makeTempDirSync({ prefix: "acq_structures_" });
  // Attributes of `types.nwb` are numbers that are addresses, too.
  const seeds = seedsOf("hdf5").filter(({ name }) => name !== "outside.ims" && name !== "types.nwb");
  const small = seeds.filter(({ name }) => !name.startsWith("structures_"));
  const known = new Map<Seed, { whole: Reading; structures: Structure[]; bytes: Uint8Array }>();
  const [first, count] = [Number(values.first), Number(values.cases)];
  const totals = { refused: 0, warned: 0, same: 0, silent: 0, slow: 0, failed: 0 };
  const started = performance.now();
  for (let n = first; n < first + count; n += 1) {
    if (n > first && (n - first) % 1000 === 0) console.log(`${n - first} cases: ${JSON.stringify(totals)}`);
    const random = new Random(Number(values.seed), n);
    const seed = random.of(random.oneIn(2) ? seeds : small);
    const path = join(folder, seed.open);
    if (!known.has(seed)) {
      const bytes = seed.files.get(seed.open)!;
      Deno.writeFileSync(path, bytes);
      const scenes = (await planHere(path)).summary.sceneCount;
      known.set(seed, { whole: await readAll(path, scenes), structures: structuresIn(bytes), bytes });
    }
    const { whole, structures, bytes } = known.get(seed)!;
    const [changed, what] = damage(bytes, structures, random);
    Deno.writeFileSync(path, changed);
    const since = performance.now();
    try {
      const reading = await readAll(path, whole.length);
      const silent = silentIn(whole, reading);
      if (silent.length > 0) {
        totals.silent += 1;
        console.log(`case ${n}, ${seed.name}, ${what}: ${silent.join("; ")}`);
      } else if (reading.every((one) => one === null)) totals.refused += 1;
      else if (JSON.stringify(reading) === JSON.stringify(whole)) totals.same += 1;
      else totals.warned += 1;
    } catch (error) {
      totals.failed += 1;
      console.log(`case ${n}, ${seed.name}, ${what}: ${error instanceof Error ? error.stack : error}`);
    }
    if (performance.now() - since > MAX_CASE_MS) {
      totals.slow += 1;
      console.log(`case ${n}, ${seed.name}, ${what}: ${(performance.now() - since).toFixed()} ms`);
    }
  }
  Deno.removeSync(folder, { recursive: true });
  const seconds = ((performance.now() - started) / 1000).toFixed();
  console.log(`${count} cases in ${seconds} s: ${JSON.stringify(totals)}`);
  Deno.exit(totals.silent + totals.slow + totals.failed > 0 ? 1 : 0);
}

/** All positions of an acquisition. */
function* positionsOf(axes: readonly Axis[]): Generator<{ t: number; z: number; l: number }> {
  const sizeOf = (name: string) => axes.find((axis) => axis.name === name)?.size ?? 1;
  for (let t = 0; t < sizeOf("T"); t += 1) {
    for (let z = 0; z < sizeOf("Z"); z += 1) yield { t, z, l: 0 };
  }
}
