/**
 * Messages between the server and a decode worker. A worker has one load at a time: `plan` opens it, `decode` may follow,
 * `close` ends it. Beside it a worker may keep acquisitions open under keys, for planes at other positions. The server asks one
 * thing after the other; between its answers the worker does nothing.
 */
import type { WireError } from "./errors.ts";
import type { KeptPlane, KeptSource, PlaneOrder } from "./kept_acquisition.ts";
import type { LoadedAcquisition, LoadPlan, LoadRequest, Share } from "./load.ts";
import type { MetadataDocument } from "./reader.ts";

/** What is asked of an acquisition that is kept, or opened for it where it is not. */
export interface KeptQuestion {
  /** Key under which it is kept. */
  readonly key: string;
  /** Where it is; `null` where the worker was told before and has not been asked to forget it. */
  readonly source: KeptSource | null;
  /** Memory of the stop flag of this work. */
  readonly stop: SharedArrayBuffer;
}

/** Server to worker. */
export type ToWorker =
  /** Loads the readers of some formats, by their names, ahead of the next load; it has no answer. */
  | { readonly type: "prepare"; readonly formats: readonly string[] }
  /** Answered by `planned`. `stop` is the memory of the stop flag, also for what is decoded later. */
  | { readonly type: "plan"; readonly request: LoadRequest; readonly stop: SharedArrayBuffer }
  /** Answered by `decoded`: the memory is reserved. The buffers are transferred. */
  | { readonly type: "decode"; readonly share: Share }
  /** Closes the files of the load; it has no answer. */
  | { readonly type: "close" }
  /** Answered by `plane`. The buffers of the order are transferred. */
  | KeptQuestion & { readonly type: "plane"; readonly order: PlaneOrder }
  /** Answered by `documents`. */
  | KeptQuestion & { readonly type: "documents" }
  /** Closes what is kept under some keys; it has no answer. */
  | { readonly type: "forget"; readonly keys: readonly string[] }
  /** Gives the descriptors of all that is kept back; it has no answer. */
  | { readonly type: "rest" };

/** What is answered about an acquisition that may be kept. */
export interface KeptAnswer {
  /** Bytes that it takes in the worker from now on, about; `null` where it is not kept. */
  readonly indexBytes: number | null;
}

/** Worker to server, without being asked: a decoder was compiled from so many bytes. */
export interface Compiled {
  /** Tells it from answers. */
  readonly type: "compiled";
  /** Whoever holds it saves the next worker to compile it. */
  readonly code: WebAssembly.Module;
  /** Length of the bytes, which tells the decoders of this program apart. */
  readonly bytes: number;
}

/** Worker to server, as an answer. */
export type FromWorker =
  /** Metadata and plan are checked. */
  | { readonly type: "planned"; readonly plan: LoadPlan }
  /** The planes, transferred. */
  | { readonly type: "decoded"; readonly loaded: LoadedAcquisition }
  /** A plane of what is kept, transferred. */
  | KeptAnswer & { readonly type: "plane"; readonly plane: KeptPlane }
  /** The metadata documents of what is kept. */
  | KeptAnswer & { readonly type: "documents"; readonly documents: readonly MetadataDocument[] }
  /** Any of these could not be done; an acquisition may be kept all the same. */
  | KeptAnswer & { readonly type: "failed"; readonly error: WireError };
