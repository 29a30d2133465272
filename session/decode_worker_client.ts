/** One load by one worker, from its request to its answer. */
import { fromWire } from "../readers/errors.ts";
import type { LoadRequest, Share } from "../readers/load.ts";
import { StopFlag } from "../readers/stop_flag.ts";
import type { FromWorker, ToWorker } from "../readers/worker_protocol.ts";
import type { Clock } from "./clock.ts";

/** What a worker says when its plan is made, and when the planes are. */
export type Planned = Extract<FromWorker, { type: "planned" }>;
export type Loaded = Extract<FromWorker, { type: "loaded" }>;

/** A stopped worker that does not answer within this time counts as lost. */
const GRACE_MS = 2000;

/** A load, and who is told how it goes. */
export interface Conversation {
  readonly request: LoadRequest;
  readonly roots: readonly string[] | null;
  /** Its abort stops the load; the promise is rejected with its reason at once. */
  readonly signal: AbortSignal;
  /** Says what to decode; what it throws ends the load. */
  planned(plan: Planned): Share;
  /** The stopped worker does not answer; it may come back. */
  lost(): void;
  /** The worker has answered and can be used again. */
  answered(): void;
  /** The worker cannot be used again. */
  broken(): void;
}

/**
 * Has a worker do a load.
 *
 * @throws {ReaderError} as the load fails
 * @throws what `planned` throws, or the reason of `signal`
 */
export function converse(worker: Worker, clock: Clock, load: Conversation): Promise<Loaded> {
  const stop = new StopFlag();
  const { signal } = load;
  let refusal: unknown = null;
  let cancelGrace = () => {};
  return new Promise((resolve, reject) => {
    const stopped = () => {
      stop.raise();
      reject(signal.reason);
      cancelGrace = clock.after(GRACE_MS, load.lost);
    };
    const finish = () => {
      signal.removeEventListener("abort", stopped);
      cancelGrace();
    };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === "planned") {
        try {
          signal.throwIfAborted();
          const share = load.planned(data);
          send(worker, { type: "decode", share }, share.buffers);
        } catch (error) {
          refusal = error;
          send(worker, { type: "abandon" });
        }
        return;
      }
      finish();
      if (data.type === "failed") reject(refusal ?? fromWire(data.error));
      else if (signal.aborted) dropPlanes(data);
      else resolve(data);
      load.answered();
    };
    const broken = (reason: string) => {
      finish();
      reject(new Error(reason));
      load.broken();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      broken(`A decode worker failed: ${event.message}`);
    };
    worker.onmessageerror = () => broken("A decode worker sent an answer that cannot be read");
    if (signal.aborted) {
      reject(signal.reason);
      return load.answered();
    }
    signal.addEventListener("abort", stopped, { once: true });
    send(worker, { type: "load", request: load.request, roots: load.roots, stop: stop.shared });
  });
}

/** Gives back the memory of planes that nobody wants any more. */
export function dropPlanes({ planes, referencePlanes }: Loaded): void {
  for (const plane of [...planes, ...referencePlanes]) plane.buffer.transfer(0);
}

function send(worker: Worker, message: ToWorker, transfer: Transferable[] = []): void {
  worker.postMessage(message, transfer);
}
