/**
 * One load by one worker, or by several where the planes of a large file are compressed in strips, tiles or chunks: each
 * opens the file and decodes some of them.
 */
import { basename } from "node:path";
import { DecodeFailed, quoted } from "../readers/errors.ts";
import type { KeptSource } from "../readers/kept_acquisition.ts";
import type { LoadedAcquisition, LoadPart, LoadPlan, LoadRequest, Share } from "../readers/load.ts";
import type { DecodePool } from "./decode_pool.ts";
import { type DecodeWorkerClient, dropPlanes } from "./decode_worker_client.ts";
import { SessionMemoryExceeded } from "./errors.ts";
import { divideLoad, mostPieces } from "./load_division.ts";
import type { MemoryBudget, Reservation } from "./memory_budget.ts";
import type { PlaneParts } from "./plane_buffer.ts";
import type { PlaneMemory } from "./plane_memory.ts";

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
export interface DecodedAcquisition extends Omit<LoadedAcquisition, "planes"> {
  /** One plane per loaded channel. */
  readonly planes: readonly PlaneParts[];
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
  /** What is decoded, by the places of the pieces. */
  readonly #decoded: LoadedAcquisition[] = [];
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
      const pieces = divideLoad(plan, helpers.length + 1);
      await this.#decode(plan, pieces, first, helpers);
      const samples = this.#decoded.flatMap(({ planes }) => planes);
      const planes = assembled(this.#request.path, plan, pieces.flat(), samples);
      const whole = { ...this.#decoded[0]!, planes };
      const source = {
        request: { ...this.#request, scene: whole.summary.scene },
        marks: plan.files,
      };
      // The planes belong to the caller from now on.
      this.#reservation = null;
      this.#stop(new Error("The load was done without this worker"));
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
    const most = mostPieces(plan) - 1;
    while (helpers.length < most) {
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

  #share({ planeBytes, rows: all }: LoadPlan, parts: readonly LoadPart[], reference: boolean): Share {
    const buffers = parts.flatMap(({ channels, rows }) =>
      this.#resources.memory.take(planeBytes / all * (rows.end - rows.start), channels.length)
    );
    return { parts, reference, buffers };
  }

  /**
   * Has workers take pieces in their order until none is left: one for each, since each piece has memory of its own. The first one
   * begins at once and takes those of helpers that take longer to begin; one that is not ready by then is not waited for.
   */
  #decode(
    plan: LoadPlan,
    pieces: readonly (readonly LoadPart[])[],
    first: DecodeWorkerClient,
    helpers: readonly DecodeWorkerClient[],
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const left = pieces.entries();
    let missing = pieces.length;
    const work = async (worker: DecodeWorkerClient) => {
      for (const [i, parts] of left) {
        this.#decoded[i] = await worker.decode(this.#share(plan, parts, i === 0), this.#signal);
        missing -= 1;
      }
      this.#giveBack(worker);
      if (missing === 0) resolve();
    };
    work(first).catch(reject);
    for (const helper of helpers) this.#join(helper, plan).then(() => work(helper)).catch(reject);
    return promise;
  }

  /** Has a helper open the same files once more. */
  async #join(helper: DecodeWorkerClient, { channels, files }: LoadPlan): Promise<void> {
    const request = { ...this.#request, channelIndices: channels };
    const plan = await helper.plan(request, this.#signal);
    requireSameFiles(request.path, files, plan.files);
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

  #abandon(reason: unknown): void {
    for (const piece of this.#decoded.values()) if (piece) dropPlanes(piece);
    this.#stop(reason);
    this.#releaseUnused();
  }

  /** Stops the workers that are not done, and gives back each one when it is: nobody hears any more whether it failed. */
  #stop(reason: unknown): void {
    this.#fault.abort(reason);
    for (const worker of this.#workers.keys()) void worker.quiet.then(() => this.#giveBack(worker));
  }
}

/**
 * The planes of a load in the order of its channels, from the samples of all parts.
 *
 * @throws {DecodeFailed} they do not belong together
 */
function assembled(
  path: string,
  { channels, planeBytes, rows }: LoadPlan,
  parts: readonly LoadPart[],
  samples: readonly Float32Array<ArrayBuffer>[],
): PlaneParts[] {
  const planes = new Map<number, Float32Array<ArrayBuffer>[]>(channels.map((channel) => [channel, []]));
  const wanted = parts.flatMap((part) => part.channels.map((channel) => ({ channel, rows: part.rows })));
  for (const [i, { channel, rows: { start, end } }] of wanted.entries()) {
    if (samples[i]?.byteLength !== planeBytes / rows * (end - start)) throw changed(path);
    planes.get(channel)?.push(samples[i]);
  }
  return [...planes.values()];
}

/** Parts of one acquisition must come from the same files. @throws {DecodeFailed} one was replaced or changed */
function requireSameFiles(path: string, first: LoadPlan["files"], other: LoadPlan["files"]): void {
  for (const [file, mark] of first) if ((other.get(file) ?? mark) !== mark) throw changed(path);
}

const changed = (path: string) =>
  new DecodeFailed(`Cannot read ${quoted(basename(path))}: it was changed while it was read`);
