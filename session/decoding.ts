/** Decodes planes of an acquisition at one position. Several workers divide large compressed planes. */
import { AcquisitionChanged, DecodeFailed } from "../readers/errors.ts";
import type { DecodedOrder, Description } from "./worker/orders.ts";
import type { Position, RowRange } from "../readers/reader.ts";
import type { DecodePool } from "./decode_pool.ts";
import type { MemoryBudget, Reservation } from "./memory_budget.ts";
import type { PlaneParts } from "./plane_buffer.ts";
import type { PlaneMemory } from "./plane_memory.ts";
import { dropSamples, type KeyedSource, type WorkerClient } from "./worker_client.ts";

/** Planes below this size are decoded before a second worker has read the metadata. */
const MIN_DIVIDED_BYTES = 16 << 20;

/** What all decodings share. */
export interface DecodeResources {
  readonly pool: DecodePool;
  readonly budget: MemoryBudget;
  /** Memory of released planes, for new ones. */
  readonly memory: PlaneMemory;
}

/** Some rows of some channels, which one worker decodes. */
export interface Piece {
  readonly channels: readonly number[];
  /** Wanted rows; `null` for all. */
  readonly rows: RowRange | null;
}

/** Planes to decode. */
export interface WantedPlanes
  extends KeyedSource, Piece, Pick<Description, "summary" | "working" | "division"> {
  readonly position: Position;
  readonly reference: boolean;
  /** True if the marks of all files are needed. */
  readonly marksAll?: boolean;
}

/** Decoded planes; their memory belongs to the caller. */
export interface DecodedPlanes extends Pick<DecodedOrder, "referencePlanes" | "warnings" | "files"> {
  readonly planes: readonly PlaneParts[];
  /** Rows that the planes hold: the wanted rows or more. */
  readonly rows: RowRange;
  /** Encoded marks of all files, if wanted. */
  readonly seen: readonly Uint8Array<ArrayBuffer>[];
}

/** Whole planes that may be divided. */
export type DividedPlanes = Pick<WantedPlanes, "channels" | "division"> & {
  readonly summary: Pick<WantedPlanes["summary"], "rows" | "columns">;
};

/** The largest useful number of workers, at least 1. */
export function countPieces({ channels, summary: { rows, columns }, division }: DividedPlanes): number {
  if (division === null || 4 * rows * columns * channels.length < MIN_DIVIDED_BYTES) return 1;
  return groupChannels(channels, division.channels).length * Math.ceil(rows / division.rows);
}

/**
 * Pieces of whole planes, about equal, in the order of the file: the rows of the first channels, then those of the next channels.
 * At most {@linkcode countPieces} workers share them.
 */
export function divide({ channels, summary: { rows }, division }: DividedPlanes, workers: number): Piece[] {
  if (division === null || workers === 1) return [{ channels, rows: null }];
  const groups = groupChannels(channels, division.channels);
  const bands = Math.ceil(rows / division.rows);
  // Channels stay whole if they divide evenly among the workers.
  const count = groups.length % workers === 0 ? 1 : Math.min(workers, bands);
  const cut = (i: number) => Math.min(Math.floor(i * bands / count) * division.rows, rows);
  return groups.flatMap((channels) =>
    Array.from({ length: count }, (_, i) => ({ channels, rows: { start: cut(i), end: cut(i + 1) } }))
  );
}

/** Channels that are compressed together, in their order. */
const groupChannels = (channels: readonly number[], together: number): number[][] => [
  ...Map.groupBy(channels, (channel) => Math.floor(channel / together)).values(),
];

/** The decoding of planes. */
export interface Decoding {
  /** Rejects with the reason of the signal at once. @throws {ReaderError | SessionMemoryExceeded} */
  readonly decoded: Promise<DecodedPlanes>;
  /** Settles when no worker uses the memory of the planes any longer. */
  readonly quiet: Promise<void>;
}

/**
 * Begins to decode with an idle worker, which is given back when it is quiet. Reserves the memory of the decoders; the caller
 * reserves that of the samples. `given` stops all workers.
 */
export function decodePlanes(
  wanted: WantedPlanes,
  first: WorkerClient,
  resources: DecodeResources,
  given: AbortSignal,
): Decoding {
  const team = new DecodeTeam(wanted, first, resources, given);
  return { decoded: team.decode(), quiet: team.quiet };
}

/** The workers that decode planes, with the memory of their decoders. */
class DecodeTeam {
  readonly #wanted: WantedPlanes;
  readonly #first: WorkerClient;
  readonly #resources: DecodeResources;
  readonly #fault = new AbortController();
  readonly #signal: AbortSignal;
  readonly #quiet = Promise.withResolvers<void>();
  /** Workers that are not done, with the memory of their decoders. */
  readonly #workers: Map<WorkerClient, Reservation | null>;
  /** Decoded samples, by the index of the piece. */
  readonly #answers: DecodedOrder[] = [];

  constructor(
    wanted: WantedPlanes,
    first: WorkerClient,
    resources: DecodeResources,
    given: AbortSignal,
  ) {
    this.#wanted = wanted;
    this.#first = first;
    this.#resources = resources;
    this.#signal = AbortSignal.any([given, this.#fault.signal]);
    this.#workers = new Map([[first, null]]);
  }

  /** Settles when all workers are given back. */
  get quiet(): Promise<void> {
    return this.#quiet.promise;
  }

  async decode(): Promise<DecodedPlanes> {
    const { channels, rows, working } = this.#wanted;
    try {
      this.#workers.set(this.#first, this.#reserve(working.bytes));
      const helpers = rows === null ? this.#takeHelpers() : [];
      const pieces = rows === null ? divide(this.#wanted, 1 + helpers.length) : [{ channels, rows }];
      await this.#distribute(pieces, helpers);
      const planes = assemblePlanes(this.#wanted, pieces, this.#answers);
      this.#stop(new Error("The other workers decoded all planes"));
      return planes;
    } catch (error) {
      // The array has holes for the pieces that are not decoded.
      for (const piece of this.#answers.values()) if (piece) dropSamples(piece);
      this.#stop(error);
      throw error;
    }
  }

  #reserve(bytes: number): Reservation {
    return this.#resources.budget.reserve(bytes, "The decoders, beside the planes,");
  }

  #giveBack(worker: WorkerClient): void {
    const held = this.#workers.get(worker);
    if (!this.#workers.delete(worker)) return;
    held?.release();
    void this.#resources.pool.giveBack(worker, this.#wanted.key);
    if (this.#workers.size === 0) this.#quiet.resolve();
  }

  /** Stops the unfinished workers, and gives each one back when it is quiet. */
  #stop(reason: unknown): void {
    this.#fault.abort(reason);
    for (const worker of this.#workers.keys()) void worker.quiet.then(() => this.#giveBack(worker));
  }

  /** Takes as many free workers as are useful, if the budget has memory for their decoders. */
  #takeHelpers(): WorkerClient[] {
    const { pool, budget } = this.#resources;
    const helpers: WorkerClient[] = [];
    for (const most = countPieces(this.#wanted) - 1; helpers.length < most;) {
      const held = budget.tryReserve(this.#wanted.working.bytes);
      const helper = held && pool.spare(this.#wanted.key);
      if (helper === null) {
        held?.release();
        break;
      }
      this.#workers.set(helper, held);
      helpers.push(helper);
    }
    return helpers;
  }

  /** Distributes the pieces. The first worker begins at once; helpers open the acquisition before they take a piece. */
  #distribute(pieces: readonly Piece[], helpers: readonly WorkerClient[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const left = pieces.entries();
    let missing = pieces.length;
    const work = async (worker: WorkerClient) => {
      for (const [i, piece] of left) {
        this.#answers[i] = await this.#order(worker, piece, i === 0);
        missing -= 1;
      }
      if (missing === 0) resolve();
      this.#giveBack(worker);
    };
    work(this.#first).catch(reject);
    const opening = { channels: [], rows: null };
    for (const helper of helpers) {
      this.#order(helper, opening, false).then(() => work(helper)).catch(reject);
    }
    return promise;
  }

  /** Has a worker decode a piece, a second time if the decoders need more memory than expected. */
  async #order(worker: WorkerClient, piece: Piece, isFirst: boolean): Promise<DecodedOrder> {
    const { position, reference, summary, marksAll = false, working: expected } = this.#wanted;
    const { start, end } = piece.rows ?? { start: 0, end: summary.rows };
    let working = expected;
    for (let tries = 0; tries < 2; tries += 1) {
      const buffers = this.#resources.memory.take(4 * summary.columns * (end - start), piece.channels.length);
      const order = { ...piece, position, reference: reference && isFirst, marksAll, working, buffers };
      const answer = await worker.ask(this.#wanted, { type: "decode", order }, this.#signal);
      if (answer.planes !== null) return answer;
      working = answer.working;
      this.#workers.get(worker)?.release();
      this.#workers.set(worker, this.#reserve(working.bytes));
    }
    throw new DecodeFailed("the file changes while it is read");
  }
}

function assemblePlanes(
  { channels, summary: { rows: height, columns } }: WantedPlanes,
  pieces: readonly Piece[],
  answers: readonly DecodedOrder[],
): DecodedPlanes {
  const isWhole = pieces.length === 1;
  const planes = new Map<number, Float32Array<ArrayBuffer>[]>(channels.map((channel) => [channel, []]));
  const first = answers[0]!;
  for (const [i, { rows, planes: decoded }] of answers.entries()) {
    const piece = pieces[i]!;
    const { start, end } = isWhole ? rows : piece.rows ?? rows;
    for (const [j, channel] of piece.channels.entries()) {
      const own = decoded?.[j];
      if (own?.length !== (end - start) * columns) {
        throw new AcquisitionChanged("The planes have another shape than before");
      }
      planes.get(channel)?.push(own);
    }
  }
  return {
    planes: [...planes.values()],
    referencePlanes: first.referencePlanes,
    warnings: answers.flatMap(({ warnings }) => warnings),
    files: new Map(answers.flatMap(({ files }) => [...files])),
    seen: answers.flatMap(({ seen }) => seen ?? []),
    rows: isWhole ? first.rows : { start: 0, end: height },
  };
}
