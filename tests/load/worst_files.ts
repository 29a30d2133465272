/**
 * Clients open the worst files there are, ask for metadata and planes, and leave half-way, while two processes of their own
 * watch: one asks for the server's health, the other only waits for timers and shows what the machine itself delays.
 *
 * usage: deno run -A --lock=deno.lock tests/load/worst_files.ts [--seconds N] [--seed N] [--clients N]
 */
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { FROM_SOURCE, LOCKED, ROOT, ServerProcess } from "../binary/server_process.ts";
import { outputOf, spawn } from "../child_process.ts";
import { until } from "../deadline.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { mutate } from "../fuzz/mutations.ts";
import { Random } from "../fuzz/random.ts";
import { FUZZED_FORMATS, seedsOf } from "../fuzz/seeds.ts";
import { filesAtBounds } from "./files_at_bounds.ts";
import { residentOf } from "./resident.ts";

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
  const args = ["run", "-q", "-A", ...LOCKED, `${ROOT}tests/load/watch.ts`, target, String(seconds)];
  return spawn(Deno.execPath(), { args, stdout: "piped", stderr: "inherit" });
}

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "180" },
    seed: { type: "string", default: "1" },
    clients: { type: "string", default: "4" },
  },
});
const [seconds, seed, clients] = [values.seconds, values.seed, values.clients].map(Number) as [
  number,
  number,
  number,
];
const counts: Record<string, number> = {};
const count = (what: string) => counts[what] = (counts[what] ?? 0) + 1;
const folder = await Deno.makeTempDir({ prefix: "acq_worst_" });
const paths = await writeFiles(folder, new Random(seed));
// Sessions that nobody deletes expire soon.
const server = await ServerProcess.start(FROM_SOURCE, [
  "--session-ttl",
  "20",
  "--max-session-memory",
  "1GiB",
]);

/** One request; now and then the client leaves half-way. @returns the body, or `null` */
async function ask(random: Random, path: string, init: RequestInit = {}): Promise<Uint8Array | null> {
  const leaves = random.oneIn(3) ? AbortSignal.timeout(random.below(300)) : null;
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

async function client(random: Random, end: number): Promise<void> {
  while (performance.now() < end) {
    const body = JSON.stringify({ path: random.of(paths) });
    const headers = { "Content-Type": "application/json" };
    const opened = await ask(random, "/api/v2/open", { method: "POST", headers, body });
    if (opened !== null) {
      const { sessionId, channels } = JSON.parse(new TextDecoder().decode(opened));
      const session = `/api/v2/sessions/${sessionId}`;
      await ask(random, `${session}/metadata`);
      await ask(random, `${session}/open`, { method: "POST", headers, body: "{}" });
      await ask(random, `${channels[0].dataUrl}?t=${random.below(3)}`);
      if (!random.oneIn(4)) await ask(random, session, { method: "DELETE" });
    }
    await wait(random.below(500));
  }
}

try {
  await wait(2000);
  const idle = residentOf(server.pid);
  const watches = ["timer", server.baseUrl].map((target) =>
    outputOf(watch(target, seconds), `the watch of ${target}`, seconds + 60)
  );
  const end = performance.now() + seconds * 1000;
  await Promise.all(Array.from({ length: clients }, (_, n) => client(new Random(seed, n + 1), end)));
  const [control, health] = (await Promise.all(watches)).map(({ stdout }) =>
    JSON.parse(new TextDecoder().decode(stdout))
  );
  const before = residentOf(server.pid);
  await until(() => residentOf(server.pid) < idle + 40, "the memory", 60).catch(({ message }) =>
    count(message)
  );
  for (const what of Object.keys(counts).sort()) {
    console.log(`  ${what.padEnd(40)} ${String(counts[what]).padStart(8)}`);
  }
  console.log("timer ", control);
  console.log("health", health);
  const [first, atOnce, last] = [idle, before, residentOf(server.pid)].map((size) => size.toFixed(0));
  console.log(`Memory: ${first} MiB idle, ${atOnce} at the end of the load, ${last} after a rest`);
} finally {
  await server.stop();
  await Deno.remove(folder, { recursive: true });
}
