/** Real decode workers whose planes at other positions wait until the test lets them go. */
import type { ToWorker } from "../../session/worker/orders.ts";
import { startDecodeWorker, type StartWorker } from "../../session/decode_pool.ts";

/** Stands between the server and its workers. */
export class WorkerGate {
  /** Questions about planes that were asked so far. */
  planes = 0;
  #shut = false;
  /** Whether the last question was an open, whose planes pass. */
  #opening = false;
  readonly #held: (() => void)[] = [];

  /** Starts real workers whose messages pass this gate. */
  readonly start: StartWorker = () => {
    const worker = startDecodeWorker();
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message: ToWorker, transfer?: unknown) => {
      const send = () => post(message, transfer as Transferable[]);
      const question = message.type === "ask" ? message.question.type : null;
      const isPlane = question === "run" || question === "decode" && !this.#opening;
      this.#opening = question === "open";
      if (isPlane) this.planes += 1;
      if (this.#shut && isPlane) this.#held.push(send);
      else send();
    };
    return worker;
  };

  /** Questions that wait. */
  get waiting(): number {
    return this.#held.length;
  }

  /** Holds questions about planes back from now on. */
  shut(): void {
    this.#shut = true;
  }

  /** Lets the question go that came last. */
  openLast(): void {
    this.#held.pop()?.();
  }

  /** Lets all go that wait, and those that come. */
  open(): void {
    this.#shut = false;
    for (const send of this.#held.splice(0)) send();
  }
}
