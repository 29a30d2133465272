import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ReaderError } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { systemClock } from "../../session/clock.ts";
import { DecodePool } from "../../session/decode_pool.ts";
import { loadAcquisition } from "../../session/opener.ts";
import { countPieces, divide } from "../../session/decoding.ts";
import { MemoryBudget } from "../../session/memory_budget.ts";
import type { PlaneParts } from "../../session/plane_buffer.ts";
import { PlaneMemory } from "../../session/plane_memory.ts";
import { grayLayout, tiffBytes, type TiffLayout } from "../fixtures/tiff_writer.ts";
import { until } from "../deadline.ts";
import { planLoad, requestOf } from "../load_here.ts";
import { temporaryFolder } from "../temporary_files.ts";

const LAYOUT: TiffLayout = {
  ...grayLayout(2048, 700, 16),
  ...{ samples: 3, planar: true, rowsPerStrip: 100, codec: "deflate" },
};

/** Differs in every plane, row and column. */
const value = (x: number, y: number, sample: number) => (x + 3 * y + 1000 * sample) % 65536;

/** A file of {@linkcode LAYOUT}, which takes seconds to make. */
const PLANAR = tiffBytes(LAYOUT, (x, y, sample) => BigInt(value(x, y, sample)));

async function withPool(run: (pool: DecodePool, budget: MemoryBudget, folder: string) => Promise<void>) {
  using folder = temporaryFolder();
  // Three parts at most, and one worker that stays free.
  const pool = new DecodePool(systemClock, new MemoryBudget(0), undefined, 4);
  try {
    await run(pool, new MemoryBudget(1 << 30), folder.path);
  } finally {
    pool.close();
  }
}

const open = (pool: DecodePool, budget: MemoryBudget, path: string, channelIndices: number[] | null) =>
  loadAcquisition(
    crypto.randomUUID(),
    { request: requestOf(path, { channelIndices }), marks: new Map() },
    { pool, budget, memory: new PlaneMemory(systemClock) },
    new AbortController().signal,
  );

Deno.test("several workers decode the requested channels in their order", () =>
  withPool(async (pool, budget, folder) => {
    const path = join(folder, "planar.tif");
    Deno.writeFileSync(path, PLANAR);
    const { planes, summary, summaryBytes, reservation } = await open(pool, budget, path, [2, 0, 1]);
    equal(pool.counts.idle + pool.counts.busy, 3);
    deepEqual(summary.loaded.map(({ index }) => index), [2, 0, 1]);
    equal(reservation.bytes - summaryBytes, 3 * 4 * 2048 * 700);
    for (const [i, sample] of [2, 0, 1].entries()) {
      equal(wrongSample(planes[i]!, sample), -1, `channel ${sample}`);
    }
  }));

/** The index of the first wrong sample, or -1. */
function wrongSample(parts: PlaneParts, sample: number): number {
  const found = parts.flatMap((part) => [...part]);
  equal(found.length, 2048 * 700);
  return found.findIndex((found, at) => found !== value(at % 2048, Math.floor(at / 2048), sample));
}

Deno.test("several workers decode the rows of one channel in their order", () =>
  withPool(async (pool, budget, folder) => {
    const path = join(folder, "one.tif");
    const layout = { ...LAYOUT, samples: 1, height: 2100 };
    Deno.writeFileSync(path, tiffBytes(layout, (x, y) => BigInt(value(x, y % 700, Math.floor(y / 700)))));
    const { planes, summaryBytes, reservation } = await open(pool, budget, path, null);
    equal(pool.counts.idle + pool.counts.busy, 3);
    equal(reservation.bytes - summaryBytes, 4 * 2048 * 2100);
    // 21 strips for three workers.
    deepEqual(planes.map((parts) => parts.map(({ length }) => length)), [
      [700, 700, 700].map((rows) => rows * 2048),
    ]);
    for (const [sample, part] of planes[0]!.entries()) equal(wrongSample([part], sample), -1);
  }));

Deno.test("decodes every fixture equally in pieces and whole", async (t) => {
  const folder = fileURLToPath(new URL("../fixtures/", import.meta.url));
  let divided = 0;
  for (const format of ["tiff", "tiff_scenes", "lsm", "czi", "nd2", "ome_zarr", "oif"]) {
    await t.step(format, async () => {
      for (const { name } of Deno.readDirSync(join(folder, format))) {
        if (!FILE.test(name)) continue;
        divided += await compareShares(join(folder, format, name));
      }
    });
  }
  ok(divided > 90, `${divided} fixtures were divided`);
});

const FILE = /^(?!.*(?:largest|bomb|refused|_cut)).*\.(?:tif|stk|lsm|czi|nd2|zarr|zip|oib|oif)$/;

/** Compares a whole load with loads in pieces, byte by byte, and gives 1 where the file can be divided. */
async function compareShares(path: string): Promise<number> {
  const files = new FileAccess();
  try {
    const { plan, decode } = await planLoad(requestOf(path), files);
    // As if it were a large one.
    const { channels, division } = plan;
    const large = { channels, division, summary: { rows: plan.rows, columns: 1 << 30 } };
    const most = countPieces(large);
    const whole = await decode();
    for (const count of new Set([2, 3, most].filter((count) => count > 1 && count <= most))) {
      const found = new Map(plan.channels.map((channel) => [channel, [] as Uint8Array[]]));
      // The last one first: no piece needs another.
      for (const piece of divide(large, count).toReversed()) {
        const { planes } = await decode({ ...piece, reference: false, buffers: [] });
        for (const [i, channel] of piece.channels.entries()) {
          found.get(channel)!.unshift(new Uint8Array(planes[i]!.buffer, 0, planes[i]!.byteLength));
        }
      }
      for (const [i, channel] of plan.channels.entries()) {
        const expected = new Uint8Array(whole.planes[i]!.buffer, 0, whole.planes[i]!.byteLength);
        ok(Buffer.from(expected).equals(Buffer.concat(found.get(channel)!)), `${path}, ${count} workers`);
      }
    }
    return most > 1 ? 1 : 0;
  } catch (error) {
    if (error instanceof ReaderError) return 0;
    throw error;
  } finally {
    files.close();
  }
}

Deno.test("rejects an open if another worker meets a damaged strip", () =>
  withPool(async (pool, budget, folder) => {
    const path = join(folder, "damaged.tif");
    const bytes = PLANAR.slice();
    // Before the directory lie less than 400 bytes of its values, before them the strips of the last channel.
    const directory = new DataView(bytes.buffer).getUint32(4, true);
    bytes.fill(0xff, directory - 2000, directory - 400);
    Deno.writeFileSync(path, bytes);
    await rejects(open(pool, budget, path, null), {
      tag: "decode_failed",
      message: /^Cannot read "damaged\.tif": strip \d+ /,
    });
    await until(() => pool.counts.busy === 0);
    equal(budget.used, 0);
  }));
