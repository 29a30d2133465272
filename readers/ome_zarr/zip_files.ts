/** The entries of a ZIP file as files and folders, for what also reads folders of the disk. */
import { join, relative, sep } from "node:path";
import { DecodeFailed, PathNotFound, quoted } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { PathKind } from "../io/paths.ts";
import type { FileAccess } from "../io/random_access.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { MAX_DOCUMENT_BYTES } from "../io/limits.ts";
import { readZipDirectory, requireStraightNames, type ZipEntry } from "./zip_directory.ts";
import { ZipStore } from "./zip_store.ts";

/** A file that was opened in a folder or a ZIP file. */
export interface OpenedFile extends ByteSource {
  /** Resolved path. */
  readonly path: string;
  /** Gives back what it holds open. */
  close(): void;
}

/** Files below a folder, on the disk or in a ZIP file. */
export type FileTree = FileAccess | ZipFiles;

/** Files in a ZIP file. Their paths continue the path of the archive: `/data/a.zip/images/1`. */
export class ZipFiles {
  /** Looked at between reads. */
  readonly stop: StopFlag;
  /** Path of the ZIP file. */
  readonly archive: string;
  /** Bytes of the ZIP file. */
  readonly size: number;
  readonly #file: ByteSource;
  /** A name that several entries have, or `null`. */
  readonly repeated: string | null;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  /** Names in each folder, by its key. */
  readonly #folders = new Map<string, Set<string>>([["", new Set()]]);

  /** Reads the directory of a ZIP file. @throws {DecodeFailed} it is damaged, or has names that lead elsewhere */
  constructor(archive: string, files: FileAccess) {
    const file = files.open(archive);
    let repeated: string | null = null;
    const entries = readZipDirectory(file, (name) => repeated = name);
    requireStraightNames(entries.keys());
    this.archive = archive;
    this.size = file.size;
    this.stop = files.stop;
    this.repeated = repeated;
    this.#file = file;
    this.#entries = entries;
    for (const name of entries.keys()) {
      // What Finder adds beside the folder that a user compresses.
      if (name.startsWith("__MACOSX/")) continue;
      this.#place(name.replace(/\/$/, ""), name.endsWith("/"));
    }
  }

  /** Names of all entries. */
  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  #place(key: string, isFolder: boolean): void {
    if (isFolder && !this.#folders.has(key)) this.#folders.set(key, new Set());
    if (key === "") return;
    const cut = key.lastIndexOf("/");
    const folder = key.slice(0, Math.max(0, cut));
    const known = this.#folders.get(folder);
    if (known) return void known.add(key.slice(cut + 1));
    this.#folders.set(folder, new Set([key.slice(cut + 1)]));
    this.#place(folder, true);
  }

  #keyOf(path: string): string {
    return relative(this.archive, path).split(sep).join("/");
  }

  /** What a path leads to, or `null`. */
  kind(path: string): PathKind | null {
    const key = this.#keyOf(path);
    return this.#folders.has(key) ? "directory" : this.#entries.has(key) ? "file" : null;
  }

  /** True where {@linkcode kind} is not `null`. */
  hasEntry(path: string): boolean {
    return this.kind(path) !== null;
  }

  /** Names in a folder, sorted by code unit; empty for a missing folder. */
  list(folder: string): string[] {
    return [...this.#folders.get(this.#keyOf(folder)) ?? []].sort();
  }

  /** Opens an entry, inflated where it is deflated. @throws {PathNotFound | DecodeFailed} the entry is missing or damaged */
  open(path: string): OpenedFile {
    const value = this.store(this.archive).open(this.#keyOf(path), MAX_DOCUMENT_BYTES);
    if (value === null) {
      throw new PathNotFound(`Cannot open ${quoted(path)}: the ZIP file holds no such entry`);
    }
    return Object.assign(value, { path, close: () => {} });
  }

  /** The path: a ZIP file holds no links. @throws {PathNotFound} nothing is there */
  resolve(path: string): string {
    if (this.kind(path) !== null) return path;
    throw new PathNotFound(`Cannot open ${quoted(path)}: the ZIP file holds no such entry`);
  }

  /** Nothing: the caller closes the ZIP file. */
  close(): void {}

  /** The store below a folder. @throws {DecodeFailed} it is a ZIP file in the ZIP file */
  store(folder: string): ZipStore {
    if (this.kind(folder) === "file") {
      throw new DecodeFailed(
        `${quoted(join(folder))} is a file inside a ZIP file, not the folder of an image`,
      );
    }
    return new ZipStore(this.#file, this.#entries, this.#keyOf(folder));
  }
}
