/**
 * Keeps the work on the open recording in the browser. Of several tabs with the same recording, the one that holds its
 * lock keeps the work; when it is closed, the next one goes on.
 */
import { Emitter, type Plain } from "../controls/emitter.ts";
import { type DrawnLook, summarizeDrawing, summarizeDrawn } from "../drawing/drawn.ts";
import { identifyLocation, identifyWork, type StoredWork, type WorkStore } from "./work_store.ts";
import { dropDamage } from "../saving/checked.ts";
import type { Restored } from "../saving/restored.ts";

const withoutDamage = (work: StoredWork): StoredWork => ({
  ...work,
  look: work.look && dropDamage(work.look),
});

/** Identifies a recording whose work is kept. */
export interface KeptRecording {
  path: string;
  scene: number;
  name: string;
  /** Fingerprint of its content. */
  fingerprint: string | null;
}

/** State of the work on the open recording; `none` without one, or for the sample. */
export type State = "none" | "kept" | "pending" | "elsewhere" | "full" | "blocked" | "lockless";

/** What the page shows of a recording, and keeps. */
export type ShownState = { look: DrawnLook | null; position: StoredWork["position"] };

/** Earlier work on a recording; `isOther` if the content has changed since. */
export type Recalled = { work: StoredWork; isOther: boolean; saved?: SavedMeasurements };

/** Measurements in the documents of the file. */
export interface SavedMeasurements {
  /** What could not be restored; may be empty. */
  note: string;
  /** The measurements, if they differ from the shown work. */
  offer: Restored | null;
}

/** Interval and number of retries of a save: storage that is being emptied takes nothing for a while. */
const [TRY_EVERY_MS, MOST_TRIES] = [500, 20];

/** A tab that is being closed or reloaded usually gives its lock back within this time. */
const LOCK_WITHIN_MS = 500;

interface HeldWork {
  key: string;
  savedAt: number;
  /** Whether this tab has the lock. */
  isHeld: boolean;
  /** Whether something has changed since the last call of `save`. */
  isTouched: boolean;
  /** Waiting for the lock. */
  waiting: AbortController;
  /** Gives the lock back. */
  release: () => void;
  /** The next to be saved. */
  next: ShownState | null;
  /** The last that was saved. */
  last: ShownState | null;
  /** The save in progress. */
  saving: Promise<void> | null;
}

/** The open recording. */
type OpenWork = KeptRecording & HeldWork;

/**
 * Emits `state` `{state}`, `lost` when the storage was emptied, and `newer` `{work, isChanged}` when another tab has kept
 * work that this one does not show; `isChanged` if this one has changes of its own.
 */
export class KeptWork extends Emitter<{
  state: { state: State };
  lost: Plain;
  newer: { work: StoredWork; isChanged: boolean };
}> {
  readonly #store;
  #open: OpenWork | null = null;
  state: State = "none";
  /** Whether something was drawn or measured since the last save. */
  isUnsaved = false;

  constructor(
    store: Pick<WorkStore, "get" | "at" | "all" | "hasEarlier" | "put" | "remove" | "persist" | "onLost">,
  ) {
    super();
    this.#store = store;
    store.onLost = () => this.#again();
  }

  /** Whether leaving the page loses unsaved work. */
  get isAtRisk(): boolean {
    return this.isUnsaved && this.state !== "pending";
  }

  /** Key of the open recording; empty without one. */
  get key(): string {
    return this.#open?.key ?? "";
  }

  /** Earlier work on a recording, found by its content, else by its path; null also if the storage cannot be read. */
  async recall(recording: KeptRecording): Promise<Recalled | null> {
    try {
      const work = await this.#store.get(identifyWork(recording));
      if (work !== undefined) return { work: withoutDamage(work), isOther: false };
      const former = await this.#store.at(identifyLocation(recording));
      return former === undefined ? null : { work: withoutDamage(former), isOther: true };
    } catch {
      return null;
    }
  }

  /**
   * Keeps the work on this recording from now on.
   *
   * @param recording null if its work is not kept
   * @param recalled the work that is shown
   */
  async begin(recording: KeptRecording | null, recalled: Recalled | null): Promise<void> {
    const former = this.#open;
    const key = recording === null ? "" : identifyWork(recording);
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
  async leave(): Promise<void> {
    if (this.#open !== null) await giveBack(this.#open);
  }

  /** Goes on after `leave`. While another tab has the lock, waits for it and says so. */
  async resume(): Promise<void> {
    const open = this.#open;
    if (open === null) return;
    // Tabs that do not know of each other would overwrite each other's work.
    if (!hasLocks()) return this.#enter("lockless");
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

  /** Call when something was drawn or measured. @param shown to be saved at once */
  async changed(shown: ShownState): Promise<void> {
    if (this.#open === null) return;
    this.isUnsaved = true;
    this.touched();
    await this.save(shown);
  }

  /** Call when the view has changed and will be saved soon. */
  touched(): void {
    if (this.#open === null) return;
    this.#open.isTouched = true;
    if (this.state === "kept") this.#enter("pending");
  }

  /** Saves what is shown. */
  async save(shown: ShownState): Promise<void> {
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
  takeOver(): Promise<void> {
    this.#open?.waiting.abort();
    return this.#hold({ steal: true });
  }

  /**
   * Keeps work on a recording that no tab has open and in which nothing is drawn; returns whether it is kept.
   *
   * @throws {DOMException} the storage does not work, or is full
   */
  async add(recording: KeptRecording, shown: ShownState): Promise<boolean> {
    if (!hasLocks()) return false;
    const key = identifyWork(recording);
    return await navigator.locks.request(lockOf(key), { ifAvailable: true }, async (lock) => {
      const former = await this.#store.get(key);
      if (lock === null || summarizeDrawing(former?.look?.drawn) !== "") return false;
      // Keeps the former view.
      const look = { ...former?.look, ...shown.look };
      await this.#store.put(makeWork(recording, { ...shown, look }, Date.now()));
      return true;
    });
  }

  /** Removes work; false if a tab has it open. @throws {DOMException} the storage does not work */
  async forget(key: string): Promise<boolean> {
    const remove = async (lock: Lock | null) => {
      if (lock !== null) await this.#store.remove(key);
      return lock !== null;
    };
    // Without locks, no tab keeps work.
    const isRemoved = hasLocks()
      ? await navigator.locks.request(lockOf(key), { ifAvailable: true }, remove)
      : await remove({ name: lockOf(key), mode: "exclusive" });
    // There may be room now.
    const next = this.#open?.next;
    if (next) this.save(next);
    return isRemoved;
  }

  /** All work, latest first; empty if the storage cannot be read. */
  async list(): Promise<StoredWork[] | never[]> {
    return await this.#store.all().catch(() => []);
  }

  /** Whether the browser keeps work of an earlier page, which this page does not read. */
  async hasEarlier(): Promise<boolean> {
    return await this.#store.hasEarlier().catch(() => false);
  }

  async #saveAll(open: OpenWork) {
    while (open.next !== null && open.isHeld) {
      const shown = open.next;
      open.next = null;
      const work = makeWork(open, shown, Math.max(Date.now(), open.savedAt + 1));
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
        const isFull = (error as Error)?.name === "QuotaExceededError";
        if (this.#open === open) this.#enter(isFull ? "full" : "blocked");
        return;
      }
    }
  }

  /** Takes the lock and holds it until the next recording begins or another tab takes it. */
  async #hold(options: LockOptions) {
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

  #enter(state: State) {
    this.state = state;
    this.emit("state", { state });
  }
}

const makeWork = (
  { fingerprint, path, scene, name }: KeptRecording,
  { look, position }: ShownState,
  savedAt: number,
): StoredWork => ({
  key: identifyWork({ fingerprint, path, scene }),
  location: identifyLocation({ path, scene }),
  path,
  scene,
  name,
  position,
  look,
  words: summarizeDrawn(look?.drawn),
  bytes: estimateSize(look),
  savedAt,
});

/** Bytes of a number, and of the head of a text or an object. */
const WORD = 8;

/** Approximate size of a value in bytes. Means of thousands of images as text would take longer than to store them. */
function estimateSize(value: unknown): number {
  if (typeof value === "string") return WORD + value.length;
  if (typeof value !== "object" || value === null) return WORD;
  if (Array.isArray(value)) return value.reduce((sum, part) => sum + estimateSize(part), WORD);
  return Object.entries(value).reduce(
    (sum, [name, part]) => sum + estimateSize(name) + estimateSize(part),
    WORD,
  );
}

/** Gives the lock back once everything is saved. */
async function giveBack(open: OpenWork) {
  open.waiting.abort();
  await open.saving;
  open.isHeld = false;
  open.release();
}

/** Browsers before 2022 have no locks, nor do pages without a secure address. */
const hasLocks = () => navigator.locks !== undefined;

const lockOf = (key: string) => `acq-server work ${key}`;
