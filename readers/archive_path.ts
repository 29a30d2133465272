/** Paths that lead into a file: `/data/plate.ome.zarr.zip/B/03/0` is a group of the store in a ZIP file. */
import { dirname } from "node:path";
import type { FileAccess } from "./random_access.ts";
import { extensionOf, FORMATS } from "./registry.ts";

/** True for the name of a file that may hold a Zarr hierarchy. */
export function mayHoldStore(path: string): boolean {
  const extension = extensionOf(path);
  return extension !== null &&
    FORMATS.some(({ name, extensions }) => name.startsWith("ome.zarr") && extensions.includes(extension));
}

/** The file that a path leads into, or `null` for a path that exists itself or leads nowhere. */
export function archiveOf(path: string, files: FileAccess): string | null {
  let at = path;
  while (files.kind(at) === null && dirname(at) !== at) at = dirname(at);
  return at !== path && files.kind(at) === "file" && mayHoldStore(at) ? at : null;
}
