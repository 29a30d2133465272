/** Scans of Prairie View: a line scan against reading its bytes, and a series of thousands of files. */
import * as fs from "node:fs";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { withFiles } from "../tests/fixtures/oir_files.ts";
import { tiffBytes } from "../tests/fixtures/tiff_writer.ts";
import { loadHere } from "../tests/load_here.ts";
import { type BenchRow, best } from "./report.ts";

const [LINES, COLUMNS, FRAMES, SIDE] = [20_000, 512, 4000, 64];

const PLAIN = {
  littleEndian: true,
  bigTiff: false,
  samples: 1,
  bits: 16,
  kind: "uint",
  planar: false,
  rowsPerStrip: 8,
  tile: null,
  predictor: 1,
  codec: "none",
  fillOrder: 1,
} as const;

const image = (width: number, height: number) =>
  tiffBytes({ ...PLAIN, width, height }, (x, y) => BigInt((x * y) & 4095), 1);

const setting = (key: string, value: number) => `<PVStateValue key="${key}" value="${value}"/>`;

function scan(type: string, frames: readonly string[], settings: string): Uint8Array {
  const inner = frames.map((name, n) =>
    `<Frame relativeTime="${n / 10}" absoluteTime="${n / 10}" index="${
      n + 1
    }"><File channel="1" channelName="Ch1" ` +
    `filename="${name}"/><PVStateShard/></Frame>`
  ).join("");
  return Buffer.from(
    `<PVScan version="5.6" date="1/2/2020 1:02:03 AM"><PVStateShard>${settings}</PVStateShard>` +
      `<Sequence type="${type}" cycle="1" time="01:02:03">${inner}</Sequence></PVScan>`,
  );
}

const names = (count: number) =>
  Array.from({ length: count }, (_, n) => `a_Cycle00001_Ch1_${String(n + 1).padStart(6, "0")}.ome.tif`);

/** The name of the image of a line scan, and all files of it. */
export function lineScanFiles(): { readonly name: string; readonly files: Record<string, Uint8Array> } {
  const [name = ""] = names(1);
  const files = {
    "a.xml": scan("Linescan", [name], setting("scanLinePeriod", 0.001)),
    [name]: image(COLUMNS, LINES),
  };
  return { name, files };
}

async function lineScan(): Promise<BenchRow[]> {
  const { name, files } = lineScanFiles();
  return await withFiles(files, async (folder) => {
    const size = LINES * COLUMNS;
    const floor = await best(5, () => {
      const stored = Buffer.alloc(2 * size);
      const file = fs.openSync(join(folder, name), "r");
      fs.readSync(file, stored, 0, 2 * size, 8);
      fs.closeSync(file);
      new Float32Array(size).set(new Uint16Array(stored.buffer, stored.byteOffset, size));
    });
    const open = await best(5, () => loadHere(join(folder, name)));
    return [
      { group: "prairie", name: `read and convert ${LINES} x ${COLUMNS}`, milliseconds: floor, ratios: {} },
      {
        group: "prairie",
        name: `open a line scan of ${LINES} x ${COLUMNS}`,
        milliseconds: open,
        ratios: { "to reading and converting": open / floor },
      },
    ];
  });
}

async function series(): Promise<BenchRow[]> {
  const frame = image(SIDE, SIDE);
  const all = names(FRAMES);
  const files = {
    "a.xml": scan("TSeries Timed Element", all, setting("framePeriod", 0.1)),
    ...Object.fromEntries(all.map((name) => [name, frame])),
  };
  return await withFiles(files, async (folder) => {
    const open = await best(5, () => loadHere(join(folder, all[FRAMES - 1] ?? "")));
    const name = `open a series of ${FRAMES} files`;
    return [{ group: "prairie", name, milliseconds: open, ratios: {} }];
  });
}

/** Runs the benchmark. */
export async function run(): Promise<BenchRow[]> {
  return [...await lineScan(), ...await series()];
}
