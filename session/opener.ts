/** From a path to a session: validates the path, describes the acquisition, decodes its first planes and keeps them. */
import { basename } from "node:path";
import { AcquisitionChanged, DecodeFailed, quoted } from "../readers/errors.ts";
import { requireMarksLater } from "../readers/io/paths.ts";
import type { AcquisitionSource } from "./acquisition_summary.ts";
import { decodePlanes, type DecodeResources } from "./decoding.ts";
import { type FolderListing, listFolder } from "./folder_listing.ts";
import { joinReservations, MemoryShare, type Reservation } from "./memory_budget.ts";
import { checkPath, type OpenRules } from "./source_path.ts";
import { type LoadedAcquisition, makeSessionId, type Session, type SessionStore } from "./store.ts";
import { type Waits, waitUnlessAborted } from "./waits.ts";

/** Bytes reserved for a session besides its description if it repeats an open, which a page can do without asking the user. */
const SESSION_BYTES = 16 << 10;

/** The client's choices for an open. */
export interface OpenChoice {
  /** Wanted channels in the order of the answer; `null` for all. */
  readonly channelIndices: readonly number[] | null;
  /** Wanted scene; `null` for the scene that the path belongs to. */
  readonly scene: number | null;
  readonly signal: AbortSignal;
  /**
   * True if a page of another site asks: it gets no collection document from above the folder that the user chose, and nothing
   * behind a link out of it.
   */
  readonly isForeign?: boolean;
}

/** An open. */
export interface OpenOrder extends OpenChoice {
  readonly path: string;
  /** True if the user chose the path in a dialog. The user thereby consents, so roots do not apply. */
  readonly chosenByUser: boolean;
}

/** An acquisition without samples. */
export type DescribedAcquisition = Pick<
  LoadedAcquisition,
  "summary" | "source" | "working" | "summaryBytes" | "seen"
>;

/** Opens acquisitions. */
export class Opener {
  readonly #resources: DecodeResources;
  readonly #store: SessionStore;
  readonly #rules: OpenRules;
  readonly #waits: Waits;

  constructor(resources: DecodeResources, waits: Waits, store: SessionStore, rules: OpenRules) {
    this.#resources = resources;
    this.#waits = waits;
    this.#store = store;
    this.#rules = rules;
  }

  /**
   * Opens an acquisition into a new session.
   *
   * @throws {ReaderError | LoadTimeout | SessionMemoryExceeded | TooManyOpens | ClientGone | ShuttingDown}
   */
  async open(order: OpenOrder): Promise<Session> {
    using wait = this.#waits.begin(`Opening ${quoted(order.path)}`, order.signal);
    const source = await this.#sourceOf(order, wait.signal);
    return await this.#load(source, new MemoryShare(this.#resources.budget), false, wait.signal);
  }

  /**
   * Opens the acquisition of a live session again, into a new session. The path is not validated again. An open with the same
   * scene and channels shares the planes. @throws {AcquisitionChanged} its files changed since the first open
   */
  async openAgain(session: Session, choice: OpenChoice): Promise<Session> {
    const { source: { request, marks }, memoryShare } = session;
    const { channelIndices, scene, signal } = choice;
    const staysInFolder = request.staysInFolder || choice.isForeign === true;
    const keepsLinks = request.keepsLinks || choice.isForeign === true;
    using wait = this.#waits.begin(`Opening ${quoted(request.path)}`, signal);
    const mayAsMuch = staysInFolder === (request.staysInFolder ?? false) &&
      keepsLinks === (request.keepsLinks ?? false);
    if (isSameOpen(session, choice) && mayAsMuch) {
      await waitUnlessAborted(requireMarksLater(marks), wait.signal);
      const live = this.#store.get(session.id);
      return this.#store.share(
        makeSessionId(),
        live,
        memoryShare.reserve(SESSION_BYTES + live.summaryBytes, true),
      );
    }
    return await this.#load(
      { request: { ...request, channelIndices, scene, staysInFolder, keepsLinks }, marks },
      memoryShare,
      true,
      wait.signal,
    );
  }

  /** Lists a folder, or what contains a text in its name, under the rules of opening by path. Throws like {@linkcode listFolder} and an open. */
  async list(path: string, client: AbortSignal, contains?: string): Promise<FolderListing> {
    using wait = this.#waits.begin(`Listing ${quoted(path)}`, client);
    const about = { key: makeSessionId(), source: null };
    const listing = listFolder(
      path,
      this.#rules,
      wait.signal,
      (named, roots) => this.#resources.pool.ask(about, { type: "parts", named, roots }, wait.signal),
      contains,
    );
    return await waitUnlessAborted(listing, wait.signal);
  }

  /** Describes an acquisition without decoding samples or creating a session, and closes its files. Throws like an open. */
  async describe(order: OpenOrder): Promise<DescribedAcquisition> {
    using wait = this.#waits.begin(`Opening ${quoted(order.path)}`, order.signal);
    const source = await this.#sourceOf(order, wait.signal);
    const { pool } = this.#resources;
    const key = makeSessionId();
    const worker = await pool.takeForOpen(key, source.request.path, wait.signal);
    try {
      const { summary, summaryBytes, working, marks, seen } = await worker.ask(
        { key, source },
        { type: "open" },
        wait.signal,
      );
      return {
        summary,
        summaryBytes,
        working,
        seen: seen ? [seen] : [],
        source: { request: { ...source.request, scene: summary.scene }, marks },
      };
    } finally {
      pool.forget(key);
      void pool.giveBack(worker, key);
    }
  }

  async #load(
    source: AcquisitionSource,
    memoryShare: MemoryShare,
    isAgain: boolean,
    signal: AbortSignal,
  ): Promise<Session> {
    const id = makeSessionId();
    return this.#store.create(
      id,
      await loadAcquisition(id, source, this.#resources, signal, memoryShare, isAgain),
    );
  }

  async #sourceOf(
    { path, chosenByUser, channelIndices, scene, isForeign = false }: OpenOrder,
    signal: AbortSignal,
  ): Promise<AcquisitionSource> {
    const roots = chosenByUser ? null : this.#rules.roots;
    const request = {
      path: await waitUnlessAborted(checkPath(path, roots, chosenByUser), signal),
      roots: roots?.map((root) => root.resolved) ?? null,
      channelIndices,
      allowedExtensions: this.#rules.allowedExtensions,
      scene,
      staysInFolder: isForeign,
      keepsLinks: isForeign || this.#rules.dialogOnly === true,
    };
    return { request, marks: new Map() };
  }
}

function isSameOpen({ summary, source }: Session, { channelIndices, scene }: OpenChoice): boolean {
  const loaded = summary.loaded.map(({ index }) => index);
  const isSameScene = scene === summary.scene || scene === null && summary.sceneCount === 1;
  return isSameScene &&
    (channelIndices === null
      ? source.request.channelIndices === null
      : channelIndices.length === loaded.length && channelIndices.every((index, i) => index === loaded[i]));
}

/**
 * Loads an acquisition: one worker describes it and then decodes its first planes, with the help of others if that is faster.
 *
 * @param key under which workers keep the acquisition open until the pool forgets it
 * @param source with the marks of an earlier open, if any
 * @param signal aborts the load; the promise rejects with its reason at once
 * @param memoryShare holds the memory of the planes and of the summary
 * @throws {ReaderError | SessionMemoryExceeded | TooManyOpens | ShuttingDown}
 */
export async function loadAcquisition(
  key: string,
  source: AcquisitionSource,
  resources: DecodeResources,
  signal: AbortSignal,
  memoryShare: MemoryShare = new MemoryShare(resources.budget),
  isAgain = false,
): Promise<LoadedAcquisition> {
  const { pool } = resources;
  const worker = await pool.takeForOpen(key, source.request.path, signal);
  let reservation: Reservation | null = null;
  let quiet: Promise<void> | null = null;
  try {
    const description = await worker.ask({ key, source }, { type: "open" }, signal);
    const { summary, summaryBytes, bytes, working, division, marks } = description;
    const described = summaryBytes + (isAgain ? SESSION_BYTES : 0);
    reservation = memoryShare.reserve(bytes + described, isAgain);
    const opened = { request: { ...source.request, scene: summary.scene }, marks };
    const wanted = {
      ...description,
      key,
      source: opened,
      channels: summary.loaded.map(({ index }) => index),
      position: summary.position,
      rows: null,
      reference: summary.reference !== null,
      marksAll: true,
    };
    const work = decodePlanes(wanted, worker, resources, signal);
    quiet = work.quiet;
    const { planes, referencePlanes, warnings, seen } = await work.decoded;
    const markBytes = seen.reduce((sum, { length }) => sum + length, 0);
    reservation = joinReservations(reservation, memoryShare.reserve(markBytes, isAgain));
    return {
      summary: {
        ...summary,
        reference: referencePlanes && summary.reference,
        warnings: [...summary.warnings, ...warnings],
      },
      planes,
      referencePlanes: referencePlanes ?? [],
      reservation,
      summaryBytes: described + markBytes,
      seen: [...description.seen ? [description.seen] : [], ...seen],
      memoryShare,
      source: opened,
      working,
      division,
    };
  } catch (error) {
    pool.forget(key);
    // Workers that do not stop at once still use the planes' memory.
    void (quiet ?? pool.giveBack(worker, key)).then(() => reservation?.release());
    if (!(error instanceof AcquisitionChanged) || source.marks.size > 0) throw error;
    const name = quoted(basename(source.request.path));
    throw new DecodeFailed(`Cannot read ${name}: it was changed while it was read`, { cause: error });
  }
}
