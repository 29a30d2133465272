/** The server's side of one decode worker. */
import { fromWire, toWire } from "../readers/errors.ts";
import type {
  AcquisitionSource,
  DecodedOrder,
  Description,
  PackedPlanes,
  PackOrder,
  PlaneOrder,
} from "../readers/open_acquisition.ts";
import { StopFlag } from "../readers/io/stop_flag.ts";
import type { Compiled, FromWorker, Question, ToWorker } from "../readers/worker_protocol.ts";
import type { Clock } from "./clock.ts";

/** A stopped worker that does not answer within this time counts as lost. */
const GRACE_MS = 2000;

/**
 * WebAssembly decoders that any worker compiled, by the length of their bytes. While they are held here, a new worker finds
 * their machine code; otherwise its first plane in JPEG XR takes twice as long.
 */
const DECODERS = new Map<number, WebAssembly.Module>();

/** Hears what becomes of a worker. */
export interface WorkerKeeper {
  /** It was stopped and does not answer; it may come back. */
  lost(worker: WorkerClient): void;
  /** It failed and cannot be used again. */
  broken(worker: WorkerClient): void;
}

/** Asks a worker one question at a time. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #keeper: WorkerKeeper;
  /** Takes the answer to the question. */
  #answered: ((answer: FromWorker) => void) | null = null;
  #quiet = Promise.resolve();
  #cancelGrace = () => {};
  #fault: Error | null = null;
  #holdsDecoder = false;
  /** Keys of the acquisitions that the worker knows, with the bytes that each takes; `null` where it is not open. */
  readonly #known = new Map<string, number | null>();

  /** Takes over a worker that has just started. */
  constructor(worker: Worker, clock: Clock, keeper: WorkerKeeper) {
    this.#worker = worker;
    this.#clock = clock;
    this.#keeper = keeper;
    worker.onmessage = ({ data }: MessageEvent<FromWorker | Compiled>) =>
      data.type === "compiled" ? void DECODERS.set(data.bytes, data.code) : this.#answered?.(data);
    worker.onerror = (event) => {
      // Its fault must not end the process.
      event.preventDefault();
      this.#break(`A decode worker failed: ${event.message}`);
    };
    worker.onmessageerror = () => this.#break("A decode worker sent an unreadable answer");
  }

  /** Settles when the worker has answered, also after a stop; until then it uses the memory of its order. */
  get quiet(): Promise<void> {
    return this.#quiet;
  }

  /** True when a decoder holds memory that only goes with the worker. */
  get holdsDecoder(): boolean {
    return this.#holdsDecoder;
  }

  /** Bytes that an acquisition takes in the worker; `null` where it is not open. */
  indexBytes(key: string): number | null {
    return this.#known.get(key) ?? null;
  }

  /**
   * Opens an acquisition and describes it.
   *
   * @param key under which the worker keeps it open
   * @param signal stops the worker; the promise rejects with its reason at once
   * @throws {ReaderError} about the path or the file
   * @throws {Error} the worker is broken
   */
  async open(key: string, source: AcquisitionSource, signal: AbortSignal): Promise<Description> {
    const message = { type: "open", ...this.#question(key, source) } as const;
    return (await this.#ask("opened", message, signal)).description;
  }

  /** Judges and decodes planes. Takes over the buffers of the order. @throws as {@linkcode open} */
  async decode(
    key: string,
    source: AcquisitionSource,
    order: PlaneOrder,
    signal: AbortSignal,
  ): Promise<DecodedOrder> {
    this.#holdsDecoder ||= order.working.endsWithWorker;
    const message = { type: "decode", order, ...this.#question(key, source) } as const;
    return (await this.#ask("decoded", message, signal)).decoded;
  }

  /** Decodes and packs planes. @throws as {@linkcode open} */
  async pack(
    key: string,
    source: AcquisitionSource,
    order: PackOrder,
    signal: AbortSignal,
  ): Promise<PackedPlanes> {
    this.#holdsDecoder ||= order.working.endsWithWorker;
    const message = { type: "pack", order, ...this.#question(key, source) } as const;
    return (await this.#ask("packed", message, signal)).packed;
  }

  /** Plans the planes of some channels at every position. @throws as {@linkcode open} */
  async survey(
    key: string,
    source: AcquisitionSource,
    channels: readonly number[],
    signal: AbortSignal,
  ): Promise<void> {
    const message = { type: "survey", channels, ...this.#question(key, source) } as const;
    await this.#ask("surveyed", message, signal);
  }

  /** Encodes the metadata documents of an acquisition. @returns their bytes as JSON @throws as {@linkcode open} */
  async encodeDocuments(key: string, source: AcquisitionSource, signal: AbortSignal): Promise<number> {
    const message = { type: "encode", ...this.#question(key, source) } as const;
    return (await this.#ask("encoded", message, signal)).bytes;
  }

  /** Takes what {@linkcode encodeDocuments} encoded: a JSON array in pieces. @throws as {@linkcode open} */
  async documents(
    key: string,
    source: AcquisitionSource,
    signal: AbortSignal,
  ): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    const message = { type: "documents", ...this.#question(key, source) } as const;
    return (await this.#ask("documents", message, signal)).pieces;
  }

  /** Closes an acquisition. */
  forget(key: string): void {
    this.#known.delete(key);
    this.#worker.postMessage({ type: "forget", key } satisfies ToWorker);
  }

  /** Closes the files of all acquisitions until they are read again. */
  rest(): void {
    this.#worker.postMessage({ type: "rest" } satisfies ToWorker);
  }

  /** Ends the worker; it answers nothing more. */
  terminate(): void {
    this.#cancelGrace();
    this.#worker.terminate();
  }

  /** Names an acquisition; the first question about it carries its source. */
  #question(key: string, source: AcquisitionSource): Question {
    const isKnown = this.#known.has(key);
    if (!isKnown) this.#known.set(key, null);
    return { key, source: isKnown ? null : source, stop: new StopFlag().shared };
  }

  /** Asks a question. The promise may reject long before the worker is {@linkcode quiet}. */
  async #ask<Type extends FromWorker["type"]>(
    expected: Type,
    message: Extract<ToWorker, Question>,
    signal: AbortSignal,
  ): Promise<Extract<FromWorker, { type: Type }>> {
    signal.throwIfAborted();
    if (this.#fault) throw this.#fault;
    const { promise, resolve, reject } = Promise.withResolvers<FromWorker>();
    const quiet = Promise.withResolvers<void>();
    const stop = () => {
      new StopFlag(message.stop).raise();
      reject(signal.reason);
      this.#cancelGrace = this.#clock.after(GRACE_MS, () => this.#keeper.lost(this));
    };
    this.#worker.postMessage(message, message.type === "decode" ? message.order.buffers : []);
    this.#quiet = quiet.promise;
    this.#answered = (answer) => {
      this.#answered = null;
      this.#known.set(message.key, answer.indexBytes);
      signal.removeEventListener("abort", stop);
      this.#cancelGrace();
      quiet.resolve();
      if (signal.aborted && answer.type === "decoded") dropSamples(answer.decoded);
      resolve(answer);
    };
    signal.addEventListener("abort", stop, { once: true });
    const answer = await promise;
    if (answer.type === "failed") throw fromWire(answer.error);
    if (answer.type !== expected) throw new Error(`A decode worker answered "${answer.type}"`);
    return answer as Extract<FromWorker, { type: Type }>;
  }

  #break(reason: string): void {
    this.#fault = new Error(reason);
    this.#answered?.({ type: "failed", error: toWire(this.#fault), indexBytes: null });
    this.#keeper.broken(this);
  }
}

/** Frees the memory of samples that nobody wants. */
export function dropSamples(
  { planes, referencePlanes }: Pick<DecodedOrder, "planes" | "referencePlanes">,
): void {
  for (const { buffer } of [...planes ?? [], ...referencePlanes ?? []]) buffer.transfer(0);
}
