/**
 * Messages between the server and a decode worker. A worker has one load at a time: `plan` opens it, `decode` may follow,
 * `close` ends it. The server asks one thing after the other; between its answers the worker does nothing.
 */
import type { WireError } from "./errors.ts";
import type { LoadedAcquisition, LoadPlan, LoadRequest, Share } from "./load.ts";

/** Server to worker. */
export type ToWorker =
  /** Answered by `planned`. `stop` is the memory of the stop flag, also for what is decoded later. */
  | { readonly type: "plan"; readonly request: LoadRequest; readonly stop: SharedArrayBuffer }
  /** Answered by `decoded`: the memory is reserved. The buffers are transferred. */
  | { readonly type: "decode"; readonly share: Share }
  /** Closes the files of the load; it has no answer. */
  | { readonly type: "close" };

/** Worker to server. */
export type FromWorker =
  /** Metadata and plan are checked. */
  | { readonly type: "planned"; readonly plan: LoadPlan }
  /** The planes, transferred. */
  | { readonly type: "decoded"; readonly loaded: LoadedAcquisition }
  | { readonly type: "failed"; readonly error: WireError };
