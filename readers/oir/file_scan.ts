/**
 * One pass over the blocks of a file, which locates its pixel chunks, frame documents and other documents. Chunks of the main
 * image are named `<axes>_<a>_<b>_<channel id>_<chunk number>`, where `<axes>` is a sequence of letters with numbers (`t001`,
 * `l002z001`) in any order. Those of the reference image are named `REF_<source>_<channel id>_<chunk number>`.
 */
import { basename } from "node:path";
import { DecodeFailed, quoted } from "../errors.ts";
import type { RandomAccessFile } from "../io/random_access_file.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import {
  Damage,
  type DocumentBlock,
  type OirBlock,
  type PixelBlock,
  readOirHeader,
  walkBlocks,
} from "./container.ts";

/** Largest number of planes in an acquisition; two hours at 30 frames per second in four channels are 864,000. */
export const MAX_PLANES = 1_000_000;

/** Largest number of chunks in an acquisition, 24 bytes of heap each; 90 GB in strips of 11 264 bytes. */
export const MAX_CHUNKS = 8_000_000;

/** Largest number of channels in a file; spectral instruments record a few dozen. */
const MAX_CHANNEL_IDS = 1000;

/** Largest number of document blocks of a file that are kept; files have two. */
const MAX_DOCUMENT_BLOCKS = 16;

/** Time point, wavelength and depth of a frame as written, from 1 on; an absent letter counts as 1. */
export interface FrameIndex {
  readonly t: number;
  readonly l: number;
  readonly z: number;
}

/** The image, frame and channel of a chunk. */
export type ChunkOwner =
  | { readonly image: "main"; readonly frame: FrameIndex; readonly channel: string }
  | { readonly image: "reference"; readonly source: string; readonly channel: string };

const REFERENCE_NAME = /^REF_(?:(.*)_)?([^_]+)_\d+$/;
const MAIN_NAME = /^(?:((?:[tlz]\d{1,9})*)_)?(?:\d+_\d+_)?([^_]+)_\d+$/;

/** The owner of a chunk with this name; `null` if the name has another form. */
export function parseChunkName(name: string): ChunkOwner | null {
  const reference = name.startsWith("REF_") ? REFERENCE_NAME.exec(name) : null;
  if (reference) return { image: "reference", source: reference[1] ?? "", channel: reference[2]! };
  const found = MAIN_NAME.exec(name);
  if (!found) return null;
  const [, axes = "", channel = ""] = found;
  const frame = { t: 0, l: 0, z: 0 };
  for (const part of axes.match(/[tlz]\d+/g) ?? []) {
    const [letter, number] = [part[0] as keyof FrameIndex, Number(part.slice(1))];
    if (frame[letter] > 0 || number === 0) return null;
    frame[letter] = number;
  }
  return { image: "main", frame: { t: frame.t || 1, l: frame.l || 1, z: frame.z || 1 }, channel };
}

/** Chunks of one plane as flat triples, in bytes: offset in the plane, offset in the file, length. */
export type ChunkTriples = number[];

/** Heap per chunk in its list, and per plane or frame document with its key. */
const [CHUNK_BYTES, PLANE_BYTES] = [48, 300];

/** Damage before the end of the recording, by which pixels may be lost; or `null`. */
export function findDamage(scans: readonly FileScan[]): string | null {
  const damaged = scans.find(({ damage, truncated }) => truncated ? !damage.onlyAtEnd : damage.text !== null);
  return damaged?.damage.text ?? null;
}

/** Key of a frame in {@linkcode FileScan.planes}. */
export const makePlaneKey = ({ t, l, z }: FrameIndex): string => `${t},${l},${z}`;

/** Contents of one file, located without reading a sample. */
export class FileScan {
  readonly file: RandomAccessFile;
  /** Chunks of the main image, by channel id, then by {@linkcode makePlaneKey}. */
  readonly planes: Map<string, Map<string, ChunkTriples>> = new Map();
  /** Chunks of the reference image, by source (`LSM0`), then by channel id. */
  readonly reference: Map<string, Map<string, ChunkTriples>> = new Map();
  readonly frameNumbers: Record<keyof FrameIndex, Set<number>> = { t: new Set(), l: new Set(), z: new Set() };
  /** Frame documents in file order, as flat quintuples: offset, length, and t, l, z of the chunk that follows. */
  readonly frames: number[] = [];
  readonly documents: DocumentBlock[] = [];
  /** True if the file is shorter than when it was closed. */
  readonly truncated: boolean;
  readonly damage: Damage = new Damage();
  readonly warnings: readonly Warning[];
  /** Number of planes of the main image, over all channels. */
  planeCount = 0;
  chunkCount = 0;
  #firstWithoutIndex = 0;
  #referenceCount = 0;

  /** Scans a file, or its first `most` blocks. @throws {DecodeFailed} it is not OIR or exceeds a limit @throws {Stopped} */
  constructor(file: RandomAccessFile, stop: StopFlag, most = Infinity) {
    const header = readOirHeader(file);
    const name = quoted(basename(file.path));
    const unclosed = header.truncated
      ? `${name} is truncated: it had more than its ${file.size} bytes when it was closed`
      : header.indexOffset === null &&
        `${name} has no block index inside its ${file.size} bytes: it was not closed properly`;
    this.file = file;
    this.truncated = header.truncated;
    let blocks = 0;
    for (const block of walkBlocks(file, header, this.damage, stop)) {
      this.#add(block);
      if ((blocks += 1) >= most) break;
    }
    const damage = this.damage.text && `${name} is damaged: ${this.damage.text}`;
    this.warnings = [unclosed, damage].flatMap((text) => text ? [warning("file_damaged", text)] : []);
  }

  /** Upper estimate of the memory for the locations of all chunks. */
  get bytes(): number {
    return CHUNK_BYTES * (this.chunkCount + this.frames.length) + PLANE_BYTES * (1 + this.planeCount);
  }

  #add(block: OirBlock): void {
    const { kind, offset, length } = block;
    if (kind === "pixels") this.#addPixels(block);
    else if (kind === "documents") {
      // Keeps the first blocks and the last one.
      if (this.documents.length >= MAX_DOCUMENT_BLOCKS) this.documents.pop();
      this.documents.push({ offset, length });
    } else if (this.frames.push(offset, length, 0, 0, 0) > 5 * MAX_PLANES) {
      throw new DecodeFailed(`the file has more than ${MAX_PLANES} frames`);
    }
  }

  #addPixels({ name, tagAt, planeOffset, offset, length }: PixelBlock): void {
    const owner = parseChunkName(name);
    if (owner === null) {
      this.damage.add(`tag at ${tagAt} has the unknown name "${name}"`);
      return;
    }
    this.chunkCount += 1;
    const chunk = [planeOffset, offset, length];
    if (owner.image === "main") this.#addToFrame(owner.frame, owner.channel, chunk);
    else this.#addToReference(owner.source, owner.channel, chunk);
  }

  #addToReference(source: string, channel: string, chunk: ChunkTriples): void {
    const chunks = this.reference.get(source)?.get(channel);
    if (chunks) chunks.push(...chunk);
    else if ((this.#referenceCount += 1) > MAX_CHANNEL_IDS) {
      this.damage.add(`the reference image has more than ${MAX_CHANNEL_IDS} channels`);
    } else this.reference.getOrInsertComputed(source, () => new Map()).set(channel, chunk);
  }

  #addToFrame(frame: FrameIndex, channel: string, chunk: ChunkTriples): void {
    // The frame documents before this chunk belong to its frame.
    for (; this.#firstWithoutIndex < this.frames.length; this.#firstWithoutIndex += 5) {
      this.frames.splice(this.#firstWithoutIndex + 2, 3, frame.t, frame.l, frame.z);
    }
    const planes = this.planes.getOrInsertComputed(channel, () => new Map());
    if (this.planes.size > MAX_CHANNEL_IDS) {
      throw new DecodeFailed(`the file has more than ${MAX_CHANNEL_IDS} channels`);
    }
    const key = makePlaneKey(frame);
    const chunks = planes.get(key);
    if (chunks) {
      chunks.push(...chunk);
      return;
    }
    if ((this.planeCount += 1) > MAX_PLANES) {
      throw new DecodeFailed(`the file has more than ${MAX_PLANES} planes`);
    }
    planes.set(key, chunk);
    for (const axis of ["t", "l", "z"] as const) this.frameNumbers[axis].add(frame[axis]);
  }
}
