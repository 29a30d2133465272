/** Which planes of one position the index maps of all files of a Micro-Manager acquisition name. */
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { type Warning, warning } from "../../warning.ts";
import { MAX_DIRECTORIES, MAX_PLANES } from "../bounds.ts";
import type { Directory } from "../directory.ts";
import type { PageLayout } from "../page.ts";
import type { PlaneIndex as PlaneAt, PlaneSource } from "../stack.ts";
import { planePage } from "../stored_planes.ts";
import type { RecentFiles } from "../recent_files.ts";
import type { TiffFile } from "../tiff_file.ts";
import { type IndexEntry, indexOf, type PlaneIndex } from "./micromanager_index.ts";

/** A file of the acquisition and what its index map names. */
export interface IndexedFile {
  /** Path of the file. */
  readonly path: string;
  /** Its planes, of all positions. */
  readonly index: PlaneIndex;
}

/** Length of the axes of one position. */
export interface PositionSizes {
  /** Time points. */
  readonly T: number;
  /** Channels. */
  readonly C: number;
  /** Focus planes. */
  readonly Z: number;
}

/** True for a plane that a file may have; no file has more directories than its bound. */
const isServed = ({ channel, slice, frame }: IndexEntry) => Math.max(channel, slice, frame) < MAX_DIRECTORIES;

/** Positions of one acquisition: a plate of 1,536 wells with fifty fields each stays below it. */
const MAX_POSITIONS = 100_000;

/**
 * Sizes of each position that has planes: as the summary declares them, or as large as its planes need.
 *
 * @throws {DecodeFailed} there are too many positions
 */
export function positionSizes(
  files: readonly IndexedFile[],
  declared: PositionSizes,
): Map<number, PositionSizes> {
  const found = new Map<number, { T: number; C: number; Z: number }>();
  for (const { index } of files) {
    for (const entry of index) {
      const sizes = found.getOrInsertComputed(entry.position, () => ({ ...declared }));
      if (found.size > MAX_POSITIONS) {
        throw new DecodeFailed(`the index map has more than ${MAX_POSITIONS} positions`);
      }
      if (!isServed(entry)) continue;
      sizes.T = Math.max(sizes.T, entry.frame + 1);
      sizes.C = Math.max(sizes.C, entry.channel + 1);
      sizes.Z = Math.max(sizes.Z, entry.slice + 1);
    }
  }
  return found;
}

/** The planes of one position. */
export class PositionPlanes {
  readonly #files: readonly IndexedFile[];
  readonly #sizes: PositionSizes;
  /** By number of the plane: number of the entry, counted through all files. */
  readonly #entries = new Map<number, number>();
  /** What is doubtful about the index maps. */
  readonly warnings: readonly Warning[];

  /** Looks for them in all files. @throws {DecodeFailed} more planes are declared than are served */
  constructor(files: readonly IndexedFile[], position: number, sizes: PositionSizes, missing: string | null) {
    const { T, C, Z } = sizes;
    const declared = T * C * Z;
    if (declared > MAX_PLANES) {
      throw new DecodeFailed(`the summary declares ${T} x ${C} x ${Z} planes, more than ${MAX_PLANES}`);
    }
    this.#files = files;
    this.#sizes = sizes;
    const { left, twice } = this.#add(position);
    const warnings = left.slice(0, 1).map(({ channel, slice, frame }) =>
      warning(
        "content_left_out",
        `The index map of Micro-Manager has a plane T=${frame} C=${channel} Z=${slice}, which is left out` +
          (left.length > 1 ? `, and ${left.length - 1} more` : ""),
      )
    );
    if (twice || files.some(({ index }) => index.repeatsOffset)) {
      warnings.push(
        warning(
          "metadata_disagree",
          "The index map of Micro-Manager has two entries for one plane or one directory",
        ),
      );
    }
    if (this.#entries.size < declared) {
      const gone = missing ? `; "${missing}" is missing` : "";
      warnings.push(
        warning(
          "planes_missing",
          `The acquisition declares ${declared} planes, but ${this.#entries.size} are there${gone}`,
        ),
      );
    }
    this.warnings = warnings;
  }

  #add(position: number): { left: IndexEntry[]; twice: boolean } {
    const left: IndexEntry[] = [];
    let twice = false;
    let before = 0;
    for (const { index } of this.#files) {
      for (let i = 0; i < index.length; i += 1) {
        const entry = index.at(i);
        if (entry.position !== position) continue;
        if (!isServed(entry)) {
          left.push(entry);
          continue;
        }
        const key = this.#key(entry.frame, entry.channel, entry.slice);
        twice ||= this.#entries.has(key);
        this.#entries.set(key, before + i);
      }
      before += index.length;
    }
    return { left, twice };
  }

  #key(t: number, channel: number, z: number): number {
    return (t * this.#sizes.C + channel) * this.#sizes.Z + z;
  }

  /** How many are there. */
  get count(): number {
    return this.#entries.size;
  }

  /** The file and the entry of a plane, or `undefined`. */
  find(t: number, channel: number, z: number): { path: string; entry: IndexEntry } | undefined {
    return this.#entryAt(this.#entries.get(this.#key(t, channel, z)));
  }

  /** That of the first plane that is there. */
  first(): { path: string; entry: IndexEntry } | undefined {
    return this.#entryAt(this.#entries.values().next().value);
  }

  #entryAt(number: number | undefined): { path: string; entry: IndexEntry } | undefined {
    let rest = number ?? NaN;
    for (const { path, index } of this.#files) {
      if (rest < index.length) return { path, entry: index.at(rest) };
      rest -= index.length;
    }
    return undefined;
  }
}

/**
 * The plane at an index.
 *
 * @param missing the file of the acquisition that is not there, or `null`
 * @throws {PlaneNotFound} no index map names it
 * @throws {DecodeFailed} its directory is damaged
 */
export function planeAt(
  pool: RecentFiles<TiffFile>,
  planes: PositionPlanes,
  { layout, missing }: { readonly layout: PageLayout; readonly missing: string | null },
  { t, z, channel }: PlaneAt,
): PlaneSource {
  const found = planes.find(t, channel, z);
  const what = `the plane T=${t} C=${channel} Z=${z}`;
  if (!found) {
    const where = missing ? `; "${missing}" is missing` : "";
    throw new PlaneNotFound(`${what} is in no index map of this acquisition${where}`);
  }
  const tiff = pool.get(found.path);
  const directory = tiff.directoryAt(found.entry.offset, what);
  const page = planePage(directory, layout, what);
  return { tiff, page, run: null, warnings: contradictions(found.entry, directory, what) };
}

/** A warning where a page says of itself that it is another plane than the index map says. */
function contradictions(entry: IndexEntry, directory: Directory, what: string): Warning[] {
  const own = indexOf(directory);
  const same = own === null ||
    (["frame", "channel", "slice", "position"] as const).every((axis) => own[axis] === entry[axis]);
  return same ? [] : [
    warning(
      "metadata_disagree",
      `The page of ${what} says of itself that it is T=${own.frame} C=${own.channel} Z=${own.slice}`,
    ),
  ];
}
