/**
 * Opens the files of an acquisition; nothing else does. A file is opened if its resolved path lies inside the roots and it is a
 * regular file.
 */
// Imports the object rather than its functions, so that a test can make one call fail.
import fs from "node:fs";
import { basename, dirname, join, resolve as resolvePath, sep } from "node:path";
import {
  PathNotAllowed,
  PathNotFound,
  quoted,
  ReaderError,
  Unreadable,
  UnsupportedFormat,
} from "../errors.ts";
import {
  ABSENT,
  attempt,
  changedFile,
  classifyFailure,
  isInsideRoots,
  isNowhere,
  makeMark,
  type PathKind,
  unlessMissing,
} from "./paths.ts";
import { MAX_FOLDER_ENTRIES } from "./limits.ts";
import { isAppleDouble, StoredNames } from "./names.ts";
import { RandomAccessFile, type ReadCounts } from "./random_access_file.ts";
import { StopFlag } from "./stop_flag.ts";
import { addName, isFolder, isLarge } from "./folder_names.ts";

/** Read-only. With `O_NONBLOCK`, which Windows lacks, a fifo does not block the open. */
const OPEN_FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

/** Number of first and of last opened files with marks: readers open shared metadata first and the files of a scene last. */
const MAX_MARKS = 32;

/** Number of files of an order whose marks are kept: those of a set in the largest folder. */
const MAX_SEEN = MAX_FOLDER_ENTRIES;

/** Largest number of remembered folders with resolved paths. */
const MAX_FOLDERS = 10_000;

/** Linux has one spelling per name. Other systems accept several (letter case, short names); resolving finds the stored one. */
const IS_NAME_AS_STORED = Deno.build.os === "linux";

/** Largest number of descriptors per acquisition; many systems allow a process 1024. */
const MAX_DESCRIPTORS = 16;

/** The owner of a file or folder, and who may write to it. */
export interface FileRights {
  readonly owner: number | null;
  /** Mode bits of POSIX; 0 where the system has none. */
  readonly mode: number;
}

/** Folders for which an open begins again; further ones are read at once, unless they are large. A set has at most three. */
const MAX_FOLDERS_AHEAD = 16;

/** A folder that has not been read yet. {@linkcode FileAccess.listingAhead} reads it and begins again. */
class UnreadFolder extends Error {
  constructor(readonly folder: string) {
    super(`"${folder}" has not been read`);
  }
}

/** The file system as one open may use it: limited to its roots, counted, stopped by its flag. */
export class FileAccess {
  readonly counts: ReadCounts = { opens: 0, reads: 0, bytes: 0 };
  /** Checked between reads, and by loops without reads. */
  readonly stop: StopFlag;
  readonly #roots: readonly string[] | null;
  /** The folder that symbolic links may not leave; `null` if they may. */
  readonly #linksIn: string | null;
  /** Files with a descriptor, in the order in which they received it. */
  readonly #open = new Set<RandomAccessFile>();
  readonly #firstMarks = new Map<string, string>();
  readonly #lastMarks = new Map<string, string>();
  readonly #used = new Map<string, string>();
  #seen = new Map<string, string>();
  /** Resolved paths by folder. Resolving looks at each part of a path and takes as long as opening a file. */
  readonly #folders = new Map<string, string>();
  /** Results of reading folders, by path, while an acquisition is opened. */
  #listings: Map<string, () => string[]> | null = null;
  #handedOn: RandomAccessFile | null = null;
  #closed = false;

  /**
   * Opens nothing yet.
   *
   * @param roots resolved directories that may be read; `null` for no limit
   * @param linksStayAt resolved path, out of whose folder (or which, of a folder) symbolic links may not lead: what lies behind
   *   one that does counts as missing; `null` if links are followed
   */
  constructor(
    roots: readonly string[] | null = null,
    stop: StopFlag = new StopFlag(),
    linksStayAt: string | null = null,
  ) {
    this.#roots = roots;
    this.stop = stop;
    this.#linksIn = linksStayAt === null ? null : isFolder(linksStayAt) ? linksStayAt : dirname(linksStayAt);
  }

  /** True if a path leads through a link to a place outside the folder that links may not leave. */
  #isLinkedAway(path: string, resolved: string): boolean {
    return this.#linksIn !== null && resolved !== resolvePath(path) &&
      !isInsideRoots(resolved, [this.#linksIn]);
  }

  /** Marks of the first and the last opened files, by resolved path. */
  get marks(): ReadonlyMap<string, string> {
    return new Map([...this.#firstMarks, ...this.#lastMarks]);
  }

  /** Marks of up to {@linkcode MAX_SEEN} files read or found missing since the last call; also forgets resolved folders. */
  takeUsed(): ReadonlyMap<string, string> {
    const used = new Map(this.#used);
    this.#used.clear();
    this.#folders.clear();
    return used;
  }

  /**
   * Marks of all files that were opened, measured or found missing since the last call, up to {@linkcode MAX_SEEN}: what an export
   * compares with.
   */
  takeSeen(): ReadonlyMap<string, string> {
    const seen = this.#seen;
    this.#seen = new Map();
    return seen;
  }

  #note(path: string, mark: string): void {
    if (this.#seen.size < MAX_SEEN) this.#seen.set(path, mark);
  }

  /**
   * Opens a regular file.
   *
   * @throws {PathNotFound} the path does not exist
   * @throws {PathNotAllowed} the resolved path lies outside the roots
   * @throws {Unreadable} the file exists but cannot be opened
   * @throws {UnsupportedFormat} a directory, fifo, socket or device
   */
  open(path: string): RandomAccessFile {
    this.stop.check();
    const handedOn = this.#handedOn;
    this.#handedOn = null;
    if (handedOn?.path === path) return handedOn;
    handedOn?.close();
    const opened = this.#descriptor(path);
    this.#mark(opened.path, opened.mark);
    const file = new RandomAccessFile(opened, {
      counts: this.counts,
      stop: this.stop,
      again: () => {
        const fd = this.#descriptorAgain(opened);
        this.#hold(file);
        return fd;
      },
      used: () => {
        if (this.#used.size < MAX_SEEN) this.#used.set(opened.path, opened.mark);
      },
      closed: () => this.#open.delete(file),
    });
    this.#hold(file);
    return file;
  }

  /** Keeps an inspected file open, for the reader to take over if the next open is of the same file. */
  handOn(file: RandomAccessFile): void {
    this.#handedOn = file;
  }

  #mark(path: string, mark: string): void {
    this.#note(path, mark);
    if (this.#firstMarks.size < MAX_MARKS || this.#firstMarks.has(path)) {
      this.#firstMarks.set(path, mark);
      return;
    }
    this.#lastMarks.delete(path);
    this.#lastMarks.set(path, mark);
    const [oldest] = this.#lastMarks.keys();
    if (this.#lastMarks.size > MAX_MARKS && oldest !== undefined) this.#lastMarks.delete(oldest);
  }

  /** Marks a path as missing, for example a chunk that is not written yet. */
  noteAbsent(path: string): void {
    this.#note(path, ABSENT);
    if (this.#used.size < MAX_SEEN) this.#used.set(path, ABSENT);
  }

  /** Counts a descriptor; above the limit, closes the oldest one. */
  #hold(file: RandomAccessFile): void {
    this.#open.add(file);
    if (this.#open.size > MAX_DESCRIPTORS) [...this.#open][0]?.rest();
  }

  /** Reopens a rested file. @throws {AcquisitionChanged} the file changed or is gone */
  #descriptorAgain({ path, mark }: { readonly path: string; readonly mark: string }): number {
    if (this.#closed) throw new Error(`"${path}" is closed`);
    try {
      const again = this.#descriptor(path);
      if (again.path === path && again.mark === mark) return again.fd;
      fs.closeSync(again.fd);
    } catch (error) {
      if (!(error instanceof PathNotFound)) throw error;
    }
    throw changedFile(path);
  }

  /** Opens a regular file inside the roots. @throws as {@linkcode open} */
  #descriptor(path: string): { path: string; fd: number; size: number; mark: string } {
    const resolved = this.#resolved(path, true);
    const fd = attempt(path, "opened", () => fs.openSync(resolved, OPEN_FLAGS));
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile()) throw new UnsupportedFormat(`${quoted(path)} is not a regular file`);
      this.#requireUnexchanged(resolved, stat);
      this.counts.opens += 1;
      return { path: resolved, fd, size: stat.size, mark: makeMark(stat) };
    } catch (cause) {
      fs.closeSync(fd);
      throw cause instanceof ReaderError ? cause : classifyFailure(path, "looked at", cause);
    }
  }

  /**
   * Checks an opened file again, since a writer inside a root may have replaced a folder by a link meanwhile. The runtime cannot
   * open files relative to an open folder, so further replacements can win the race (docs/security.md).
   */
  #requireUnexchanged(path: string, { dev, ino }: { readonly dev: number; readonly ino: number }): void {
    if (this.#roots === null && this.#linksIn === null) return;
    const look = () => [Deno.realPathSync(path), Deno.statSync(path)] as const;
    const [resolved, found] = attempt(path, "looked at again", look);
    if (!isInsideRoots(resolved, this.#roots)) {
      const text = "was exchanged for a link that leads out of the folders of this server";
      throw new PathNotAllowed(`${quoted(path)} ${text}`);
    }
    if (resolved !== path || found.dev !== dev || found.ino !== ino) {
      throw new Unreadable(`${quoted(path)} was exchanged while it was opened`);
    }
  }

  /**
   * Opens a companion of the opened file; `null` if the path is not that of a regular file, or lies outside the roots.
   *
   * @throws {Unreadable} the file exists but cannot be opened
   */
  openNeighbour(path: string): RandomAccessFile | null {
    // Faster than the exceptions of `open`, since most neighbours do not exist.
    return this.sizeOf(path) === null ? null : unlessMissing(() => this.open(path));
  }

  /** The kind of file at `path`; `null` if nothing exists or it lies outside the roots. @throws {Unreadable} */
  kind(path: string): PathKind | null {
    const found = this.#look(path);
    return found && (found.isFile ? "file" : found.isDirectory ? "directory" : "other");
  }

  /** The file into which a path leads: `/data/a.zip` for `/data/a.zip/B/03/0`; `null` for a path that exists or leads nowhere. */
  archiveOf(path: string): string | null {
    let at = path;
    while (this.kind(at) === null && dirname(at) !== at) at = dirname(at);
    return at !== path && this.kind(at) === "file" ? at : null;
  }

  /** Size of a regular file in bytes; `null` if it is missing, not a regular file, or outside the roots. @throws {Unreadable} */
  sizeOf(path: string): number | null {
    const found = this.#look(path, () => this.#note(path, ABSENT));
    if (!found?.isFile) return null;
    this.#note(path, makeMark(found));
    return found.size;
  }

  /**
   * Owner and mode bits of what is at `path`, links followed; `null` if nothing exists or it lies outside the roots. The owner is
   * `null` where the system reports none (Windows).
   *
   * @throws {Unreadable}
   */
  rightsOf(path: string): FileRights | null {
    const found = this.#look(path);
    return found && { owner: found.uid, mode: found.mode ?? 0 };
  }

  /** @param absent called if nothing exists there, as opposed to a place that this server may not look at */
  #look(path: string, absent: () => void = () => {}): Deno.FileInfo | null {
    this.stop.check();
    if (!isInsideRoots(path, this.#roots)) return null;
    return unlessMissing(() => {
      try {
        const isFree = this.#roots === null && this.#linksIn === null;
        const resolved = isFree ? path : this.resolve(path);
        return attempt(path, "looked at", () => Deno.statSync(resolved));
      } catch (error) {
        if (error instanceof PathNotFound && isNowhere(error)) absent();
        throw error;
      }
    });
  }

  /** True if a folder has an entry of this name, even a link that leads nowhere or out of the roots. @throws {Unreadable} */
  hasEntry(path: string): boolean {
    this.stop.check();
    return unlessMissing(() => attempt(path, "looked at", () => Deno.lstatSync(path))) !== null;
  }

  /** Checks that a folder can be listed. @throws {PathNotFound | PathNotAllowed | Unreadable} */
  requireReadable(folder: string): void {
    const resolved = this.resolve(folder);
    attempt(folder, "listed", () => fs.opendirSync(resolved)).closeSync();
  }

  /**
   * Names in a folder, sorted by code unit, without AppleDouble files and links that may not be followed; empty if the folder is
   * missing or lies outside the roots.
   *
   * Outside {@linkcode listingAhead}, and there after {@linkcode MAX_FOLDERS_AHEAD} folders, entries that the system cannot read are
   * missing without an error.
   *
   * @throws {Unreadable} the folder exists but cannot be listed, or lacks a file that was opened in it
   * @throws {DecodeFailed} more entries than {@linkcode MAX_FOLDER_ENTRIES}
   */
  list(folder: string): string[] {
    this.stop.check();
    const resolved = this.#folderToList(folder);
    if (resolved === null) return [];
    const known = this.#listings?.get(resolved);
    if (known) return known();
    if (this.#listings !== null && (this.#listings.size < MAX_FOLDERS_AHEAD || isLarge(resolved))) {
      throw new UnreadFolder(resolved);
    }
    const directory = unlessMissing(() => attempt(folder, "listed", () => fs.opendirSync(resolved)));
    if (directory === null) return [];
    const names: string[] = [];
    const next = () => attempt(folder, "listed", () => directory.readSync());
    try {
      for (let entry = next(); entry !== null; entry = next()) {
        if (!this.#isForbiddenLink(entry.isSymbolicLink(), join(resolved, entry.name))) {
          addName(names, entry.name, folder);
        }
      }
    } finally {
      directory.closeSync();
    }
    this.#requireOpened(resolved, names);
    return names.sort();
  }

  /** True for an entry that is a link out of the folder that links may not leave. */
  #isForbiddenLink(isLink: boolean, path: string): boolean {
    if (!isLink || this.#linksIn === null) return false;
    try {
      return this.#isLinkedAway(path, fs.realpathSync(path));
    } catch {
      // The reader names a link that leads nowhere.
      return false;
    }
  }

  /** The resolved path of a folder; `null` if it is missing or lies outside the roots. @throws {Unreadable} */
  #folderToList(folder: string): string | null {
    return isInsideRoots(folder, this.#roots) ? unlessMissing(() => this.resolve(folder)) : null;
  }

  /**
   * Opens an acquisition, and begins again after each folder that it lists. Only asynchronously does the runtime read a folder entry
   * by entry and report a fault (EIO, ESTALE): `Deno.readDirSync` and `node:fs` drop entries that fail, and take 1.1 GiB for a
   * million entries. Readers need not be asynchronous.
   */
  async listingAhead<T>(open: () => T | Promise<T>): Promise<T> {
    this.#listings = new Map();
    try {
      while (true) {
        try {
          return await open();
        } catch (error) {
          if (!(error instanceof UnreadFolder)) throw error;
          this.#listings.set(error.folder, await this.#read(error.folder));
          for (const file of [...this.#open]) file.close();
          this.#handedOn = null;
        }
      }
    } finally {
      this.#listings = null;
    }
  }

  /** Reads a folder for {@linkcode list}, so that {@linkcode listingAhead} need not begin again. Its faults are those of `list`. */
  async readAhead(folder: string): Promise<void> {
    let resolved: string | null;
    try {
      resolved = this.#folderToList(folder);
    } catch {
      return;
    }
    if (resolved === null || this.#listings?.has(resolved) !== false) return;
    this.#listings.set(resolved, await this.#read(resolved));
  }

  /** Reads the names in a folder, up to the bound. @returns what {@linkcode list} does */
  async #read(folder: string): Promise<() => string[]> {
    const names: string[] = [];
    try {
      for await (const { name, isSymlink } of Deno.readDir(folder)) {
        this.stop.check();
        if (!this.#isForbiddenLink(isSymlink, join(folder, name))) addName(names, name, folder);
      }
      this.#requireOpened(folder, names);
    } catch (cause) {
      const error = cause instanceof ReaderError ? cause : classifyFailure(folder, "listed", cause);
      return () => {
        if (error instanceof PathNotFound) return [];
        throw error;
      };
    }
    names.sort();
    return () => [...names];
  }

  /**
   * Compares a listing with the files that were opened in the folder: one that lacks a file which still exists is cut.
   *
   * @throws {Unreadable}
   */
  #requireOpened(folder: string, names: readonly string[]): void {
    const listed = new StoredNames(names);
    for (const [path, mark] of this.marks) {
      const name = basename(path);
      if (dirname(path) !== folder || isAppleDouble(name) || listed.alike(name).length > 0) continue;
      // A short name of Windows, or another form of letters, is another name of the same file.
      if (names.some((other) => markAt(join(folder, other)) === mark) || markAt(path) !== mark) continue;
      throw new Unreadable(`${quoted(basename(folder))} cannot be listed: the list lacks ${quoted(name)}`);
    }
  }

  /**
   * The path with every link resolved.
   *
   * @throws {PathNotFound} the path leads nowhere
   * @throws {PathNotAllowed} the path, or what it leads to, lies outside the roots
   * @throws {Unreadable} a folder of the path cannot be inspected
   */
  resolve(path: string): string {
    // Only `open` checks the place again afterwards, so only `open` may use remembered folders.
    return this.#resolved(path, this.#roots === null && this.#linksIn === null);
  }

  /** {@linkcode resolve}; with `inKnownFolder`, uses the folder as first resolved. */
  #resolved(path: string, inKnownFolder: boolean): string {
    const resolved = (inKnownFolder ? this.#inKnownFolder(path) : null) ??
      attempt(path, "looked at", () => fs.realpathSync(path));
    if (!isInsideRoots(resolved, this.#roots)) {
      throw new PathNotAllowed(`${quoted(path)} lies outside the folders that this server may open`);
    }
    if (this.#isLinkedAway(path, resolved)) {
      throw new PathNotAllowed(`${quoted(path)} is a link that leaves the folder of the chosen file`);
    }
    return resolved;
  }

  /** The path in its resolved folder; `null` if it is a link. */
  #inKnownFolder(path: string): string | null {
    if (!IS_NAME_AS_STORED) return null;
    const [folder, name] = [dirname(path), basename(path)];
    if (folder + sep + name !== path || name === "." || name === "..") return null;
    try {
      const place = join(this.#folders.getOrInsertComputed(folder, () => fs.realpathSync(folder)), name);
      if (this.#folders.size > MAX_FOLDERS) this.#folders.clear();
      return Deno.lstatSync(place).isSymlink ? null : place;
    } catch {
      return null;
    }
  }

  /** Closes all descriptors until the next read of their files. */
  rest(): void {
    for (const file of [...this.#open]) file.rest();
  }

  close(): void {
    this.#closed = true;
    for (const file of [...this.#open]) file.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The mark of a file; `null` if there is none. */
function markAt(path: string): string | null {
  try {
    return makeMark(Deno.statSync(path));
  } catch {
    return null;
  }
}
