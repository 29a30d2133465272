/**
 * One channel of a plane of an LSM file, from opening to float32: to reading and converting as many bytes, and to tifffile
 * where a Python with it is at hand (`--python=PROGRAM`, `python3` by default).
 */
import { join } from "node:path";
import { type LsmShape, writeLsm } from "./lsm_samples.ts";
import { besidePeer, openPlane } from "./python_peer.ts";
import { type BenchRow, best } from "./report.ts";

const LARGE = { side: 2048, channels: 2, planes: 1 };

/** What is timed: which plane of which file. */
export const CASES: readonly { readonly name: string; readonly shape: LsmShape; readonly t: number }[] = [
  { name: "a channel of 2 x 2048 x 2048, raw", shape: { ...LARGE, compressed: false }, t: 0 },
  { name: "a channel of 2 x 2048 x 2048, LZW", shape: { ...LARGE, compressed: true }, t: 0 },
  {
    name: "a plane of 5,000 of 64 x 64, opening the file",
    shape: { side: 64, channels: 1, planes: 5000, compressed: false },
    t: 4321,
  },
];

/** Runs all rows. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir();
  const rows: BenchRow[] = [];
  try {
    for (const { name, shape, t } of CASES) {
      const path = join(folder, "scan.lsm");
      writeLsm(path, shape);
      const bytes = new Uint8Array(2 * shape.side ** 2).fill(7);
      const plane = join(folder, "plane");
      Deno.writeFileSync(plane, bytes);
      const floor = await best(5, () => {
        const read = Deno.readFileSync(plane);
        new Float32Array(shape.side ** 2).set(new Uint16Array(read.buffer, 0, shape.side ** 2));
      });
      const peer = { name: "tifffile", script: "tiff_peer.py", asked: { path, channel: 0, page: t } };
      const { milliseconds, ratios } = await besidePeer(5, () => openPlane(path, { t }), peer);
      rows.push({
        ...{ group: "LSM", name, milliseconds },
        ratios: { "to reading and converting": milliseconds / floor, ...ratios },
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return rows;
}

if (import.meta.main) {
  const { printRows } = await import("./report.ts");
  printRows(await run());
}
