/** Work that the page kept and saved, as a guard of later changes: its recordings and its tables. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentOf } from "./saved_table.ts";
import { measuredStack } from "./measured_stack.ts";
import type { Viewer } from "./viewer.ts";

/** A line scan, and a kymograph of a time series. */
export const WORKS = ["scan", "kymograph"] as const;
export type Work = typeof WORKS[number];

/** A page may save ten files before Chromium asks, and each table has two. */
const TABLES: Readonly<Record<Work, readonly string[]>> = {
  scan: ["traces", "velocity", "events", "lines", "cursors"],
  kymograph: ["traces", "lines"],
};

/** Writes the two recordings into a folder; answers their paths. */
export function storedFiles(folder: string): Record<Work, string> {
  const files = { scan: join(folder, "scan.oir"), kymograph: join(folder, "spot.ome.tif") };
  Deno.copyFileSync(fileURLToPath(new URL("../../examples/line_scan.oir", import.meta.url)), files.scan);
  Deno.writeFileSync(files.kymograph, measuredStack());
  return files;
}

/** The tables of a work, without name and path of the file. */
export async function tablesOf(
  viewer: Viewer,
  work: Work,
): Promise<Record<string, ReturnType<typeof contentOf>>> {
  const tables: Record<string, ReturnType<typeof contentOf>> = {};
  for (const name of TABLES[work]) {
    tables[name] = contentOf(await viewer.table(`#csv-${name}`));
  }
  return tables;
}
