/** Decodes planes of an acquisition at one position. Several workers divide large compressed planes. */
import { AcquisitionChanged, DecodeFailed } from "../readers/errors.ts";
import type { AcquisitionSource, DecodedOrder, OrderPart } from "../readers/open_acquisition.ts";
import type { Division, Position, RowRange, WorkingMemory } from "../readers/reader.ts";
import type { DecodePool } from "./decode_pool.ts";
import { divideLoad, mostShares } from "./load_division.ts";
import type { MemoryBudget, Reservation } from "./memory_budget.ts";
import type { PlaneParts } from "./plane_buffer.ts";
import type { PlaneMemory } from "./plane_memory.ts";
import { dropSamples, type WorkerClient } from "./worker_client.ts";

/** What all decoding shares. */
export interface DecodeResources {
  /** Gives workers. */
  readonly pool: DecodePool;
  /** Gives memory to planes and decoders. */
  readonly budget: MemoryBudget;
  /** Memory of released planes, for new ones. */
  readonly memory: PlaneMemory;
}

/** Planes to decode. */
export interface WantedPlanes {
  /** Key under which workers keep the acquisition open. */
  readonly key: string;
  /** Where it is, with the marks of its files. */
  readonly source: AcquisitionSource;
  /** Channel indices. */
  readonly channels: readonly number[];
  /** Within the acquisition. */
  readonly position: Position;
  /** Rows and columns of each plane. */
  readonly shape: { readonly rows: number; readonly columns: number };
  /** Wanted rows; `null` for all. */
  readonly rows: RowRange | null;
  /** Whether the reference image is decoded too. */
  readonly reference: boolean;
  /** False to judge the planes only. */
  readonly decode: boolean;
  /** Memory that decoding takes beside the planes, as far as known. */
  readonly working: WorkingMemory;
  /** How whole planes can be divided; `null` where it does not pay. */
  readonly division: Division | null;
}

/** Decoded planes; their memory belongs to the caller. */
export interface DecodedPlanes extends Pick<DecodedOrder, "referencePlanes" | "warnings" | "files"> {
  /** Parts of each plane in the order of the channels; empty where nothing was to be decoded. */
  readonly planes: readonly PlaneParts[];
  /** The rows of each plane: the wanted ones or more. */
  readonly rows: RowRange;
}

/**
 * Decodes planes. The caller reserves the memory of the samples; that of the decoders is reserved here.
 *
 * @param first an idle worker, which is given back when it is quiet
 * @param signal stops all workers; the promise rejects with its reason at once
 * @returns the planes, and `quiet`, which settles when no worker uses their memory any longer
 * @throws {ReaderError | SessionMemoryExceeded}
 */
export function decodePlanes(
  wanted: WantedPlanes,
  first: WorkerClient,
  resources: DecodeResources,
  signal: AbortSignal,
): { readonly decoded: Promise<DecodedPlanes>; readonly quiet: Promise<void> } {
  const decoding = new Decoding(wanted, resources, signal);
  return { decoded: decoding.run(first), quiet: decoding.quiet };
}

class Decoding {
  readonly #wanted: WantedPlanes;
  readonly #resources: DecodeResources;
  readonly #fault = new AbortController();
  /** Aborted when the caller gives up or a worker fails. */
  readonly #signal: AbortSignal;
  /** Workers that are not done, and the memory of their decoders. */
  readonly #workers = new Map<WorkerClient, Reservation | null>();
  /** What is decoded, by the indices of the shares. */
  readonly #decoded: DecodedOrder[] = [];
  readonly #quiet = Promise.withResolvers<void>();

  constructor(wanted: WantedPlanes, resources: DecodeResources, signal: AbortSignal) {
    this.#wanted = wanted;
    this.#resources = resources;
    this.#signal = AbortSignal.any([signal, this.#fault.signal]);
  }

  get quiet(): Promise<void> {
    return this.#quiet.promise;
  }

  async run(first: WorkerClient): Promise<DecodedPlanes> {
    this.#workers.set(first, null);
    try {
      this.#workers.set(first, this.#reserve(this.#wanted.working));
      const helpers = this.#takeHelpers();
      const shares = this.#shares(1 + helpers.length);
      await this.#decode(shares, first, helpers);
      const planes = this.#assembled(shares.flat());
      this.#stop(new Error("The other workers decoded all planes"));
      return planes;
    } catch (error) {
      // Shares that are not decoded are holes.
      for (const share of this.#decoded.values()) if (share) dropSamples(share);
      this.#stop(error);
      throw error;
    }
  }

  #reserve({ bytes }: WorkingMemory): Reservation {
    return this.#resources.budget.reserve(bytes, "The decoders, beside the planes,");
  }

  get #divided() {
    const { channels, shape: { rows, columns }, division, decode, rows: some } = this.#wanted;
    const bytes = 4 * rows * columns * channels.length;
    return { channels, rows, bytes, division: decode && some === null ? division : null };
  }

  /** Takes as many free workers as are useful and have memory for their decoders. */
  #takeHelpers(): readonly WorkerClient[] {
    const { key, working } = this.#wanted;
    const { pool, budget } = this.#resources;
    const helpers: WorkerClient[] = [];
    const most = mostShares(this.#divided) - 1;
    while (helpers.length < most) {
      const memory = budget.tryReserve(working.bytes);
      const helper = memory && pool.spare(key);
      if (helper === null) {
        memory?.release();
        break;
      }
      this.#workers.set(helper, memory);
      helpers.push(helper);
    }
    return helpers;
  }

  #shares(count: number): (readonly OrderPart[])[] {
    const { channels, rows } = this.#wanted;
    return count === 1 ? [[{ channels, rows }]] : divideLoad(this.#divided, count);
  }

  /** Has workers take shares in turn. The first one begins at once and takes over the shares of helpers that start late. */
  #decode(
    shares: readonly (readonly OrderPart[])[],
    first: WorkerClient,
    helpers: readonly WorkerClient[],
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const left = shares.entries();
    let missing = shares.length;
    const work = async (worker: WorkerClient) => {
      for (const [i, parts] of left) {
        this.#decoded[i] = await this.#order(worker, parts, i === 0);
        missing -= 1;
      }
      if (missing === 0) resolve();
      this.#giveBack(worker);
    };
    work(first).catch(reject);
    // An order without parts opens the acquisition.
    for (const helper of helpers) this.#order(helper, [], false).then(() => work(helper)).catch(reject);
    return promise;
  }

  /** Orders parts, a second time if the decoders need more memory than was known. */
  async #order(worker: WorkerClient, parts: readonly OrderPart[], isFirst: boolean): Promise<DecodedOrder> {
    const { key, source, position, decode, reference } = this.#wanted;
    let { working } = this.#wanted;
    for (let tries = 0; tries < 2; tries += 1) {
      const buffers = decode ? this.#buffers(parts) : [];
      const order = { parts, position, reference: reference && isFirst, decode, working, buffers };
      const answer = await worker.decode(key, source, order, this.#signal);
      if (answer.planes !== null || !decode) return answer;
      working = answer.working;
      this.#workers.get(worker)?.release();
      this.#workers.set(worker, this.#reserve(working));
    }
    throw new DecodeFailed("the file changes while it is read");
  }

  #buffers(parts: readonly OrderPart[]): ArrayBuffer[] {
    const { shape } = this.#wanted;
    return parts.flatMap(({ channels, rows }) => {
      const { start, end } = rows ?? { start: 0, end: shape.rows };
      return this.#resources.memory.take(4 * shape.columns * (end - start), channels.length);
    });
  }

  #giveBack(worker: WorkerClient): void {
    const memory = this.#workers.get(worker);
    if (!this.#workers.delete(worker)) return;
    memory?.release();
    this.#resources.pool.giveBack(worker, this.#wanted.key);
    if (this.#workers.size === 0) this.#quiet.resolve();
  }

  /** Stops the workers that are not done, and gives back each one when it is quiet. */
  #stop(reason: unknown): void {
    this.#fault.abort(reason);
    for (const worker of this.#workers.keys()) void worker.quiet.then(() => this.#giveBack(worker));
  }

  /** Puts the planes together, in the order of their channels. */
  #assembled(parts: readonly OrderPart[]): DecodedPlanes {
    const { channels, shape, decode } = this.#wanted;
    const answers = this.#decoded;
    const filled = answers.flatMap(({ rows }) => rows);
    const common = {
      referencePlanes: answers[0]!.referencePlanes,
      warnings: answers.flatMap(({ warnings }) => warnings),
      files: new Map(answers.flatMap(({ files }) => [...files])),
      rows: parts.length === 1 ? filled[0]! : { start: 0, end: shape.rows },
    };
    if (!decode) return { ...common, planes: [] };
    const samples = answers.flatMap(({ planes }) => planes ?? []).values();
    const planes = new Map<number, Float32Array<ArrayBuffer>[]>(channels.map((channel) => [channel, []]));
    for (const [i, part] of parts.entries()) {
      const { start, end } = parts.length === 1 ? filled[i]! : part.rows!;
      const offset = start - filled[i]!.start;
      const length = (end - start) * shape.columns;
      for (const channel of part.channels) {
        const own = samples.next().value?.subarray(offset * shape.columns, offset * shape.columns + length);
        if (offset < 0 || own?.length !== length) {
          throw new AcquisitionChanged("The planes have another shape than before");
        }
        planes.get(channel)!.push(own);
      }
    }
    return { ...common, planes: [...planes.values()] };
  }
}
