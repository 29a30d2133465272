/** The files that a document names and that exist in its folder. */
import { dirname, join } from "node:path";
import { DecodeFailed, Unreadable } from "../errors.ts";
import { MAX_FOLDER_ENTRIES } from "../io/limits.ts";
import { unreadable } from "../metadata/reference.ts";
import { type FoundDocument, sourceName } from "../metadata/pvscan_files.ts";
import type { FileAccess, RandomAccessFile } from "../io/random_access.ts";
import { addWarning, type Warning } from "../warning.ts";

/** The files that a document names: images, and the frames on which lines were drawn. */
export class ScanFiles {
  readonly folder: string;
  readonly access: FileAccess;
  readonly totalSize: number;
  readonly warnings: Warning[] = [];
  readonly #sizes = new Map<string, number>();

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
        const own = line === null ? source : source ?? sourceName(name);
        if (own !== null) sources.add(own);
      }
      if (images.size + sources.size > MAX_FOLDER_ENTRIES) {
        throw new DecodeFailed(`the PVScan document names more than ${MAX_FOLDER_ENTRIES} files`);
      }
    }
    for (const name of images) this.#look(name);
    for (const name of sources.difference(images)) {
      try {
        this.#look(name);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        addWarning(this.warnings, unreadable(`A source image of the line is left out: ${error.message}`));
      }
    }
    this.totalSize = this.#sizes.values().reduce((sum, bytes) => sum + bytes, size);
  }

  readonly open = (name: string): RandomAccessFile | null =>
    this.access.openNeighbour(join(this.folder, name));

  #look(name: string): void {
    const bytes = this.access.sizeOf(join(this.folder, name));
    if (bytes !== null) this.#sizes.set(name, bytes);
  }

  /** Size of a named file in bytes; `null` if it is missing. */
  sizeOf(name: string): number | null {
    return this.#sizes.get(name) ?? null;
  }

  paths(): string[] {
    return [...this.#sizes.keys()].map((name) => join(this.folder, name));
  }

  get indexBytes(): number {
    return this.#sizes.size * 256;
  }
}
