/** What the server asks a decode worker about an acquisition, and what the worker answers. */
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

/** What to open. */
export interface OpenRequest {
  /** Resolved absolute path of an existing file or directory. */
  readonly path: string;
  /** Resolved directories that may be read; `null` for no limit. */
  readonly roots: readonly string[] | null;
  /** Wanted channels in the order of the answer, distinct and not negative; `null` for all. */
  readonly channelIndices: readonly number[] | null;
  readonly allowedExtensions: readonly string[];
  /** Index of the wanted scene; `null` for the one that the file belongs to. */
  readonly scene: number | null;
}

/** Where an acquisition is. */
export interface AcquisitionSource {
  /** How it is opened. */
  readonly request: OpenRequest;
  /** Marks of the files that the first open read, by resolved path; empty before. */
  readonly marks: ReadonlyMap<string, string>;
}

/** Everything but the samples; can be cloned between threads. */
export interface AcquisitionSummary
  extends Omit<Acquisition, "plan" | "documents" | "files" | "holds" | "reference" | "warnings"> {
  /** Path of the file or of the directory of the store. */
  readonly path: string;
  /** Identifies the content (`fingerprint.ts`); `null` where a file cannot be read. */
  readonly fingerprint: string | null;
  readonly format: string;
  readonly rows: number;
  readonly columns: number;
  readonly scene: number;
  readonly sceneCount: number;
  /** The first `MAX_LISTED_SCENES` scenes. */
  readonly scenes: readonly SceneEntry[];
  /** Loaded channels in requested order. */
  readonly loaded: readonly Channel[];
  /** Position of the loaded planes. */
  readonly position: Position;
  /** Reference image with the shape of its planes, or `null`. */
  readonly reference: (Omit<Reference, "plan"> & { readonly rows: number; readonly columns: number }) | null;
  /** Of the metadata and the plans. */
  readonly warnings: readonly Warning[];
}

/** An opened acquisition before its first sample is read; can be cloned between threads. */
export interface Description {
  readonly summary: AcquisitionSummary;
  /** Bytes of all loaded planes, source and reference, at 4 per sample. */
  readonly bytes: number;
  /** Estimated bytes of the summary in memory. */
  readonly summaryBytes: number;
  /** Memory that decoding takes beside them. */
  readonly working: WorkingMemory;
  /** How workers can divide the source planes; `null` where it does not pay. */
  readonly division: Division | null;
  /** Marks of the opened files by path; a replaced or changed file has another mark. */
  readonly marks: ReadonlyMap<string, string>;
}

/** An order for rows of planes at one position. */
export interface PlaneOrder {
  /** Channel indices; without any, the order only opens the acquisition. */
  readonly channels: readonly number[];
  /** Wanted rows; `null` for all. */
  readonly rows: RowRange | null;
  /** Within the acquisition. */
  readonly position: Position;
  /** Whether the reference image is decoded too. */
  readonly reference: boolean;
  /** False to judge the planes only. */
  readonly decode: boolean;
  /** Memory that decoding may take beside the planes; nothing is decoded if it needs more. */
  readonly working: WorkingMemory;
  /** Memory of released planes to use again. */
  readonly buffers: ArrayBuffer[];
}

/** The answer to a {@linkcode PlaneOrder}. */
export interface DecodedOrder {
  /** Row-major float32 samples of each channel; `null` where nothing was decoded. */
  readonly planes: Float32Array<ArrayBuffer>[] | null;
  /** The decoded rows: the wanted ones or more. */
  readonly rows: RowRange;
  /** Planes of the reference image; `null` where it was not ordered or cannot be decoded. */
  readonly referencePlanes: Float32Array<ArrayBuffer>[] | null;
  /** Why the reference image cannot be decoded. */
  readonly warnings: readonly Warning[];
  /** Memory that decoding takes beside the planes. */
  readonly working: WorkingMemory;
  /** Marks of files that were read or missing, except those that the open read; by resolved path. */
  readonly files: ReadonlyMap<string, string>;
}

/** An order for whole planes, packed for an archive. */
export interface PackOrder {
  /** Channels of one position; of the reference image all. */
  readonly channels: readonly number[];
  /** Within the acquisition; `null` for the reference image. */
  readonly position: Position | null;
  /** How the planes are packed. */
  readonly layout: PackedLayout;
  /** Memory that decoding may take beside the planes; nothing is decoded if it needs more. */
  readonly working: WorkingMemory;
}

/** The answer to a {@linkcode PackOrder}. */
export interface PackedPlanes {
  /** Chunks of each plane, `null` for one that the recording lacks; `null` where decoding needs more memory. */
  readonly planes: readonly (readonly Uint8Array<ArrayBuffer>[] | null)[] | null;
  /** Memory that decoding takes beside the planes. */
  readonly working: WorkingMemory;
}

/** A question, about one acquisition if it does not say otherwise. */
export type Question =
  /** Opens and describes it. */
  | { readonly type: "open" }
  /** Judges and decodes planes. The buffers of the order are transferred. */
  | { readonly type: "decode"; readonly order: PlaneOrder }
  /** Decodes and packs planes. */
  | { readonly type: "pack"; readonly order: PackOrder }
  /** Plans the planes of some channels at every position. */
  | { readonly type: "survey"; readonly channels: readonly number[] }
  /** Parses the body of a request, without an acquisition. The bytes are transferred. */
  | { readonly type: "parse"; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Judges CSV tables, without an acquisition. */
  | { readonly type: "judge"; readonly tables: readonly string[] }
  /** Encodes the metadata documents. */
  | { readonly type: "encode" }
  /** Takes what the question before encoded. */
  | { readonly type: "documents" };

/** The answer to each question. */
export interface Answers {
  open: Description;
  /** The planes are transferred. */
  decode: DecodedOrder;
  /** The chunks are transferred. */
  pack: PackedPlanes;
  /** Every plane fits its file. */
  survey: null;
  /** Its JSON value. */
  parse: unknown;
  /** The first problem of each table, or `null`. */
  judge: readonly (string | null)[];
  /** Bytes of the documents as JSON. */
  encode: number;
  /** A JSON array in pieces, which are transferred. */
  documents: readonly Uint8Array<ArrayBuffer>[];
}

/** A question with the acquisition that it is about. */
export interface Asked {
  /** Distinguishes it from other messages. */
  readonly type: "ask";
  readonly question: Question;
  /** Key under which the worker keeps the acquisition open. */
  readonly key: string;
  /** Where it is; `null` where the worker has it open, or needs none. */
  readonly source: AcquisitionSource | null;
  /** Memory of the flag that stops the work. */
  readonly stop: SharedArrayBuffer;
}

/** Server to worker. The server asks one question at a time; the other messages are not answered. */
export type ToWorker =
  | Asked
  /** Closes an acquisition. */
  | { readonly type: "forget"; readonly key: string }
  /** Closes the files of all acquisitions until they are read again. */
  | { readonly type: "rest" };

/** Worker to server: the end of a question. */
export type Answered =
  & {
    /** Bytes that the acquisition takes in the worker from now on; `null` where it is not open. */
    readonly indexBytes: number | null;
  }
  & (
    | { readonly type: "answered"; readonly answer: Answers[Question["type"]] }
    /** The acquisition may still be open. */
    | { readonly type: "failed"; readonly error: WireError }
  );

/** Worker to server. */
export type FromWorker =
  | Answered
  /** Unasked: it compiled a decoder. While the server holds the code, other workers find its machine code. */
  | {
    readonly type: "compiled";
    readonly code: WebAssembly.Module;
    /** Length of the compiled bytes, which identifies the decoder. */
    readonly bytes: number;
  };
