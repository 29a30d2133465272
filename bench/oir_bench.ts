/** Line scan of an Olympus OIR file: opening it against reading as many bytes and converting them once. */
import * as fs from "node:fs";
import { join } from "node:path";
import { lineScan, loadPath, ramp, withFiles } from "../tests/fixtures/oir_files.ts";
import { writeOir } from "../tests/fixtures/oir_writer.ts";
import { type BenchRow, best } from "./report.ts";

const [LINES, COLUMNS] = [30_000, 24];

/** A line scan of two channels. */
export function scan(): Uint8Array {
  const samples = LINES * COLUMNS;
  const { reference: _reference, ...scan } = lineScan(LINES, {
    width: COLUMNS,
    frames: [{ axes: "t001", planes: [ramp(samples, 0), ramp(samples, 7)] }],
    stripBytes: 11_264,
  });
  return writeOir(scan);
}

/** Runs the benchmark. */
export function run(): Promise<BenchRow[]> {
  const samples = LINES * COLUMNS;
  return withFiles({ "scan.oir": scan() }, async (folder) => {
    const path = join(folder, "scan.oir");
    const floor = await best(5, () => {
      const stored = fs.readFileSync(path);
      for (const at of [0, 2 * samples]) {
        new Float32Array(samples).set(new Uint16Array(stored.buffer, stored.byteOffset + at, samples));
      }
    });
    const open = await best(5, () => loadPath(path));
    return [
      { group: "oir", name: `read and convert ${2 * samples} samples`, milliseconds: floor, ratios: {} },
      {
        group: "oir",
        name: `open a line scan of 2 x ${LINES} x ${COLUMNS}`,
        milliseconds: open,
        ratios: { "to reading and converting": open / floor },
      },
    ];
  });
}
