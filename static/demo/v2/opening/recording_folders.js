/** Recordings that each lie in a folder of the same name, side by side, as Prairie View writes them. */

/** @import { FolderEntry, FolderListing } from "../../../client/v2/acq-client.d.ts" */

/** Most folders that are looked into: half a year of recordings for most users. */
const MOST_FOLDERS = 500;

/** Folders that are looked into at once; a browser has six connections to a server. */
const AT_ONCE = 3;

/** Folder of a path of the server's system, with its slash; empty without one. @param {string} path */
export const folderOf = (path) => /^(.*[\\/])[^\\/]+[\\/]?$/.exec(path)?.[1] ?? "";

/** Last name of a path of the server's system. @param {string} path */
export const nameOf = (path) => /([^\\/]*)[\\/]?$/.exec(path)?.[1] ?? "";

/** The recordings of a listing. @param {FolderListing} listing */
export const recordingsIn = ({ entries }) => entries.filter(({ kind }) => kind !== "folder");

/** The only recording of a folder, if it has the name of the folder, or null. @param {FolderListing} listing */
export function ownRecording(listing) {
  const [first, ...others] = recordingsIn(listing);
  if (first === undefined || others.length > 0) return null;
  return first.name.replace(/\.[^.]*$/, "") === nameOf(listing.path) ? first : null;
}

/** @typedef {Map<string, {modified: string, recording: FolderEntry | null}>} Known by path of the folder */

/** The recordings of the folders in a folder. A folder is looked into again only after it has changed. */
export class RecordingFolders {
  #list;
  /** @type {Known} */
  #known = new Map();

  /** @param {(folder: string) => Promise<FolderListing>} list */
  constructor(list) {
    this.#list = list;
  }

  /** @param {string} parent @returns {Promise<{recordings: FolderEntry[], isCut: boolean}>} */
  async read(parent) {
    const { entries, truncated } = await this.#list(parent);
    const folders = entries.filter(({ kind }) => kind === "folder");
    const waiting = folders.slice(0, MOST_FOLDERS).values();
    /** @type {Known} */
    const known = new Map();
    const work = async () => {
      for (const { path, modified } of waiting) {
        const former = this.#known.get(path);
        known.set(
          path,
          former?.modified === modified ? former : { modified, recording: await this.#recordingOf(path) },
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.#known = known;
    const recordings = [...known.values()].flatMap(({ recording }) => recording ?? []);
    return { recordings, isCut: truncated || folders.length > MOST_FOLDERS };
  }

  /** @param {string} folder */
  async #recordingOf(folder) {
    // A folder that cannot be listed has no recording to show.
    const listing = await this.#list(folder).catch(() => null);
    return listing && ownRecording(listing);
  }
}
