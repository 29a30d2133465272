/** One pass over the blocks of a file: where its pixel chunks, frame documents and other documents are. */
import { basename } from "node:path";
import { DecodeFailed } from "../errors.ts";
import type { RandomAccessFile } from "../random_access.ts";
import type { StopFlag } from "../stop_flag.ts";
import { type FrameIndex, parseChunkName } from "./chunk_name.ts";
import {
  type Block,
  type BlockSource,
  type ContainerHeader,
  indexedBlocks,
  KIND,
  readHeader,
  readIndex,
  walkedBlocks,
} from "./container.ts";
import type { Damage } from "./damage.ts";

/** Planes of one acquisition; two hours at 30 frames a second in four channels are 864,000. */
export const MAX_PLANES = 1_000_000;

/** Chunks of one acquisition, 24 bytes of heap each; 90 GB in strips of 11 264 bytes. */
export const MAX_CHUNKS = 8_000_000;

/** Different channels of one file; spectral instruments record a few dozen. */
const MAX_CHANNEL_IDS = 1000;

/** Documents blocks of one file that are kept; files have two. */
const MAX_DOCUMENT_BLOCKS = 1000;

/** Bytes of a chunk name; they have about 50. */
const MAX_NAME_BYTES = 1024;

const TAG_FIXED_BYTES = 12;

/** Where the documents of a block are. */
export interface DocumentBlock {
  readonly offset: number;
  readonly length: number;
}

/** Chunks of one plane as flat triples of place in the plane, place in the file, and length, in bytes. */
export type ChunkTriples = number[];

/** What one file holds. */
export interface FileScan {
  readonly file: RandomAccessFile;
  /** Chunks of the main image, by {@linkcode planeKey} and then by the slot of the channel. */
  readonly planes: ReadonlyMap<string, readonly (ChunkTriples | undefined)[]>;
  /** Slots of the channels in `planes`. */
  readonly channelSlots: ReadonlyMap<string, number>;
  /** Distinct numbers of the frames. */
  readonly frameNumbers: { readonly [axis in keyof FrameIndex]: ReadonlySet<number> };
  /** Chunks of the reference image, by source (`LSM0`) and channel id. */
  readonly reference: ReadonlyMap<string, ReadonlyMap<string, ChunkTriples>>;
  /** Frame documents in file order, as flat quintuples of offset, length and the t, l, z of the chunk that follows. */
  readonly frames: readonly number[];
  readonly documents: readonly DocumentBlock[];
  /** Number of chunks in `planes` and `reference`. */
  readonly chunkCount: number;
  /** The file is shorter than when it was closed. */
  readonly truncated: boolean;
  readonly damage: Damage;
  readonly warnings: readonly string[];
}

/** Damage that is no mere end of an interrupted recording: what lies between may have lost pixels. */
export function damageWithin(scans: readonly FileScan[]): string | null {
  const damaged = scans.find(({ damage, truncated }) => truncated ? !damage.onlyAtEnd : !damage.none);
  return damaged?.damage.text ?? null;
}

/** Key of a frame in {@linkcode FileScan.planes}. */
export const planeKey = ({ t, l, z }: FrameIndex): string => `${t},${l},${z}`;

/**
 * Finds everything in a file without reading a sample.
 *
 * @throws {DecodeFailed} no OIR file, or over a bound
 */
export function scanFile(file: RandomAccessFile, stop: StopFlag): FileScan {
  const header = readHeader(file);
  const name = basename(file.path);
  const index = readIndex(file, header);
  const cut = endWarnings(header, name, file.size);
  if (typeof index === "string") {
    const why = cut.length > 0
      ? cut
      : [`The block index of "${name}" is unusable (${index}); the blocks were found one by one`];
    return collect(file, walkedBlocks(file, header, stop), header.truncated, why);
  }
  const notes = index.fault === null ? cut : [
    ...cut,
    `The block index of "${name}" is damaged (${index.fault}); the blocks after it were found one by one`,
  ];
  const indexed = collect(file, indexedBlocks(file, header, index.entries, stop), header.truncated, notes);
  if (indexed.damage.none) return indexed;
  const why = `The block index of "${name}" does not match the blocks (${indexed.damage.text})`;
  const walked = collect(file, walkedBlocks(file, header, stop), header.truncated, [...cut, why]);
  return walked.damage.none ? walked : indexed;
}

/** What is wrong with the end of a file. */
function endWarnings({ truncated, endsBeforeIndex }: ContainerHeader, name: string, size: number): string[] {
  if (truncated) return [`"${name}" is truncated: it had more than its ${size} bytes when it was closed`];
  if (endsBeforeIndex === null) return [];
  return [
    `The header of "${name}" is damaged: it states an end at ${endsBeforeIndex}, before the block index`,
  ];
}

interface Tag {
  readonly name: string;
  readonly planeOffset: number;
  readonly length: number;
  readonly at: number;
}

function collect(
  file: RandomAccessFile,
  source: BlockSource,
  truncated: boolean,
  warnings: readonly string[],
): FileScan {
  const planes = new Map<string, (ChunkTriples | undefined)[]>();
  const channelSlots = new Map<string, number>();
  const frameNumbers = { t: new Set<number>(), l: new Set<number>(), z: new Set<number>() };
  const reference = new Map<string, Map<string, ChunkTriples>>();
  const frames: number[] = [];
  const documents: DocumentBlock[] = [];
  const { damage } = source;
  let tag: Tag | null = null;
  let firstWithoutIndex = 0;
  let planeCount = 0;
  let chunkCount = 0;
  let referenceCount = 0;

  for (const block of source.blocks()) {
    if (tag && block.kind !== KIND.pixels) {
      damage.add(`tag at ${tag.at} is not followed by pixels`);
      tag = null;
    }
    if (block.kind === KIND.tag) {
      tag = readTag(block, source, damage);
    } else if (block.kind === KIND.pixels) {
      if (tag) addPixels(tag, block);
      else damage.add(`pixels at ${block.offset} have no tag before them`);
      tag = null;
    } else if (block.kind === KIND.frame && block.stored === block.length) {
      if (frames.length >= 5 * MAX_PLANES) {
        throw new DecodeFailed(`the file has more than ${MAX_PLANES} frames`);
      }
      frames.push(block.offset, block.length, 0, 0, 0);
    } else if (block.kind === KIND.documents && block.stored === block.length && block.length > 0) {
      // The first blocks and the last one are what counts.
      if (documents.length >= MAX_DOCUMENT_BLOCKS) documents.pop();
      documents.push({ offset: block.offset, length: block.length });
    }
  }
  if (tag) damage.add(`tag at ${tag.at} is not followed by pixels`);
  return {
    file,
    planes,
    channelSlots,
    frameNumbers,
    reference,
    frames,
    documents,
    chunkCount,
    truncated,
    damage,
    warnings,
  };

  function addPixels(tag: Tag, block: Block): void {
    if (block.length !== tag.length) {
      damage.add(`pixels at ${block.offset} have ${block.length} bytes, their tag says ${tag.length}`);
      return;
    }
    const owner = parseChunkName(tag.name);
    if (owner === null) {
      damage.add(`tag at ${tag.at} has the unknown name "${tag.name}"`);
      return;
    }
    chunkCount += 1;
    if (owner.image === "reference") addToReference(owner.source, owner.channel, tag, block);
    else addToFrame(owner.frame, owner.channel, tag, block);
  }

  function addToReference(source: string, channel: string, tag: Tag, block: Block): void {
    const chunks = reference.get(source)?.get(channel);
    if (chunks) {
      chunks.push(tag.planeOffset, block.offset, block.stored);
    } else if ((referenceCount += 1) > MAX_CHANNEL_IDS) {
      damage.add(`the reference image has more than ${MAX_CHANNEL_IDS} channels`);
    } else {
      const channels = reference.get(source) ?? new Map<string, ChunkTriples>();
      reference.set(source, channels.set(channel, firstChunk(tag, block)));
    }
  }

  function addToFrame(frame: FrameIndex, channel: string, tag: Tag, block: Block): void {
    for (; firstWithoutIndex < frames.length; firstWithoutIndex += 5) {
      frames[firstWithoutIndex + 2] = frame.t;
      frames[firstWithoutIndex + 3] = frame.l;
      frames[firstWithoutIndex + 4] = frame.z;
    }
    let slot = channelSlots.get(channel);
    if (slot === undefined) {
      channelSlots.set(channel, slot = channelSlots.size);
      if (slot >= MAX_CHANNEL_IDS) {
        throw new DecodeFailed(`the file has more than ${MAX_CHANNEL_IDS} channels`);
      }
    }
    const key = planeKey(frame);
    let slots = planes.get(key);
    if (!slots) {
      planes.set(key, slots = []);
      for (const axis of ["t", "l", "z"] as const) frameNumbers[axis].add(frame[axis]);
    }
    const chunks = slots[slot];
    if (chunks) {
      chunks.push(tag.planeOffset, block.offset, block.stored);
      return;
    }
    // Slots that are skipped take memory like those that are filled.
    planeCount += Math.max(1, slot + 1 - slots.length);
    if (planeCount > MAX_PLANES) throw new DecodeFailed(`the file has more than ${MAX_PLANES} planes`);
    slots[slot] = firstChunk(tag, block);
  }
}

const firstChunk = (tag: Tag, block: Block): ChunkTriples => [tag.planeOffset, block.offset, block.stored];

function readTag(block: Block, source: BlockSource, damage: Damage): Tag | null {
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
    const byte = bytes[i]!;
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
