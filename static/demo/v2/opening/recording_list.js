/**
 * The recordings in the folder of the open one or, if each has a folder of its own name, in the folders beside it.
 * Independent of the page, which listens:
 *
 * - `changed` the list, the open recording or the growing files have changed
 * - `arrived` `{names}` recordings that the folder did not have before
 */
import { Emitter } from "../controls/emitter.js";
import { folderOf, nameOf, ownRecording, RecordingFolders, recordingsIn } from "./recording_folders.js";

/** @import { FolderEntry, FolderListing } from "../../../client/v2/acq-client.d.ts" */

/** @typedef {FolderEntry & {isGrowing: boolean}} Recording `isGrowing` if the file has changed since the last look */

/** @typedef {{folder: string, recordings: FolderEntry[], isCut: boolean}} Found */

/** @type {Found} */
const NOTHING = { folder: "", recordings: [], isCut: false };

/** Whether a folder cannot be listed, now and later. @param {{code?: string}} error */
const isRefused = ({ code = "" }) => /(_not_allowed|_not_found|format)$/.test(code);

/** `scan_2` comes before `scan_10`. */
const { compare } = new Intl.Collator("en", { numeric: true });

/** Emits the events that the first comment of this module lists. */
export class RecordingList extends Emitter {
  #list;
  #folders;
  #folder = "";
  #path = "";
  #isFirst = true;
  /** @type {Promise<void> | null} */
  #looking = null;
  /** Sorted by name, numbers by value. @type {readonly Recording[]} */
  recordings = [];
  /** Whether the folder has more recordings. */
  isCut = false;
  /** Name of the folder. */
  folderName = "";

  /** @param {(folder: string) => Promise<FolderListing>} list */
  constructor(list) {
    super();
    this.#list = list;
    this.#folders = new RecordingFolders(list);
  }

  /** Index of the open recording; -1 if the list does not have it. */
  get index() {
    return this.recordings.findIndex(({ path }) => path === this.#path);
  }

  /**
   * Follows the open recording, also into another folder.
   *
   * @param {string} path with links resolved; empty without a recording
   * @param {string} asked path that was opened, which may be a link in the list
   */
  async follow(path, asked) {
    const isListed = path !== "" && this.recordings.some((recording) => recording.path === asked);
    this.#path = isListed ? asked : path;
    const folder = isListed ? this.#folder : folderOf(path);
    if (folder !== this.#folder) {
      this.#folder = folder;
      this.#isFirst = true;
      this.#looking = null;
      this.#show([], false);
    } else this.emit("changed");
    await this.look();
  }

  /** Looks at the folder once; callers at the same time share the look. */
  look() {
    if (this.#folder === "") return Promise.resolve();
    return this.#looking ??= this.#look(this.#folder);
  }

  /** The recording before (-1) or after (1) the open one, or null. @param {-1 | 1} step */
  beside(step) {
    const { index } = this;
    return index < 0 ? null : this.recordings[index + step] ?? null;
  }

  /** @param {string} folder */
  async #look(folder) {
    const found = await this.#read(folder).catch((error) => isRefused(error) ? NOTHING : null);
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
    this.folderName = nameOf(found.folder);
    this.#show(recordings.sort((a, b) => compare(a.name, b.name)), found.isCut);
    const names = recordings.filter(({ path }) => !known.has(path)).map(({ name }) => name);
    if (!isFirst && names.length > 0) this.emit("arrived", { names });
  }

  /** @param {string} folder @returns {Promise<Found>} */
  async #read(folder) {
    const listing = await this.#list(folder);
    const parent = folderOf(folder);
    const beside = ownRecording(listing) === null || parent === ""
      ? null
      : await this.#folders.read(parent).catch((error) => {
        if (!isRefused(error)) throw error;
        return null;
      });
    return beside !== null && beside.recordings.length > 1
      ? { folder: parent, ...beside }
      : { folder, recordings: recordingsIn(listing), isCut: listing.truncated };
  }

  /** @param {readonly Recording[]} recordings @param {boolean} isCut */
  #show(recordings, isCut) {
    const isSame = isCut === this.isCut && recordings.length === this.recordings.length &&
      recordings.every(({ path, modified, isGrowing }, i) => {
        const other = this.recordings[i];
        return path === other?.path && modified === other.modified && isGrowing === other.isGrowing;
      });
    this.recordings = recordings;
    this.isCut = isCut;
    if (!isSame) this.emit("changed");
  }
}
