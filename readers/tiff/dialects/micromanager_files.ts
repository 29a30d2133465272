/** The files of a Micro-Manager acquisition beside the opened one: continuations, and those of other positions. */
import { basename, dirname, join } from "node:path";
import { DecodeFailed } from "../../errors.ts";
import { type Warning, warning } from "../../warning.ts";
import type { Opened } from "../opened.ts";
import { TiffFile } from "../tiff_file.ts";
import { readIndexMap } from "./micromanager_index.ts";
import type { IndexedFile } from "./micromanager_planes.ts";

/** The other files of an acquisition: same name up to `_MMStack`, same folder, numbered from `_1` on. */
export interface PartNames {
  /** Without the opened one. */
  readonly others: readonly string[];
  /** The first that is not there while one with a higher number is, or the one that would follow the last. */
  readonly missing: string | null;
}

/**
 * The other files of the acquisition of the opened one.
 *
 * @param several true where there may be a file for each position: their names have something between `_MMStack` and the
 * number
 */
export function setOf({ path, files }: Opened, several: boolean): PartNames {
  const name = basename(path);
  const [, stem, ending] = /^(.*?_MMStack[^.]*?)(?:_\d+)?(\.ome\.tiff?)$/i.exec(name) ?? [];
  if (stem === undefined) return { others: [], missing: null };
  const [acquisition = stem] = /^.*?_MMStack/i.exec(stem) ?? [];
  const numbers = new Set<number>();
  const others: string[] = [];
  for (const other of files.list(dirname(path))) {
    const part = other.startsWith(stem) ? /^(?:_(\d+))?\.ome\.tiff?$/i.exec(other.slice(stem.length)) : null;
    if (part) numbers.add(Number(part[1] ?? 0));
    const position = several && other.startsWith(acquisition) &&
      /^[^.]*\.ome\.tiff?$/i.test(other.slice(acquisition.length));
    if ((part || position) && other !== name) others.push(other);
  }
  let first = 0;
  while (numbers.has(first)) first += 1;
  return { others, missing: `${stem}${first === 0 ? "" : `_${first}`}${ending}` };
}

/** The other files with their planes. */
export interface Parts {
  /** In the order of their names. */
  readonly files: readonly IndexedFile[];
  /** Bytes of all of them. */
  readonly bytes: number;
  /** Files that are left out. */
  readonly warnings: readonly Warning[];
}

/** Where the opened file has all planes. */
export const NO_PARTS: Parts = { files: [], bytes: 0, warnings: [] };

/** Reads the index maps of the other files. They are closed again: most are not asked for. */
export function openParts({ path, files }: Opened, names: readonly string[]): Parts {
  const found: IndexedFile[] = [];
  const warnings: Warning[] = [];
  const leftOut = (name: string, why: string) =>
    warnings.push(warning("file_unreadable", `"${name}" of this acquisition is left out: ${why}`));
  let bytes = 0;
  for (const name of names) {
    const file = files.openNeighbour(join(dirname(path), name));
    if (file === null) {
      leftOut(name, "it cannot be opened");
      continue;
    }
    try {
      found.push({ path: file.path, index: readIndexMap(new TiffFile(file, files)) });
      bytes += file.size;
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      leftOut(name, error.message);
    } finally {
      file.close();
    }
  }
  return { files: found, bytes, warnings };
}
