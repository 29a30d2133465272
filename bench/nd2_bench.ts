/**
 * One channel of a frame of an ND2 file, from opening to float32: to reading and converting as many bytes, and to the package nd2
 * where a Python with it is at hand (`--python=PROGRAM`, `python3` by default).
 */
import { join } from "node:path";
import { type Nd2Shape, writeNd2 } from "./nd2_samples.ts";
import { besidePeer, openPlane } from "./python_peer.ts";
import { type BenchRow, best } from "./report.ts";

const LARGE = { side: 2048, channels: 2, frames: 1 };

/** What is timed: which frame of which file. */
export const CASES: readonly { readonly name: string; readonly shape: Nd2Shape; readonly z: number }[] = [
  { name: "a channel of 2 x 2048 x 2048, raw", shape: { ...LARGE, zlib: false }, z: 0 },
  { name: "a channel of 2 x 2048 x 2048, zlib", shape: { ...LARGE, zlib: true }, z: 0 },
  {
    name: "a plane of 5,000 of 64 x 64, opening the file",
    shape: { side: 64, channels: 1, frames: 5000, zlib: false },
    z: 4321,
  },
];

/** Runs all rows. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir();
  const rows: BenchRow[] = [];
  try {
    for (const { name, shape, z } of CASES) {
      const path = join(folder, "frames.nd2");
      writeNd2(path, shape);
      // Channels are interleaved, so that one of them costs the bytes of all.
      const { side, channels } = shape;
      const plane = join(folder, "plane");
      Deno.writeFileSync(plane, new Uint8Array(2 * channels * side ** 2).fill(7));
      const floor = await best(5, () => {
        const words = new Uint16Array(Deno.readFileSync(plane).buffer, 0, channels * side ** 2);
        const samples = new Float32Array(side ** 2);
        for (let i = 0, at = 0; i < samples.length; i += 1, at += channels) samples[i] = words[at]!;
      });
      const peer = { name: "nd2", script: "nd2_peer.py", asked: { path, channel: 0, frame: z } };
      const { milliseconds, ratios } = await besidePeer(5, () => openPlane(path, { z }), peer);
      rows.push({
        ...{ group: "ND2", name, milliseconds },
        ratios: { "to reading and converting": milliseconds / floor, ...ratios },
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return rows;
}
