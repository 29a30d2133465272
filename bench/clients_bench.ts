/** A plane of 64 MiB into the clients of examples/, each against the least that its language can do. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasChromium, startChromium } from "../tests/browser/browser.ts";
import { ramp, writePlainStore } from "../tests/fixtures/plain_store.ts";
import { PYTHON } from "./python_peer.ts";
import type { BenchRow } from "./report.ts";
import { planeTimes } from "./plane_in_page.js";
import { startServer } from "./server_process.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Milliseconds of both. */
interface Times {
  readonly bare: number;
  readonly plane: number;
}

/** Measures Python, Chromium and Octave, where they are; `--python=PROGRAM` names one with NumPy. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "acq_bench_" });
  const path = join(folder, "plane.ome.zarr");
  await writePlainStore(path, { planes: [ramp(4096, 4096)], rows: 4096, columns: 4096 });
  const server = await startServer("bench/serving_peer.ts");
  const port = /bare copy at port (\d+)/.exec(server.said)![1]!;
  try {
    const inExamples = (name: string) => join(ROOT, "examples", name);
    return [
      ...rows(
        "NumPy",
        "a bare socket read",
        await times(PYTHON, [
          ...[join(ROOT, "bench", "python_client.py"), inExamples("python"), server.base, path, port],
        ]),
      ),
      ...rows("Chromium", "fetch of a bare answer", await timesInChromium(server.base, path, port)),
      ...rows(
        "Octave",
        "curl and fread",
        await times("octave-cli", [
          ...[
            "--no-init-file",
            join(ROOT, "bench", "octave_client.m"),
            inExamples("matlab"),
            server.base,
            path,
          ],
        ]),
      ),
    ];
  } finally {
    await server.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/** The client module in a page of the server, and as many bytes into the same page; `null` without Chromium. */
async function timesInChromium(base: string, path: string, port: string): Promise<Times | null> {
  if (!hasChromium()) return null;
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    // An answer that is no page has no policy, which would keep the other port away.
    await page.goto(`${base}/api/v2/health`);
    return await page.evaluate(planeTimes, { path, bare: `http://127.0.0.1:${port}/` });
  } finally {
    await browser.close();
  }
}

/** What a program prints; `null` where it cannot be run. */
async function times(program: string, args: string[]): Promise<Times | null> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(program, { args }).output();
    if (success) return JSON.parse(new TextDecoder().decode(stdout));
    console.error(new TextDecoder().decode(stderr));
  } catch {
    console.error(`Left out: ${program} cannot be started`);
  }
  return null;
}

function rows(name: string, least: string, times: Times | null): BenchRow[] {
  if (times === null) return [];
  const group = "clients, 64 MiB";
  return [
    { group, name: `${name}: ${least}`, milliseconds: times.bare, ratios: {} },
    {
      group,
      name: `${name}: plane`,
      milliseconds: times.plane,
      ratios: { [`to ${least}`]: times.plane / times.bare },
    },
  ];
}
