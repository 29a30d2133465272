/** One decode worker, as the server sees it. */
import { fromWire, toWire } from "../readers/errors.ts";
import type {
  AcquisitionSource,
  DecodedOrder,
  Description,
  OpenRequest,
  PlaneOrder,
} from "../readers/open_acquisition.ts";
import type { MetadataDocument } from "../readers/io/document_list.ts";
import { StopFlag } from "../readers/io/stop_flag.ts";
import type { Compiled, FromWorker, Question, ToWorker } from "../readers/worker_protocol.ts";
import type { Clock } from "./clock.ts";

/** A stopped worker that does not answer within this time counts as lost. */
const GRACE_MS = 2000;

/**
 * Decoders in WebAssembly that any worker has compiled, by the length of their bytes. While they are held here, a fresh worker
 * finds their machine code: without it a plane in JPEG XR takes twice as long in each new worker.
 */
const DECODERS = new Map<number, WebAssembly.Module>();

/** Hears what becomes of a worker. */
export interface WorkerKeeper {
  /** It was stopped and does not answer; it may come back. */
  lost(worker: WorkerClient): void;
  /** It cannot be used again. */
  broken(worker: WorkerClient): void;
}

/** Asks one worker one thing after the other. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #keeper: WorkerKeeper;
  /** Takes the answer that is waited for. */
  #answered: ((answer: FromWorker) => void) | null = null;
  #quiet = Promise.resolve();
  /** Ends the wait for a worker that was stopped. */
  #cancelGrace = () => {};
  #fault: Error | null = null;
  #holdsDecoder = false;
  #usedDecoder = false;
  #format: string | null = null;
  /** The acquisitions that the worker knows, by their keys, with the bytes that each takes where it is open. */
  readonly #told = new Map<string, number | null>();

  /** Takes over a worker that has just been started. */
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
    worker.onmessageerror = () => this.#break("A decode worker sent an answer that cannot be read");
  }

  /** Settles when the worker has answered what it was asked, also after a stop; it uses the memory of its order until then. */
  get quiet(): Promise<void> {
    return this.#quiet;
  }

  /** True when a decoder holds memory that goes only with the worker. */
  get holdsDecoder(): boolean {
    return this.#holdsDecoder;
  }

  /** True when an order asked for memory of a decoder, of which the allocator may have kept some. */
  get usedDecoder(): boolean {
    return this.#usedDecoder;
  }

  /** Name of the format that it opened last, or `null`. */
  get format(): string | null {
    return this.#format;
  }

  /** Bytes that an acquisition takes in the worker, by its last answer; `null` where it is not open. */
  indexBytes(key: string): number | null {
    return this.#told.get(key) ?? null;
  }

  /** Has it load the readers of some formats, by their names, ahead of the next open. */
  prepare(formats: readonly string[]): void {
    this.#send({ type: "prepare", formats });
  }

  /**
   * Opens an acquisition and describes it.
   *
   * @param key under which it is kept open
   * @param signal its abort stops the worker; the promise is rejected with its reason at once
   * @throws {ReaderError} about the path or the file
   * @throws {Error} the worker is broken
   * @throws the reason of `signal`
   */
  async open(key: string, request: OpenRequest, signal: AbortSignal): Promise<Description> {
    const message = { type: "open", ...this.#question(key, { request, marks: new Map() }) } as const;
    const { description } = await this.#ask("opened", message, signal);
    this.#format = description.summary.format;
    return description;
  }

  /**
   * Has planes judged and decoded. The buffers of the order are taken over.
   *
   * @throws as {@linkcode open}
   */
  async decode(
    key: string,
    source: AcquisitionSource,
    order: PlaneOrder,
    signal: AbortSignal,
  ): Promise<DecodedOrder> {
    this.#usedDecoder ||= order.working.bytes > 0;
    this.#holdsDecoder ||= order.working.endsWithWorker;
    const message = { type: "decode", order, ...this.#question(key, source) } as const;
    return (await this.#ask("decoded", message, signal)).decoded;
  }

  /** The metadata documents of an acquisition. @throws as {@linkcode open} */
  async documents(
    key: string,
    source: AcquisitionSource,
    signal: AbortSignal,
  ): Promise<readonly MetadataDocument[]> {
    const message = { type: "documents", ...this.#question(key, source) } as const;
    return (await this.#ask("documents", message, signal)).documents;
  }

  /** Closes acquisitions. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.#told.delete(key);
    this.#send({ type: "forget", keys });
  }

  /** Gives the files of all acquisitions back to the system; they are opened again when they are read. */
  rest(): void {
    this.#send({ type: "rest" });
  }

  /** Ends the worker. It answers nothing from then on. */
  terminate(): void {
    this.#cancelGrace();
    this.#worker.terminate();
  }

  /** Names an acquisition to the worker, with its source the first time. */
  #question(key: string, source: AcquisitionSource): Question {
    const known = this.#told.has(key);
    if (!known) this.#told.set(key, null);
    return { key, source: known ? null : source, stop: new StopFlag().shared };
  }

  /** Asks the worker one thing. The promise may be rejected long before the worker is {@linkcode quiet}. */
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
    this.#send(message);
    this.#quiet = quiet.promise;
    this.#answered = (answer) => {
      this.#answered = null;
      this.#told.set(message.key, answer.indexBytes);
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

  #send(message: ToWorker): void {
    this.#worker.postMessage(message, message.type === "decode" ? message.order.buffers : []);
  }

  #break(reason: string): void {
    this.#fault = new Error(reason);
    this.#answered?.({ type: "failed", error: toWire(this.#fault), indexBytes: null });
    this.#keeper.broken(this);
  }
}

/** Gives back the memory of samples that nobody wants. */
export function dropSamples(
  { planes, referencePlanes }: Pick<DecodedOrder, "planes" | "referencePlanes">,
): void {
  for (const { buffer } of [...planes ?? [], ...referencePlanes ?? []]) buffer.transfer(0);
}
