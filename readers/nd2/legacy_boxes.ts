/** Files from before 2010: JPEG 2000 boxes (ITU-T T.800, annex I), and at the end a map with the purpose of each box. */
import { Buffer } from "node:buffer";
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, quoted } from "../errors.ts";

const MAP_SIGNATURE = "LABORATORY IMAGING ND BOX MAP 00";
const TAIL_BYTES = 40;
const BOX_HEAD_BYTES = 8;
const ENTRY_BYTES = 16;

/** Largest number of boxes in a file: three with metadata per frame, and one per channel of each frame. */
const MAX_BOXES = 1_000_000;

/** Purpose of codestreams. */
const CODESTREAM = "LUNK";

/** Purposes of metadata boxes; those of later frames repeat the first. */
export const DOCUMENTS: readonly string[] = ["VIMD", "VCAL", "ACAL", "AIM1", "AIMD", "ARTT", "TINF", "IEVE"];

/** Purposes of the boxes to read. */
const READ = new Set([CODESTREAM, ...DOCUMENTS]);

/** A box. */
export interface Box {
  /** Offset of its content. */
  readonly offset: number;
  /** Number of content bytes. */
  readonly length: number;
}

/** True for a file that ends with the offset of a map. */
export function hasBoxMap(file: ByteSource): boolean {
  if (file.size < TAIL_BYTES) return false;
  const tail = file.read(file.size - TAIL_BYTES, TAIL_BYTES, "the end of the file");
  return Buffer.from(tail).toString("latin1", 0, MAP_SIGNATURE.length) === MAP_SIGNATURE;
}

/** Offsets of boxes, by purpose, in file order. */
export type BoxMap = ReadonlyMap<string, readonly number[]>;

/** Offsets of the boxes in the map. @throws {DecodeFailed} the map is missing or damaged */
export function readBoxMap(file: ByteSource): BoxMap {
  if (!hasBoxMap(file)) throw new DecodeFailed("the file does not end with a box map");
  const tail = Buffer.from(file.read(file.size - TAIL_BYTES, TAIL_BYTES, "the end of the file"));
  const place = file.size - Number(tail.readBigUInt64LE(MAP_SIGNATURE.length));
  const count = Buffer.from(file.read(place, 4, "the box map")).readUInt32BE(0);
  if (count > MAX_BOXES) throw new DecodeFailed(`the file has more than ${MAX_BOXES} boxes`);
  const entries = Buffer.from(file.read(place + 4, count * ENTRY_BYTES, "the box map").buffer);
  const found = new Map<string, number[]>();
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const purpose = entries.toString("latin1", at + 4, at + 8);
    if (!READ.has(purpose)) continue;
    found.getOrInsertComputed(purpose, () => []).push(Number(entries.readBigUInt64LE(at + 8)));
  }
  return found;
}

/** The content of the box at an offset. @throws {DecodeFailed} it lies outside the file */
export function boxAt(file: ByteSource, at: number, purpose: string): Box {
  const what = `box ${quoted(purpose)}`;
  const head = Buffer.from(file.read(at, BOX_HEAD_BYTES, what));
  const stated = head.readUInt32BE(0);
  const length = stated === 0 ? file.size - at : stated;
  if (length < BOX_HEAD_BYTES) throw new DecodeFailed(`${what} at ${at} has ${stated} bytes`);
  file.require(at, length, what);
  return { offset: at + BOX_HEAD_BYTES, length: length - BOX_HEAD_BYTES };
}
