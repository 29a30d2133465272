/**
 * One pass over the blocks of a file, which locates its pixel chunks, frame documents and other documents. Chunks of the main
 * image are named `<axes>_<a>_<b>_<channel id>_<chunk number>`, where `<axes>` is a sequence of letters with numbers (`t001`,
 * `l002z001`) in any order. Those of the reference image are named `REF_<source>_<channel id>_<chunk number>`.
 */
import { basename } from "node:path";
import { DecodeFailed, quoted } from "../errors.ts";
import type { RandomAccessFile } from "../io/random_access.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import { type Block, BlockWalk, type Damage, KIND, readHeader } from "./container.ts";

/** Largest number of planes in an acquisition; two hours at 30 frames per second in four channels are 864,000. */
export const MAX_PLANES = 1_000_000;

/** Largest number of chunks in an acquisition, 24 bytes of heap each; 90 GB in strips of 11 264 bytes. */
export const MAX_CHUNKS = 8_000_000;

/** Largest number of channels in a file; spectral instruments record a few dozen. */
const MAX_CHANNEL_IDS = 1000;

/** Largest number of document blocks of a file that are kept; files have two. */
const MAX_DOCUMENT_BLOCKS = 1000;

/** Longest chunk name in bytes; usual names have about 50. */
const MAX_NAME_BYTES = 1024;

const TAG_FIXED_BYTES = 12;

/** Indices of a frame as written, from 1 on; an absent letter counts as 1. */
export interface FrameIndex {
  /** Time point. */
  readonly t: number;
  /** Wavelength. */
  readonly l: number;
  /** Depth. */
  readonly z: number;
}

/** The image, frame and channel of a chunk. */
export type ChunkOwner =
  | { readonly image: "main"; readonly frame: FrameIndex; readonly channel: string }
  | { readonly image: "reference"; readonly source: string; readonly channel: string };

const DIGITS = /^\d+$/;
const AXES = /^(?:[a-z]\d{1,9})*$/;

/** Frame indices in the axes part of a name (`t001z002`); `null` if it contains anything else. */
function parseFrameIndex(axes: string): FrameIndex | null {
  if (!AXES.test(axes)) return null;
  const index = { t: 1, l: 1, z: 1 };
  const seen = new Set<string>();
  for (const [, letter, digits] of axes.matchAll(/([a-z])(\d+)/g)) {
    if ((letter !== "t" && letter !== "l" && letter !== "z") || seen.has(letter)) return null;
    seen.add(letter);
    index[letter] = Number(digits);
    if (index[letter] === 0) return null;
  }
  return index;
}

/** The owner of a chunk with this name; `null` if the name has another form. */
export function parseChunkName(name: string): ChunkOwner | null {
  const parts = name.split("_");
  const [channel, number] = parts.splice(-2);
  if (!channel || number === undefined || !DIGITS.test(number)) return null;
  if (parts[0] === "REF") {
    const source = parts.slice(1).join("_");
    return { image: "reference", source, channel };
  }
  if (parts.length >= 2 && parts.slice(-2).every((part) => DIGITS.test(part))) parts.length -= 2;
  if (parts.length > 1) return null;
  const frame = parseFrameIndex(parts[0] ?? "");
  return frame && { image: "main", frame, channel };
}

/** Location of the documents of a block. */
export interface DocumentBlock {
  readonly offset: number;
  readonly length: number;
}

/** Chunks of one plane as flat triples, in bytes: offset in the plane, offset in the file, length. */
export type ChunkTriples = number[];

/** Contents of one file. */
export interface FileScan {
  readonly file: RandomAccessFile;
  /** Chunks of the main image, by {@linkcode planeKey}, then by slot of the channel. */
  readonly planes: ReadonlyMap<string, readonly (ChunkTriples | undefined)[]>;
  /** Slots of the channels in `planes`, by channel id. */
  readonly channelSlots: ReadonlyMap<string, number>;
  /** Distinct frame numbers along each axis. */
  readonly frameNumbers: { readonly [axis in keyof FrameIndex]: ReadonlySet<number> };
  /** Chunks of the reference image, by source (`LSM0`) and channel id. */
  readonly reference: ReadonlyMap<string, ReadonlyMap<string, ChunkTriples>>;
  /** Frame documents in file order, as flat quintuples: offset, length, and t, l, z of the chunk that follows. */
  readonly frames: readonly number[];
  readonly documents: readonly DocumentBlock[];
  /** Number of chunks in `planes` and `reference`. */
  readonly chunkCount: number;
  /** True if the file is shorter than when it was closed. */
  readonly truncated: boolean;
  readonly damage: Damage;
  /** Warnings about the index and the end of the file. */
  readonly warnings: readonly Warning[];
}

/** Heap per chunk in its list, and per plane or frame document with its key. */
const [CHUNK_BYTES, PLANE_BYTES] = [48, 300];

/** Upper estimate of the memory for the locations of all chunks. */
export function scanBytes({ planes, channelSlots, frames, chunkCount }: FileScan): number {
  return CHUNK_BYTES * (chunkCount + frames.length) +
    PLANE_BYTES * (1 + planes.size) * (1 + channelSlots.size);
}

/** Damage before the end of the recording, by which pixels may be lost; or `null`. */
export function damageWithin(scans: readonly FileScan[]): string | null {
  const damaged = scans.find(({ damage, truncated }) => truncated ? !damage.onlyAtEnd : damage.text !== null);
  return damaged?.damage.text ?? null;
}

/** Key of a frame in {@linkcode FileScan.planes}. */
export const planeKey = ({ t, l, z }: FrameIndex): string => `${t},${l},${z}`;

/**
 * Locates everything in a file without reading a sample.
 *
 * @throws {DecodeFailed} the file is not OIR or exceeds a limit
 */
export function scanFile(file: RandomAccessFile, stop: StopFlag): FileScan {
  const header = readHeader(file);
  const walk = new BlockWalk(file, header, stop);
  const found = new BlockCollector(walk);
  for (const block of walk.blocks()) found.add(block);
  const name = quoted(basename(file.path));
  const unclosed = header.truncated
    ? `${name} is truncated: it had more than its ${file.size} bytes when it was closed`
    : header.indexOffset === null
    ? `${name} has no block index inside its ${file.size} bytes: it was not closed properly`
    : null;
  return {
    file,
    truncated: header.truncated,
    warnings: unclosed === null ? [] : [warning("file_damaged", unclosed)],
    damage: walk.damage,
    ...found.contents(),
  };
}

interface Tag {
  readonly name: string;
  readonly planeOffset: number;
  readonly length: number;
  readonly at: number;
}

/** Number of remembered chunk owners; a frame has one per channel. */
const MAX_REMEMBERED = 64;

/** Takes the blocks of a file in order, and keeps the locations of their contents. */
class BlockCollector {
  readonly #source: BlockWalk;
  readonly #damage: Damage;
  readonly #planes = new Map<string, (ChunkTriples | undefined)[]>();
  readonly #channelSlots = new Map<string, number>();
  readonly #frameNumbers = { t: new Set<number>(), l: new Set<number>(), z: new Set<number>() };
  readonly #reference = new Map<string, Map<string, ChunkTriples>>();
  readonly #frames: number[] = [];
  readonly #documents: DocumentBlock[] = [];
  /** The tag of the previous block, which pixels must follow. */
  #tag: Tag | null = null;
  #firstWithoutIndex = 0;
  /** Recent owners, by the names of their chunks without the chunk number. */
  readonly #owners = new Map<string, ChunkOwner | null>();
  #planeCount = 0;
  #chunkCount = 0;
  #referenceCount = 0;

  constructor(source: BlockWalk) {
    this.#source = source;
    this.#damage = source.damage;
  }

  /** Everything that was found, after the last block. */
  contents(): Omit<FileScan, "file" | "truncated" | "damage" | "warnings"> {
    this.#endTag();
    return {
      planes: this.#planes,
      channelSlots: this.#channelSlots,
      frameNumbers: this.#frameNumbers,
      reference: this.#reference,
      frames: this.#frames,
      documents: this.#documents,
      chunkCount: this.#chunkCount,
    };
  }

  /** Adds a block. @throws {DecodeFailed} above a limit */
  add(block: Block): void {
    if (block.kind === KIND.pixels) {
      if (this.#tag) this.#addPixels(this.#tag, block);
      else this.#damage.add(`pixels at ${block.offset} lack a tag`);
      this.#tag = null;
      return;
    }
    this.#endTag();
    const whole = block.stored === block.length;
    if (block.kind === KIND.tag) this.#tag = readTag(block, this.#source, this.#damage);
    else if (block.kind === KIND.frame && whole) this.#addFrameDocument(block);
    else if (block.kind === KIND.documents && whole && block.length > 0) {
      // Keeps the first blocks and the last one.
      if (this.#documents.length >= MAX_DOCUMENT_BLOCKS) this.#documents.pop();
      this.#documents.push({ offset: block.offset, length: block.length });
    }
  }

  #endTag(): void {
    if (this.#tag) this.#damage.add(`tag at ${this.#tag.at} is not followed by pixels`);
    this.#tag = null;
  }

  #addFrameDocument({ offset, length }: Block): void {
    if (this.#frames.length >= 5 * MAX_PLANES) {
      throw new DecodeFailed(`the file has more than ${MAX_PLANES} frames`);
    }
    this.#frames.push(offset, length, 0, 0, 0);
  }

  #addPixels(tag: Tag, block: Block): void {
    if (block.length !== tag.length) {
      this.#damage.add(
        `pixels at ${block.offset} have ${block.length} bytes, but their tag states ${tag.length}`,
      );
      return;
    }
    const owner = this.#ownerOf(tag.name);
    if (owner === null) {
      this.#damage.add(`tag at ${tag.at} has the unknown name "${tag.name}"`);
      return;
    }
    this.#chunkCount += 1;
    const chunk = [tag.planeOffset, block.offset, block.stored] as const;
    if (owner.image === "reference") this.#addToReference(owner.source, owner.channel, chunk);
    else this.#addToFrame(owner.frame, owner.channel, chunk);
  }

  /** Like {@linkcode parseChunkName}, but remembers the result, which thousands of consecutive chunks share. */
  #ownerOf(name: string): ChunkOwner | null {
    const end = name.lastIndexOf("_");
    if (end < 0 || !/^\d+$/.test(name.slice(end + 1))) return parseChunkName(name);
    const series = name.slice(0, end);
    let owner = this.#owners.get(series);
    if (owner === undefined) {
      if (this.#owners.size >= MAX_REMEMBERED) this.#owners.clear();
      this.#owners.set(series, owner = parseChunkName(name));
    }
    return owner;
  }

  #addToReference(source: string, channel: string, chunk: Chunk): void {
    const chunks = this.#reference.get(source)?.get(channel);
    if (chunks) {
      chunks.push(...chunk);
    } else if ((this.#referenceCount += 1) > MAX_CHANNEL_IDS) {
      this.#damage.add(`the reference image has more than ${MAX_CHANNEL_IDS} channels`);
    } else {
      const channels = this.#reference.get(source) ?? new Map<string, ChunkTriples>();
      this.#reference.set(source, channels.set(channel, [...chunk]));
    }
  }

  #addToFrame(frame: FrameIndex, channel: string, chunk: Chunk): void {
    this.#numberDocuments(frame);
    const slot = this.#slotOf(channel);
    const key = planeKey(frame);
    let slots = this.#planes.get(key);
    if (!slots) {
      this.#planes.set(key, slots = []);
      for (const axis of ["t", "l", "z"] as const) this.#frameNumbers[axis].add(frame[axis]);
    }
    const chunks = slots[slot];
    if (chunks) {
      chunks.push(...chunk);
      return;
    }
    // Skipped slots take as much memory as filled ones.
    this.#planeCount += Math.max(1, slot + 1 - slots.length);
    if (this.#planeCount > MAX_PLANES) {
      throw new DecodeFailed(`the file has more than ${MAX_PLANES} planes`);
    }
    slots[slot] = [...chunk];
  }

  /** Assigns pending frame documents to the frame of the next chunk. */
  #numberDocuments({ t, l, z }: FrameIndex): void {
    for (; this.#firstWithoutIndex < this.#frames.length; this.#firstWithoutIndex += 5) {
      this.#frames.splice(this.#firstWithoutIndex + 2, 3, t, l, z);
    }
  }

  #slotOf(channel: string): number {
    const known = this.#channelSlots.get(channel);
    if (known !== undefined) return known;
    const slot = this.#channelSlots.size;
    if (slot >= MAX_CHANNEL_IDS) throw new DecodeFailed(`the file has more than ${MAX_CHANNEL_IDS} channels`);
    this.#channelSlots.set(channel, slot);
    return slot;
  }
}

/** Offset in the plane, offset in the file, and length. */
type Chunk = readonly [number, number, number];

function readTag(block: Block, source: BlockWalk, damage: Damage): Tag | null {
  const at = block.offset;
  if (block.stored < block.length) return null;
  if (block.length < TAG_FIXED_BYTES || block.length > TAG_FIXED_BYTES + MAX_NAME_BYTES) {
    damage.add(`tag at ${at} has ${block.length} bytes`);
    return null;
  }
  const bytes = source.peek(at, block.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const nameLength = view.getUint32(8, true);
  if (nameLength > block.length - TAG_FIXED_BYTES) {
    damage.add(`tag at ${at} has a name of ${nameLength} bytes in ${block.length}`);
    return null;
  }
  let name = "";
  for (let i = TAG_FIXED_BYTES; i < TAG_FIXED_BYTES + nameLength; i += 1) {
    const byte = bytes[i] ?? 0;
    if (byte < 0x20 || byte > 0x7e) {
      damage.add(`tag at ${at} has a name that is not printable`);
      return null;
    }
    name += String.fromCharCode(byte);
  }
  return {
    name,
    planeOffset: view.getUint32(0, true),
    length: view.getUint32(4, true),
    at,
  };
}
