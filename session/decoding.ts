/**
 * Decodes planes of one acquisition at one position: by one worker, or by several where large planes are compressed in strips,
 * tiles or chunks.
 */
import { AcquisitionChanged, DecodeFailed } from "../readers/errors.ts";
import type { AcquisitionSource, DecodedOrder, OrderPart, PlaneOrder } from "../readers/open_acquisition.ts";
import type { Division, Position, RowRange, WorkingMemory } from "../readers/reader.ts";
import type { DecodePool } from "./decode_pool.ts";
import { divideLoad, mostPieces } from "./load_division.ts";
import type { MemoryBudget, Reservation } from "./memory_budget.ts";
import type { PlaneParts } from "./plane_buffer.ts";
import type { PlaneMemory } from "./plane_memory.ts";
import { dropSamples, type WorkerClient } from "./worker_client.ts";

/** What all decoding shares. */
export interface DecodeResources {
  /** Gives workers. */
  readonly pool: DecodePool;
  /** Gives memory of planes and decoders. */
  readonly budget: MemoryBudget;
  /** Memory of released planes for new ones. */
  readonly memory: PlaneMemory;
}

/** Planes to decode. */
export interface WantedPlanes {
  /** Key under which workers keep the acquisition open. */
  readonly key: string;
  /** Where it is, and what its files were. */
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
  /** False when the planes are judged and not decoded. */
  readonly decode: boolean;
  /** What decoding takes beside the planes, as far as known. */
  readonly working: WorkingMemory;
  /** How whole planes can be divided among workers; `null` where it does not pay. */
  readonly division: Division | null;
}

/** Decoded planes; who gets them owns their memory. */
export interface DecodedPlanes extends Pick<DecodedOrder, "referencePlanes" | "warnings" | "files"> {
  /** Parts of each plane in the order of the channels; empty where nothing was to be decoded. */
  readonly planes: readonly PlaneParts[];
  /** The rows of each plane: the wanted ones or more. */
  readonly rows: RowRange;
}

/**
 * Decodes planes. The memory of the samples is reserved by the caller, that of the decoders here.
 *
 * @param first has nothing to do; it is given back when it is quiet
 * @param signal its abort stops all workers; the promise is rejected with its reason at once
 * @returns the planes, and `quiet`, which settles when no worker uses memory of this work any more
 * @throws {ReaderError | SessionMemoryExceeded}
 * @throws the reason of `signal`
 */
export function decodePlanes(
  wanted: WantedPlanes,
  first: WorkerClient,
  resources: DecodeResources,
  signal: AbortSignal,
): { readonly decoded: Promise<DecodedPlanes>; readonly quiet: Promise<void> } {
  const work = new Decoding(wanted, resources, signal);
  return { decoded: work.run(first), quiet: work.quiet };
}

class Decoding {
  readonly #wanted: WantedPlanes;
  readonly #resources: DecodeResources;
  readonly #fault = new AbortController();
  /** Stops all workers: the caller wants the planes no more, or one worker failed. */
  readonly #signal: AbortSignal;
  /** Workers that are not done, and what each takes beside the planes. */
  readonly #workers = new Map<WorkerClient, Reservation | null>();
  /** What is decoded, by the places of the pieces. */
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
      const pieces = this.#pieces(helpers.length + 1);
      await this.#decode(pieces, first, helpers);
      const result = this.#assembled(pieces.flat());
      this.#stop(new Error("The planes were decoded without this worker"));
      return result;
    } catch (error) {
      for (const piece of this.#decoded.values()) if (piece) dropSamples(piece);
      this.#stop(error);
      throw error;
    }
  }

  #reserve({ bytes }: WorkingMemory): Reservation {
    return this.#resources.budget.reserve(bytes, "The decoders, beside the planes,");
  }

  /** Whole planes as one that can be divided. */
  get #divided() {
    const { channels, shape: { rows, columns }, division, decode, rows: some } = this.#wanted;
    const bytes = 4 * rows * columns * channels.length;
    return { channels, rows, bytes, division: decode && some === null ? division : null };
  }

  /** Workers that are free and for which there is memory, where it pays to divide the work. */
  #takeHelpers(): readonly WorkerClient[] {
    const { key, working } = this.#wanted;
    const { pool, budget } = this.#resources;
    const helpers: WorkerClient[] = [];
    const most = mostPieces(this.#divided) - 1;
    while (helpers.length < most) {
      const beside = budget.tryReserve(working.bytes);
      const helper = beside && pool.spare(key);
      if (helper === null) {
        beside?.release();
        break;
      }
      this.#workers.set(helper, beside);
      helpers.push(helper);
    }
    return helpers;
  }

  #pieces(count: number): (readonly OrderPart[])[] {
    const { channels, rows } = this.#wanted;
    return count === 1 ? [[{ channels, rows }]] : divideLoad(this.#divided, count);
  }

  /**
   * Has workers take pieces in their order until none is left: one for each, since each piece has memory of its own. The first
   * one begins at once and takes over the pieces of helpers that start late.
   */
  #decode(
    pieces: readonly (readonly OrderPart[])[],
    first: WorkerClient,
    helpers: readonly WorkerClient[],
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const left = pieces.entries();
    let missing = pieces.length;
    const work = async (worker: WorkerClient) => {
      for (const [i, parts] of left) {
        this.#decoded[i] = await this.#order(worker, parts, i === 0);
        missing -= 1;
      }
      if (missing === 0) resolve();
      this.#giveBack(worker);
    };
    work(first).catch(reject);
    for (const helper of helpers) {
      // Opens the acquisition where the helper does not keep it open.
      this.#order(helper, [], false).then(() => work(helper)).catch(reject);
    }
    return promise;
  }

  /** One order, once more where the decoder needs more memory than was known. */
  async #order(worker: WorkerClient, parts: readonly OrderPart[], isFirst: boolean): Promise<DecodedOrder> {
    const { key, source, position, decode, reference } = this.#wanted;
    let { working } = this.#wanted;
    for (let tries = 0; tries < 2; tries += 1) {
      const order: PlaneOrder = {
        parts,
        position,
        reference: reference && isFirst,
        decode,
        working,
        buffers: decode ? this.#buffers(parts) : [],
      };
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

  /** A worker is done: its memory is free when it is quiet. */
  #giveBack(worker: WorkerClient): void {
    const working = this.#workers.get(worker);
    if (!this.#workers.delete(worker)) return;
    working?.release();
    this.#resources.pool.giveBack(worker, this.#wanted.key);
    if (this.#workers.size === 0) this.#quiet.resolve();
  }

  /** Stops the workers that are not done, and gives back each one when it is quiet. */
  #stop(reason: unknown): void {
    this.#fault.abort(reason);
    for (const worker of this.#workers.keys()) void worker.quiet.then(() => this.#giveBack(worker));
  }

  /** The planes in the order of their channels, from the samples of all parts. */
  #assembled(parts: readonly OrderPart[]): DecodedPlanes {
    const { channels, shape, decode } = this.#wanted;
    const [{ referencePlanes, warnings }, ...others] = this.#decoded as [DecodedOrder, ...DecodedOrder[]];
    const files = new Map([...this.#decoded.flatMap((one) => [...one.files])]);
    const rest = {
      referencePlanes,
      warnings: [...warnings, ...others.flatMap((one) => one.warnings)],
      files,
    };
    const filled = this.#decoded.flatMap(({ rows }) => rows);
    const rows = parts.length === 1 ? filled[0]! : { start: 0, end: shape.rows };
    if (!decode) return { ...rest, planes: [], rows };
    const samples = this.#decoded.flatMap(({ planes }) => planes ?? []).values();
    const planes = new Map<number, Float32Array<ArrayBuffer>[]>(channels.map((channel) => [channel, []]));
    for (const [i, part] of parts.entries()) {
      const wantedRows = parts.length === 1 ? filled[i]! : part.rows!;
      const offset = wantedRows.start - filled[i]!.start;
      const count = wantedRows.end - wantedRows.start;
      for (const channel of part.channels) {
        const decoded = samples.next().value;
        const own = decoded?.subarray(offset * shape.columns, (offset + count) * shape.columns);
        if (offset < 0 || own?.length !== count * shape.columns) {
          throw new AcquisitionChanged("The planes have another shape than before");
        }
        planes.get(channel)!.push(own);
      }
    }
    return { ...rest, planes: [...planes.values()], rows };
  }
}
