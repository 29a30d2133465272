/** From a path to a session: judge it, decode it in a worker within the load time-out, keep its planes. */
import { quoted } from "../readers/errors.ts";
import { changed, requireMarksLater } from "../readers/io/file_mark.ts";
import { isInsideRoots } from "../readers/io/paths.ts";
import type { Clock } from "./clock.ts";
import type { AcquisitionSummary, OpenRequest } from "../readers/open_acquisition.ts";
import type { DecodeResources } from "./decoding.ts";
import { describeAcquisition, loadAcquisition, type LoadedAcquisition } from "./load_acquisition.ts";
import { Waits } from "./waits.ts";
import { dropSamples } from "./worker_client.ts";
import { judgePath, judgeWindowsPath, type Root } from "./source_path.ts";
import { newSessionId, type Session, type SessionStore } from "./store.ts";

/** What the operator decided about opening. */
export interface OpenRules {
  /** Directories that may be opened by path; `null` for no limit. */
  readonly roots: readonly Root[] | null;
  /** Extensions that are let in, a subset of the supported ones. */
  readonly allowedExtensions: readonly string[];
  /** Seconds that an open may take, from its arrival. */
  readonly loadTimeoutSeconds: number;
}

/** What of an acquisition is wanted, and by whom. */
export interface OpenChoice {
  /** Wanted channels in the order of the answer; `null` for all. */
  readonly channelIndices: readonly number[] | null;
  /** Wanted scene; `null` for the one that the path belongs to. */
  readonly scene: number | null;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** One open. */
export interface OpenOrder extends OpenChoice {
  /** Absolute path. */
  readonly path: string;
  /** True when the user chose the path in a dialog, which is their consent: roots do not apply. */
  readonly chosenByUser: boolean;
}

/** Opens acquisitions. */
export class Opener {
  readonly #resources: DecodeResources;
  readonly #store: SessionStore;
  readonly #rules: OpenRules;
  readonly #waits: Waits;

  /** `rules` are what the operator set. */
  constructor(clock: Clock, resources: DecodeResources, store: SessionStore, rules: OpenRules) {
    this.#waits = new Waits(clock, rules.loadTimeoutSeconds);
    this.#resources = resources;
    this.#store = store;
    this.#rules = rules;
  }

  /**
   * Opens an acquisition into a new session.
   *
   * @throws {ReaderError} about the path or the file
   * @throws {LoadTimeout | SessionMemoryExceeded | TooManyOpens | ClientGone | ShuttingDown}
   */
  open(order: OpenOrder): Promise<Session> {
    return this.#waits.during(`Opening ${quoted(order.path)}`, { client: order.signal }, async (ended) => {
      const request = await this.#request(order, ended);
      return await this.#session((id) => loadAcquisition(id, request, this.#resources, ended));
    });
  }

  /**
   * Describes an acquisition without decoding a sample or making a session.
   *
   * @throws as {@linkcode open}
   */
  describe(order: OpenOrder): Promise<AcquisitionSummary> {
    return this.#waits.during(`Opening ${quoted(order.path)}`, { client: order.signal }, async (ended) => {
      const request = await this.#request(order, ended);
      return await describeAcquisition(newSessionId(), request, this.#resources, ended);
    });
  }

  async #request(
    { path, chosenByUser, channelIndices, scene }: OpenOrder,
    ended: AbortSignal,
  ): Promise<OpenRequest> {
    const roots = chosenByUser ? null : this.#rules.roots;
    return {
      path: await untilAborted(this.#judge(path, roots, chosenByUser), ended),
      roots: roots?.map((root) => root.resolved) ?? null,
      channelIndices,
      allowedExtensions: this.#rules.allowedExtensions,
      scene,
    };
  }

  /** A session whose acquisition workers keep open for as long as it lives. */
  async #session(load: (id: string) => Promise<LoadedAcquisition>): Promise<Session> {
    const id = newSessionId();
    return this.#store.create(id, await load(id));
  }

  /**
   * Opens the acquisition of a live session once more, into a new one; whoever opened the first has allowed it.
   *
   * @throws {AcquisitionChanged} its files are not what they were
   * @throws as {@linkcode open}
   */
  openAgain({ source }: Session, { channelIndices, scene, signal }: OpenChoice): Promise<Session> {
    const request = { ...source.request, channelIndices, scene };
    return this.#waits.during(`Opening ${quoted(request.path)}`, { client: signal }, async (ended) => {
      await untilAborted(requireMarksLater(source.marks), ended);
      return await this.#session(async (id) => {
        const loaded = await loadAcquisition(id, request, this.#resources, ended);
        const different = [...loaded.source.marks].find(([path, mark]) =>
          (source.marks.get(path) ?? mark) !== mark
        );
        if (different === undefined) return loaded;
        dropSamples({ planes: loaded.planes.flat(), referencePlanes: [...loaded.referencePlanes] });
        loaded.reservation.release();
        this.#resources.pool.forget(id);
        throw changed(different[0]);
      });
    });
  }

  /** Stops every open in progress. */
  close(): void {
    this.#waits.close();
  }

  async #judge(path: string, roots: readonly Root[] | null, chosenByUser: boolean): Promise<string> {
    if (Deno.build.os === "windows") {
      const below = roots?.flatMap((root) => [root.written, root.resolved]) ?? [];
      judgeWindowsPath(path, (p) => chosenByUser || isInsideRoots(p, below));
    }
    return await judgePath(path, roots);
  }
}

/** A look at a path can hang on a dead network drive; the open must end all the same. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
