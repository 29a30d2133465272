/** The files that a document names and that exist in its folder. */
import { dirname } from "node:path";
import { DecodeFailed, Unreadable } from "../errors.ts";
import { MAX_FOLDER_ENTRIES } from "../io/limits.ts";
import { findNamedFiles } from "../io/names.ts";
import { warnReferenceLost } from "../metadata/reference.ts";
import { type FoundDocument, makeSourceName } from "../metadata/pvscan_files.ts";
import type { FileAccess } from "../io/file_access.ts";
import type { RandomAccessFile } from "../io/random_access_file.ts";
import { addWarning, type Warning } from "../warning.ts";

/** The files that a document names: images, and the frames on which lines were drawn. */
export class ScanFiles {
  readonly folder: string;
  readonly access: FileAccess;
  readonly totalSize: number;
  readonly warnings: Warning[] = [];
  /** The files that exist, by the names that the document gives them. */
  readonly #files = new Map<string, { readonly path: string; readonly bytes: number }>();

  /**
   * Looks for each file that a document names.
   *
   * @throws {DecodeFailed} the document names too many files
   * @throws {Unreadable} an image cannot be looked up
   */
  constructor({ path, size, scan }: FoundDocument, access: FileAccess) {
    this.folder = dirname(path);
    this.access = access;
    const images = new Set<string>();
    const sources = new Set<string>();
    for (const { frames, line } of scan.sequences) {
      for (const { name, source } of frames.flatMap(({ files }) => files)) {
        images.add(name);
        const own = line === null ? source : source ?? makeSourceName(name);
        if (own !== null) sources.add(own);
      }
      if (images.size + sources.size > MAX_FOLDER_ENTRIES) {
        throw new DecodeFailed(`the PVScan document names more than ${MAX_FOLDER_ENTRIES} files`);
      }
    }
    this.#add(images);
    this.#add(sources.difference(images), (_name, { message }) => {
      addWarning(this.warnings, warnReferenceLost(`A source image of the line is left out: ${message}`));
    });
    this.totalSize = this.#files.values().reduce((sum, { bytes }) => sum + bytes, size);
  }

  readonly open = (name: string): RandomAccessFile | null => {
    const found = this.#files.get(name);
    return found === undefined ? null : this.access.openNeighbour(found.path);
  };

  #add(names: ReadonlySet<string>, lost?: (name: string, error: Unreadable) => void): void {
    for (const [name, path] of findNamedFiles(this.access, this.folder, names, lost)) {
      try {
        const bytes = this.access.sizeOf(path);
        if (bytes !== null) this.#files.set(name, { path, bytes });
      } catch (error) {
        if (!(error instanceof Unreadable) || lost === undefined) throw error;
        lost(name, error);
      }
    }
  }

  /** Size of a named file in bytes; `null` if it is missing. */
  sizeOf(name: string): number | null {
    return this.#files.get(name)?.bytes ?? null;
  }

  paths(): string[] {
    return this.#files.values().map(({ path }) => path).toArray();
  }

  get indexBytes(): number {
    return this.#files.size * 512;
  }
}
