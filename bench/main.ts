/**
 * Runs the measurements.
 *
 * usage: deno task bench [--json] [--python=PROGRAM] [--tree=FOLDER] [--rounds=N] [PART]...
 *
 *   --python  Python with the readers that `peers` and `codecs` compare with (tifffile, czifile, nd2, liffile, oiffile, oirfile,
 *             zarr, imagecodecs); `python3` by default
 *   --tree    checkout whose server `serving`, `positions`, `memory` and `start` measure, to compare two in turns
 *   --rounds  at most so many rounds, to see whether a part runs
 */
import { type BenchRow, printRows } from "./report.ts";

const PARTS: Readonly<Record<string, () => Promise<{ run(): Promise<BenchRow[]> }>>> = {
  peers: () => import("./peers.ts"),
  codecs: () => import("./codecs.ts"),
  serving: () => import("./serving.ts"),
  positions: () => import("./positions.ts"),
  memory: () => import("./memory.ts"),
  start: () => import("./start.ts"),
  reach: () => import("./reach.ts"),
};

const wanted = Deno.args.filter((argument) => !argument.startsWith("--"));
const unknown = wanted.find((part) => !Object.hasOwn(PARTS, part));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}"; there are ${Object.keys(PARTS).join(", ")}`);
  Deno.exit(2);
}
const rows: BenchRow[] = [];
for (const [name, load] of Object.entries(PARTS)) {
  if (wanted.length === 0 || wanted.includes(name)) rows.push(...await (await load()).run());
}
if (Deno.args.includes("--json")) console.log(JSON.stringify(rows, null, 1));
else printRows(rows);
