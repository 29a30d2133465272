/**
 * Messages between the server and a worker, which keeps acquisitions open under keys. The server asks one thing after the other;
 * between its answers the worker does nothing.
 */
import type { WireError } from "./errors.ts";
import type { MetadataDocument } from "./io/document_list.ts";
import type { AcquisitionSource, DecodedOrder, Description, PlaneOrder } from "./open_acquisition.ts";

/** What is asked of one acquisition. */
export interface Question {
  /** Key under which it is kept open. */
  readonly key: string;
  /** Where it is; `null` where the worker was told and has not been asked to forget it. */
  readonly source: AcquisitionSource | null;
  /** Memory of the stop flag of this work. */
  readonly stop: SharedArrayBuffer;
}

/** Server to worker. */
export type ToWorker =
  /** Loads the readers of some formats, by their names, ahead of the next open; it has no answer. */
  | { readonly type: "prepare"; readonly formats: readonly string[] }
  /** Answered by `opened`. */
  | Question & { readonly type: "open" }
  /** Answered by `decoded`. The buffers of the order are transferred. */
  | Question & { readonly type: "decode"; readonly order: PlaneOrder }
  /** Answered by `documents`. */
  | Question & { readonly type: "documents" }
  /** Closes acquisitions; it has no answer. */
  | { readonly type: "forget"; readonly keys: readonly string[] }
  /** Gives the descriptors of all acquisitions back; it has no answer. */
  | { readonly type: "rest" };

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
  & {
    /** Bytes that the acquisition takes in the worker from now on, about; `null` where it is not open. */
    readonly indexBytes: number | null;
  }
  & (
    | { readonly type: "opened"; readonly description: Description }
    /** The planes are transferred. */
    | { readonly type: "decoded"; readonly decoded: DecodedOrder }
    | { readonly type: "documents"; readonly documents: readonly MetadataDocument[] }
    /** It could not be done; the acquisition may be open all the same. */
    | { readonly type: "failed"; readonly error: WireError }
  );
