/**
 * Every format, from a path to float32 planes, by the workers of a server and by the reader of the format in Python: on the same
 * files, in turns, all of them in the cache of the system. Needs a Python with the readers (`--python=PROGRAM`, by default
 * `python3`); rows whose reader it lacks have no ratio.
 */
import { join } from "node:path";
import { systemClock } from "../session/clock.ts";
import { DecodePool } from "../session/decode_pool.ts";
import { loadAcquisition } from "../session/load_acquisition.ts";
import { MemoryBudget } from "../session/memory_budget.ts";
import { PlaneMemory } from "../session/plane_memory.ts";
import { requestOf } from "../tests/load_here.ts";
import { frames, series as subblocks, zstd1 } from "./czi_bench.ts";
import { CASES as LIF_CASES, write as writeLif } from "./lif_bench.ts";
import { CASES as LSM_CASES } from "./lsm_bench.ts";
import { writeLsm } from "./lsm_samples.ts";
import { CASES as ND2_CASES } from "./nd2_bench.ts";
import { writeNd2 } from "./nd2_samples.ts";
import { series as timeSeries } from "./oif_bench.ts";
import { scan } from "./oir_bench.ts";
import { tiff } from "./open_bench.ts";
import { lineScanFiles } from "./prairie_bench.ts";
import { askPython, besidePeer, openPlane } from "./python_peer.ts";
import type { BenchRow } from "./report.ts";
import { writePages } from "./stack_files.ts";
import { codecs, writeStore } from "./zarr_bench.ts";

/** A worker compiles its code in its first loads: of a thousand images in a LIF file the 100th takes half as long as the 30th. */
const ROUNDS = 120;

/** A file, and who else reads it. */
interface PeerCase {
  readonly group: string;
  readonly name: string;
  /** Writes the file into a folder and gives its path. */
  readonly write: (folder: string) => string | Promise<string>;
  /** The other reader, its script, and what is asked of it beside the path. */
  readonly peer: readonly [name: string, script: string, asked?: object];
  /** Channels that both read; all by default. */
  readonly channels?: readonly number[];
  /** The position of the plane, where it is another than the first. */
  readonly at?: { readonly t?: number; readonly z?: number };
}

const file = (name: string, bytes: () => Uint8Array) => (folder: string) => {
  Deno.writeFileSync(join(folder, name), bytes());
  return join(folder, name);
};

const written = (name: string, write: (path: string) => void) => (folder: string) => {
  write(join(folder, name));
  return join(folder, name);
};

const TIFFFILE = ["tifffile", "tiff_peer.py"] as const;

const TIFF: readonly PeerCase[] = [
  ...(["none", "deflate", "LZW"] as const).map((codec): PeerCase => ({
    ...{ group: "TIFF", peer: TIFFFILE },
    name: `2 x 2048 x 2048, ${codec === "none" ? "raw" : codec}`,
    write: file("a.tif", () => tiff(2048, 2048, codec)),
  })),
  {
    ...{ group: "TIFF", peer: TIFFFILE },
    name: "one channel of 4096 x 4096, deflate",
    write: file("a.tif", () => tiff(4096, 4096, "deflate", { channels: 1 })),
  },
  {
    ...{ group: "TIFF", peer: TIFFFILE },
    name: "a line scan of 2 x 30,000 x 24, raw",
    write: file("a.tif", () => tiff(30_000, 24, "none")),
  },
  {
    group: "TIFF",
    name: "a plane of 200 of 512 x 512, opening the file",
    write: written("a.tif", (path) => writePages(path, { planes: 200, side: 512 })),
    peer: ["tifffile", "tiff_peer.py", { page: 100 }],
    at: { t: 100, z: 0 },
  },
];

const CZIFILE = ["czifile", "czi_peer.py", { axis: "C", index: 0 }] as const;

/** JPEG XR is coded by Python, for which nothing else here has an encoder. */
async function recoded(folder: string): Promise<string> {
  const [raw, path] = [file("raw.czi", () => frames((samples) => samples, 0))(folder), join(folder, "a.czi")];
  await askPython("czi_peer.py", "recode", raw, path);
  return path;
}

const ZEISS: readonly PeerCase[] = [
  ...[
    { name: "raw", write: file("a.czi", () => frames((samples) => samples, 0)) },
    { name: "zstd with byte planes", write: file("a.czi", () => frames(zstd1, 6)) },
    { name: "JPEG XR", write: recoded },
  ].map(({ name, write }): PeerCase => ({
    ...{ group: "CZI", name: `a channel of 2 x 2048 x 2048, ${name}`, write },
    ...{ peer: CZIFILE, channels: [0] },
  })),
  {
    ...{ group: "CZI", name: "a plane of 5,000 subblocks of 64 x 64, opening the file" },
    write: file("a.czi", subblocks),
    peer: ["czifile", "czi_peer.py", { axis: "T", index: 2500 }],
    at: { t: 2500 },
  },
  ...LSM_CASES.map(({ name, shape, t }): PeerCase => ({
    ...{ group: "LSM", name, write: written("a.lsm", (path) => writeLsm(path, shape)) },
    peer: ["tifffile", "tiff_peer.py", { page: t, channel: 0 }],
    ...{ channels: [0], at: { t } },
  })),
];

const OTHERS: readonly PeerCase[] = [
  ...ND2_CASES.map(({ name, shape, z }): PeerCase => ({
    ...{ group: "ND2", name, write: written("a.nd2", (path) => writeNd2(path, shape)) },
    peer: ["nd2", "nd2_peer.py", { channel: 0, frame: z }],
    ...{ channels: [0], at: { z } },
  })),
  ...LIF_CASES.map(({ name, shape, z }): PeerCase => ({
    ...{ group: "LIF", name, write: written("a.lif", (path) => writeLif(path, shape)) },
    peer: ["liffile", "lif_peer.py", { channel: 0, frame: z }],
    ...{ channels: [0], at: { z } },
  })),
  {
    ...{ group: "OIB", name: "a plane of 8 of 1024 x 1024, raw", write: file("a.oib", timeSeries) },
    peer: ["oiffile", "oif_peer.py"],
  },
  {
    ...{ group: "OIR", name: "a line scan of 2 x 30,000 x 24", write: file("a.oir", scan) },
    peer: ["oirfile", "oir_peer.py"],
  },
  {
    ...{ group: "Prairie View", name: "a line scan of 20,000 x 512, raw", peer: TIFFFILE },
    write: (folder) => {
      const { name, files } = lineScanFiles();
      for (const [name, bytes] of Object.entries(files)) Deno.writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    },
  },
];

const ZARR_CODECS = [
  "raw",
  "gzip",
  "zstd",
  "blosc lz4, shuffle",
  "blosc zstd, shuffle",
  "shards of 64 x 64, zstd",
];

async function zarr(): Promise<PeerCase[]> {
  return (await codecs()).filter(({ name }) => ZARR_CODECS.includes(name)).map((codec): PeerCase => ({
    ...{ group: "OME-Zarr", name: `2048 x 2048 in chunks of 512 x 512, ${codec.name}` },
    write: async (folder) => {
      await writeStore(join(folder, "a.zarr"), codec);
      return join(folder, "a.zarr");
    },
    peer: ["zarr-python", "zarr_peer.py"],
  }));
}

/** Opens files as the server does. */
class Opener {
  readonly pool = new DecodePool(systemClock, new MemoryBudget(0));
  readonly #memory = new PlaneMemory(systemClock);

  /** Decodes the first plane of some channels, and gives its memory back as a session does that ends. */
  async open(path: string, channels: readonly number[] | null): Promise<void> {
    const resources = { pool: this.pool, budget: new MemoryBudget(2 ** 40), memory: this.#memory };
    const request = requestOf(path, { channelIndices: channels });
    const { planes } = await loadAcquisition(path, request, resources, new AbortController().signal);
    for (const { buffer, byteLength } of planes.flat()) this.#memory.give(buffer.transfer(), byteLength);
  }
}

/** Runs all rows. */
export async function run(): Promise<BenchRow[]> {
  const opener = new Opener();
  const rows: BenchRow[] = [];
  try {
    for (
      const { group, name, write, peer, channels, at } of [...TIFF, ...await zarr(), ...ZEISS, ...OTHERS]
    ) {
      const folder = Deno.realPathSync(Deno.makeTempDirSync());
      try {
        // Deep enough that the search for a collection among the ancestors of a store stays inside.
        const inside = join(folder, "a/b/c/d/e/f");
        Deno.mkdirSync(inside, { recursive: true });
        const path = await write(inside);
        const [reader, script, asked] = peer;
        const isFirst = Object.values(at ?? {}).every((index) => index === 0);
        const work = () => isFirst ? opener.open(path, channels ?? null) : openPlane(path, at ?? {});
        const compared = await besidePeer(ROUNDS, work, { name: reader, script, asked: { path, ...asked } });
        rows.push({ group, name, ...compared });
      } finally {
        Deno.removeSync(folder, { recursive: true });
      }
    }
  } finally {
    opener.pool.close();
  }
  return rows;
}
