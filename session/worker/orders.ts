/** The server's questions to a decode worker about an acquisition, and the worker's answers. */
import type { WireError } from "../../readers/errors.ts";
import type { AxisLetter, Division, Position, RowRange, WorkingMemory } from "../../readers/reader.ts";
import type { AcquisitionSource, AcquisitionSummary } from "../acquisition_summary.ts";
import type { NamedPart } from "./named_parts.ts";
import type { z } from "zod";
import type { Warning } from "../../readers/warning.ts";
import type {
  ArchivedRecording,
  CheckedMembers,
  MemberOrder,
  PackedPlanes,
  PackOrder,
  ParsedOrder,
  WriteOrder,
  WrittenFiles,
} from "../archive/content/archive_orders.ts";

/** An opened acquisition before its first sample is read; can be cloned between threads. */
export interface Description {
  readonly summary: AcquisitionSummary;
  /** Bytes of all loaded planes, source and reference, with 4 bytes per sample; and of the summary in memory, estimated. */
  readonly bytes: number;
  readonly summaryBytes: number;
  readonly working: WorkingMemory;
  /** How workers can divide the source planes; `null` if dividing is not worthwhile. */
  readonly division: Division | null;
  /** Marks of the opened files, by path. */
  readonly marks: ReadonlyMap<string, string>;
  /** Encoded marks of all files of the set that were opened, measured or found missing. */
  readonly seen?: Uint8Array<ArrayBuffer>;
}

/** An order to decode rows of planes at one position, perhaps with the reference image. */
export interface PlaneOrder {
  /** Channel indices; if empty, the order only opens the acquisition. */
  readonly channels: readonly number[];
  readonly rows: RowRange | null;
  readonly position: Position;
  readonly reference: boolean;
  /** True if the answer needs the marks of all its files. */
  readonly marksAll?: boolean;
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
  /** Marks of files that were read or missing, by resolved path, without those that the open read; the first thousand. */
  readonly files: ReadonlyMap<string, string>;
  /** Encoded marks of all these files, if ordered. */
  readonly seen?: Uint8Array<ArrayBuffer> | null;
}

/** Most missing planes that an answer lists. */
export const MOST_MISSING = 100;

/** Consecutive planes of one channel along one axis. */
export interface RunRange {
  readonly channel: number;
  /** Position of the first plane. */
  readonly first: Position;
  readonly axis: AxisLetter;
  readonly count: number;
}

/** Position of the plane with this index in a range. */
export const findPositionInRun = ({ first, axis }: RunRange, index: number): Position => {
  const letter = axis.toLowerCase() as keyof Position;
  return { ...first, [letter]: first[letter] + index };
};

/** An order to decode the planes of a range one after the other into one block of memory. */
export interface RunOrder extends RunRange {
  /** A range of which to list the missing planes first; if there are any, nothing is decoded. */
  readonly survey: RunRange | null;
  /** Samples of each plane. */
  readonly samples: number;
  /** Memory that decoding a plane may take besides the block. */
  readonly working: WorkingMemory;
  /** Memory of released blocks, for reuse. */
  readonly buffers: ArrayBuffer[];
}

/** The answer to a {@linkcode RunOrder}. */
export interface DecodedRun {
  /** Row-major float32 samples of the first `count` planes, one plane after the other; `null` if nothing was decoded. */
  readonly block: Float32Array<ArrayBuffer> | null;
  readonly count: number;
  /** Why the next plane cannot be decoded; `null` if all were, or if one needs more memory. */
  readonly failure: WireError | null;
  /** Memory that the next plane needs, if it is more than ordered. */
  readonly working: WorkingMemory;
  /** Positions of missing planes, the first hundred. */
  readonly missing: readonly Position[];
  /** Marks as in {@linkcode DecodedOrder}. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * A question about one acquisition; or, without one, to parse an order to export, to compare files with encoded marks or to tell
 * parts of acquisitions from others. Buffers are transferred.
 */
export type Question =
  | { readonly type: "open" }
  | { readonly type: "decode"; readonly order: PlaneOrder }
  | { readonly type: "run"; readonly order: RunOrder }
  | { readonly type: "pack"; readonly order: PackOrder }
  | { readonly type: "parse"; readonly bytes: Uint8Array<ArrayBuffer> }
  | {
    readonly type: "check";
    readonly recording: ArchivedRecording;
    readonly members: readonly MemberOrder[];
  }
  | ({ readonly type: "write" } & WriteOrder)
  | { readonly type: "compare"; readonly seen: readonly Uint8Array<ArrayBuffer>[] }
  | {
    readonly type: "parts";
    readonly named: readonly NamedPart[];
    /** Resolved directories that may be read; `null` for no limit. */
    readonly roots: readonly string[] | null;
  }
  | { readonly type: "documents"; readonly most: number };

/** The documents of an acquisition as a JSON array; `null` if it needs more memory than ordered. */
export interface EncodedDocuments {
  readonly json: Uint8Array<ArrayBuffer> | null;
  /** Bytes that it takes to make them. */
  readonly needed: number;
}

/** The answer to each type of question. Planes and chunks are transferred. */
export interface Answers {
  open: Description;
  decode: DecodedOrder;
  run: DecodedRun;
  pack: PackedPlanes;
  /** The order, or the issues of its schema. */
  parse: ParsedOrder | { readonly issues: readonly z.core.$ZodIssue[] };
  /** If there are no faults, every plane fits its file. */
  check: CheckedMembers;
  write: WrittenFiles;
  /** Success: no file changed. */
  compare: null;
  /** Whether each of the files is a part of another one; `null` for one that was not looked into. */
  parts: readonly (boolean | null)[];
  documents: EncodedDocuments;
}

/** A question with its acquisition, which the worker keeps open under a key. */
export interface Asked {
  readonly type: "ask";
  readonly question: Question;
  readonly key: string;
  /** Location of the acquisition; `null` if the worker already has it open, or the question needs none. */
  readonly source: AcquisitionSource | null;
  /** Memory of the flag that stops the work. */
  readonly stop: SharedArrayBuffer;
}

/** Messages to a worker: one question at a time; to close an acquisition; to close all files until their next read. */
export type ToWorker = Asked | { readonly type: "forget"; readonly key: string } | { readonly type: "rest" };

/** The end of a question, with the bytes that the acquisition takes in the worker from now on; `null` if it is not open. */
export type Answered =
  & { readonly indexBytes: number | null }
  & (
    | { readonly type: "answered"; readonly answer: Answers[Question["type"]] }
    | { readonly type: "failed"; readonly error: WireError }
  );

/**
 * Messages of a worker. After compiling a decoder, it sends the code without a question, with the length of the compiled bytes,
 * which identifies the decoder. While the server holds the code, other workers reuse it.
 */
export type FromWorker =
  | Answered
  | { readonly type: "compiled"; readonly code: WebAssembly.Module; readonly bytes: number };
