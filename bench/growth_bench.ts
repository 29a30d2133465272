/** How the time to open one channel grows: with what is asked for, not with what the file holds. */
import { join } from "node:path";
import { loadHere } from "../tests/load_here.ts";
import { writeChunks } from "./chunked_store.ts";
import { stack, tiff } from "./open_bench.ts";
import { type BenchRow, best } from "./report.ts";

const ROUNDS = 5;

interface Growth {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly extension: string;
  write(path: string, size: number): void;
  /** Channels that are opened; the first by default. */
  readonly channels?: (size: number) => number[];
}

const GROWTHS: readonly Growth[] = [
  {
    name: "pages of a TIFF stack, one opened",
    sizes: [10, 100, 1000],
    extension: ".tif",
    write: (path, pages) => Deno.writeFileSync(path, stack(256, pages)),
  },
  {
    name: "channels of an OME-Zarr image, one opened",
    sizes: [1, 8, 64],
    extension: ".ome.zarr",
    write: (path, channels) => writeChunks(path, { side: 256, chunk: 128, channels }),
  },
  {
    name: "channels of an OME-Zarr image, all opened",
    sizes: [1, 8, 64],
    extension: ".ome.zarr",
    write: (path, channels) => writeChunks(path, { side: 256, chunk: 128, channels }),
    channels: (channels) => Array.from({ length: channels }, (_, i) => i),
  },
  {
    name: "chunks of one plane of 1024 x 1024, all needed",
    sizes: [1, 16, 256, 4096],
    extension: ".ome.zarr",
    write: (path, chunks) => writeChunks(path, { side: 1024, chunk: 1024 / Math.sqrt(chunks), channels: 1 }),
  },
  {
    name: "MiB behind the opened page",
    sizes: [1, 16, 256],
    extension: ".tif",
    write: (path, mebibytes) => {
      Deno.writeFileSync(path, tiff(256, 256, "none", { channels: 1 }));
      Deno.truncateSync(path, mebibytes << 20);
    },
  },
];

/** Measures all growths. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "acq_bench_" }));
  const rows: BenchRow[] = [];
  try {
    for (const { name, sizes, extension, write, channels } of GROWTHS) {
      let least = NaN;
      for (const size of sizes) {
        // Deep enough that the search for a collection among the ancestors of a store stays inside.
        const inside = join(folder, "a/b/c/d/e/f");
        Deno.mkdirSync(inside, { recursive: true });
        const path = join(inside, `${rows.length}${extension}`);
        write(path, size);
        let bytes = 0;
        const milliseconds = await best(ROUNDS, async () => {
          const { counts } = await loadHere(path, { channelIndices: channels?.(size) ?? [0] });
          bytes = counts.bytes;
        });
        if (size === sizes[0]) least = milliseconds;
        rows.push({
          group: `growth with ${name}`,
          name: String(size),
          milliseconds,
          ratios: { [`to ${sizes[0]}`]: milliseconds / least, "KiB read": bytes / 1024 },
        });
        Deno.removeSync(path, { recursive: true });
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return rows;
}
