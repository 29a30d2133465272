/** A series of an Olympus OIB: opening a plane against reading its bytes, and against oiffile where a Python has it. */
import * as fs from "node:fs";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { writeCompound } from "../tests/fixtures/compound_writer.ts";
import { withFiles } from "../tests/fixtures/oir_files.ts";
import { tiffBytes } from "../tests/fixtures/tiff_writer.ts";
import { loadHere } from "../tests/load_here.ts";
import { besidePeer } from "./python_peer.ts";
import { type BenchRow, best } from "./report.ts";

const [SIDE, TIMES] = [1024, 8];

/** An OIB of several time points. */
export function series(): Uint8Array {
  const text = (lines: string[]) => Buffer.from("\ufeff" + lines.join("\r\n") + "\r\n", "utf16le");
  const layout = {
    littleEndian: true,
    bigTiff: false,
    width: SIDE,
    height: SIDE,
    samples: 1,
    bits: 16,
  } as const;
  const rest = {
    kind: "uint",
    planar: false,
    rowsPerStrip: 128,
    tile: null,
    predictor: 1,
    codec: "none",
    fillOrder: 1,
  } as const;
  const plane = tiffBytes({ ...layout, ...rest }, (x, y) => BigInt((x * y) & 4095), 1);
  const names = Array.from({ length: TIMES }, (_, t) => `Stream0000${t + 1}`);
  const axes = [["X", SIDE], ["Y", SIDE], ["C", 1], ["Z", 0], ["T", TIMES], ["A", 0], ["L", 0], ["P", 0]];
  const sections = axes.flatMap((
    [code, size],
    n,
  ) => [`[Axis ${n} Parameters Common]`, `AxisCode="${code}"`, `MaxSize=${size}`]);
  return writeCompound({
    "OibInfo.txt": text([
      "[OibSaveInfo]",
      "MainFileName=Stream00009",
      "Stream00009=a.oif",
      "Name=a",
      "Version=2",
      "Compression=None",
      ...names.map((name, t) => `${name}=Storage00001/s_C001T00${t + 1}.tif`),
    ]),
    Stream00009: text(["[Axis Parameter Common]", 'AxisOrder="XYCT"', ...sections]),
    ...Object.fromEntries(names.map((name) => [name, plane])),
  }, 4).bytes;
}

/** Runs the benchmark. */
export function run(): Promise<BenchRow[]> {
  return withFiles({ "a.oib": series() }, async (folder) => {
    const path = join(folder, "a.oib");
    const bytes = 2 * SIDE * SIDE;
    const floor = await best(5, () => {
      const stored = Buffer.alloc(bytes);
      const file = fs.openSync(path, "r");
      fs.readSync(file, stored, 0, bytes, 4096);
      fs.closeSync(file);
      new Float32Array(SIDE * SIDE).set(new Uint16Array(stored.buffer, stored.byteOffset, SIDE * SIDE));
    });
    const peer = { name: "oiffile", script: "oif_peer.py", asked: { path } };
    const open = await besidePeer(5, () => loadHere(path), peer);
    return [
      { group: "oif", name: `read and convert ${SIDE} x ${SIDE}`, milliseconds: floor, ratios: {} },
      {
        group: "oif",
        name: `open an OIB of ${TIMES} x ${SIDE} x ${SIDE}, one plane`,
        milliseconds: open.milliseconds,
        ratios: { "to reading and converting": open.milliseconds / floor, ...open.ratios },
      },
    ];
  });
}
