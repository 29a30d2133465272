/** A ZIP file: its entries as files and folders, and as values of a store. Each entry is stored or deflated. */
import { join, relative, sep } from "node:path";
import { crc32 } from "node:zlib";
import { unpack } from "../codecs/compressed_stream.ts";
import { DecodeFailed, PathNotFound, quoted } from "../errors.ts";
import { ByteSection, type ByteSource, DecodedBytes } from "../io/byte_source.ts";
import { MAX_DOCUMENT_BYTES } from "../io/limits.ts";
import { isAppleDouble } from "../io/names.ts";
import type { PathKind } from "../io/paths.ts";
import type { FileAccess } from "../io/file_access.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { boundLoosely } from "./byte_codecs.ts";
import type { Store, StoredValue } from "./hierarchy.ts";
import { readZipDirectory, requireStraightNames, type ZipEntry } from "./zip_directory.ts";

/** The files below a folder, on disk or in a ZIP file. */
export type FileTree = FileAccess | ZipFiles;

/** Files in a ZIP file. Their paths continue the path of the archive: `/data/a.zip/images/1`. */
export class ZipFiles {
  readonly stop: StopFlag;
  readonly archive: string;
  readonly size: number;
  readonly #file: ByteSource;
  /** A name shared by several entries, or `null`. */
  readonly repeated: string | null;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  /** Entries with names that later entries have, too. */
  readonly #replaced: [string, ZipEntry][] = [];
  #areNamesChecked = false;
  readonly #checkedArrays = new Set<string>();
  /** Names of entries in order, so that those in a folder are adjacent: folders take no memory, however many there are. */
  readonly #sorted: readonly string[];

  /** Reads the directory of a ZIP file. @throws {DecodeFailed} it is damaged, or has names that lead elsewhere */
  constructor(archive: string, files: FileAccess) {
    const file = files.open(archive);
    let repeated: string | null = null;
    const entries = readZipDirectory(file, (name, earlier) => {
      repeated = name;
      this.#replaced.push([name, earlier]);
    });
    requireStraightNames(entries.keys());
    this.archive = archive;
    this.size = file.size;
    this.stop = files.stop;
    this.repeated = repeated;
    this.#file = file;
    this.#entries = entries;
    // Finder adds this folder beside the one that a user compresses.
    this.#sorted = entries.keys().filter((name) => !name.startsWith("__MACOSX/")).toArray().sort();
    this.#requireDocumentNames();
  }

  /** Checks the names of all entries but chunks, by which documents are found. @throws {DecodeFailed} */
  #requireDocumentNames(): void {
    let checked = 0;
    for (const [name, entry] of this.#entries) {
      if (/(?:^|[/.])\d+$|\/$/.test(name)) continue;
      if ((checked += 1) > MAX_CHECKED_DOCUMENTS) return;
      this.stop.check();
      this.#requireName(name, entry);
    }
  }

  /** Checks the names of all entries, once. @throws {DecodeFailed} */
  #requireAllNames(): void {
    if (this.#areNamesChecked) return;
    for (const [name, entry] of [...this.#entries, ...this.#replaced]) {
      this.stop.check();
      this.#requireName(name, entry);
    }
    this.#areNamesChecked = true;
  }

  #requireName(name: string, entry: ZipEntry): void {
    requireOwnName(this.#file, name, entry, `ZIP entry ${quoted(name)}`);
  }

  /** {@linkcode Store.requireKeys}, for entries whose names begin with `prefix`. */
  #requireKeys(prefix: string, array: string, isChunk: (key: string) => boolean): void {
    const folder = prefix + (array === "" ? "" : `${array}/`);
    if (this.#checkedArrays.has(folder)) return;
    this.#requireAllNames();
    for (let at = this.#indexOf(folder); this.#sorted[at]?.startsWith(folder); at += 1) {
      this.stop.check();
      const name = this.#sorted[at]!;
      const rest = name.slice(folder.length);
      const isDocument = rest === "zarr.json" || /(?:^|\/)\.[^/]*$/.test(rest);
      if (name.endsWith("/") || isDocument || isChunk(name.slice(prefix.length))) continue;
      throw new DecodeFailed(
        `ZIP entry ${
          quoted(name)
        } is not a chunk of the array, whose chunks it may hide; the directory is damaged`,
      );
    }
    this.#checkedArrays.add(folder);
  }

  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Index of the first name that is not before `name`. */
  #indexOf(name: string): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sorted[middle]! < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #keyOf(path: string): string {
    return relative(this.archive, path).split(sep).join("/");
  }

  kind(path: string): PathKind | null {
    const key = this.#keyOf(path);
    const isFolder = key === "" || this.#sorted[this.#indexOf(`${key}/`)]?.startsWith(`${key}/`);
    return isFolder ? "directory" : this.#entries.has(key) ? "file" : null;
  }

  hasEntry(path: string): boolean {
    return this.kind(path) !== null;
  }

  /** Names in a folder, sorted by code unit, without AppleDouble files; empty if the folder is missing. */
  list(folder: string): string[] {
    const key = this.#keyOf(folder);
    const prefix = key === "" ? "" : `${key}/`;
    const names = new Set<string>();
    for (let at = this.#indexOf(prefix); this.#sorted[at]?.startsWith(prefix);) {
      const rest = this.#sorted[at]!.slice(prefix.length);
      const cut = rest.indexOf("/");
      const name = cut < 0 ? rest : rest.slice(0, cut);
      if (name !== "" && !isAppleDouble(name)) names.add(name);
      // "0" follows "/", so this skips what else is in a subfolder.
      at = cut < 0 ? at + 1 : this.#indexOf(`${prefix}${name}0`);
    }
    return [...names].sort();
  }

  /** Opens an entry, and inflates it if it is deflated. @throws {PathNotFound | DecodeFailed} it is missing or damaged */
  open(path: string): ByteSource & { readonly path: string; close(): void } {
    const value = this.store(this.archive).open(this.#keyOf(path), MAX_DOCUMENT_BYTES);
    if (value === null) {
      throw new PathNotFound(`Cannot open ${quoted(path)}: the ZIP file holds no such entry`);
    }
    return Object.assign(value, { path, close: () => {} });
  }

  /** The path itself, since a ZIP file has no links. @throws {PathNotFound} nothing exists there */
  resolve(path: string): string {
    if (this.kind(path) !== null) return path;
    throw new PathNotFound(`Cannot open ${quoted(path)}: the ZIP file holds no such entry`);
  }

  /** Does nothing: the caller closes the ZIP file. */
  close(): void {}

  /** The store below a folder. @throws {DecodeFailed} it is a file, not a folder */
  store(folder: string): Store {
    if (this.kind(folder) === "file") {
      throw new DecodeFailed(
        `${quoted(join(folder))} is a file inside a ZIP file, not the folder of an image`,
      );
    }
    const prefix = this.#keyOf(folder);
    const nameOf = (key: string) => prefix === "" ? key : `${prefix}/${key}`;
    return {
      holdsWhole: true,
      indexBytes: ENTRY_HEAP_BYTES * this.#entries.size,
      has: (key) => this.#entries.has(nameOf(key)),
      requireKeys: (array, isChunk) => this.#requireKeys(prefix === "" ? "" : `${prefix}/`, array, isChunk),
      open: (key, maxHeld) => {
        const name = nameOf(key);
        const entry = this.#entries.get(name);
        return entry ? openZipEntry(this.#file, name, entry, `ZIP entry "${key}"`, maxHeld) : null;
      },
    };
  }
}

/** Heap of a directory entry with its name. */
const ENTRY_HEAP_BYTES = 300;

const LOCAL_HEADER_BYTES = 30;

/** Most documents whose names are compared with their headers at an open; an image has some ten. */
const MAX_CHECKED_DOCUMENTS = 10_000;

const NAMES = new TextDecoder();

/**
 * Opens an entry of a ZIP file.
 *
 * @param what its name in messages
 * @param maxHeld largest entry in bytes to hold inflated in memory
 * @throws {DecodeFailed} it is encrypted, damaged or too large, or its local header has another name
 */
export function openZipEntry(
  file: ByteSource,
  name: string,
  entry: ZipEntry,
  what: string,
  maxHeld: number,
): StoredValue {
  const { method, size, compressedSize } = entry;
  if (entry.encrypted) throw new DecodeFailed(`${what} is encrypted`);
  const start = requireOwnName(file, name, entry, what);
  file.require(start, compressedSize, what);
  if (method === 0) {
    if (size === compressedSize) return new StoredEntry(file, start, entry, what);
    throw new DecodeFailed(`${what} is stored in ${compressedSize} bytes but declares ${size}`);
  }
  if (method !== 8) throw new DecodeFailed(`${what} uses the unknown compression method ${method}`);
  if (size > maxHeld) {
    throw new DecodeFailed(`${what} declares ${size} inflated bytes, more than ${maxHeld}`);
  }
  if (compressedSize > boundLoosely(size)) {
    throw new DecodeFailed(`${what} has ${compressedSize} compressed bytes for ${size}`);
  }
  return inflateEntry(file.read(start, compressedSize, what), entry, what);
}

/**
 * Checks that the local header of an entry has its name. Returns where its bytes start.
 *
 * @throws {DecodeFailed} there is no header, or it has another name
 */
function requireOwnName(file: ByteSource, name: string, { offset }: ZipEntry, what: string): number {
  const view = new DataView(file.read(offset, LOCAL_HEADER_BYTES, `the header of ${what}`).buffer);
  if (view.getUint32(0, true) !== 0x04034b50) throw new DecodeFailed(`${what} has no header at ${offset}`);
  const nameStart = offset + LOCAL_HEADER_BYTES;
  const nameBytes = view.getUint16(26, true);
  const named = file.read(nameStart, nameBytes, `the name of ${what}`);
  if (NAMES.decode(named) !== name) {
    throw new DecodeFailed(`${what} has another name in its header at ${offset}`);
  }
  return nameStart + nameBytes + view.getUint16(28, true);
}

/** An uncompressed entry. Its checksum is verified if it is read whole, as everything except shards is. */
class StoredEntry extends ByteSection {
  override readonly asWhole = true;
  readonly #entry: ZipEntry;

  constructor(file: ByteSource, start: number, entry: ZipEntry, what: string) {
    super(file, start, entry.size, what);
    this.#entry = entry;
  }

  override readInto(offset: number, target: Uint8Array, what: string): void {
    super.readInto(offset, target, what);
    if (target.length === this.size) requireSum(target, this.#entry, this.name);
  }
}

function inflateEntry(compressed: Uint8Array, entry: ZipEntry, what: string): StoredValue {
  let bytes: Uint8Array;
  try {
    ({ bytes } = unpack("deflate", compressed, entry.size));
  } catch (cause) {
    throw new DecodeFailed(`${what} cannot be inflated to its ${entry.size} bytes`, { cause });
  }
  if (bytes.length !== entry.size) {
    throw new DecodeFailed(`${what} inflates to ${bytes.length} bytes instead of ${entry.size}`);
  }
  requireSum(bytes, entry, what);
  return new DecodedBytes(bytes, what);
}

function requireSum(bytes: Uint8Array, entry: ZipEntry, what: string): void {
  if (crc32(bytes) !== entry.crc) throw new DecodeFailed(`${what} is damaged: its checksum does not match`);
}
