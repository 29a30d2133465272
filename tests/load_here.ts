/** Loads in this thread, as a decode worker does in its own. */
import { type LoadedAcquisition, type LoadPlan, type LoadRequest, planLoad } from "../readers/load.ts";
import { chooseFormat, openChosen } from "../readers/choose_format.ts";
import { FileAccess, type ReadCounts } from "../readers/random_access.ts";
import type { Acquisition } from "../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../readers/format_names.ts";

/** What a test can set. */
export interface LoadOptions {
  readonly channelIndices?: readonly number[] | null;
  readonly roots?: readonly string[] | null;
  readonly allowedExtensions?: readonly string[];
  readonly files?: FileAccess;
  readonly scene?: number | null;
}

/** What was loaded, from which plan, by how many reads. */
export interface LoadedHere extends LoadedAcquisition {
  readonly plan: LoadPlan;
  readonly counts: ReadCounts;
}

/** A request for a path. */
export function requestOf(path: string, options: LoadOptions = {}): LoadRequest {
  const { scene = null, roots = null, channelIndices = null, allowedExtensions = SUPPORTED_EXTENSIONS } =
    options;
  return { path, roots, channelIndices, allowedExtensions, scene };
}

/** Loads all of what is asked for. */
export async function loadHere(path: string, options: LoadOptions = {}): Promise<LoadedHere> {
  const { roots = null, files = new FileAccess(roots) } = options;
  try {
    const { plan, decode } = await planLoad(requestOf(path, options), files);
    return { ...await decode(), plan, counts: files.counts };
  } finally {
    files.close();
  }
}

/** The plan alone; nothing is decoded. */
export async function planHere(path: string): Promise<LoadPlan> {
  const files = new FileAccess();
  try {
    return (await planLoad(requestOf(path), files)).plan;
  } finally {
    files.close();
  }
}

/** Opens a scene for as long as `use` takes. */
export async function openHere(
  path: string,
  use: (acquisition: Acquisition) => void | Promise<void>,
  scene: number | null = null,
  files = new FileAccess(),
): Promise<void> {
  try {
    const chosen = chooseFormat(path, SUPPORTED_EXTENSIONS, files);
    await use((await openChosen(chosen, files, scene)).acquisition);
  } finally {
    files.close();
  }
}
