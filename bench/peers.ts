/**
 * Every format, from a path to float32 planes, by the workers of a server and by the reader of the format in Python: on the same
 * files, in turns, all of them in the cache of the system. Rows whose reader is not installed have no ratio.
 */
import { Engine, loadPlane } from "./engine.ts";
import { PythonPeer } from "./python.ts";
import type { BenchRow } from "./report.ts";
import { SAMPLES } from "./samples.ts";
import { withFolder } from "./setting.ts";
import { comparedTo, inTurns, timed } from "./timing.ts";

/** A worker compiles its code in its first loads: of a thousand images in a LIF file the 100th takes half as long as the 30th. */
const ROUNDS = 120;

/** Formats of whose planes the other reader reads one channel. */
const ONE_CHANNEL = new Set(["CZI", "LSM", "ND2", "LIF"]);

/** Measures all samples. */
export async function run(): Promise<BenchRow[]> {
  using engine = new Engine();
  const rows: BenchRow[] = [];
  for (const [group, name, write, peer, at] of SAMPLES) {
    await withFolder(async (folder) => {
      const path = await write(folder);
      if (path === null) return console.error(`Left out: ${group}, ${name}; Python cannot write it`);
      await using python = new PythonPeer("peers.py");
      const channels = ONE_CHANNEL.has(group) ? [0] : null;
      const { ours, theirs } = await inTurns(ROUNDS, {
        ours: () => timed(() => at ? loadPlane(path, at) : engine.load(path, channels)),
        theirs: () => python.times({ path, ...peer }),
      });
      const ratios = comparedTo(peer.do, ours, theirs);
      rows.push({ group, name, milliseconds: ours.least.clock, ratios });
    });
  }
  return rows;
}
