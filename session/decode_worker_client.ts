/** One decode worker, as the server sees it. */
import { fromWire, toWire } from "../readers/errors.ts";
import type { KeptPlane, KeptSource, PlaneOrder } from "../readers/kept_acquisition.ts";
import type { LoadedAcquisition, LoadPlan, LoadRequest, Share } from "../readers/load.ts";
import type { MetadataDocument } from "../readers/reader.ts";
import { StopFlag } from "../readers/stop_flag.ts";
import type { Compiled, FromWorker, ToWorker } from "../readers/worker_protocol.ts";
import type { Clock } from "./clock.ts";
import type { PlaneParts } from "./plane_buffer.ts";

/** A stopped worker that does not answer within this time counts as lost. */
const GRACE_MS = 2000;

/**
 * Decoders in WebAssembly that any worker has compiled, by the length of their bytes. While they are held here, a fresh worker
 * finds their machine code: without it a plane in JPEG XR takes twice as long in each new worker.
 */
const DECODERS = new Map<number, WebAssembly.Module>();

/** Who is told what becomes of a worker. */
export interface WorkerKeeper {
  /** It was stopped and does not answer; it may come back. */
  lost(worker: DecodeWorkerClient): void;
  /** It cannot be used again. */
  broken(worker: DecodeWorkerClient): void;
}

/**
 * Has one worker do one load: {@linkcode plan}, then {@linkcode decode} or nothing, then {@linkcode close}. A worker that keeps
 * acquisitions open is asked for their planes instead.
 */
export class DecodeWorkerClient {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #keeper: WorkerKeeper;
  /** Takes the answer that is waited for. */
  #answered: ((answer: FromWorker) => void) | null = null;
  #quiet = Promise.resolve();
  /** Ends the wait for a worker that was stopped. */
  #cancelGrace = () => {};
  #fault: Error | null = null;
  #stop = new StopFlag();
  #endsWithLoad = false;
  #usedDecoder = false;
  #format: string | null = null;
  /** The acquisitions that the worker knows, by their keys, with the bytes that each takes where it is kept. */
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

  /** Settles when the worker has answered what it was asked, also after a stop; it uses the memory of the load until then. */
  get quiet(): Promise<void> {
    return this.#quiet;
  }

  /** True when the worker must be ended after its load, for the memory that goes only with it. */
  get endsWithLoad(): boolean {
    return this.#endsWithLoad;
  }

  /** True when a load asked for memory of a decoder, of which the allocator may have kept some. */
  get usedDecoder(): boolean {
    return this.#usedDecoder;
  }

  /** Name of the format that it decoded last, or `null`. */
  get format(): string | null {
    return this.#format;
  }

  /**
   * Bytes that an acquisition takes in the worker, by its last answer, which may have been a failure; `null` where it is not
   * kept.
   */
  indexBytes(key: string): number | null {
    return this.#told.get(key) ?? null;
  }

  /** Has it load the readers of some formats, by their names, ahead of the next load. */
  prepare(formats: readonly string[]): void {
    this.#send({ type: "prepare", formats });
  }

  /**
   * Opens what is requested and plans its planes.
   *
   * @param signal its abort stops the worker; the promise is rejected with its reason at once
   * @throws {ReaderError} about the path or the file
   * @throws {Error} the worker is broken
   * @throws the reason of `signal`
   */
  async plan(request: LoadRequest, signal: AbortSignal): Promise<LoadPlan> {
    this.#stop = new StopFlag();
    const question: ToWorker = { type: "plan", request, stop: this.#stop.shared };
    const { plan } = await this.#ask("planned", question, signal);
    this.#endsWithLoad = plan.working.endsWithWorker;
    this.#usedDecoder ||= plan.working.bytes > 0;
    return plan;
  }

  /**
   * Decodes some of what was planned. The buffers of the share are taken over.
   *
   * @param signal as in {@linkcode plan}
   * @throws as {@linkcode plan}
   */
  async decode(share: Share, signal: AbortSignal): Promise<LoadedAcquisition> {
    const { loaded } = await this.#ask("decoded", { type: "decode", share }, signal);
    this.#format = loaded.summary.format;
    return loaded;
  }

  /**
   * Has a plane of a kept acquisition judged and decoded. The buffers of the order are taken over.
   *
   * @param key under which the acquisition is kept; it is opened where it is not
   * @param signal as in {@linkcode plan}
   * @throws as {@linkcode plan}
   */
  async plane(key: string, source: KeptSource, order: PlaneOrder, signal: AbortSignal): Promise<KeptPlane> {
    signal.throwIfAborted();
    const question: ToWorker = { type: "plane", order, ...this.#kept(key, source) };
    const { plane } = await this.#ask("plane", question, signal);
    this.#endsWithLoad ||= plane.working.endsWithWorker;
    return plane;
  }

  /** The metadata documents of a kept acquisition. @throws as {@linkcode plane} */
  async documents(
    key: string,
    source: KeptSource,
    signal: AbortSignal,
  ): Promise<readonly MetadataDocument[]> {
    signal.throwIfAborted();
    const question: ToWorker = { type: "documents", ...this.#kept(key, source) };
    return (await this.#ask("documents", question, signal)).documents;
  }

  /** Closes what is kept under some keys. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.#told.delete(key);
    this.#send({ type: "forget", keys });
  }

  /** Gives the files of all that is kept back to the system; they are opened again when they are read. */
  rest(): void {
    this.#send({ type: "rest" });
  }

  /** Ends the load, decoded or not; the worker can do another one. */
  close(): void {
    this.#send({ type: "close" });
  }

  /** Ends the worker. What it was asked is not answered any more. */
  terminate(): void {
    this.#cancelGrace();
    this.#worker.terminate();
  }

  /** Names an acquisition to the worker, with its source the first time. */
  #kept(key: string, source: KeptSource) {
    this.#stop = new StopFlag();
    const known = this.#told.has(key);
    if (!known) this.#told.set(key, null);
    return { key, source: known ? null : source, stop: this.#stop.shared };
  }

  /** Asks the worker one thing. The promise may be rejected long before the worker is {@linkcode quiet}. */
  async #ask<Type extends FromWorker["type"]>(
    expected: Type,
    message: ToWorker,
    signal: AbortSignal,
  ): Promise<Extract<FromWorker, { type: Type }>> {
    signal.throwIfAborted();
    if (this.#fault) throw this.#fault;
    const { promise, resolve, reject } = Promise.withResolvers<FromWorker>();
    const quiet = Promise.withResolvers<void>();
    const stop = () => {
      this.#stop.raise();
      reject(signal.reason);
      this.#cancelGrace = this.#clock.after(GRACE_MS, () => this.#keeper.lost(this));
    };
    this.#send(message);
    this.#quiet = quiet.promise;
    this.#answered = (answer) => {
      this.#answered = null;
      if ("key" in message && "indexBytes" in answer) this.#told.set(message.key, answer.indexBytes);
      signal.removeEventListener("abort", stop);
      this.#cancelGrace();
      quiet.resolve();
      if (signal.aborted) drop(answer);
      resolve(answer);
    };
    signal.addEventListener("abort", stop, { once: true });
    const answer = await promise;
    if (answer.type === "failed") throw fromWire(answer.error);
    if (answer.type !== expected) throw new Error(`A decode worker answered "${answer.type}"`);
    return answer as Extract<FromWorker, { type: Type }>;
  }

  #send(message: ToWorker): void {
    const buffers = message.type === "decode"
      ? message.share.buffers
      : message.type === "plane"
      ? message.order.buffers
      : [];
    this.#worker.postMessage(message, buffers);
  }

  #break(reason: string): void {
    this.#fault = new Error(reason);
    this.#answered?.({ type: "failed", error: toWire(this.#fault), indexBytes: null });
    this.#keeper.broken(this);
  }
}

/** Gives back the memory of an answer that nobody wants any more. */
function drop(answer: FromWorker): void {
  if (answer.type === "decoded") dropPlanes(answer.loaded);
  else if (answer.type === "plane") answer.plane.samples?.buffer.transfer(0);
}

/** Gives back the memory of planes that nobody wants any more. */
export function dropPlanes(
  { planes, referencePlanes }: {
    readonly planes: readonly (Float32Array<ArrayBuffer> | PlaneParts)[];
    readonly referencePlanes: readonly Float32Array<ArrayBuffer>[];
  },
): void {
  for (const part of [...planes.flat(), ...referencePlanes]) part.buffer.transfer(0);
}
