/** What the server and its workers tell each other about an export. Only workers hold its documents as objects. */
import type { Acquisition, Position, WorkingMemory } from "../../../readers/reader.ts";
import type { PackedLayout } from "../../../readers/samples/packed_plane.ts";
import type { Warning } from "../../../readers/warning.ts";

/** One axis of the written array. */
export interface WrittenAxis {
  readonly name: "t" | "c" | "z" | "y" | "x";
  readonly type: "time" | "channel" | "space";
  /** OME unit, if OME names the unit of the step. */
  readonly unit: string | null;
  /** Step in that unit; 1 without a unit. */
  readonly scale: number;
  readonly size: number;
}

/** A written array, as far as placing its chunks needs. */
export interface ChunkLayout {
  readonly axes: readonly WrittenAxis[];
  readonly packed: PackedLayout;
  /** Spectral planes of each channel, which are folded into `c`. */
  readonly spectral: number;
  /** True if a sample type of the file is wider than float32. */
  readonly isRounded: boolean;
}

/** What an export knows of a recording. It may not change between its open and the end of the archive. */
export interface ArchivedRecording {
  readonly images: "all" | "opened" | "none";
  /** False if the reference image could not be decoded. */
  readonly hasReference: boolean;
  /** Warnings of the open, with those of decoding. */
  readonly warnings: readonly Warning[];
  /** Facts of the open that a new file of a set would change. */
  readonly shape: Pick<Acquisition, "axes" | "fileSize"> & { readonly sceneCount: number };
  /** Encoded marks of its files. */
  readonly seen: readonly Uint8Array<ArrayBuffer>[];
}

/** What a client asks to export of one recording, as JSON: only workers parse it. */
export interface MemberOrder {
  /** Index in the order, from 0. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly json: Uint8Array<SharedArrayBuffer>;
}

/** A member of a parsed order. */
export interface ParsedMember {
  readonly sessionId?: string | undefined;
  readonly path?: string | undefined;
  readonly scene?: number | null | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** The whole member. */
  readonly json: Uint8Array<SharedArrayBuffer>;
}

/** An order to export that its schema has accepted. */
export interface ParsedOrder {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly images?: ArchivedRecording["images"] | undefined;
  readonly members: readonly ParsedMember[];
}

/** A fault of an order. */
export interface OrderFault {
  /** Keys from `members` on. */
  readonly path: readonly string[];
  readonly message: string;
}

/** A member that was checked. */
export interface CheckedMember {
  readonly hasAnalyses: boolean;
  /** What it has in its collection and cannot keep. */
  readonly warnings: readonly string[];
}

/** Members of one recording that were checked. */
export interface CheckedMembers {
  readonly faults: readonly OrderFault[];
  /** In the order in which they were given; if there are faults, maybe not all. */
  readonly members: readonly CheckedMember[];
  readonly layout: ChunkLayout;
  readonly reference: ChunkLayout | null;
  /** Encoded marks of files that will be read. */
  readonly seen: Uint8Array<ArrayBuffer>;
}

/** Indices of a plane along the axes of the written image. */
export type WrittenPlane = Readonly<Record<string, number>>;

/** The range of a plane's samples, and the range in which the page first shows them. */
export interface Contrast {
  readonly min: number;
  readonly max: number;
  readonly start: number;
  readonly end: number;
}

/** An order to pack whole planes for an archive. */
export interface PackOrder {
  /** Channels of one position, or all channels of the reference image. */
  readonly channels: readonly number[];
  /** Position within the acquisition; `null` for the reference image. */
  readonly position: Position | null;
  readonly layout: PackedLayout;
  /** True if the answer needs the contrast of each plane. */
  readonly contrast?: boolean;
  readonly working: WorkingMemory;
}

/** The answer to a {@linkcode PackOrder}. */
export interface PackedPlanes {
  /** Chunks of each plane, `null` for a plane that the recording lacks; `null` for all if decoding needs more memory. */
  readonly planes: readonly (readonly Uint8Array<ArrayBuffer>[] | null)[] | null;
  /** Contrast of each plane, if ordered. */
  readonly contrasts: readonly (Contrast | null)[];
  readonly working: WorkingMemory;
}

/** The documents of an image, of its reference image, or those about both with the tables. */
export type WrittenPart = "image" | "reference" | "documents";

/** Files of an archive other than chunks. */
export type WrittenFiles = readonly { readonly path: string; readonly content: Uint8Array<ArrayBuffer> }[];

/** An order to write documents of a member. */
export interface WriteOrder {
  readonly recording: ArchivedRecording;
  readonly member: MemberOrder;
  readonly part: WrittenPart;
  /** Contrast of each channel of the image, before `L` is folded into `c`; `null` if its opened plane is missing. */
  readonly contrasts: readonly (Contrast | null)[];
  /** Planes that the recording lacks. */
  readonly missing: readonly WrittenPlane[];
  readonly version: string;
}

/** The id, with a number if it is taken; it is taken from now on. */
export function takeDistinctId(id: string, taken: Set<string>): string {
  let own = id;
  for (let n = 2; taken.has(own); n += 1) own = `${id}-${n}`;
  taken.add(own);
  return own;
}
