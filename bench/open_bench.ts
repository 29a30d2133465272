/**
 * Opening files, against reading the same bytes and converting as many samples to float32 once. Both sides allocate
 * fresh planes in each round, as an open must.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { FileAccess, RandomAccessFile } from "../readers/random_access.ts";
import { systemClock } from "../session/clock.ts";
import { DecodePool } from "../session/decode_pool.ts";
import { loadAcquisition } from "../session/load_acquisition.ts";
import { MemoryBudget } from "../session/memory_budget.ts";
import { PlaneMemory } from "../session/plane_memory.ts";
import { lineScan } from "../tests/fixtures/oir_files.ts";
import { writeOir } from "../tests/fixtures/oir_writer.ts";
import { lzw, type TiffLayout, tiffOf } from "../tests/fixtures/tiff_writer.ts";
import { planLoad, requestOf } from "../tests/load_here.ts";
import type { BenchRow } from "./report.ts";
import { writeChunks } from "./chunked_store.ts";

const ROUNDS = 25;

/** Of small files, whose code takes longer to be compiled than to run. */
const SMALL_ROUNDS = 300;

/** Small files are opened so often in a row: a thread that waits meanwhile has lost its part of the caches of the processor. */
const SMALL_RUN = 25;

/** Stored bytes of a small one. */
const SMALL = 4 << 20;
const READ_STEP = 1 << 20;

/** A smooth picture with noise in the lowest bits, as a camera gives. */
function picture(rows: number, columns: number, base: number): Uint16Array<ArrayBuffer> {
  const samples = new Uint16Array(rows * columns);
  let state = 1 + base;
  for (let i = 0; i < samples.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    samples[i] = base + 900 + 800 * Math.sin(i % columns / 90) * Math.cos(i / columns / 70) + (state >>> 28);
  }
  return samples;
}

/** A little-endian TIFF of two planar samples, or of pages that share one plane. */
export function tiff(
  rows: number,
  columns: number,
  codec: "none" | "deflate" | "LZW",
  { channels = 2, pages = 1, description = "" } = {},
): Uint8Array {
  const layout: TiffLayout = {
    littleEndian: true,
    bigTiff: false,
    width: columns,
    height: rows,
    samples: channels,
    bits: 16,
    kind: "uint",
    planar: channels > 1,
    rowsPerStrip: 64,
    tile: null,
    predictor: 1,
    codec,
    fillOrder: 1,
  };
  const compress = {
    none: (bytes: Uint8Array) => bytes,
    deflate: deflateSync,
    LZW: (bytes: Uint8Array) => lzw(bytes),
  }[codec];
  const strips = Array.from({ length: channels }, (_, c) => {
    const bytes = new Uint8Array(picture(rows, columns, c).buffer);
    const length = 64 * columns * 2;
    return Array.from(
      { length: Math.ceil(rows / 64) },
      (_, i) => compress(bytes.subarray(i * length, (i + 1) * length)),
    );
  }).flat();
  return tiffOf(layout, new Array(pages).fill(strips), description === "" ? [] : [[270, 2, description]]);
}

/** An ImageJ stack of square planes, whose pages share the samples of one. */
export function stack(side: number, pages: number): Uint8Array {
  const description = `ImageJ=1.54f\nimages=${pages}\nslices=${pages}\n`;
  return tiff(side, side, "none", { channels: 1, pages, description });
}

interface Case {
  readonly name: string;
  readonly write: (path: string) => void | Promise<void>;
  /** Samples of all planes that are opened. */
  readonly samples: number;
  /** Stored bytes of those planes. */
  readonly bytes: (path: string) => number;
}

const file = (bytes: () => Uint8Array) => (path: string) => Deno.writeFileSync(path, bytes());
const wholeFile = (path: string) => Deno.statSync(path).size;

const SCAN = 30_000 * 24;

const CASES: readonly (readonly [fileName: string, Case])[] = [
  ...(["none", "deflate", "LZW"] as const).map((codec): readonly [string, Case] => [`${codec}.tif`, {
    name: `TIFF, 2 x 2048 x 2048, ${codec === "none" ? "raw" : codec}`,
    write: file(() => tiff(2048, 2048, codec)),
    samples: 2 * 2048 * 2048,
    bytes: wholeFile,
  }]),
  ["one.tif", {
    name: "TIFF, one channel of 4096 x 4096, deflate",
    write: file(() => tiff(4096, 4096, "deflate", { channels: 1 })),
    samples: 4096 * 4096,
    bytes: wholeFile,
  }],
  ["scan.tif", {
    name: "TIFF line scan, 2 x 30000 x 24, raw",
    write: file(() => tiff(30_000, 24, "none")),
    samples: 2 * SCAN,
    bytes: wholeFile,
  }],
  ["stack.tif", {
    name: "TIFF, one 512 x 512 plane of 1000",
    write: file(() => stack(512, 1000)),
    samples: 512 * 512,
    bytes: () => 2 * 512 * 512,
  }],
  ["chunks.ome.zarr", {
    name: "OME-Zarr, 2048 x 2048 in raw chunks of 512 x 512",
    write: (path) => writeChunks(path, { side: 2048, chunk: 512, channels: 1 }),
    samples: 2048 * 2048,
    bytes: () => 2 * 2048 * 2048,
  }],
  ["scan.oir", {
    name: "OIR line scan, 2 x 30000 x 24",
    write: file(() => {
      const { reference: _reference, ...scan } = lineScan(30_000, {
        width: 24,
        frames: [{ axes: "t001", planes: [picture(30_000, 24, 0), picture(30_000, 24, 5)] }],
        stripBytes: 11_264,
      });
      return writeOir(scan);
    }),
    samples: 2 * SCAN,
    bytes: () => 4 * SCAN,
  }],
];

/** Milliseconds that reads have taken; every read of a reader goes through one method. */
const reading = { milliseconds: 0 };

function timeReads(): () => void {
  const { readInto } = RandomAccessFile.prototype;
  RandomAccessFile.prototype.readInto = function (...args) {
    const start = performance.now();
    readInto.apply(this, args);
    reading.milliseconds += performance.now() - start;
  };
  return () => {
    RandomAccessFile.prototype.readInto = readInto;
  };
}

interface Stages {
  readonly parse: number;
  readonly read: number;
  readonly decode: number;
}

/** One load in this thread, in stages; decoding and converting are one pass in most readers. */
async function load(path: string): Promise<Stages> {
  const files = new FileAccess();
  reading.milliseconds = 0;
  const start = performance.now();
  const { decode } = await planLoad(requestOf(path), files);
  const planned = performance.now();
  const parseReads = reading.milliseconds;
  await decode();
  const end = performance.now();
  files.close();
  const read = reading.milliseconds - parseReads;
  return { parse: planned - start, read, decode: end - planned - read };
}

/** Reads bytes through one scratch buffer, then converts as many samples into fresh planes. */
function readAndConvert(path: string, bytes: number, samples: number): number {
  const stored = Deno.statSync(path).isDirectory ? `${path}.bytes` : path;
  const start = performance.now();
  const fd = fs.openSync(stored, "r");
  const scratch = new Uint16Array(READ_STEP / 2);
  const view = new Uint8Array(scratch.buffer);
  for (let at = 0; at < bytes;) at += fs.readSync(fd, view, 0, Math.min(READ_STEP, bytes - at), at);
  fs.closeSync(fd);
  const plane = new Float32Array(samples);
  for (let at = 0; at < samples; at += scratch.length) {
    plane.set(scratch.subarray(0, Math.min(scratch.length, samples - at)), at);
  }
  return performance.now() - start;
}

const memory = new PlaneMemory(systemClock);

/** Opens through a warm worker, as the server does. */
async function open(pool: DecodePool, path: string): Promise<number> {
  const budget = new MemoryBudget(2 ** 40);
  const start = performance.now();
  const { signal } = new AbortController();
  const { planes } = await loadAcquisition(path, requestOf(path), { pool, budget, memory }, signal);
  const milliseconds = performance.now() - start;
  for (const { buffer, byteLength } of planes.flat()) memory.give(buffer.transfer(), byteLength);
  return milliseconds;
}

/** Files that are also opened by two workers. */
const DIVIDED = new Set(["deflate.tif", "LZW.tif", "one.tif"]);

/** Measures all cases. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "acq_bench_" }));
  const pool = new DecodePool(systemClock, new MemoryBudget(0), undefined, 1);
  const two = new DecodePool(systemClock, new MemoryBudget(0), undefined, 3);
  const restore = timeReads();
  const rows: BenchRow[] = [];
  try {
    for (const [fileName, { name, write, samples, bytes }] of CASES) {
      // Deep enough that the search for a collection among the ancestors of a store stays inside.
      const inside = join(folder, "a/b/c/d/e/f");
      await Deno.mkdir(inside, { recursive: true });
      const path = join(inside, fileName);
      await write(path);
      const stored = bytes(path);
      if (Deno.statSync(path).isDirectory) Deno.writeFileSync(`${path}.bytes`, new Uint8Array(stored));
      let [floor, opened, divided] = [Infinity, Infinity, Infinity];
      let best: Stages = { parse: Infinity, read: 0, decode: 0 };
      const total = ({ parse, read, decode }: Stages) => parse + read + decode;
      const [rounds, run] = stored < SMALL ? [SMALL_ROUNDS, SMALL_RUN] : [ROUNDS, 1];
      for (let round = 0; round < rounds; round += run) {
        for (let i = 0; i < run; i += 1) floor = Math.min(floor, readAndConvert(path, stored, samples));
        for (let i = 0; i < run; i += 1) {
          const stages = await load(path);
          if (total(stages) < total(best)) best = stages;
        }
        for (let i = 0; i < run; i += 1) opened = Math.min(opened, await open(pool, path));
        if (!DIVIDED.has(fileName)) continue;
        for (let i = 0; i < run; i += 1) divided = Math.min(divided, await open(two, path));
      }
      rows.push({
        group: "opening",
        name,
        milliseconds: opened,
        ratios: {
          "to reading and converting": opened / floor,
          "ms parse": best.parse,
          "ms read": best.read,
          "ms decode and convert": best.decode,
          "ms worker and transfer": opened - total(best),
        },
      });
      if (!DIVIDED.has(fileName)) continue;
      rows.push({
        group: "opening",
        name: "the same, divided among two workers",
        milliseconds: divided,
        ratios: { "to one worker": divided / opened },
      });
    }
  } finally {
    restore();
    pool.close();
    two.close();
    await Deno.remove(folder, { recursive: true });
  }
  return rows;
}
