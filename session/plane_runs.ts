/**
 * Runs: consecutive planes along one axis, decoded ahead of the client in blocks and sent in order. They use no cache, and blocks
 * wait for workers like single planes.
 */
import { DecodeFailed, fromWire, PlaneNotFound, quoted } from "../readers/errors.ts";
import { requirePosition } from "../readers/metadata/selection.ts";
import type { Position, WorkingMemory } from "../readers/reader.ts";
import type { DecodeResources } from "./decoding.ts";
import { TooManyOpens } from "./errors.ts";
import type { Reservation } from "./memory_budget.ts";
import type { PlaneStream } from "./plane_buffer.ts";
import type { RememberedMarks } from "./remembered_marks.ts";
import { nameSession, type Session } from "./store.ts";
import { type Wait, type Waits, waitUnlessAborted } from "./waits.ts";
import type { WorkerClient } from "./worker_client.ts";
import {
  type DecodedRun,
  findPositionInRun,
  MOST_MISSING,
  type RunOrder,
  type RunRange,
} from "./worker/orders.ts";

/** Runs at the same time, of one session and in all. */
const [MOST_OF_SESSION, MOST] = [2, 4];

/** Memory of a run: blocks that are decoded, wait, or may still be on their way. Two planes may be larger. */
const WINDOW_BYTES = 64 << 20;

/** Largest block of several planes. */
const BLOCK_BYTES = 8 << 20;

/** Most planes in a block, however small they are. */
const MOST_IN_BLOCK = 4096;

/** A block takes about this time to decode, so that the load time-out counts for each plane and other requests get their turn. */
const BLOCK_MS = 100;

/** Blocks that are being decoded or wait to be sent. */
const MOST_AHEAD = 3;

/** Bytes per chunk of a response, as for single planes. */
const CHUNK_BYTES = 4 << 20;

/**
 * The memory of a chunk is used again after this many further chunks and bytes. The runtime keeps a reference to a chunk that is
 * being written and to the one after it; small chunks wait together, up to 64 KiB in its queue and 400 KiB in its HTTP server.
 */
const [LATER_CHUNKS, LATER_BYTES] = [4, 1 << 20];

/** Time between two attempts to queue a block while too many planes wait. */
const RETRY_MS = 20;

/** Planes of a run are missing in the file. */
export class PlanesNotFound extends PlaneNotFound {
  /** @param missing positions of missing planes, the first hundred */
  constructor(message: string, readonly missing: readonly Position[]) {
    super(message);
  }
}

/** Decoded planes, one after the other. */
interface RunBlock {
  readonly parts: readonly Float32Array<ArrayBuffer>[];
  /** Bytes that are reserved and counted in the window. */
  readonly memory: Reservation;
  readonly bytes: number;
  /** Why the plane after these cannot be sent. */
  readonly failure: Error | null;
}

/** What all runs share. */
interface RunServices {
  readonly resources: DecodeResources;
  readonly waits: Waits;
  readonly marks: RememberedMarks;
}

/** The runs of all sessions. */
export class PlaneRuns {
  readonly #services: RunServices;
  readonly #live = new Map<PlaneRun, Session>();

  constructor(services: RunServices) {
    this.#services = services;
  }

  get count(): number {
    return this.#live.size;
  }

  /**
   * Starts a run; its first plane is decoded then. The caller ends the run.
   *
   * @param isLimited false for commands, whose user decides how many recordings are read at the same time
   * @throws {PositionOutOfRange | PlanesNotFound | PlaneNotFound | AcquisitionChanged | DecodeFailed}
   * @throws {TooManyOpens | SessionMemoryExceeded | LoadTimeout | SessionNotFound | ClientGone | ShuttingDown}
   */
  async begin(session: Session, range: RunRange, client: AbortSignal, isLimited = true): Promise<PlaneRun> {
    for (const index of [0, range.count - 1]) {
      requirePosition(nameSession(session), session.summary.axes, findPositionInRun(range, index));
    }
    if (isLimited) this.#requireTurn(session);
    const run = new PlaneRun(session, range, this.#services, () => this.#live.delete(run));
    this.#live.set(run, session);
    try {
      await run.begin(client);
      return run;
    } catch (error) {
      run.end(false);
      throw error;
    }
  }

  /** @throws {TooManyOpens} */
  #requireTurn(session: Session): void {
    const own = this.#live.values().filter((of) => of === session).toArray().length;
    if (own >= MOST_OF_SESSION || this.#live.size >= MOST) {
      const text = own >= MOST_OF_SESSION
        ? `${own} runs of planes of this session`
        : `${this.#live.size} runs of planes`;
      throw new TooManyOpens(`${text} are being sent already; try again in a moment`);
    }
  }
}

/** One run. */
export class PlaneRun {
  readonly byteLength: number;
  readonly #session: Session;
  readonly #range: RunRange;
  readonly #services: RunServices;
  readonly #ended: () => void;
  readonly #end = new AbortController();
  readonly #samples: number;
  readonly #planeBytes: number;
  readonly #windowBytes: number;
  #working: WorkingMemory;
  /** Index of the next plane to order. */
  #next = 0;
  /** Milliseconds that a plane of the last block took. */
  #planeMs = Infinity;
  /** Bytes of all blocks that are not released. */
  #held = 0;
  /** Blocks in their order. */
  readonly #ahead: Promise<RunBlock>[] = [];
  /** The block that is being sent, and how much of it was. */
  #sending: { readonly block: RunBlock; part: number; offset: number } | null = null;
  /** Sent blocks, with what was sent after them. */
  readonly #sent = new Map<RunBlock, { chunks: number; bytes: number }>();
  #sentBytes = 0;

  constructor(session: Session, range: RunRange, services: RunServices, ended: () => void) {
    const { rows, columns } = session.summary;
    this.#session = session;
    this.#range = range;
    this.#services = services;
    this.#ended = ended;
    this.#samples = rows * columns;
    this.#planeBytes = 4 * this.#samples;
    this.#windowBytes = Math.max(WINDOW_BYTES, 2 * this.#planeBytes);
    this.#working = session.working;
    this.byteLength = range.count * this.#planeBytes;
  }

  /** Decodes the first plane. Throws like {@linkcode PlaneRuns.begin}. */
  async begin(client: AbortSignal): Promise<void> {
    const leave = () => this.end(false);
    client.addEventListener("abort", leave, { once: true });
    if (client.aborted) leave();
    try {
      await this.#takeNext();
    } finally {
      client.removeEventListener("abort", leave);
    }
    const failure = this.#sending?.block.failure;
    if (failure) throw failure;
  }

  /**
   * Streams all planes once. The body ends short if a plane fails. `moved` is called when the receiver asks for a chunk.
   */
  stream(moved: () => void): PlaneStream {
    let isOpen = true;
    let isWaiting = false;
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const stop = (end: () => void) => {
      if (isOpen) end();
      isOpen = false;
    };
    const body = new ReadableStream<Uint8Array>({
      start: (own) => void (controller = own),
      pull: async () => {
        moved();
        isWaiting = true;
        try {
          const chunk = await this.#takeChunk();
          if (!isOpen) return;
          controller.enqueue(chunk);
          if (this.#sentBytes === this.byteLength) stop(() => controller.close());
        } catch (error) {
          stop(() => controller.error(error));
          this.end(false);
        } finally {
          isWaiting = false;
          moved();
        }
      },
      cancel: () => stop(() => this.end(false)),
    }, { highWaterMark: 0 });
    return {
      body,
      isWaiting: () => isWaiting,
      cut: (reason) => {
        stop(() => controller.error(reason));
        this.end(false);
      },
    };
  }

  /** The planes in order, each until the next one is asked for. @throws why the next plane cannot be decoded */
  async *planes(): AsyncGenerator<Float32Array<ArrayBuffer>, void, undefined> {
    for (let index = 0; index < this.#range.count;) {
      if (this.#sending === null) await this.#takeNext();
      const { block } = this.#sending!;
      for (const part of block.parts) {
        for (let at = 0; at < part.length; at += this.#samples) {
          yield part.subarray(at, at + this.#samples);
          index += 1;
        }
      }
      if (block.failure !== null) throw block.failure;
      this.#sending = null;
      this.#release(block, true);
      this.#fill();
    }
  }

  /** Frees all memory and stops decoding. @param isSent true if the runtime has sent everything, so that memory can be used again */
  end(isSent: boolean): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    for (const block of [...this.#sent.keys(), ...this.#sending ? [this.#sending.block] : []]) {
      this.#release(block, isSent);
    }
    for (const block of this.#ahead.splice(0)) {
      void block.then((decoded) => this.#release(decoded, true), () => {});
    }
    this.#ended();
  }

  /** The next bytes to send, up to {@linkcode CHUNK_BYTES}. @throws why there are no more */
  async #takeChunk(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#sending === null) await this.#takeNext();
    const sending = this.#sending;
    const part = sending?.block.parts[sending.part];
    if (!sending || part === undefined) throw sending?.block.failure ?? new Error("The run has ended");
    const length = Math.min(CHUNK_BYTES, part.byteLength - sending.offset);
    const chunk = new Uint8Array(part.buffer, part.byteOffset + sending.offset, length);
    sending.offset += length;
    this.#sentBytes += length;
    this.#countLater(length);
    if (sending.offset === part.byteLength) [sending.part, sending.offset] = [sending.part + 1, 0];
    const { block } = sending;
    if (sending.part === block.parts.length && block.failure === null) {
      this.#sending = null;
      this.#sent.set(block, { chunks: 0, bytes: 0 });
    }
    this.#fill();
    return chunk;
  }

  /** Waits for the next block. */
  async #takeNext(): Promise<void> {
    this.#fill();
    if (this.#ahead.length === 0 && this.#next < this.#range.count) {
      // Memory is short. The runtime keeps what it has not written of blocks that are let go here.
      for (const block of this.#sent.keys()) this.#release(block, false);
      this.#order(1, true);
    }
    const next = this.#ahead.shift();
    if (next === undefined) throw new Error("The run has ended");
    const block = await next;
    if (this.#end.signal.aborted) {
      this.#release(block, true);
      this.#end.signal.throwIfAborted();
    }
    this.#sending = { block, part: 0, offset: 0 };
    this.#fill();
  }

  /** Releases sent blocks that the runtime has written. */
  #countLater(bytes: number): void {
    for (const [block, later] of this.#sent) {
      later.chunks += 1;
      later.bytes += bytes;
      if (later.chunks >= LATER_CHUNKS && later.bytes >= LATER_BYTES) this.#release(block, true);
    }
  }

  #release(block: RunBlock, isReusable: boolean): void {
    this.#sent.delete(block);
    this.#held -= block.bytes;
    for (const { buffer } of block.parts) {
      if (isReusable) this.#services.resources.memory.give(buffer, buffer.byteLength);
      else buffer.transfer(0);
    }
    block.memory.release();
  }

  /** Orders blocks while the window and the budget have room for them. */
  #fill(): void {
    while (this.#next > 0 && this.#ahead.length < MOST_AHEAD && !this.#end.signal.aborted) {
      const most = Math.min(
        Math.floor(BLOCK_BYTES / this.#planeBytes),
        BLOCK_MS / this.#planeMs,
        MOST_IN_BLOCK,
      );
      // Powers of two, since memory is used again for blocks of the same size.
      const size = 2 ** Math.floor(Math.log2(Math.max(1, most)));
      const count = Math.min(size, this.#range.count - this.#next);
      if (count === 0 || this.#held + count * this.#planeBytes > this.#windowBytes) return;
      if (!this.#order(count)) return;
    }
  }

  /** Orders a block. @param isNeeded gives up other memory for it, or fails @returns false without memory */
  #order(count: number, isNeeded = false): boolean {
    const { budget } = this.#services.resources;
    const bytes = count * this.#planeBytes;
    let memory: Reservation | null = null;
    try {
      memory = isNeeded ? budget.reserve(bytes, "The samples of the planes") : budget.tryReserve(bytes);
    } catch (error) {
      this.#add(Promise.reject(error));
    }
    if (memory === null) return false;
    const first = this.#next;
    this.#next += count;
    this.#held += bytes;
    this.#add(this.#decode(first, count, memory));
    return true;
  }

  /** A block that fails does so when it is its turn to be sent. */
  #add(block: Promise<RunBlock>): void {
    block.catch(() => {});
    this.#ahead.push(block);
  }

  /** Decodes a block. Until the worker is quiet, it may use the memory. */
  async #decode(first: number, count: number, memory: Reservation): Promise<RunBlock> {
    const { bytes } = memory;
    const { pool } = this.#services.resources;
    const parts: Float32Array<ArrayBuffer>[] = [];
    let quiet = Promise.resolve();
    try {
      using wait = this.#wait();
      const worker = await this.#takeWorker(first > 0, wait.signal);
      try {
        const failure = await this.#askAll(worker, first, count, parts, wait.signal);
        return { parts, memory, bytes, failure };
      } finally {
        quiet = worker.quiet;
        void pool.giveBack(worker, this.#session.id);
      }
    } catch (error) {
      for (const { buffer } of parts) buffer.transfer(0);
      this.#held -= bytes;
      void quiet.then(() => memory.release());
      throw error;
    }
  }

  #wait(): Wait {
    const { ended } = this.#session;
    return this.#services.waits.begin(
      `A plane of ${quoted(nameSession(this.#session))}`,
      this.#end.signal,
      ended,
    );
  }

  /** A worker for a block. @param waits while the queue is full, instead of failing */
  async #takeWorker(waits: boolean, signal: AbortSignal): Promise<WorkerClient> {
    const { pool } = this.#services.resources;
    const { id: key, source } = this.#session;
    for (;;) {
      try {
        return await pool.takeForPlane({ key, source }, signal);
      } catch (error) {
        if (!waits || !(error instanceof TooManyOpens)) throw error;
        await waitUnlessAborted(new Promise((done) => setTimeout(done, RETRY_MS)), signal);
      }
    }
  }

  /** Has a worker decode planes, in a second order if a plane needs more memory. @returns why the next plane cannot be decoded, or `null` */
  async #askAll(
    worker: WorkerClient,
    first: number,
    count: number,
    parts: Float32Array<ArrayBuffer>[],
    signal: AbortSignal,
  ): Promise<Error | null> {
    const { budget } = this.#services.resources;
    let done = 0;
    for (let isMore = true; isMore;) {
      const { bytes } = this.#working;
      const decoders = budget.reserve(bytes, "The decoders, beside the planes,");
      const start = performance.now();
      try {
        const answer = await this.#ask(worker, first + done, count - done, signal);
        done += answer.count;
        if (answer.block !== null) parts.push(answer.block.subarray(0, answer.count * this.#samples));
        this.#planeMs = (performance.now() - start) / Math.max(1, answer.count);
        if (answer.failure !== null) return fromWire(answer.failure);
        if (answer.missing.length > 0) {
          return describeMissing(this.#session, this.#range.channel, answer.missing);
        }
        isMore = done < count && answer.working.bytes > bytes;
        if (isMore) this.#working = answer.working;
      } finally {
        void worker.quiet.then(() => decoders.release());
      }
    }
    return done === count ? null : new DecodeFailed("The file changes while it is read");
  }

  async #ask(worker: WorkerClient, first: number, count: number, signal: AbortSignal): Promise<DecodedRun> {
    const { resources, marks } = this.#services;
    const { id: key, source } = this.#session;
    const order: RunOrder = {
      ...this.#range,
      first: findPositionInRun(this.#range, first),
      count,
      survey: first === 0 ? this.#range : null,
      samples: this.#samples,
      working: this.#working,
      buffers: resources.memory.take(count * this.#planeBytes, 1),
    };
    const answer = await worker.ask({ key, source }, { type: "run", order }, signal);
    try {
      marks.compare(this.#session, answer.files);
    } catch (error) {
      answer.block?.buffer.transfer(0);
      throw error;
    }
    return answer;
  }
}

/** Says which planes of a run are missing. */
function describeMissing(session: Session, channel: number, missing: readonly Position[]): PlanesNotFound {
  const [{ t, z, l } = { t: 0, z: 0, l: 0 }] = missing;
  const more = missing.length - 1;
  const others = more === 0
    ? ""
    : `, nor ${more}${missing.length === MOST_MISSING ? " or more" : ""} other${
      more === 1 ? "" : "s"
    } of the run`;
  const name = quoted(nameSession(session));
  return new PlanesNotFound(
    `${name} does not hold the plane T=${t} Z=${z} L=${l} of channel ${channel}${others}`,
    missing,
  );
}
