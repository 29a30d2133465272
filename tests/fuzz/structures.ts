/**
 * Damages structures of HDF5 files and compares every plane and fact with the whole file.
 *
 * usage: deno task stress structures [--cases N] [--first N] [--seed N]
 *
 * Each case writes zeros over a structure, or replaces an address by another valid one; half of the cases correct the
 * checksum. It is silent where something that is served differs without a warning that the whole file does not have. Zeros that only
 * end a text earlier are allowed, since nothing tells how long a text was; such cases are printed and counted apart.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ReaderError } from "../../readers/errors.ts";
import { Hdf5File } from "../../readers/hdf5/file.ts";
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

/** Deepest groups whose texts are listed. */
const MAX_DEPTH = 12;

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

/** Something that differs without a warning. */
interface Difference {
  readonly kind: "facts" | "planes";
  readonly text: string;
}

/** What differs without a warning. */
function silentIn(whole: Reading, damaged: Reading): Difference[] {
  return damaged.flatMap((own, scene) => {
    const before = whole[scene]!;
    if (own === null || before === null || own.warnings.some((text) => !before.warnings.includes(text))) {
      return [];
    }
    const differ = (kind: Difference["kind"]) =>
      Object.entries(own[kind]).filter(([name, value]) => before[kind][name] !== value)
        .map(([name, value]) => ({
          kind,
          text: `scene ${scene}: ${name} is ${value.slice(0, 80)}, not ${before[kind][name]?.slice(0, 80)}`,
        }));
    return [...differ("facts"), ...differ("planes")];
  });
}

/** Texts of at least two letters in attributes, as they are stored. */
function textsIn(path: string): Uint8Array[] {
  using files = new FileAccess();
  using file = new Hdf5File(files.open(path));
  const texts = new Set<string>();
  const walk = (path: string, depth: number) => {
    for (const name of file.attributeNames(path)) {
      try {
        for (const one of file.attribute(path, name) ?? []) if (typeof one === "string") texts.add(one);
      } catch (error) {
        if (!(error instanceof ReaderError)) throw error;
      }
    }
    if (depth > MAX_DEPTH || file.kindOf(path) !== "group") return;
    for (const name of file.names(path)) {
      const own = `${path}/${name}`;
      if (["group", "dataset"].includes(file.kindOf(own))) walk(own, depth + 1);
    }
  };
  walk("/", 0);
  return [...texts].filter((text) => text.length > 1).map((text) => new TextEncoder().encode(text));
}

/** Whether a file differs from a whole one by letters at the ends of texts only, which are zeros. */
export function endsTexts(whole: Uint8Array, changed: Uint8Array, texts: readonly Uint8Array[]): boolean {
  const differs = (at: number) => whole[at] !== changed[at];
  for (let at = 0; at < whole.length; at += 1) {
    if (!differs(at)) continue;
    // A text around this place.
    const text = texts.find((text) => {
      for (let start = Math.max(0, at - text.length + 1); start <= at; start += 1) {
        if (text.every((byte, i) => whole[start + i] === byte)) {
          return changed.subarray(at, start + text.length).every((byte) => byte === 0);
        }
      }
      return false;
    });
    if (text === undefined) return false;
  }
  return true;
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
  const known = new Map<
    Seed,
    { whole: Reading; structures: Structure[]; bytes: Uint8Array; texts: Uint8Array[] }
  >();
  const [first, count] = [Number(values.first), Number(values.cases)];
  const totals = { refused: 0, warned: 0, same: 0, allowed: 0, silent: 0, slow: 0, failed: 0 };
  const started = performance.now();
  let [slowest, most] = [0, 0];
  for (let n = first; n < first + count; n += 1) {
    if (n > first && (n - first) % 1000 === 0) console.log(`${n - first} cases: ${JSON.stringify(totals)}`);
    const random = new Random(Number(values.seed), n);
    const seed = random.of(random.oneIn(2) ? seeds : small);
    const path = join(folder, seed.open);
    if (!known.has(seed)) {
      const bytes = seed.files.get(seed.open)!;
      Deno.writeFileSync(path, bytes);
      const scenes = (await planHere(path)).summary.sceneCount;
      known.set(seed, {
        whole: await readAll(path, scenes),
        structures: structuresIn(bytes),
        bytes,
        texts: textsIn(path),
      });
    }
    const { whole, structures, bytes, texts } = known.get(seed)!;
    const [changed, what] = damage(bytes, structures, random);
    Deno.writeFileSync(path, changed);
    const since = performance.now();
    try {
      const reading = await readAll(path, whole.length);
      const silent = silentIn(whole, reading);
      if (silent.length > 0) {
        const isAllowed = silent.every(({ kind }) => kind === "facts") && endsTexts(bytes, changed, texts);
        totals[isAllowed ? "allowed" : "silent"] += 1;
        const found = silent.slice(0, 3).map(({ text }) => text).join("; ");
        const why = isAllowed ? "allowed, a text ends earlier and stays valid: " : "";
        console.log(`case ${n}, ${seed.name}, ${what}: ${why}${found}`);
      } else if (reading.every((one) => one === null)) totals.refused += 1;
      else if (JSON.stringify(reading) === JSON.stringify(whole)) totals.same += 1;
      else totals.warned += 1;
    } catch (error) {
      totals.failed += 1;
      console.log(`case ${n}, ${seed.name}, ${what}: ${error instanceof Error ? error.stack : error}`);
    }
    const took = performance.now() - since;
    slowest = Math.max(slowest, took);
    most = Math.max(most, Deno.memoryUsage().rss);
    if (took > MAX_CASE_MS) {
      totals.slow += 1;
      console.log(`case ${n}, ${seed.name}, ${what}: ${took.toFixed()} ms`);
    }
  }
  Deno.removeSync(folder, { recursive: true });
  const seconds = ((performance.now() - started) / 1000).toFixed();
  const cost = `slowest ${slowest.toFixed()} ms, at most ${(most / 2 ** 20).toFixed()} MiB`;
  console.log(`${count} cases in ${seconds} s, ${cost}: ${JSON.stringify(totals)}`);
  Deno.exit(totals.silent + totals.slow + totals.failed > 0 ? 1 : 0);
}

/** All positions of an acquisition. */
function* positionsOf(axes: readonly Axis[]): Generator<{ t: number; z: number; l: number }> {
  const sizeOf = (name: string) => axes.find((axis) => axis.name === name)?.size ?? 1;
  for (let t = 0; t < sizeOf("T"); t += 1) {
    for (let z = 0; z < sizeOf("Z"); z += 1) yield { t, z, l: 0 };
  }
}
