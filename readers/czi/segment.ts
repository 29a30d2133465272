/** Segments, of which a document consists: an id, two sizes, data. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_SEGMENTS } from "./bounds.ts";

/** Bytes before the data of a segment. */
export const SEGMENT_HEAD = 32;

/** Segments start at multiples of this. */
const ALIGNMENT = 32;

/** Ids of the segments that are read. */
export const ID = {
  file: "ZISRAWFILE",
  directory: "ZISRAWDIRECTORY",
  subblock: "ZISRAWSUBBLOCK",
  metadata: "ZISRAWMETADATA",
  attachments: "ZISRAWATTDIR",
  attachment: "ZISRAWATTACH",
  deleted: "DELETED",
} as const;

/** One segment. */
export interface Segment {
  /** One of {@linkcode ID}, or one that is not known. */
  readonly id: string;
  /** Where it starts. */
  readonly offset: number;
  /** Where its data start. */
  readonly data: number;
  /** Bytes of data that have a meaning. */
  readonly used: number;
  /** Bytes that the data may take. */
  readonly allocated: number;
}

/** Text of fixed size, cut at its first NUL. */
export function textAt(view: DataView, at: number, length: number, encoding = "latin1"): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, length);
  const end = bytes.indexOf(0);
  return new TextDecoder(encoding).decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** A 64-bit integer as a number: beyond 2^53 it loses digits and stays far above the size of any file. */
export const longAt = (view: DataView, at: number): number => Number(view.getBigInt64(at, true));

/** The segment whose head is in `view`. @throws {DecodeFailed} its sizes are impossible */
export function segmentIn(view: DataView, offset: number): Segment {
  const id = textAt(view, 0, 16);
  const allocated = longAt(view, 16);
  const stated = longAt(view, 24);
  if (allocated < 0 || stated < 0) {
    throw new DecodeFailed(`segment at ${offset} has impossible sizes ${allocated} and ${stated}`);
  }
  // Old writers leave the used size at 0.
  return {
    id,
    offset,
    data: offset + SEGMENT_HEAD,
    used: stated || allocated,
    allocated: allocated || stated,
  };
}

/**
 * Reads the head of a segment.
 *
 * @param what names it in messages
 * @throws {DecodeFailed} it lies outside the file, or its sizes are impossible
 */
export function readSegment(file: ByteSource, offset: number, what: string): Segment {
  return segmentIn(new DataView(file.read(offset, SEGMENT_HEAD, what).buffer), offset);
}

/** The segment at a position of which one id is expected. @throws {DecodeFailed} another one is there, or none */
export function requireSegment(file: ByteSource, offset: number, id: string, what: string): Segment {
  const segment = readSegment(file, offset, what);
  if (segment.id !== id) {
    throw new DecodeFailed(`${what} at ${offset} is no ${id} but ${JSON.stringify(segment.id)}`);
  }
  return segment;
}

/**
 * Walks from one segment to the next, until one cannot be read or the file ends. Each step goes on by 32 bytes at least.
 *
 * @param start offset of the first
 * @throws {DecodeFailed} more than {@linkcode MAX_SEGMENTS}
 * @throws {Stopped}
 */
export function* walkSegments(file: ByteSource, start: number): Generator<Segment> {
  let at = start;
  for (let count = 0; at + SEGMENT_HEAD <= file.size; count += 1) {
    if (count === MAX_SEGMENTS) throw new DecodeFailed(`it has more than ${MAX_SEGMENTS} segments`);
    let segment: Segment;
    try {
      segment = readSegment(file, at, "segment");
    } catch (error) {
      if (error instanceof DecodeFailed) return;
      throw error;
    }
    if (!/^[A-Z]+$/.test(segment.id)) return;
    yield segment;
    at = Math.ceil((segment.data + segment.allocated) / ALIGNMENT) * ALIGNMENT;
  }
}
