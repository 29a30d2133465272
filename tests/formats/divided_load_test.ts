import { deepEqual, equal, rejects } from "node:assert/strict";
import { join } from "node:path";
import { systemClock } from "../../session/clock.ts";
import { DecodePool } from "../../session/decode_pool.ts";
import { loadAcquisition } from "../../session/load_acquisition.ts";
import { MemoryBudget } from "../../session/memory_budget.ts";
import { PlaneMemory } from "../../session/plane_memory.ts";
import { tiffBytes, type TiffLayout } from "../fixtures/tiff_writer.ts";
import { requestOf } from "../load_here.ts";

const LAYOUT: TiffLayout = {
  littleEndian: true,
  bigTiff: false,
  width: 2048,
  height: 700,
  samples: 3,
  bits: 16,
  kind: "uint",
  planar: true,
  rowsPerStrip: 100,
  tile: null,
  predictor: 1,
  codec: "deflate",
  fillOrder: 1,
};

/** Differs in every plane, row and column. */
const value = (x: number, y: number, sample: number) => (x + 3 * y + 1000 * sample) % 65536;

async function withPool(run: (pool: DecodePool, budget: MemoryBudget, folder: string) => Promise<void>) {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  // Three parts at most, and one worker that stays free.
  const pool = new DecodePool(systemClock, undefined, 4);
  try {
    await run(pool, new MemoryBudget(1 << 30), folder);
  } finally {
    pool.close();
    Deno.removeSync(folder, { recursive: true });
  }
}

const open = (pool: DecodePool, budget: MemoryBudget, path: string, channelIndices: number[] | null) =>
  loadAcquisition(
    requestOf(path, { channelIndices }),
    { pool, budget, memory: new PlaneMemory(systemClock) },
    new AbortController().signal,
  );

Deno.test("channels that several workers decode are the channels that were asked for, in that order", () =>
  withPool(async (pool, budget, folder) => {
    const path = join(folder, "planar.tif");
    Deno.writeFileSync(path, tiffBytes(LAYOUT, (x, y, sample) => BigInt(value(x, y, sample))));
    const { planes, summary, reservation } = await open(pool, budget, path, [2, 0, 1]);
    equal(pool.counts.idle + pool.counts.busy, 3);
    deepEqual(summary.loaded.map(({ index }) => index), [2, 0, 1]);
    equal(reservation.bytes, 3 * 4 * 2048 * 700);
    for (const [i, sample] of [2, 0, 1].entries()) {
      const wrong = planes[i]!.findIndex((found, at) =>
        found !== value(at % 2048, Math.floor(at / 2048), sample)
      );
      equal(wrong, -1, `channel ${sample}`);
    }
  }));

Deno.test("a damaged strip of a channel that another worker decodes refuses the open", () =>
  withPool(async (pool, budget, folder) => {
    const path = join(folder, "damaged.tif");
    const bytes = tiffBytes(LAYOUT, (x, y, sample) => BigInt(value(x, y, sample)));
    // Before the directory lie less than 400 bytes of its values, before them the strips of the last channel.
    const directory = new DataView(bytes.buffer).getUint32(4, true);
    bytes.fill(0xff, directory - 2000, directory - 400);
    Deno.writeFileSync(path, bytes);
    await rejects(open(pool, budget, path, null), {
      tag: "DecodeFailed",
      message: /^Cannot read "damaged\.tif": strip \d+ /,
    });
    while (pool.counts.busy > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    equal(budget.used, 0);
  }));
