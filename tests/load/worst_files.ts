/**
 * Clients open the worst files and clean ones of every format, ask for metadata and planes, check the clean planes, and leave
 * half-way. Two more processes watch: one asks for the server's health, the other only waits for timers and shows what the machine
 * itself delays. Each client rests as long as its last visit took, so that two of them take about one core.
 *
 * usage: deno run -A tests/load/worst_files.ts [--seconds N] [--seed N] [--clients N]
 *
 * Exits with status 1 unless at most 0.1 % more of the health answers than of the timers took over 20 ms, the slowest took at most
 * 100 ms more, no byte was wrong, and memory went back to idle and 40 MiB.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { outputOf, residentOf, spawn } from "../child_process.ts";
import { pause, until } from "../deadline.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { mutate } from "../fuzz/mutations.ts";
import { Random } from "../fuzz/random.ts";
import { FUZZED_FORMATS, seedsOf } from "../fuzz/seeds.ts";
import { hashOf } from "../planes.ts";
import { filesAtBounds } from "./files_at_bounds.ts";
import { fixtureImages, type KnownImage, writtenImages } from "./known_images.ts";

/** Damaged files of each format. */
const DAMAGED = 40;

/** Writes the files. @returns the paths to open */
async function writeFiles(folder: string, random: Random): Promise<string[]> {
  const paths: string[] = [];
  for (const [name, write] of Object.entries(filesAtBounds())) {
    paths.push(join(folder, name));
    await write(paths.at(-1)!);
  }
  for (
    const [name, text] of Object.entries({ long: "n".repeat(28 << 20), control: "\x01".repeat(31 << 20) })
  ) {
    paths.push(join(folder, `${name}.tif`));
    await Deno.writeFile(
      paths.at(-1)!,
      tiffBytes(grayLayout(8, 8, 8), (x) => BigInt(x), 1, [[270, 2, text]]),
    );
  }
  for (const format of FUZZED_FORMATS) {
    const seeds = seedsOf(format);
    for (let n = 0; n < DAMAGED; n += 1) {
      const seed = random.of(seeds);
      const root = join(folder, `${format}_${n}_${seed.name.replaceAll(/[^\w.]/g, "_")}`);
      const damaged = random.of([...seed.files.keys()]);
      for (const [name, bytes] of seed.files) {
        await Deno.mkdir(dirname(join(root, name)), { recursive: true });
        await Deno.writeFile(join(root, name), name === damaged ? mutate(bytes, random, bytes).bytes : bytes);
      }
      paths.push(seed.open === "" ? root : join(root, seed.open));
    }
  }
  return paths;
}

/** Starts `watch.ts`, which prints a line of JSON at its end. */
function watch(target: string, seconds: number): Deno.ChildProcess {
  const args = ["run", "-q", "-A", `${ROOT}tests/load/watch.ts`, target, String(seconds)];
  return spawn(Deno.execPath(), { args, stdout: "piped", stderr: "inherit" });
}

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "180" },
    seed: { type: "string", default: "1" },
    clients: { type: "string", default: "2" },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const counts: Record<string, number> = {};
const count = (what: string) => counts[what] = (counts[what] ?? 0) + 1;
const folder = await Deno.makeTempDir({ prefix: "acq_worst_" });
const paths = await writeFiles(folder, new Random(seed));
const images = [
  ...fixtureImages(),
  ...(await writtenImages(folder)).filter(({ format }) => format === "oir"),
];
const formats = [...new Set(images.map(({ format }) => format))];
// Sessions that nobody deletes expire soon.
const server = await ServerProcess.start(
  FROM_SOURCE,
  ["--session-ttl", "20", "--max-session-memory", "1GiB"],
);

/** One request; the client leaves at a random time if `random` is given, now and then. @returns the body, or `null` */
async function ask(random: Random | null, path: string, init: RequestInit = {}): Promise<Uint8Array | null> {
  const leaves = random?.oneIn(3) ? AbortSignal.timeout(random.below(300)) : null;
  try {
    const response = await fetch(server.baseUrl + path, { ...init, signal: leaves });
    const body = await response.bytes();
    const { error } = response.ok ? { error: "ok" } : JSON.parse(new TextDecoder().decode(body));
    count(`${response.status} ${error}`);
    return response.ok ? body : null;
  } catch (error) {
    if (!leaves?.aborted) throw new Error(`${path} broke off`, { cause: error });
    count("left");
    return null;
  }
}

const post = (random: Random | null, path: string, body: unknown) =>
  ask(random, path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

/** Opens one of the worst files. */
async function visitWorst(random: Random): Promise<void> {
  const opened = await post(random, "/api/v2/open", { path: random.of(paths) });
  if (opened === null) return;
  const { sessionId, channels } = JSON.parse(new TextDecoder().decode(opened));
  const session = `/api/v2/sessions/${sessionId}`;
  await ask(random, `${session}/metadata`);
  await post(random, `${session}/open`, {});
  await ask(random, `${channels[0].dataUrl}?t=${random.below(3)}`);
  if (!random.oneIn(4)) await ask(random, session, { method: "DELETE" });
}

/** Opens a clean scene and compares some of its planes with their hashes. @param random decides when to leave; `null` to stay */
async function visitClean({ format, path, scene, planes }: KnownImage, random: Random | null): Promise<void> {
  const opened = await post(random, "/api/v2/open", { path, scene });
  if (opened === null) return;
  const { sessionId } = JSON.parse(new TextDecoder().decode(opened));
  const session = `/api/v2/sessions/${sessionId}`;
  await ask(random, `${session}/metadata`);
  for (const { channel, t, z, l, sha256 } of random ? [random.of(planes), random.of(planes)] : planes) {
    const bytes = await ask(random, `${session}/channels/${channel}/data?t=${t}&z=${z}&l=${l}`);
    if (bytes === null) continue;
    const hash = hashOf(new Float32Array(bytes.slice().buffer));
    count(sha256.startsWith(hash) ? `planes of ${format}` : "WRONG PLANES");
  }
  await ask(null, session, { method: "DELETE" });
}

async function client(random: Random, end: number): Promise<void> {
  while (performance.now() < end) {
    const start = performance.now();
    if (random.oneIn(2)) await visitWorst(random);
    else {
      const format = random.of(formats);
      await visitClean(random.of(images.filter((image) => image.format === format)), random);
    }
    await pause(performance.now() - start + random.below(100));
  }
}

/** Seconds of processor time that a process has taken, on Linux with its 100 ticks a second. */
function processorSeconds(pid: number): number {
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

try {
  for (const format of formats) {
    await visitClean(images.find((image) => image.format === format)!, null);
  }
  // Workers rest after 15 s.
  await pause(20_000);
  const idle = residentOf(server.pid);
  const watches = ["timer", server.baseUrl].map((target) =>
    outputOf(watch(target, seconds), `the watch of ${target}`, seconds + 60)
  );
  const processor = processorSeconds(server.pid);
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: Number(values.clients) }, (_, n) => client(new Random(seed, n + 1), end)),
  );
  const share = (processorSeconds(server.pid) - processor) / seconds;
  const [control, health] = (await Promise.all(watches)).map(({ stdout }) =>
    JSON.parse(new TextDecoder().decode(stdout))
  );
  const before = residentOf(server.pid);
  // The last sessions expire after 20 s.
  await until(() => residentOf(server.pid) < idle + 40, "the memory", 60).catch(() => {});
  const last = residentOf(server.pid);
  for (const what of Object.keys(counts).sort()) {
    console.log(`  ${what.padEnd(40)} ${String(counts[what]).padStart(8)}`);
  }
  console.log("timer ", control);
  console.log("health", health);
  const [lateTimers, late] = [control, health].map(({ over20, answers }) => 100 * over20 / answers) as [
    number,
    number,
  ];
  const beyond = health.slowest - control.slowest;
  const wrong = counts["WRONG PLANES"] ?? 0;
  const sizes = [idle, before, last].map((size) => size.toFixed(0));
  console.log(
    `Within 20 ms: ${(100 - late).toFixed(3)} % of the health answers, ${
      (100 - lateTimers).toFixed(3)
    } % of the timers; ` +
      `the slowest answer took ${beyond.toFixed(1)} ms more than the slowest timer`,
  );
  console.log(`Wrong planes: ${wrong}; the server took ${share.toFixed(2)} of a core`);
  console.log(
    `Memory: ${sizes[0]} MiB idle, ${sizes[1]} at the end of the load, ${sizes[2]} after the last delete`,
  );
  assert.ok(late - lateTimers <= 0.1 && beyond <= 100, "health answers were late");
  assert.equal(wrong, 0, "planes were wrong");
  assert.ok(last < idle + 40, "memory was left over");
} finally {
  await server.stop();
  await Deno.remove(folder, { recursive: true });
}
