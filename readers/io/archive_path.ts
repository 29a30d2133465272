/** Paths that lead into a file: `/data/plate.ome.zarr.zip/B/03/0` is a group of the store in a ZIP file. */
import { dirname } from "node:path";
import type { FileAccess } from "./random_access.ts";

/** The file that a path leads into, or `null` for a path that exists itself or leads nowhere. */
export function archiveOf(path: string, files: FileAccess): string | null {
  let at = path;
  while (files.kind(at) === null && dirname(at) !== at) at = dirname(at);
  return at !== path && files.kind(at) === "file" ? at : null;
}
