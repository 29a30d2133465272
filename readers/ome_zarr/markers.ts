/** Files that mark a directory as a Zarr group. */
import { basename, dirname } from "node:path";

/** Their names. */
export const STORE_MARKERS: readonly string[] = ["zarr.json", ".zgroup", ".zattrs"];

/** What a path to an image means: a marker stands for the directory that it lies in. */
export const imageAt = (path: string): string =>
  STORE_MARKERS.includes(basename(path)) ? dirname(path) : path;
