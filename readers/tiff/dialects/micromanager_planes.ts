/**
 * The files of a Micro-Manager acquisition and the planes that their index maps name. Other files are continuations, numbered from
 * `_1` on, or belong to other positions.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { type Warning, warning } from "../../warning.ts";
import { MAX_DIRECTORIES, MAX_PLANES } from "../bounds.ts";
import { MICRO_MANAGER } from "../file_names.ts";
import type { Opened } from "../opened.ts";
import type { PageLayout } from "../page.ts";
import type { RecentFiles } from "../recent_files.ts";
import type { PlaneIndex as PlaneAt, PlaneSource, StackSizes } from "../stack.ts";
import { planePage } from "../stored_planes.ts";
import { TiffFile } from "../tiff_file.ts";
import { type IndexEntry, type PlaneIndex, readIndexMap } from "./micromanager_index.ts";

/**
 * Finds the other files of an acquisition: same folder, same name up to `_MMStack`.
 *
 * @param several whether each position may have a file, whose name has something between `_MMStack` and the number
 * @returns the names, and the first missing continuation or the one that would follow the last
 */
export function partNames(
  { path, files }: Opened,
  several: boolean,
): { readonly others: readonly string[]; readonly missing: string | null } {
  const name = basename(path);
  const [, stem, ending] = /^(.*?_MMStack[^.]*?)(?:_\d+)?(\.ome\.tiff?)$/i.exec(name) ?? [];
  if (stem === undefined) return { others: [], missing: null };
  const [acquisition = stem] = MICRO_MANAGER.exec(stem) ?? [];
  const numbers = new Set<number>();
  const others: string[] = [];
  for (const other of files.list(dirname(path))) {
    const part = other.startsWith(stem) ? /^(?:_(\d+))?\.ome\.tiff?$/i.exec(other.slice(stem.length)) : null;
    if (part) numbers.add(Number(part[1] ?? 0));
    const isPosition = several && other.startsWith(acquisition) &&
      /^[^.]*\.ome\.tiff?$/i.test(other.slice(acquisition.length));
    if ((part || isPosition) && other !== name) others.push(other);
  }
  let first = 0;
  while (numbers.has(first)) first += 1;
  return { others, missing: `${stem}${first === 0 ? "" : `_${first}`}${ending}` };
}

/** A file of the acquisition and its index map. */
export interface IndexedFile {
  /** Path of the file. */
  readonly path: string;
  /** Its planes, of all positions. */
  readonly index: PlaneIndex;
}

/** Reads the index maps of the other files and closes them again, since most of them are not needed. */
export function openParts(
  { path, files }: Opened,
  names: readonly string[],
): { readonly files: readonly IndexedFile[]; readonly bytes: number; readonly warnings: readonly Warning[] } {
  const found: IndexedFile[] = [];
  const warnings: Warning[] = [];
  const leaveOut = (name: string, why: string) =>
    warnings.push(warning("file_unreadable", `"${name}" of this acquisition is left out: ${why}`));
  let bytes = 0;
  for (const name of names) {
    const file = files.openNeighbour(join(dirname(path), name));
    if (file === null) {
      leaveOut(name, "it cannot be opened");
      continue;
    }
    try {
      found.push({ path: file.path, index: readIndexMap(new TiffFile(file, files)) });
      bytes += file.size;
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      leaveOut(name, error.message);
    } finally {
      file.close();
    }
  }
  return { files: found, bytes, warnings };
}

/** Whether a file could hold a plane with these indices. */
const isServed = ({ channel, slice, frame }: IndexEntry) => Math.max(channel, slice, frame) < MAX_DIRECTORIES;

/** Positions of one acquisition: a plate of 1,536 wells with fifty fields each. */
const MAX_POSITIONS = 100_000;

/** Sizes of each position with planes: as declared, or as large as its planes need. @throws {DecodeFailed} there are too many */
export function positionSizes(
  files: readonly IndexedFile[],
  declared: StackSizes,
): Map<number, StackSizes> {
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
  readonly #sizes: StackSizes;
  readonly #missing: string | null;
  /** Number of the entry, counted through all files, by number of the plane. */
  readonly #entries = new Map<number, number>();
  /** Doubts about the index maps. */
  readonly warnings: readonly Warning[];

  /**
   * Looks for the planes in all files.
   *
   * @param missing the first missing file of the acquisition, or `null`
   * @throws {DecodeFailed} too many planes are declared
   */
  constructor(files: readonly IndexedFile[], position: number, sizes: StackSizes, missing: string | null) {
    const { T, C, Z } = sizes;
    const declared = T * C * Z;
    if (declared > MAX_PLANES) {
      throw new DecodeFailed(`the summary declares ${T} x ${C} x ${Z} planes, more than ${MAX_PLANES}`);
    }
    this.#files = files;
    this.#sizes = sizes;
    this.#missing = missing;
    const { left, twice } = this.#add(position);
    const warnings: Warning[] = [];
    const [first, ...others] = left;
    if (first !== undefined) {
      const { channel, slice, frame } = first;
      const text =
        `The index map of Micro-Manager has a plane T=${frame} C=${channel} Z=${slice}, which is left out`;
      const more = others.length > 0 ? `, and ${others.length} more` : "";
      warnings.push(warning("content_left_out", text + more));
    }
    if (twice) {
      const text = "The index map of Micro-Manager has two entries for one plane";
      warnings.push(warning("metadata_disagree", text));
    }
    if (this.count < declared) {
      const text = `The acquisition declares ${declared} planes, but ${this.count} are there`;
      warnings.push(warning("planes_missing", text + this.#gone));
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

  /** Names the missing file in messages. */
  get #gone(): string {
    return this.#missing === null ? "" : `; "${this.#missing}" is missing`;
  }

  #key(t: number, channel: number, z: number): number {
    return (t * this.#sizes.C + channel) * this.#sizes.Z + z;
  }

  /** How many planes there are. */
  get count(): number {
    return this.#entries.size;
  }

  /** The file and entry of a plane, or `undefined`. */
  find({ t, channel, z }: Omit<PlaneAt, "l">): { path: string; entry: IndexEntry } | undefined {
    return this.#entryAt(this.#entries.get(this.#key(t, channel, z)));
  }

  /** The file and entry of the first plane, or `undefined`. */
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

  /**
   * The plane at an index.
   *
   * @throws {PlaneNotFound} no index map names it
   * @throws {DecodeFailed} its directory is damaged
   */
  plane(pool: RecentFiles<TiffFile>, layout: PageLayout, at: PlaneAt): PlaneSource {
    const found = this.find(at);
    const what = `the plane T=${at.t} C=${at.channel} Z=${at.z}`;
    if (!found) throw new PlaneNotFound(`${what} is in no index map of this acquisition${this.#gone}`);
    const tiff = pool.get(found.path);
    const directory = tiff.directoryAt(found.entry.offset, what);
    return { tiff, page: planePage(directory, layout, what), run: null };
  }
}
