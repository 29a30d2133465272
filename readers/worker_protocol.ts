/**
 * Messages between the server and a decode worker, which keeps acquisitions open under keys. The server asks one question at a
 * time.
 */
import type { WireError } from "./errors.ts";
import type {
  AcquisitionSource,
  DecodedOrder,
  Description,
  PackedPlanes,
  PackOrder,
  PlaneOrder,
} from "./open_acquisition.ts";

/** A question about one acquisition. */
export interface Question {
  /** Key under which it is kept open. */
  readonly key: string;
  /** Where it is; `null` once the worker knows the key. */
  readonly source: AcquisitionSource | null;
  /** Memory of the flag that stops the work. */
  readonly stop: SharedArrayBuffer;
}

/** Server to worker. */
export type ToWorker =
  /** Answered by `opened`. */
  | Question & { readonly type: "open" }
  /** Answered by `decoded`. The buffers of the order are transferred. */
  | Question & { readonly type: "decode"; readonly order: PlaneOrder }
  /** Answered by `packed`. */
  | Question & { readonly type: "pack"; readonly order: PackOrder }
  /** Plans the planes of some channels at every position; answered by `surveyed`. */
  | Question & { readonly type: "survey"; readonly channels: readonly number[] }
  /** Encodes the documents; answered by `encoded`. */
  | Question & { readonly type: "encode" }
  /** Takes what was encoded by the question before; answered by `documents`. */
  | Question & { readonly type: "documents" }
  /** Closes an acquisition; not answered. */
  | { readonly type: "forget"; readonly key: string }
  /** Closes the files of all acquisitions until they are read again; not answered. */
  | { readonly type: "rest" };

/** Worker to server, unasked: it compiled a decoder. */
export interface Compiled {
  /** Distinguishes it from answers. */
  readonly type: "compiled";
  /** While the server holds it, other workers find its machine code. */
  readonly code: WebAssembly.Module;
  /** Length of the compiled bytes, which identifies the decoder. */
  readonly bytes: number;
}

/** Worker to server: an answer. */
export type FromWorker =
  & {
    /** Bytes that the acquisition takes in the worker from now on; `null` where it is not open. */
    readonly indexBytes: number | null;
  }
  & (
    | { readonly type: "opened"; readonly description: Description }
    /** The planes are transferred. */
    | { readonly type: "decoded"; readonly decoded: DecodedOrder }
    /** The chunks are transferred. */
    | { readonly type: "packed"; readonly packed: PackedPlanes }
    | { readonly type: "surveyed" }
    | { readonly type: "encoded"; readonly bytes: number }
    /** A JSON array in pieces, which are transferred. */
    | { readonly type: "documents"; readonly pieces: readonly Uint8Array<ArrayBuffer>[] }
    /** The acquisition may be open all the same. */
    | { readonly type: "failed"; readonly error: WireError }
  );
