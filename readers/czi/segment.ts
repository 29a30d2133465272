/** Segments, the containers in a document: an id, two sizes and data. The first segment is the file header. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, unlessDamaged } from "../errors.ts";

const MAX_SEGMENTS = 1 << 21;

/** Bytes before the data of a segment. */
export const SEGMENT_HEAD = 32;

const ALIGNMENT = 32;

/** Ids of segments. */
export const ID = {
  file: "ZISRAWFILE",
  directory: "ZISRAWDIRECTORY",
  subblock: "ZISRAWSUBBLOCK",
  metadata: "ZISRAWMETADATA",
  attachments: "ZISRAWATTDIR",
  attachment: "ZISRAWATTACH",
  deleted: "DELETED",
} as const;

/** The head of a segment. */
export interface CziSegment {
  /** One of {@linkcode ID}, or an unknown id. */
  readonly id: string;
  readonly offset: number;
  readonly data: number;
  readonly used: number;
  readonly allocated: number;
}

/** Text in a field of fixed size, up to its first NUL. */
export function textAt(view: DataView, at: number, length: number, encoding = "latin1"): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, length);
  const end = bytes.indexOf(0);
  return new TextDecoder(encoding).decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** A 64-bit integer as a number. Above 2^53 it is inexact, but larger than any file. */
export const longAt = (view: DataView, at: number): number => Number(view.getBigInt64(at, true));

/** The segment whose head begins at the start of `view`. @throws {DecodeFailed} a size is negative */
export function segmentIn(view: DataView, offset: number): CziSegment {
  const id = textAt(view, 0, 16);
  const allocated = longAt(view, 16);
  const stated = longAt(view, 24);
  if (allocated < 0 || stated < 0) {
    throw new DecodeFailed(`segment at ${offset} has impossible sizes ${allocated} and ${stated}`);
  }
  // Old writers leave the used size at 0.
  const used = stated || allocated;
  return { id, offset, data: offset + SEGMENT_HEAD, used, allocated: allocated || stated };
}

const readSegment = (file: ByteSource, offset: number, what: string): CziSegment =>
  segmentIn(new DataView(file.read(offset, SEGMENT_HEAD, what).buffer), offset);

/** Reads the head of a segment. @throws {DecodeFailed} it has another id, or lies outside the file */
export function requireSegment(file: ByteSource, offset: number, id: string, what: string): CziSegment {
  const segment = readSegment(file, offset, what);
  if (segment.id !== id) {
    throw new DecodeFailed(`${what} at ${offset} is not ${id} but ${JSON.stringify(segment.id)}`);
  }
  return segment;
}

/** Walks up to a damaged segment or the end. @throws {DecodeFailed} more than {@linkcode MAX_SEGMENTS} segments */
export function* walkSegments(file: ByteSource, start: number): Generator<CziSegment> {
  let at = start;
  for (let count = 0; at + SEGMENT_HEAD <= file.size; count += 1) {
    if (count === MAX_SEGMENTS) throw new DecodeFailed(`it has more than ${MAX_SEGMENTS} segments`);
    const segment = unlessDamaged(() => readSegment(file, at, "segment"), null);
    if (segment === null || !/^[A-Z]+$/.test(segment.id)) return;
    yield segment;
    at = Math.ceil((segment.data + segment.allocated) / ALIGNMENT) * ALIGNMENT;
  }
}

const HEADER_BYTES = 80;

/** The file header. */
export interface FileHeader {
  /** Hexadecimal GUID, shared by all parts of a split document. */
  readonly primary: string;
  /** Number of the part; 0 for the first or only file. */
  readonly part: number;
  /** Offsets, or 0. */
  readonly directory: number;
  readonly metadata: number;
  readonly attachments: number;
  /** True if a writer did not finish the file. */
  readonly pending: boolean;
  /** Offset of the next segment. */
  readonly end: number;
}

/** Reads the file header. @throws {DecodeFailed} it is truncated or not a CZI header */
export function readFileHeader(file: ByteSource): FileHeader {
  const bytes = SEGMENT_HEAD + HEADER_BYTES;
  if (file.size < bytes) {
    throw new DecodeFailed(`the file header is truncated: ${file.size} of ${bytes} bytes are stored`);
  }
  const view = new DataView(file.read(0, bytes, "the file header").buffer);
  const { id, data, allocated } = segmentIn(view, 0);
  if (id !== ID.file) throw new DecodeFailed(`the first segment is not ${ID.file}`);
  const at = (offset: number) => longAt(view, SEGMENT_HEAD + offset);
  return {
    primary: new Uint8Array(view.buffer, SEGMENT_HEAD + 16, 16).toHex(),
    part: view.getInt32(SEGMENT_HEAD + 48, true),
    directory: at(52),
    metadata: at(60),
    pending: view.getInt32(SEGMENT_HEAD + 68, true) !== 0,
    attachments: at(72),
    end: data + allocated,
  };
}
