/** Messages between the server and a decode worker. A worker serves one load at a time. */
import type { WireError } from "./errors.ts";
import type { AcquisitionSummary, LoadRequest, PlannedLoad, Share } from "./load.ts";

/** Server to worker. */
export type ToWorker =
  | {
    readonly type: "load";
    readonly request: LoadRequest;
    /** Resolved directories that may be read; `null` for no limit. */
    readonly roots: readonly string[] | null;
    /** Memory of the stop flag. */
    readonly stop: SharedArrayBuffer;
  }
  /** Answer to `planned`: the memory is reserved, decode. The buffers are transferred. */
  | { readonly type: "decode"; readonly share: Share }
  /** Answer to `planned`: there is no memory, give up. */
  | { readonly type: "abandon" };

/** Worker to server. */
export type FromWorker =
  /** Metadata and plan are checked, from files with these marks. */
  | ({ readonly type: "planned"; readonly files: ReadonlyMap<string, string> } & PlannedLoad)
  /** The planes, transferred. */
  | {
    readonly type: "loaded";
    readonly summary: AcquisitionSummary;
    readonly planes: Float32Array<ArrayBuffer>[];
    readonly referencePlanes: Float32Array<ArrayBuffer>[];
  }
  | { readonly type: "failed"; readonly error: WireError };
