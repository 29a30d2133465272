/**
 * Keeps the work on the open recording in the browser. Of several tabs with the same recording, the one that holds its
 * lock keeps the work; when it is closed, the next one goes on.
 *
 * @typedef {import("./work_store.js").Work} Work
 * @typedef {object} Recording
 * @property {string} path
 * @property {number} scene
 * @property {string} name
 * @property {string | null} fingerprint of its content
 *
 * @typedef {"none" | "kept" | "pending" | "elsewhere" | "full" | "blocked"} State of the work on the open recording; `none`
 *   without one, or for the sample
 * @typedef {{look: any, position: Work["position"]}} Shown
 * @typedef {{work: Work, isOther: boolean, saved?: Saved}} Recalled `isOther` if the content has changed since
 * @typedef {object} Saved measurements in the documents of the file
 * @property {string} note what could not be restored; may be empty
 * @property {import("../saving/restored.js").Restored | null} offer the measurements, if they differ from the shown work
 */
import { Emitter } from "../controls/emitter.js";
import { drawingWords, drawnWords } from "../measuring/drawn.js";
import { keyOf, placeOf } from "./work_store.js";

/** Interval and number of retries of a save: storage that is being emptied takes nothing for a while. */
const [TRY_EVERY_MS, MOST_TRIES] = [500, 20];

/** A tab that is being closed or reloaded usually gives its lock back within this time. */
const LOCK_WITHIN_MS = 500;

/**
 * @typedef {object} Held
 * @property {string} key
 * @property {number} savedAt
 * @property {boolean} isHeld whether this tab has the lock
 * @property {boolean} isTouched whether something has changed since the last call of `save`
 * @property {AbortController} waiting for the lock
 * @property {() => void} release gives the lock back
 * @property {Shown | null} next the next to be saved
 * @property {Shown | null} last the last that was saved
 * @property {Promise<void> | null} saving the save in progress
 */

/** @typedef {Recording & Held} Open the open recording */

/**
 * Emits `state` `{state}`, `lost` when the storage was emptied, and `newer` `{work, isChanged}` when another tab has kept
 * work that this one does not show; `isChanged` if this one has changes of its own.
 */
export class KeptWork extends Emitter {
  #store;
  /** @type {Open | null} */
  #open = null;
  /** @type {State} */
  state = "none";
  /** Whether something was drawn or measured since the last save. */
  isUnsaved = false;

  /** @param {Pick<import("./work_store.js").WorkStore, "get" | "at" | "all" | "put" | "remove" | "persist" | "onLost">} store */
  constructor(store) {
    super();
    this.#store = store;
    store.onLost = () => this.#again();
  }

  /** Whether leaving the page loses unsaved work. */
  get isAtRisk() {
    return this.isUnsaved && this.state !== "pending";
  }

  /** Key of the open recording; empty without one. */
  get key() {
    return this.#open?.key ?? "";
  }

  /** Earlier work on a recording, found by its content, else by its path; null also if the storage cannot be read. @param {Recording} recording @returns {Promise<Recalled | null>} */
  async recall(recording) {
    try {
      const work = await this.#store.get(keyOf(recording));
      if (work !== undefined) return { work, isOther: false };
      const former = await this.#store.at(placeOf(recording));
      return former === undefined ? null : { work: former, isOther: true };
    } catch {
      return null;
    }
  }

  /** Keeps the work on this recording from now on. @param {Recording | null} recording null if its work is not kept @param {Recalled | null} recalled the work that is shown */
  async begin(recording, recalled) {
    const former = this.#open;
    const key = recording === null ? "" : keyOf(recording);
    if (recording !== null && former?.key === key) {
      Object.assign(former, recording);
      return;
    }
    this.#open = recording && {
      ...recording,
      key,
      savedAt: recalled === null || recalled.isOther ? 0 : recalled.work.savedAt,
      isHeld: false,
      isTouched: false,
      waiting: new AbortController(),
      release: () => {},
      next: null,
      last: null,
      saving: null,
    };
    this.isUnsaved = false;
    this.#enter(recording === null ? "none" : "pending");
    if (former !== null) giveBack(former);
    await this.resume();
  }

  /** Lets other tabs keep the work, as the user leaves the page: a browser may hold the page, and its lock, in memory. */
  async leave() {
    if (this.#open !== null) await giveBack(this.#open);
  }

  /** Goes on after `leave`. While another tab has the lock, waits for it and says so. */
  async resume() {
    const open = this.#open;
    if (open === null) return;
    open.waiting.abort();
    const { signal } = open.waiting = new AbortController();
    const { promise: late, resolve } = Promise.withResolvers();
    const timer = setTimeout(() => {
      if (this.#open === open && !open.isHeld && !signal.aborted) this.#enter("elsewhere");
      resolve(null);
    }, LOCK_WITHIN_MS);
    signal.addEventListener("abort", () => clearTimeout(timer));
    await Promise.race([this.#hold({ signal }), late]);
    clearTimeout(timer);
  }

  /** Call when something was drawn or measured. @param {Shown} shown to be saved at once */
  async changed(shown) {
    if (this.#open === null) return;
    this.isUnsaved = true;
    this.touched();
    await this.save(shown);
  }

  /** Call when the view has changed and will be saved soon. */
  touched() {
    if (this.#open === null) return;
    this.#open.isTouched = true;
    if (this.state === "kept") this.#enter("pending");
  }

  /** Saves what is shown. @param {Shown} shown */
  async save(shown) {
    const open = this.#open;
    if (open === null) return;
    open.next = shown;
    open.isTouched = false;
    // Work that could not be read is not overwritten.
    if (!open.isHeld && this.state === "blocked") return await this.resume();
    if (!open.isHeld || open.saving !== null) return;
    open.saving = this.#saveAll(open);
    await open.saving;
    open.saving = null;
  }

  /** Saves the open recording again after the storage was emptied. */
  async #again() {
    const open = this.#open;
    if (open === null || open.last === null || !open.isHeld) return;
    this.isUnsaved = true;
    this.#enter("pending");
    this.emit("lost");
    for (let i = 0; i < MOST_TRIES && this.isUnsaved && this.#open === open && open.isHeld; i += 1) {
      await new Promise((done) => setTimeout(done, TRY_EVERY_MS));
      await open.saving;
      await this.save(open.next ?? open.last);
    }
  }

  /** Lets this tab keep the work instead of another one. */
  takeOver() {
    this.#open?.waiting.abort();
    return this.#hold({ steal: true });
  }

  /**
   * Keeps work on a recording that no tab has open and in which nothing is drawn; returns whether it is kept.
   *
   * @param {Recording} recording
   * @param {Shown} shown
   * @throws {DOMException} the storage does not work, or is full
   */
  async add(recording, shown) {
    const key = keyOf(recording);
    return await navigator.locks.request(lockOf(key), { ifAvailable: true }, async (lock) => {
      const former = await this.#store.get(key);
      if (lock === null || drawingWords(former?.look?.drawn) !== "") return false;
      // Keeps the former view.
      const look = { ...former?.look, ...shown.look };
      await this.#store.put(workOn(recording, { ...shown, look }, Date.now()));
      return true;
    });
  }

  /** Removes work; false if a tab has it open. @param {string} key @throws {DOMException} the storage does not work */
  async forget(key) {
    const isRemoved = await navigator.locks.request(lockOf(key), { ifAvailable: true }, async (lock) => {
      if (lock !== null) await this.#store.remove(key);
      return lock !== null;
    });
    // There may be room now.
    const next = this.#open?.next;
    if (next) this.save(next);
    return isRemoved;
  }

  /** All work, latest first; empty if the storage cannot be read. */
  async list() {
    return await this.#store.all().catch(() => []);
  }

  /** @param {Open} open */
  async #saveAll(open) {
    while (open.next !== null && open.isHeld) {
      const shown = open.next;
      open.next = null;
      const work = workOn(open, shown, Math.max(Date.now(), open.savedAt + 1));
      try {
        await this.#store.put(work);
        open.savedAt = work.savedAt;
        open.last = shown;
        if (work.words !== "") this.#store.persist();
        if (this.#open !== open || open.next !== null) continue;
        this.isUnsaved = false;
        if (this.state !== "kept" && !open.isTouched) this.#enter("kept");
      } catch (error) {
        open.next ??= shown;
        const isFull = /** @type {Error} */ (error)?.name === "QuotaExceededError";
        if (this.#open === open) this.#enter(isFull ? "full" : "blocked");
        return;
      }
    }
  }

  /** Takes the lock and holds it until the next recording begins or another tab takes it. @param {LockOptions} options */
  async #hold(options) {
    const open = this.#open;
    if (open === null) return;
    const isHeld = await new Promise((got) => {
      const held = () =>
        new Promise((release) => {
          open.isHeld = true;
          open.release = () => release(undefined);
          got(true);
        });
      navigator.locks.request(lockOf(open.key), options, held).catch((error) => {
        got(false);
        // This tab no longer waits for the lock.
        if (options.signal?.aborted) return;
        open.isHeld = false;
        if (this.#open !== open) return;
        const isTaken = error.name === "AbortError";
        this.#enter(isTaken ? "elsewhere" : "blocked");
        if (isTaken) this.resume();
      });
    });
    if (this.#open !== open) return open.release();
    if (!isHeld) return;
    this.#enter("pending");
    try {
      const work = await this.#store.get(open.key);
      if (this.#open === open && work !== undefined && work.savedAt > open.savedAt) {
        open.savedAt = work.savedAt;
        this.emit("newer", { work, isChanged: this.isUnsaved });
      }
    } catch {
      await giveBack(open);
      if (this.#open === open) this.#enter("blocked");
      return;
    }
    if (open.next !== null) await this.save(open.next);
  }

  /** @param {State} state */
  #enter(state) {
    this.state = state;
    this.emit("state", { state });
  }
}

/** @param {Recording} recording @param {Shown} shown @param {number} savedAt @returns {Work} */
const workOn = ({ fingerprint, path, scene, name }, { look, position }, savedAt) => ({
  key: keyOf({ fingerprint, path, scene }),
  place: placeOf({ path, scene }),
  path,
  scene,
  name,
  position,
  look,
  words: drawnWords(look?.drawn),
  bytes: JSON.stringify(look).length,
  savedAt,
});

/** Gives the lock back once everything is saved. @param {Open} open */
async function giveBack(open) {
  open.waiting.abort();
  await open.saving;
  open.isHeld = false;
  open.release();
}

/** @param {string} key */
const lockOf = (key) => `acq-server work ${key}`;
