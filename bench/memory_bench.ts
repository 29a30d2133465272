/**
 * Memory that loads leave behind, by format and codec, in a server of its own each: after one load, after 15 by one worker, after
 * 15 pairs at once, and after files that are small and decode to much.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ramp } from "../tests/fixtures/plain_store.ts";
import { lineScan } from "../tests/fixtures/oir_files.ts";
import { writeOir } from "../tests/fixtures/oir_writer.ts";
import { stack } from "./open_bench.ts";
import type { BenchRow } from "./report.ts";
import { json, largestResident, resident, type ServerProcess, startServer } from "./server_process.ts";
import { SIZE, TIFF_SAMPLES } from "./tiff_samples.ts";
import { codecs, writeStore } from "./zarr_bench.ts";

const LOADS = 15;

/** Servers that are measured at once: they are idle most of the time. */
const AT_ONCE = 4;

/** A worker that has decoded is ended 5 s after its last load; then the server collects its garbage. */
const REST_MS = 6000;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Writes one file or store. */
interface Subject {
  readonly name: string;
  readonly file: string;
  write(path: string): Promise<void>;
}

const FIXTURES = new URL("../tests/fixtures/tiff/", import.meta.url);

/** Small files that decode to much, or are refused for it. */
const BOMBS = [
  "jpeg2000_largest.tif",
  "jpeg2000_bomb.tif",
  "lerc_largest.tif",
  "lerc_bomb.tif",
  "webp_largest.tif",
  "webp_bomb.tif",
  "zstd_tile_bomb.tif",
];

async function subjects(): Promise<Subject[]> {
  const write = (bytes: () => Uint8Array | Promise<Uint8Array>) => async (path: string) =>
    Deno.writeFile(path, await bytes());
  return [
    ...TIFF_SAMPLES.map((sample): Subject => ({
      name: `TIFF, ${sample.name === "none" ? "raw" : sample.name}`,
      file: "planes.tif",
      write: write(() => sample.write(2)),
    })),
    { name: "TIFF, ImageJ stack of 100", file: "stack.tif", write: write(() => stack(SIZE, 100)) },
    ...(await codecs()).map((codec): Subject => ({
      name: `OME-Zarr, ${codec.name}`,
      file: "image.ome.zarr",
      write: (path) => writeStore(path, codec),
    })),
    {
      name: "OIR, frame",
      file: "frame.oir",
      write: write(() => {
        const { reference: _reference, ...scan } = lineScan(SIZE, {
          width: SIZE,
          frames: [{ axes: "t001", planes: [ramp(SIZE, SIZE), ramp(SIZE, SIZE, 9)] }],
          stripBytes: 1 << 20,
        });
        return writeOir(scan);
      }),
    },
  ];
}

type Note = (name: string) => Promise<void>;

async function measure(
  group: string,
  work: (server: ServerProcess, load: (path: string) => Promise<void>, note: Note) => Promise<void>,
): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const server = await startServer();
  try {
    const { base, pid } = server;
    await pause(500);
    const idle = await resident(pid);
    const load = async (path: string) => {
      const { sessionId } = await json(base, "POST", "/api/v2/open", { path });
      if (sessionId !== undefined) await json(base, "DELETE", `/api/v2/sessions/${sessionId}`);
    };
    await work(server, load, async (name) => {
      await pause(REST_MS);
      const mebibytes = await resident(pid);
      rows.push({
        group,
        name,
        mebibytes,
        ratios: { "MiB over idle": mebibytes - idle, "MiB at most": await largestResident(pid) - idle },
      });
    });
    return rows;
  } finally {
    await server.stop();
  }
}

async function measureSubject({ name, file, write }: Subject): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir({ prefix: "acq_bench_" });
  try {
    const path = join(folder, file);
    await write(path);
    return await measure(`memory, ${name}`, async (_server, load, note) => {
      await load(path);
      await note("after one load");
      for (let i = 0; i < LOADS; i += 1) await load(path);
      await note(`after ${LOADS} loads`);
      for (let i = 0; i < LOADS; i += 1) await Promise.all([load(path), load(path)]);
      await note(`after ${LOADS} pairs of loads`);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const measureBomb = (file: string): Promise<BenchRow[]> =>
  measure(`memory, ${file}`, async (_server, load, note) => {
    const path = fileURLToPath(new URL(file, FIXTURES));
    await load(path);
    await note("after one load");
    for (let i = 0; i < LOADS; i += 1) await load(path);
    await note(`after ${LOADS} loads`);
  });

/** Measures all, or the groups whose name holds one of `wanted`. */
export async function run(wanted: readonly string[] = []): Promise<BenchRow[]> {
  const works = [
    ...(await subjects()).map((subject) => ({ name: subject.name, run: () => measureSubject(subject) })),
    ...BOMBS.map((file) => ({ name: file, run: () => measureBomb(file) })),
  ].filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  const rows = new Map(works.map(({ name }) => [name, [] as BenchRow[]]));
  const queue = [...works];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      rows.set(next.name, await next.run());
    }
  }));
  return [...rows.values()].flat();
}

if (import.meta.main) (await import("./report.ts")).printRows(await run(Deno.args));
