/** The server side of one decode worker. */
import { fromWire, toWire } from "../readers/errors.ts";
import { StopFlag } from "../readers/io/stop_flag.ts";
import type {
  Answered,
  Answers,
  Asked,
  DecodedOrder,
  DecodedRun,
  FromWorker,
  Question,
  ToWorker,
} from "./worker/orders.ts";
import type { AcquisitionSource } from "./acquisition_summary.ts";
import type { Clock } from "./clock.ts";

/** A stopped worker that does not answer within this time is lost. */
const GRACE_MS = 2000;

/**
 * WebAssembly decoders that any worker compiled, by the length of their bytes. References here keep their machine code cached for
 * new workers; without it, a worker's first JPEG XR plane takes twice as long.
 */
const DECODERS = new Map<number, WebAssembly.Module>();

/** An acquisition, with the key under which workers keep it open. */
export interface KeyedSource {
  readonly key: string;
  /** Location of the acquisition, with the marks of its files; `null` for a question that needs no acquisition. */
  readonly source: AcquisitionSource | null;
}

/** Asks a worker questions, one at a time. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #lost: (path: string | null) => void;
  readonly #broken: () => void;
  /** Settles when the worker has answered, even after a stop; until then the worker uses the memory of its order. */
  quiet: Promise<void> = Promise.resolve();
  /** True if a decoder holds memory that is freed only when the worker ends. */
  holdsDecoder = false;
  /** Called with the answer to the current question. */
  #answered: ((answer: Answered) => void) | null = null;
  #cancelGrace = () => {};
  #fault: Error | null = null;
  /** Bytes that each open acquisition takes, by key. */
  readonly #open = new Map<string, number>();

  /**
   * Takes over a newly started worker.
   *
   * @param lost called if the worker was stopped and does not answer, with the path that it works on; it may recover
   * @param broken called if the worker failed and cannot be used again
   */
  constructor(
    worker: Worker,
    clock: Clock,
    lost: (path: string | null) => void,
    broken: () => void,
  ) {
    this.#worker = worker;
    this.#clock = clock;
    this.#lost = lost;
    this.#broken = broken;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) =>
      data.type === "compiled" ? void DECODERS.set(data.bytes, data.code) : this.#answered?.(data);
    worker.onerror = (event) => {
      // A fault of the worker must not end the process.
      event.preventDefault();
      this.#break(`A decode worker failed: ${event.message}`);
    };
    worker.onmessageerror = () => this.#break("A decode worker sent an unreadable answer");
  }

  /** Bytes that an acquisition takes in the worker; `null` if it is not open. */
  indexBytes(key: string): number | null {
    return this.#open.get(key) ?? null;
  }

  /**
   * Asks a question about an acquisition, which the worker opens if necessary. Takes over the buffers of an order. The signal stops
   * the worker: the promise rejects with its reason at once, perhaps long before the worker is {@linkcode quiet}.
   *
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
      this.#cancelGrace = this.#clock.after(GRACE_MS, () => this.#lost(source?.request.path ?? null));
    };
    if ("order" in question) this.holdsDecoder ||= question.order.working.endsWithWorker;
    const isOpen = this.#open.has(key);
    const message: Asked = { type: "ask", question, key, source: isOpen ? null : source, stop: flag.shared };
    const asked: Question = question;
    const buffers = asked.type === "decode" || asked.type === "run" ? asked.order.buffers : [];
    this.#worker.postMessage(message, asked.type === "parse" ? [asked.bytes.buffer] : buffers);
    this.quiet = quiet.promise;
    this.#answered = (answered) => {
      this.#answered = null;
      if (answered.indexBytes === null) this.#open.delete(key);
      else this.#open.set(key, answered.indexBytes);
      signal.removeEventListener("abort", stop);
      this.#cancelGrace();
      quiet.resolve();
      if (signal.aborted && answered.type === "answered") {
        if (question.type === "decode") dropSamples(answered.answer as DecodedOrder);
        if (question.type === "run") (answered.answer as DecodedRun).block?.buffer.transfer(0);
      }
      resolve(answered);
    };
    signal.addEventListener("abort", stop);
    const answered = await promise;
    if (answered.type === "failed") throw fromWire(answered.error);
    return answered.answer as Answers[Type];
  }

  forget(key: string): void {
    this.#open.delete(key);
    this.#worker.postMessage({ type: "forget", key } satisfies ToWorker);
  }

  /** Closes the files of all acquisitions until the next read. */
  rest(): void {
    this.#worker.postMessage({ type: "rest" } satisfies ToWorker);
  }

  terminate(): void {
    this.#cancelGrace();
    this.#worker.terminate();
  }

  #break(reason: string): void {
    this.#fault = new Error(reason);
    this.#answered?.({ type: "failed", error: toWire(this.#fault), indexBytes: null });
    this.#broken();
  }
}

/** Frees the memory of unwanted samples. */
export function dropSamples(
  { planes, referencePlanes }: Pick<DecodedOrder, "planes" | "referencePlanes">,
): void {
  for (const { buffer } of [...planes ?? [], ...referencePlanes ?? []]) buffer.transfer(0);
}
