/**
 * Runs the measurements.
 *
 * usage: deno task bench [--json] [--python=PROGRAM] [PART]...
 *
 * The Python, where it has the reader of a format (tifffile, czifile, nd2, liffile, oiffile, oirfile, zarr), reads the same planes.
 */
import { type BenchRow, printRows } from "./report.ts";

const PARTS: Readonly<Record<string, () => Promise<{ run(): Promise<BenchRow[]> }>>> = {
  serving: () => import("./serving_bench.ts"),
  open: () => import("./open_bench.ts"),
  growth: () => import("./growth_bench.ts"),
  server: () => import("./server_bench.ts"),
  peers: () => import("./peers_bench.ts"),
  codecs: () => import("./codecs_bench.ts"),
  tiff: () => import("./tiff_bench.ts"),
  lsm: () => import("./lsm_bench.ts"),
  zarr: () => import("./zarr_bench.ts"),
  oir: () => import("./oir_bench.ts"),
  oif: () => import("./oif_bench.ts"),
  czi: () => import("./czi_bench.ts"),
  nd2: () => import("./nd2_bench.ts"),
  prairie: () => import("./prairie_bench.ts"),
  lif: () => import("./lif_bench.ts"),
  positions: () => import("./positions_bench.ts"),
  viewer: () => import("./viewer_bench.ts"),
  clients: () => import("./clients_bench.ts"),
};

const wanted = Deno.args.filter((argument) => !argument.startsWith("--"));
const unknown = wanted.find((part) => !Object.hasOwn(PARTS, part));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}"; there are ${Object.keys(PARTS).join(", ")}`);
  Deno.exit(2);
}
const rows: BenchRow[] = [];
for (const [name, load] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  rows.push(...await (await load()).run());
}
if (Deno.args.includes("--json")) console.log(JSON.stringify(rows, null, 1));
else printRows(rows);
