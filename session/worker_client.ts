/** The server's side of one decode worker. */
import { fromWire, toWire } from "../readers/errors.ts";
import { StopFlag } from "../readers/io/stop_flag.ts";
import type {
  AcquisitionSource,
  Answered,
  Answers,
  Asked,
  DecodedOrder,
  FromWorker,
  Question,
  ToWorker,
} from "../readers/opened/orders.ts";
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

/** An acquisition that workers keep open. */
export interface KeyedSource {
  /** Under which a worker keeps it open. */
  readonly key: string;
  /** Where it is, with the marks of its files; `null` for a question that needs no acquisition. */
  readonly source: AcquisitionSource | null;
}

/** Asks a worker one question at a time. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #keeper: WorkerKeeper;
  /** Takes the answer to the question. */
  #answered: ((answer: Answered) => void) | null = null;
  #quiet = Promise.resolve();
  #cancelGrace = () => {};
  #fault: Error | null = null;
  #holdsDecoder = false;
  /** Keys of the open acquisitions, with the bytes that each takes. */
  readonly #open = new Map<string, number>();

  /** Takes over a worker that has just started. */
  constructor(worker: Worker, clock: Clock, keeper: WorkerKeeper) {
    this.#worker = worker;
    this.#clock = clock;
    this.#keeper = keeper;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) =>
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
    return this.#open.get(key) ?? null;
  }

  /**
   * Asks a question about an acquisition, which the worker opens if it is not open. Takes over the buffers of an order.
   *
   * @param signal stops the worker. The promise rejects with its reason at once, perhaps long before the worker is
   * {@linkcode quiet}
   * @throws {ReaderError} about the path or the file
   * @throws {Error} the worker is broken
   */
  async ask<Type extends Question["type"]>(
    { key, source }: KeyedSource,
    question: Extract<Question, { readonly type: Type }>,
    signal: AbortSignal,
  ): Promise<Answers[Type]> {
    signal.throwIfAborted();
    if (this.#fault) throw this.#fault;
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const quiet = Promise.withResolvers<void>();
    const flag = new StopFlag();
    const stop = () => {
      flag.raise();
      reject(signal.reason);
      this.#cancelGrace = this.#clock.after(GRACE_MS, () => this.#keeper.lost(this));
    };
    if ("order" in question) this.#holdsDecoder ||= question.order.working.endsWithWorker;
    const isOpen = this.#open.has(key);
    const message: Asked = { type: "ask", question, key, source: isOpen ? null : source, stop: flag.shared };
    this.#worker.postMessage(message, buffersOf(question));
    this.#quiet = quiet.promise;
    this.#answered = (answered) => {
      this.#answered = null;
      if (answered.indexBytes === null) this.#open.delete(key);
      else this.#open.set(key, answered.indexBytes);
      signal.removeEventListener("abort", stop);
      this.#cancelGrace();
      quiet.resolve();
      if (signal.aborted && question.type === "decode" && answered.type === "answered") {
        dropSamples(answered.answer as DecodedOrder);
      }
      resolve(answered);
    };
    signal.addEventListener("abort", stop, { once: true });
    const answered = await promise;
    if (answered.type === "failed") throw fromWire(answered.error);
    return answered.answer as Answers[Type];
  }

  forget(key: string): void {
    this.#open.delete(key);
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

  #break(reason: string): void {
    this.#fault = new Error(reason);
    this.#answered?.({ type: "failed", error: toWire(this.#fault), indexBytes: null });
    this.#keeper.broken(this);
  }
}

function buffersOf(question: Question): ArrayBuffer[] {
  if (question.type === "parse") return [question.bytes.buffer];
  return question.type === "decode" ? question.order.buffers : [];
}

/** Frees the memory of samples that nobody wants. */
export function dropSamples(
  { planes, referencePlanes }: Pick<DecodedOrder, "planes" | "referencePlanes">,
): void {
  for (const { buffer } of [...planes ?? [], ...referencePlanes ?? []]) buffer.transfer(0);
}
