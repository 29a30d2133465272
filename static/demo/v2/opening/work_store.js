/**
 * The work on recordings in the browser's IndexedDB. Each origin has its own: under another address or port, the page
 * does not find it.
 *
 * @typedef {object} Work
 * @property {string} key see {@linkcode keyOf}
 * @property {string} place path and scene, where the recording was last
 * @property {string} path
 * @property {number} scene
 * @property {string} name of the file
 * @property {import("./view_link.js").LinkedView["position"]} position
 * @property {any} look view, drawings, settings and results
 * @property {string} words what was drawn and measured; empty for a view alone
 * @property {number} bytes approximate size
 * @property {number} savedAt milliseconds since 1970
 */

const NAME = "acq-server work";

/** Increase the number with every change of `Work`. */
const VERSION = 1;

/** Longest wait for the storage. */
const ANSWERS_WITHIN_MS = 10_000;

/** Identifies a recording by path and scene. @param {{path: string, scene: number}} recording */
export const placeOf = ({ path, scene }) => `${path}#${scene}`;

/** Identifies a recording by content and scene, or by path and scene if it has no fingerprint. @param {{fingerprint: string | null, path: string, scene: number}} recording */
export const keyOf = ({ fingerprint, path, scene }) => `${fingerprint ?? path}#${scene}`;

/** All methods fail with the error of the browser, such as `QuotaExceededError` if the storage is full. */
export class WorkStore {
  /** @type {Promise<IDBDatabase> | null} */
  #opened = null;
  /** @type {Promise<boolean> | undefined} */
  #persisted;

  /** Called when the user, or the browser, has removed everything. */
  onLost = () => {};

  /** @param {string} key @returns {Promise<Work | undefined>} */
  get(key) {
    return this.#run("readonly", (store) => store.get(key));
  }

  /** The latest work at a place. @param {string} place @returns {Promise<Work | undefined>} */
  async at(place) {
    const [latest] = latestFirst(await this.#run("readonly", (store) => store.index("place").getAll(place)));
    return latest;
  }

  /** All work, latest first. */
  async all() {
    return latestFirst(await this.#run("readonly", (store) => store.getAll()));
  }

  /** Returns once it is written. @param {Work} work @returns {Promise<unknown>} */
  put(work) {
    return this.#run("readwrite", (store) => store.put(work));
  }

  /** @param {string} key @returns {Promise<unknown>} */
  remove(key) {
    return this.#run("readwrite", (store) => store.delete(key));
  }

  /** Asks the browser, once, not to evict the storage. */
  persist() {
    this.#persisted ??= navigator.storage?.persist();
  }

  /** @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} ask @returns {Promise<any>} */
  async #run(mode, ask) {
    this.#opened ??= inTime((done, failed) => this.#open(done, failed));
    const database = await this.#opened.catch((error) => {
      this.#opened = null;
      throw error;
    });
    return await inTime((done, failed) => {
      const transaction = database.transaction("work", mode, { durability: "strict" });
      const request = ask(transaction.objectStore("work"));
      transaction.oncomplete = () => done(request.result);
      transaction.onabort = () => failed(transaction.error ?? request.error);
    });
  }

  /** @param {(database: IDBDatabase) => void} done @param {(error: unknown) => void} failed */
  #open(done, failed) {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () =>
      request.result.createObjectStore("work", { keyPath: "key" }).createIndex("place", "place");
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = () => {
        this.#opened = null;
        this.onLost();
      };
      // A newer page changes the form of the database.
      database.onversionchange = () => {
        this.#opened = null;
        database.close();
      };
      done(database);
    };
    request.onerror = () => failed(request.error);
  }
}

/** @param {Work[]} works */
const latestFirst = (works) => works.sort((a, b) => b.savedAt - a.savedAt);

/** Work that takes too long, or throws, fails. @param {(done: (value: any) => void, failed: (error: unknown) => void) => void} work @returns {Promise<any>} */
function inTime(work) {
  const late = Promise.withResolvers();
  const fault = new DOMException("The storage does not answer", "TimeoutError");
  const timer = setTimeout(() => late.reject(fault), ANSWERS_WITHIN_MS);
  return Promise.race([new Promise(work), late.promise]).finally(() => clearTimeout(timer));
}
