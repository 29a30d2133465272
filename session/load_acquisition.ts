/**
 * One load by one worker, or by several where the planes of a large file are compressed apart from one another: each
 * opens the file and decodes some of the channels.
 */
import { basename } from "node:path";
import { DecodeFailed, quoted } from "../readers/errors.ts";
import type { KeptSource } from "../readers/kept_acquisition.ts";
import type { LoadedAcquisition, LoadPlan, LoadRequest, Share } from "../readers/load.ts";
import type { DecodePool } from "./decode_pool.ts";
import { type DecodeWorkerClient, dropPlanes } from "./decode_worker_client.ts";
import { SessionMemoryExceeded } from "./errors.ts";
import type { MemoryBudget, Reservation } from "./memory_budget.ts";
import type { PlaneMemory } from "./plane_memory.ts";

/** Smaller loads are done before another worker has read the metadata once more. */
const MIN_DIVIDED_BYTES = 16 << 20;

/** What all loads share. */
export interface LoadResources {
  /** Gives workers. */
  readonly pool: DecodePool;
  /** Gives memory of planes and decoders. */
  readonly budget: MemoryBudget;
  /** Memory of released planes for new ones. */
  readonly memory: PlaneMemory;
}

/** What a load gives. */
export interface DecodedAcquisition extends LoadedAcquisition {
  /** Covers the planes, and a rest where a reference image could not be decoded. */
  readonly reservation: Reservation;
  /** Where it is, and what its files were. */
  readonly source: KeptSource;
  /** What decoding took beside the planes, in bytes. */
  readonly workingBytes: number;
}

/**
 * Loads an acquisition.
 *
 * @param signal its abort stops the load; the promise is rejected with its reason at once
 * @throws {TooManyOpens | ShuttingDown} no worker can be had
 * @throws {ReaderError | SessionMemoryExceeded} as the load fails
 * @throws the reason of `signal`
 */
export function loadAcquisition(
  request: LoadRequest,
  resources: LoadResources,
  signal: AbortSignal,
): Promise<DecodedAcquisition> {
  return new Load(request, resources, signal).run();
}

class Load {
  readonly #request: LoadRequest;
  readonly #resources: LoadResources;
  readonly #fault = new AbortController();
  /** Stops all workers of the load: the caller wants it no more, or one of them failed. */
  readonly #signal: AbortSignal;
  /** Workers that are not done, and what each takes beside the planes. */
  readonly #workers = new Map<DecodeWorkerClient, Reservation | null>();
  #parts: readonly Promise<LoadedAcquisition>[] = [];
  #reservation: Reservation | null = null;

  constructor(request: LoadRequest, resources: LoadResources, signal: AbortSignal) {
    this.#request = request;
    this.#resources = resources;
    this.#signal = AbortSignal.any([signal, this.#fault.signal]);
  }

  async run(): Promise<DecodedAcquisition> {
    const { pool, budget } = this.#resources;
    try {
      const first = await pool.acquire(this.#signal);
      this.#workers.set(first, null);
      const plan = await first.plan(this.#request, this.#signal);
      const reservation = budget.reserve(plan.bytes);
      this.#reservation = reservation;
      this.#workers.set(first, this.#reserveWorking(plan));
      const helpers = this.#takeHelpers(plan);
      const [own, ...others] = this.#divide(plan, helpers.length + 1);
      this.#parts = [
        this.#decode(first, own!),
        ...helpers.map((helper, i) => this.#help(helper, others[i]!, plan)),
      ];
      const loaded = await Promise.all(this.#parts);
      const whole = assembled(this.#request.path, loaded);
      const source = {
        request: { ...this.#request, scene: whole.summary.scene },
        marks: plan.files,
      };
      return { ...whole, reservation, source, workingBytes: plan.working.bytes };
    } catch (error) {
      this.#abandon(error);
      throw error;
    }
  }

  #reserveWorking({ working }: LoadPlan): Reservation {
    return this.#resources.budget.reserve(working.bytes, "The decoders, beside the planes,");
  }

  /** The memory of one more worker, or `null`: the load can do without. */
  #reserveMore(plan: LoadPlan): Reservation | null {
    try {
      return this.#reserveWorking(plan);
    } catch (error) {
      if (error instanceof SessionMemoryExceeded) return null;
      throw error;
    }
  }

  /** Workers that are free and for which there is memory, where it pays to divide the load. */
  #takeHelpers(plan: LoadPlan): readonly DecodeWorkerClient[] {
    const helpers: DecodeWorkerClient[] = [];
    if (!plan.divisible || plan.bytes < MIN_DIVIDED_BYTES) return helpers;
    while (helpers.length < plan.channels.length - 1) {
      const working = this.#reserveMore(plan);
      const helper = working && this.#resources.pool.spare();
      if (helper === null) {
        working?.release();
        break;
      }
      this.#workers.set(helper, working);
      helpers.push(helper);
    }
    return helpers;
  }

  /** A share for each worker, in the order of the channels; the first ones may have one channel more than the last. */
  #divide({ channels, planeBytes }: LoadPlan, parts: number): Share[] {
    let from = 0;
    return Array.from({ length: parts }, (_, i) => {
      const own = channels.slice(from, from += Math.ceil((channels.length - i) / parts));
      const buffers = this.#resources.memory.take(planeBytes, own.length);
      return { channels: own, reference: i === 0, buffers };
    });
  }

  /** Has a helper open the same files once more, for its share alone. */
  async #help(worker: DecodeWorkerClient, share: Share, whole: LoadPlan): Promise<LoadedAcquisition> {
    const request = { ...this.#request, channelIndices: share.channels };
    const plan = await worker.plan(request, this.#signal);
    requireSameFiles(request.path, whole.files, plan.files);
    return await this.#decode(worker, share);
  }

  async #decode(worker: DecodeWorkerClient, share: Share): Promise<LoadedAcquisition> {
    const loaded = await worker.decode(share, this.#signal);
    this.#giveBack(worker);
    return loaded;
  }

  /** A worker is done. What was reserved is given back with the last one, although the caller may have had its answer before. */
  #giveBack(worker: DecodeWorkerClient): void {
    const working = this.#workers.get(worker);
    if (!this.#workers.delete(worker)) return;
    this.#resources.pool.giveBack(worker);
    working?.release();
    this.#releaseUnused();
  }

  #releaseUnused(): void {
    if (this.#fault.signal.aborted && this.#workers.size === 0) this.#reservation?.release();
  }

  /** Stops the workers, and gives back each one when it is done. */
  #abandon(reason: unknown): void {
    this.#fault.abort(reason);
    for (const part of this.#parts) void part.then(dropPlanes, () => {});
    for (const worker of this.#workers.keys()) void worker.quiet.then(() => this.#giveBack(worker));
    this.#releaseUnused();
  }
}

/** The planes of all parts, described by the first. @throws {DecodeFailed} they do not belong together */
function assembled(path: string, parts: readonly LoadedAcquisition[]): LoadedAcquisition {
  const planes = parts.flatMap((part) => part.planes);
  if (planes.some(({ length }) => length !== planes[0]!.length)) throw changed(path);
  return { ...parts[0]!, planes };
}

/** Parts of one acquisition must come from the same files. @throws {DecodeFailed} one was replaced or changed */
function requireSameFiles(path: string, first: LoadPlan["files"], other: LoadPlan["files"]): void {
  for (const [file, mark] of first) if ((other.get(file) ?? mark) !== mark) throw changed(path);
}

const changed = (path: string) =>
  new DecodeFailed(`Cannot read ${quoted(basename(path))}: it was changed while it was read`);
