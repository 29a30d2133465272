/** The files of a scan in the folder of its document: which of those that it names are there. */
import { dirname, join } from "node:path";
import { DecodeFailed } from "../errors.ts";
import { MAX_FOLDER_ENTRIES } from "../limits.ts";
import type { PvScan } from "../pvscan/document.ts";
import { sourceName } from "../pvscan/file_names.ts";
import type { FoundDocument } from "../pvscan/found_document.ts";
import type { FileAccess } from "../random_access.ts";

/** Memory of the name and the size of a file. */
const NAME_BYTES = 256;

/** The files that a document names, images and source images. */
export class ScanFiles {
  /** Folder of the document. */
  readonly folder: string;
  /** The file system. */
  readonly access: FileAccess;
  /** Bytes of the document and of all files that are there. */
  readonly totalSize: number;
  readonly #sizes = new Map<string, number>();

  /** Looks for each file that a document names. @throws {DecodeFailed} it names too many */
  constructor({ path, size, scan }: FoundDocument, access: FileAccess) {
    this.folder = dirname(path);
    this.access = access;
    let total = size;
    for (const name of namedFiles(scan)) {
      const bytes = access.sizeOf(join(this.folder, name));
      if (bytes === null) continue;
      this.#sizes.set(name, bytes);
      total += bytes;
    }
    this.totalSize = total;
  }

  /** Bytes of a file that the document names, `null` where it is not there. */
  sizeOf(name: string): number | null {
    return this.#sizes.get(name) ?? null;
  }

  /** Paths of the files that are there, without that of the document. */
  paths(): string[] {
    return [...this.#sizes.keys()].map((name) => join(this.folder, name));
  }

  /** Bytes of memory, from above. */
  get indexBytes(): number {
    return this.#sizes.size * NAME_BYTES;
  }
}

function namedFiles(scan: PvScan): Set<string> {
  const names = new Set<string>();
  for (const { frames, line } of scan.sequences) {
    for (const { files } of frames) {
      for (const { name, source } of files) {
        names.add(name);
        const own = line === null ? source : source ?? sourceName(name);
        if (own !== null) names.add(own);
      }
    }
    if (names.size > MAX_FOLDER_ENTRIES) {
      throw new DecodeFailed(`the PVScan document names more than ${MAX_FOLDER_ENTRIES} files`);
    }
  }
  return names;
}
