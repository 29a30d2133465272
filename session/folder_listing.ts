/** The acquisitions and folders in a folder, found by name alone: no file is opened. */
import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { quoted, UnsupportedFormat } from "../readers/errors.ts";
import { FORMAT_NAMES, MARKED_NAMES } from "../readers/format.ts";
import { MAX_FOLDER_ENTRIES } from "../readers/io/limits.ts";
import { isInsideRoots, pathError } from "../readers/io/paths.ts";
import type { NamedAcquisition } from "./named_acquisitions.ts";
import type { OpenRules } from "./opener.ts";
import { judgePath } from "./source_path.ts";
import { untilAborted, type Waits } from "./waits.ts";

/** An acquisition, a collection or a folder. */
export interface ListedEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: "folder" | "image" | "collection";
  /** Short name of the format; `null` for folders. */
  readonly format: string | null;
  /** Bytes of all files together; `null` for a folder. */
  readonly bytes: number | null;
  readonly modified: string;
}

/** The contents of a folder. */
export interface FolderListing {
  readonly path: string;
  /** By name, in order of code units. */
  readonly entries: readonly ListedEntry[];
  readonly truncated: boolean;
}

/** Largest number of entries in an answer, the same as for scenes. */
const MAX_ENTRIES = 10_000;

/** File system queries at the same time; more are not faster. */
const AT_ONCE = 16;

/**
 * Loads the formats' rules for names. The import takes the file name from a variable, so that a checkout does not load all readers
 * before the server listens. `compile` in deno.json embeds the file.
 */
async function loadNames(): Promise<typeof import("./named_acquisitions.ts")> {
  const file: string = "./named_acquisitions.ts";
  return await import(file);
}

/** Lists folders under the rules of opening by path. */
export class FolderLister {
  readonly #rules: OpenRules;
  readonly #waits: Waits;

  constructor(waits: Waits, rules: OpenRules) {
    this.#waits = waits;
    this.#rules = rules;
  }

  /**
   * Lists a folder. Names that begin with a dot are left out, as in file dialogs.
   *
   * @throws {UnsupportedFormat} the path is that of a file
   * @throws {PathNotAllowed | PathNotFound | Unreadable | LoadTimeout | ClientGone | ShuttingDown}
   */
  async list(path: string, client: AbortSignal): Promise<FolderListing> {
    using wait = this.#waits.begin(`Listing ${quoted(path)}`, client);
    const { signal } = wait;
    return await untilAborted(this.#list(path, signal), signal);
  }

  async #list(asked: string, signal: AbortSignal): Promise<FolderListing> {
    const path = await judgePath(asked, this.#rules.roots);
    const roots = this.#rules.roots?.map((root) => root.resolved) ?? null;
    const folder = new Folder(path, roots, this.#rules.allowedExtensions, signal);
    const isCut = await folder.read(asked);
    const candidates = await folder.candidates();
    const entries: ListedEntry[] = [];
    for (let at = 0; at < candidates.length && entries.length <= MAX_ENTRIES; at += AT_ONCE) {
      const looked = await folder.each(candidates.slice(at, at + AT_ONCE), (one) => folder.entryOf(one));
      entries.push(...looked.filter((entry) => entry !== null));
    }
    const truncated = isCut || entries.length > MAX_ENTRIES;
    return { path, entries: entries.slice(0, MAX_ENTRIES), truncated };
  }
}

type Candidate = NamedAcquisition | { readonly name: string; readonly files: null };

class Folder {
  readonly #path: string;
  readonly #roots: readonly string[] | null;
  readonly #allowedExtensions: readonly string[];
  readonly #signal: AbortSignal;
  readonly #files: string[] = [];
  readonly #folders: string[] = [];

  constructor(
    path: string,
    roots: readonly string[] | null,
    allowedExtensions: readonly string[],
    signal: AbortSignal,
  ) {
    this.#path = path;
    this.#roots = roots;
    this.#allowedExtensions = allowedExtensions;
    this.#signal = signal;
  }

  /** Reads the names. @param asked name of the folder in messages @returns whether there are too many names */
  async read(asked: string): Promise<boolean> {
    const links: string[] = [];
    let count = 0;
    try {
      if ((await Deno.stat(this.#path)).isFile) {
        throw new UnsupportedFormat(`${quoted(asked)} is a file, not a folder; POST /api/v2/open opens it`);
      }
      for await (const { name, isFile, isDirectory, isSymlink } of Deno.readDir(this.#path)) {
        if (name.startsWith(".")) continue;
        if ((count += 1) > MAX_FOLDER_ENTRIES) break;
        if (isSymlink) links.push(name);
        else if (isFile) this.#files.push(name);
        else if (isDirectory) this.#folders.push(name);
      }
    } catch (cause) {
      throw cause instanceof UnsupportedFormat ? cause : pathError(asked, cause);
    }
    await this.each(links, async (name) => {
      const found = await this.#look(name);
      if (found?.isFile) this.#files.push(name);
      else if (found?.isDirectory) this.#folders.push(name);
    });
    return count > MAX_FOLDER_ENTRIES;
  }

  async candidates(): Promise<Candidate[]> {
    const { namedAcquisitions } = await loadNames();
    const acquisitions = namedAcquisitions(
      basename(this.#path),
      this.#files.sort(),
      this.#folders,
      this.#allowedExtensions,
    );
    const taken = new Set(acquisitions.map(({ folder }) => folder));
    const folders = this.#folders.filter((name) => !taken.has(name)).map((name) => ({ name, files: null }));
    return [...acquisitions, ...folders].sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** The entry; `null` if it has disappeared or cannot be inspected. */
  async entryOf(candidate: Candidate): Promise<ListedEntry | null> {
    const { name } = candidate;
    const path = join(this.#path, name);
    if (candidate.files === null) {
      const found = await this.#look(name);
      return found && { name, path, ...await this.#kindOf(name), bytes: null, modified: timeOf([found]) };
    }
    const { format, files, folder } = candidate;
    const names = [...files, ...folder === null ? [] : await this.#filesIn(folder)];
    const found = (await this.each(names, (part) => this.#look(part))).filter((info) => info !== null);
    if (found.length === 0) return null;
    const bytes = found.reduce((sum, { size }) => sum + size, 0);
    return { name, path, kind: "image", format, bytes, modified: timeOf(found) };
  }

  /** The kind of a folder, by the files that mark stores and collections. */
  async #kindOf(name: string): Promise<Pick<ListedEntry, "kind" | "format">> {
    for (const { name: format, markers = [], markedFolder, extensions } of MARKED_NAMES) {
      if (!extensions.some((extension) => this.#allowedExtensions.includes(extension))) continue;
      const folders = markedFolder === undefined ? [name] : [name, join(name, markedFolder)];
      for (const place of folders.flatMap((folder) => markers.map((marker) => join(folder, marker)))) {
        if (!(await this.#look(place))?.isFile) continue;
        return { kind: format === FORMAT_NAMES.collection.name ? "collection" : "image", format };
      }
    }
    return { kind: "folder", format: null };
  }

  /** Names of the files directly in a subfolder, prefixed with its name. */
  async #filesIn(folder: string): Promise<string[]> {
    const names: string[] = [];
    try {
      for await (const { name, isFile } of Deno.readDir(join(this.#path, folder))) {
        if (isFile) names.push(join(folder, name));
      }
    } catch {
      // The folder is gone or not accessible; opening it reports that.
    }
    return names;
  }

  /** The file or folder of a name; `null` if it is missing, outside the roots or not accessible. */
  async #look(name: string): Promise<Deno.FileInfo | null> {
    try {
      const path = join(this.#path, name);
      const resolved = this.#roots === null ? path : await realpath(path);
      return isInsideRoots(resolved, this.#roots) ? await Deno.stat(resolved) : null;
    } catch {
      return null;
    }
  }

  /** Calls `work` for each item, several at a time. @throws the reason of the signal */
  async each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    for (let at = 0; at < items.length; at += AT_ONCE) {
      this.#signal.throwIfAborted();
      results.push(...await Promise.all(items.slice(at, at + AT_ONCE).map(work)));
    }
    return results;
  }
}

function timeOf(found: readonly Deno.FileInfo[]): string {
  const latest = found.reduce((latest, { mtime }) => Math.max(latest, mtime?.getTime() ?? 0), 0);
  return new Date(latest).toISOString();
}
