/**
 * The work on recordings in the browser's IndexedDB. Each origin has its own: under another address or port, the page
 * does not find it.
 */
import type { DrawnLook } from "../drawing/drawn.ts";
import type { LinkedView } from "./view_link.ts";

/** Kept work on one recording. */
export interface StoredWork {
  /** See {@linkcode identifyWork}. */
  key: string;
  /** Path and scene, where the recording was last. */
  location: string;
  path: string;
  scene: number;
  /** Name of the file. */
  name: string;
  position: LinkedView["position"];
  /** View, drawings, settings and results. */
  look: DrawnLook | null;
  /** What was drawn and measured; empty for a view alone. */
  words: string;
  /** Approximate size. */
  bytes: number;
  /** Milliseconds since 1970. */
  savedAt: number;
}

/** Change the name with every change of `StoredWork`, and add the former one to `EARLIER`. */
const NAME = "acq-server work 3";

/** Databases of earlier pages, which this page neither reads nor changes. */
const EARLIER = ["acq-server work"];

/** Longest wait for the storage. */
const ANSWERS_WITHIN_MS = 10_000;

/** Identifies a recording by path and scene. */
export const identifyLocation = ({ path, scene }: { path: string; scene: number }): string =>
  `${path}#${scene}`;

/** Identifies a recording by content and scene, or by path and scene if it has no fingerprint. */
export const identifyWork = (
  { fingerprint, path, scene }: { fingerprint: string | null; path: string; scene: number },
): string => `${fingerprint ?? path}#${scene}`;

/** All methods fail with the error of the browser, such as `QuotaExceededError` if the storage is full. */
export class WorkStore {
  #opened: Promise<IDBDatabase> | null = null;
  #persisted: Promise<boolean> | undefined;

  /** Called when the user, or the browser, has removed everything. */
  onLost = (): void => {};

  async get(key: string): Promise<StoredWork | undefined> {
    return await this.#run<StoredWork | undefined>("readonly", (store) => store.get(key));
  }

  /** The latest work at a location. */
  async at(location: string): Promise<StoredWork | undefined> {
    const works = await this.#run<StoredWork[]>(
      "readonly",
      (store) => store.index("location").getAll(location),
    );
    return sortLatestFirst(works)[0];
  }

  /** All work, latest first. */
  async all(): Promise<StoredWork[]> {
    const works = await this.#run<StoredWork[]>("readonly", (store) => store.getAll());
    return sortLatestFirst(works);
  }

  /** Whether the browser keeps work of an earlier page; false if it does not tell. */
  async hasEarlier(): Promise<boolean> {
    const names = (await indexedDB.databases?.() ?? []).map(({ name }) => name);
    for (const name of EARLIER) {
      // Opening another name would create it.
      if (names.includes(name) && await failIfLate(countWorks(name)) > 0) return true;
    }
    return false;
  }

  /** Returns once it is written. */
  put(work: StoredWork): Promise<unknown> {
    return this.#run("readwrite", (store) => store.put(work));
  }

  remove(key: string): Promise<unknown> {
    return this.#run("readwrite", (store) => store.delete(key));
  }

  /** Asks the browser, once, not to evict the storage. */
  persist(): void {
    this.#persisted ??= navigator.storage?.persist();
  }

  async #run<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    this.#opened ??= failIfLate((done, failed) => this.#open(done, failed));
    const database = await this.#opened.catch((error) => {
      this.#opened = null;
      throw error;
    });
    return await failIfLate((done, failed) => {
      const transaction = database.transaction("work", mode, { durability: "strict" });
      const request = ask(transaction.objectStore("work"));
      transaction.oncomplete = () => done(request.result);
      transaction.onabort = () => failed(transaction.error ?? request.error);
    });
  }

  #open(done: (database: IDBDatabase) => void, failed: (error: unknown) => void) {
    const request = indexedDB.open(NAME);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("work", { keyPath: "key" }).createIndex("location", "location");
    };
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = () => {
        this.#opened = null;
        this.onLost();
      };
      // Such as when the user removes the database.
      database.onversionchange = () => {
        this.#opened = null;
        database.close();
      };
      done(database);
    };
    request.onerror = () => failed(request.error);
  }
}

/** Counts the works of a database that is there. */
const countWorks = (name: string) => (done: (count: number) => void, failed: (error: unknown) => void) => {
  const request = indexedDB.open(name);
  request.onerror = () => failed(request.error);
  request.onsuccess = () => {
    const database = request.result;
    const isThere = database.objectStoreNames.contains("work");
    const count = isThere ? database.transaction("work").objectStore("work").count() : null;
    // Closes once the count is there.
    database.close();
    if (count === null) return done(0);
    count.onsuccess = () => done(count.result);
    count.onerror = () => failed(count.error);
  };
};

const sortLatestFirst = (works: StoredWork[]) => works.sort((a, b) => b.savedAt - a.savedAt);

/** Work that takes too long, or throws, fails. */
function failIfLate<T>(
  work: (done: (value: T) => void, failed: (error: unknown) => void) => void,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const fault = new DOMException("The storage does not answer", "TimeoutError");
  const timer = setTimeout(() => late.reject(fault), ANSWERS_WITHIN_MS);
  return Promise.race([new Promise(work), late.promise]).finally(() => clearTimeout(timer));
}
