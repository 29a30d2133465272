/** The server's questions to a decode worker about an acquisition, and the worker's answers. */
import type { WireError } from "../errors.ts";
import type {
  Acquisition,
  Channel,
  Division,
  Position,
  Reference,
  RowRange,
  SceneEntry,
  WorkingMemory,
} from "../reader.ts";
import type { PackedLayout } from "../samples/packed_plane.ts";
import type { Warning } from "../warning.ts";

/** How to open an acquisition. */
export interface OpenRequest {
  /** Resolved absolute path of an existing file or directory. */
  readonly path: string;
  /** Resolved directories that may be read; `null` for no limit. */
  readonly roots: readonly string[] | null;
  /** Wanted channels in the order of the answer, distinct and not negative; `null` for all. */
  readonly channelIndices: readonly number[] | null;
  readonly allowedExtensions: readonly string[];
  /** Index of the wanted scene; `null` for the scene that the file belongs to. */
  readonly scene: number | null;
}

/** Location of an acquisition. */
export interface AcquisitionSource {
  readonly request: OpenRequest;
  /** Marks of the files that the first open read, by resolved path; empty before that open. */
  readonly marks: ReadonlyMap<string, string>;
}

/** An acquisition without its samples; can be cloned between threads. */
export interface AcquisitionSummary
  extends Omit<Acquisition, "plan" | "documents" | "files" | "holds" | "reference" | "warnings"> {
  /** Path of the file, or of the directory of the store. */
  readonly path: string;
  /** Identifies the content (`fingerprint.ts`); `null` if a file cannot be read. */
  readonly fingerprint: string | null;
  readonly format: string;
  readonly rows: number;
  readonly columns: number;
  readonly scene: number;
  readonly sceneCount: number;
  /** The first `MAX_LISTED_SCENES` scenes. */
  readonly scenes: readonly SceneEntry[];
  readonly loaded: readonly Channel[];
  readonly position: Position;
  /** Reference image with the shape of its planes, or `null`. */
  readonly reference: (Omit<Reference, "plan"> & { readonly rows: number; readonly columns: number }) | null;
  readonly warnings: readonly Warning[];
}

/** An opened acquisition before its first sample is read; can be cloned between threads. */
export interface Description {
  readonly summary: AcquisitionSummary;
  /** Bytes of all loaded planes, source and reference, with 4 bytes per sample. */
  readonly bytes: number;
  /** Estimated bytes of the summary in memory. */
  readonly summaryBytes: number;
  readonly working: WorkingMemory;
  /** How workers can divide the source planes; `null` if dividing is not worthwhile. */
  readonly division: Division | null;
  /** Marks of the opened files, by path. */
  readonly marks: ReadonlyMap<string, string>;
}

/** An order to decode rows of planes at one position. */
export interface PlaneOrder {
  /** Channel indices; if empty, the order only opens the acquisition. */
  readonly channels: readonly number[];
  readonly rows: RowRange | null;
  readonly position: Position;
  /** Whether the reference image is decoded too. */
  readonly reference: boolean;
  /** Memory that decoding may take besides the planes; if it needs more, nothing is decoded. */
  readonly working: WorkingMemory;
  /** Memory of released planes, for reuse. */
  readonly buffers: ArrayBuffer[];
}

/** The answer to a {@linkcode PlaneOrder}. */
export interface DecodedOrder {
  /** Row-major float32 samples of each channel; `null` if nothing was decoded. */
  readonly planes: Float32Array<ArrayBuffer>[] | null;
  /** The decoded rows: the wanted rows or more. */
  readonly rows: RowRange;
  /** Planes of the reference image; `null` if it was not ordered or cannot be decoded. */
  readonly referencePlanes: Float32Array<ArrayBuffer>[] | null;
  /** Warnings if the reference image cannot be decoded. */
  readonly warnings: readonly Warning[];
  readonly working: WorkingMemory;
  /** Marks of files that were read or missing, by resolved path, without those that the open read. */
  readonly files: ReadonlyMap<string, string>;
}

/** An order to pack whole planes for an archive. */
export interface PackOrder {
  /** Channels of one position, or all channels of the reference image. */
  readonly channels: readonly number[];
  /** Position within the acquisition; `null` for the reference image. */
  readonly position: Position | null;
  readonly layout: PackedLayout;
  readonly working: WorkingMemory;
}

/** The answer to a {@linkcode PackOrder}. */
export interface PackedPlanes {
  /** Chunks of each plane, `null` for a plane that the recording lacks; `null` for all if decoding needs more memory. */
  readonly planes: readonly (readonly Uint8Array<ArrayBuffer>[] | null)[] | null;
  readonly working: WorkingMemory;
}

/** A question, about one acquisition unless stated otherwise. */
export type Question =
  | { readonly type: "open" }
  /** Decodes planes. The buffers of the order are transferred. */
  | { readonly type: "decode"; readonly order: PlaneOrder }
  | { readonly type: "pack"; readonly order: PackOrder }
  | { readonly type: "survey"; readonly channels: readonly number[] }
  /** Parses the body of a request, without an acquisition. The bytes are transferred. */
  | { readonly type: "parse"; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Validates CSV tables, without an acquisition. */
  | { readonly type: "judge"; readonly tables: readonly string[] }
  | { readonly type: "documents" };

/** The answer to each type of question. */
export interface Answers {
  open: Description;
  /** Its planes are transferred. */
  decode: DecodedOrder;
  pack: PackedPlanes;
  /** Success: every plane fits its file. */
  survey: null;
  parse: unknown;
  /** The first problem of each table, or `null`. */
  judge: readonly (string | null)[];
  /** The documents as a JSON array, which is transferred. */
  documents: Uint8Array<ArrayBuffer>;
}

/** A question with its acquisition. */
export interface Asked {
  readonly type: "ask";
  readonly question: Question;
  /** Key under which the worker keeps the acquisition open. */
  readonly key: string;
  /** Location of the acquisition; `null` if the worker already has it open, or the question needs none. */
  readonly source: AcquisitionSource | null;
  /** Memory of the flag that stops the work. */
  readonly stop: SharedArrayBuffer;
}

/** Messages to a worker. The server asks one question at a time; the other messages get no answer. */
export type ToWorker =
  | Asked
  /** Closes an acquisition. */
  | { readonly type: "forget"; readonly key: string }
  /** Closes the files of all acquisitions until the next read. */
  | { readonly type: "rest" };

/** Message of a worker at the end of a question. */
export type Answered =
  & {
    /** Bytes that the acquisition takes in the worker from now on; `null` if it is not open. */
    readonly indexBytes: number | null;
  }
  & (
    | { readonly type: "answered"; readonly answer: Answers[Question["type"]] }
    /** The acquisition may still be open. */
    | { readonly type: "failed"; readonly error: WireError }
  );

/** Messages of a worker. */
export type FromWorker =
  | Answered
  /** Sent without a question, after compiling a decoder. While the server holds the code, other workers reuse it. */
  | {
    readonly type: "compiled";
    readonly code: WebAssembly.Module;
    /** Length of the compiled bytes, which identifies the decoder. */
    readonly bytes: number;
  };
