/**
 * The recordings in the folder of the open one or, if each has a folder of its own name, as Prairie View writes them, in
 * the folders beside it. Independent of the page.
 */
import {
  compareRecordings,
  findOwnRecording,
  MOST_FOLDERS,
  selectRecordings,
  takeLastPathName,
} from "../../../measure/folder_recordings.ts";
import { Emitter, type Plain } from "../controls/emitter.ts";
import type { FolderEntry, FolderListing } from "../../../client/v2/acq-client.ts";

/** A listed recording; `isGrowing` if its file has changed since the last look. */
export type ListedRecording = FolderEntry & { isGrowing: boolean };

type ReadFolder = { folder: string; recordings: FolderEntry[]; isCut: boolean };

/** A folder with its recordings, sorted by name; `isCut` if it may have more. */
export type RecordingFolder = { name: string; recordings: readonly FolderEntry[]; isCut: boolean };

/** What is known of folders, by their paths. */
type Known = Map<string, { modified: string; recording: FolderEntry | null }>;

/** Folders that are looked into at once; a browser has six connections to a server. */
const AT_ONCE = 3;

/** Folder of a path of the server's system, with its slash; empty without one. */
export const findFolder = (path: string): string => /^(.*[\\/])[^\\/]+[\\/]?$/.exec(path)?.[1] ?? "";

/** Whether a folder cannot be listed, now and later. */
const isRefused = ({ code = "" }: { code?: string }) => /(_not_allowed|_not_found|format)$/.test(code);

/** Emits `changed` for another list, open recording or growing file, and `arrived` `{names}` for new recordings. */
export class RecordingList extends Emitter<{ changed: Plain; arrived: { names: string[] } }> {
  readonly #list;
  #known: Known = new Map();
  #folder = "";
  /** The folder whose recordings are listed, or the one above if each has a folder of its own. */
  #listed = "";
  #path = "";
  #isFirst = true;
  #looking: Promise<void> | null = null;
  /** Sorted by name, numbers by value. */
  recordings: readonly ListedRecording[] = [];
  /** Whether the folder has more recordings. */
  isCut = false;
  folderName = "";

  constructor(list: (folder: string) => Promise<FolderListing>) {
    super();
    this.#list = list;
  }

  /** Index of the open recording; -1 if the list does not have it. */
  get index(): number {
    return this.recordings.findIndex(({ path }) => path === this.#path);
  }

  /**
   * Follows the open recording, also into another folder.
   *
   * @param path with links resolved; empty without one
   * @param asked path that was opened, which may be a link in the list
   */
  async follow(path: string, asked: string): Promise<void> {
    const isListed = path !== "" && this.recordings.some((recording) => recording.path === asked);
    this.#path = isListed ? asked : path;
    const folder = isListed ? this.#folder : findFolder(path);
    if (folder !== this.#folder) {
      this.#folder = folder;
      this.#isFirst = true;
      this.#looking = null;
      this.#show([], false);
    } else this.emit("changed");
    await this.look();
  }

  /** Looks at the folder once; callers at the same time share the look. */
  look(): Promise<void> {
    if (this.#folder === "") return Promise.resolve();
    return this.#looking ??= this.#look(this.#folder);
  }

  /** The recording before (-1) or after (1) the open one, or null. */
  beside(step: -1 | 1): ListedRecording | null {
    const { index } = this;
    return index < 0 ? null : this.recordings[index + step] ?? null;
  }

  /** Name of the folder that holds the listed one; empty without one. */
  get parentName(): string {
    return takeLastPathName(findFolder(this.#listed));
  }

  /**
   * The folders beside the listed one, and this one, that have recordings.
   *
   * @throws {ServerError} the folder above cannot be listed
   */
  async folders(): Promise<{ folders: RecordingFolder[]; isCut: boolean }> {
    const { entries, truncated } = await this.#list(findFolder(this.#listed));
    const beside = entries.filter(({ kind }) => kind === "folder");
    const folders: RecordingFolder[] = [];
    for (const { path, name } of beside.slice(0, MOST_FOLDERS)) {
      const found = await this.#recordingsBelow(path).catch((error) => {
        if (!isRefused(error)) throw error;
      });
      if (!found || found.recordings.length === 0) continue;
      folders.push({ name, recordings: found.recordings.sort(compareRecordings), isCut: found.isCut });
    }
    return { folders: folders.sort(compareRecordings), isCut: truncated || beside.length > MOST_FOLDERS };
  }

  /** Recordings in a folder or, without any, those with a folder of their own in it. */
  async #recordingsBelow(folder: string): Promise<ReadFolder> {
    const listing = await this.#list(folder);
    const recordings = selectRecordings(listing);
    return recordings.length > 0
      ? { folder, recordings, isCut: listing.truncated }
      : await this.#readFolders(folder);
  }

  async #look(folder: string) {
    const nothing = { folder: "", recordings: [], isCut: false };
    const found = await this.#read(folder).catch((error) => isRefused(error) ? nothing : null);
    if (folder !== this.#folder) return;
    this.#looking = null;
    // The server is away, or busy.
    if (found === null) return;
    const known = new Map(this.recordings.map((recording) => [recording.path, recording]));
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const recordings = found.recordings.map((entry) => {
      const former = known.get(entry.path);
      const isSame = former?.bytes === entry.bytes && former?.modified === entry.modified;
      return { ...entry, isGrowing: !isFirst && !isSame };
    });
    this.#listed = found.folder;
    this.folderName = takeLastPathName(found.folder);
    this.#show(recordings.sort(compareRecordings), found.isCut);
    const names = recordings.filter(({ path }) => !known.has(path)).map(({ name }) => name);
    if (!isFirst && names.length > 0) this.emit("arrived", { names });
  }

  async #read(folder: string): Promise<ReadFolder> {
    const listing = await this.#list(folder);
    const parent = findFolder(folder);
    if (parent !== "" && findOwnRecording(listing) !== null) {
      const beside = await this.#readFolders(parent).catch((error) => {
        if (!isRefused(error)) throw error;
      });
      if (beside && beside.recordings.length > 1) return beside;
    }
    return { folder, recordings: selectRecordings(listing), isCut: listing.truncated };
  }

  /** Reads the own recordings of the folders in a folder. One is looked into again only after it has changed. */
  async #readFolders(parent: string): Promise<ReadFolder> {
    const { entries, truncated } = await this.#list(parent);
    const folders = entries.filter(({ kind }) => kind === "folder");
    const waiting = folders.slice(0, MOST_FOLDERS).values();
    const known: Known = new Map();
    const work = async () => {
      for (const { path, modified } of waiting) {
        const former = this.#known.get(path);
        // A folder that cannot be listed has no recording to show.
        const read = async () => ({
          modified,
          recording: await this.#list(path).then(findOwnRecording, () => null),
        });
        known.set(path, former?.modified === modified ? former : await read());
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    // Folders of an earlier look stay too, up to a limit.
    const before = [...this.#known].filter(([path]) => !known.has(path));
    this.#known = new Map([...before.slice(-MOST_FOLDERS), ...known]);
    const recordings = [...known.values()].flatMap(({ recording }) => recording ?? []);
    return { folder: parent, recordings, isCut: truncated || folders.length > MOST_FOLDERS };
  }

  #show(recordings: readonly ListedRecording[], isCut: boolean) {
    const isSame = isCut === this.isCut && recordings.length === this.recordings.length &&
      recordings.every(({ path, modified, isGrowing }, i) => {
        const other = this.recordings[i]!;
        return path === other.path && modified === other.modified && isGrowing === other.isGrowing;
      });
    this.recordings = recordings;
    this.isCut = isCut;
    if (!isSame) this.emit("changed");
  }
}
