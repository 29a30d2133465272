/** Files that mark a directory as a Zarr group. */
import { basename, dirname } from "node:path";
import { FORMAT_NAMES } from "../format.ts";

/** Their names. */
export const GROUP_MARKERS: readonly string[] = FORMAT_NAMES.zarr.markers;

/** What a path to an image means: a marker stands for the directory that it lies in. */
export const imageAt = (path: string): string =>
  GROUP_MARKERS.includes(basename(path)) ? dirname(path) : path;
