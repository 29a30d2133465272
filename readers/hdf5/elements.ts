/** Elements of a dataset: decoded blocks that cover a region of it. */
import { DecodeFailed } from "../errors.ts";
import { findLastChunk, keepLastChunk } from "../io/last_chunks.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import type { Hdf5Blocks } from "./blocks.ts";
import { type FindChunk, openIndex, type StoredChunk } from "./chunk_index.ts";
import type { Dataset } from "./dataset.ts";
import { convertToWords, isWholeWord } from "./datatype.ts";
import { DamagedStructure } from "./fields.ts";
import { boundStored, countChunkBytes, decodeChunk, requireFilters } from "./filters.ts";

/** A part of a dataset: its first element and its lengths. */
export interface ElementRegion {
  readonly from: readonly number[];
  readonly count: readonly number[];
}

/** A decoded part. Its bytes are little-endian words; where nothing was written, one element that stands for all. */
export interface Block extends ElementRegion {
  readonly bytes: Uint8Array;
  readonly isFill: boolean;
}

/** Bytes with gaps that are read at once, rather than one run after the other. */
const MAX_GAPS = 64 << 10;

const multiplyLengths = (lengths: readonly number[]) => lengths.reduce((all, length) => all * length, 1);

/** Elements between neighbours along each axis. */
export const computeStrides = (shape: readonly number[]): number[] =>
  shape.map((_, axis) => multiplyLengths(shape.slice(axis + 1)));

/**
 * Decoded blocks that cover a region, and may reach beyond it.
 *
 * @param isVolume keeps chunks for the next plane (last_chunks.ts)
 * @throws {DecodeFailed | Stopped}
 */
export function* readBlocks(
  blocks: Hdf5Blocks,
  dataset: Dataset,
  region: ElementRegion,
  isVolume = false,
): Generator<Block> {
  const { path, shape, layout, fill, width, type } = dataset;
  if (region.from.some((at, axis) => at < 0 || at + region.count[axis]! > shape[axis]!)) {
    throw new DecodeFailed(
      `${path} has ${shape.join(" x ")} elements, not those at ${region.from.join(", ")}`,
    );
  }
  const unwritten = convertToWords(type, fill ?? new Uint8Array(width));
  const isUnwritten = layout.kind === "contiguous" && layout.address === null ||
    layout.kind === "chunked" && layout.index.address === null;
  if (isUnwritten) yield { ...region, bytes: unwritten, isFill: true };
  else if (layout.kind === "chunked") yield* readChunks(blocks, dataset, region, unwritten, isVolume);
  else {
    for (const band of listBands(dataset, region)) {
      yield { ...band, bytes: convertToWords(type, readStoredBand(blocks, dataset, band)), isFill: false };
    }
  }
}

/** Bands along the slowest axis of a region, each of about {@linkcode MAX_READ_STEP} bytes. */
function* listBands({ width }: Dataset, { from, count }: ElementRegion): Generator<ElementRegion> {
  const axis = Math.max(0, count.findIndex((length) => length > 1));
  if (count.length === 0) return yield { from, count };
  const step = Math.max(1, Math.floor(MAX_READ_STEP / (multiplyLengths(count.slice(axis + 1)) * width)));
  const [first, length] = [from[axis]!, count[axis]!];
  for (let at = 0; at < length; at += step) {
    yield { from: from.with(axis, first + at), count: count.with(axis, Math.min(step, length - at)) };
  }
}

/** Reads a region of a dataset without chunks. */
function readStoredBand(blocks: Hdf5Blocks, dataset: Dataset, { from, count }: ElementRegion): Uint8Array {
  const { source, superblock } = blocks;
  const { path, shape, layout, width } = dataset;
  const needed = multiplyLengths(shape) * width;
  const strides = computeStrides(shape);
  const target = new Uint8Array(multiplyLengths(count) * width);
  const first = from.reduce((sum, at, axis) => sum + at * strides[axis]!, 0);
  if (layout.kind === "compact") {
    if (layout.bytes.length < needed) throw reportTooShort(path, layout.bytes.length, needed);
    copyRun(layout.bytes, strides, first * width, target, count, width);
    return target;
  }
  if (layout.kind !== "contiguous") throw new Error(`${path} is not contiguous`);
  const start = layout.address!;
  if ((layout.bytes ?? needed) < needed) throw reportTooShort(path, layout.bytes!, needed);
  if (start + needed > superblock.end) {
    throw reportTooShort(path, Math.max(0, superblock.end - start), needed);
  }
  blocks.requireOwnBytes(start, needed, path);
  const read = (axis: number, at: number, to: number) => {
    const own = count.slice(axis);
    const span = 1 + own.reduce((sum, length, i) => sum + (length - 1) * strides[axis + i]!, 0);
    const elements = multiplyLengths(own);
    const place = superblock.base + start + at * width;
    if (span === elements) source.readInto(place, target.subarray(to * width, (to + elements) * width), path);
    else if (span * width <= MAX_GAPS || axis === count.length - 1) {
      const bytes = source.read(place, span * width, path);
      copyRun(bytes, strides.slice(axis), 0, target.subarray(to * width), own, width);
    } else {
      const inner = multiplyLengths(count.slice(axis + 1));
      for (let i = 0; i < count[axis]!; i += 1) read(axis + 1, at + i * strides[axis]!, to + i * inner);
    }
  };
  read(0, first, 0);
  return target;
}

const reportTooShort = (path: string, bytes: number, needed: number) =>
  new DamagedStructure(`${path} has ${bytes} of the ${needed} bytes of its elements`);

/** Copies elements, which are apart by `strides` in the source, one after the other. */
function copyRun(
  source: Uint8Array,
  strides: readonly number[],
  first: number,
  target: Uint8Array,
  count: readonly number[],
  width: number,
): void {
  let to = 0;
  const copy = (axis: number, from: number) => {
    const isLast = axis >= count.length - 1;
    if (isLast && (strides[axis] ?? 1) === 1) {
      const bytes = (count[axis] ?? 1) * width;
      target.set(source.subarray(from, from + bytes), to);
      to += bytes;
      return;
    }
    for (let i = 0; i < count[axis]!; i += 1) {
      const at = from + i * strides[axis]! * width;
      if (!isLast) copy(axis + 1, at);
      else {
        target.set(source.subarray(at, at + width), to);
        to += width;
      }
    }
  };
  copy(0, first);
}

/** Opens the index of a dataset; `null` unless it is stored in chunks. @throws {DamagedStructure} */
export function openDatasetIndex(blocks: Hdf5Blocks, dataset: Dataset): FindChunk | null {
  const { layout, filters } = dataset;
  if (layout.kind !== "chunked") return null;
  const { index, chunk } = layout;
  const bytes = countChunkBytes(dataset);
  return openIndex(blocks, { ...dataset, index, chunk, bytes, isFiltered: filters.length > 0 });
}

/** Checks that a dataset without elements has no chunk either. @throws {DamagedStructure} */
export function requireNoChunk(blocks: Hdf5Blocks, dataset: Dataset): void {
  const find = openDatasetIndex(blocks, dataset);
  // A chunk elsewhere is outside of the dataset, which its index finds.
  if (find === null || find(dataset.shape.map(() => 0)) === null) return;
  throw new DamagedStructure(`${dataset.path} is damaged: it has no elements, and a chunk of them`);
}

function* readChunks(
  blocks: Hdf5Blocks,
  dataset: Dataset,
  region: ElementRegion,
  unwritten: Uint8Array,
  isVolume: boolean,
): Generator<Block> {
  const { path, layout, shape } = dataset;
  requireFilters(dataset);
  const find = openDatasetIndex(blocks, dataset);
  if (layout.kind !== "chunked" || find === null) throw new Error(`${path} has no chunks`);
  const { chunk, plainEdges } = layout;
  for (const place of listChunkPlaces(region, chunk)) {
    blocks.source.checkStop();
    const from = place.map((at, axis) => at * chunk[axis]!);
    const isEdge = from.some((at, axis) => at + chunk[axis]! > shape[axis]!);
    const words = readStoredChunk(blocks, dataset, find(place), { isPlain: plainEdges && isEdge, isVolume });
    yield { from, count: chunk, bytes: words ?? unwritten, isFill: words === null };
  }
}

/** Places of the chunks that a region touches. */
function* listChunkPlaces({ from, count }: ElementRegion, chunk: readonly number[]): Generator<number[]> {
  if (count.includes(0)) return;
  const first = from.map((at, axis) => Math.floor(at / chunk[axis]!));
  const last = from.map((at, axis) => Math.floor((at + count[axis]! - 1) / chunk[axis]!));
  for (const place = [...first];;) {
    yield [...place];
    let axis = place.length - 1;
    while (axis >= 0 && place[axis] === last[axis]) {
      place[axis] = first[axis]!;
      axis -= 1;
    }
    if (axis < 0) return;
    place[axis]! += 1;
  }
}

/**
 * A decoded chunk as little-endian words; `null` if it was never written.
 *
 * @param isPlain whether its filters were left out, since it reaches out of the dataset
 * @param isVolume whether it has samples of further planes
 */
function readStoredChunk(
  { source, superblock }: Hdf5Blocks,
  dataset: Dataset,
  found: StoredChunk | null,
  { isPlain, isVolume }: { readonly isPlain: boolean; readonly isVolume: boolean },
): Uint8Array | null {
  if (found === null) return null;
  const last = isVolume ? findLastChunk(found.address) : undefined;
  if (last !== undefined) return last;
  const { path } = dataset;
  const bytes = countChunkBytes(dataset);
  if (found.bytes > boundStored(bytes)) {
    throw new DecodeFailed(`a chunk of ${path} of ${bytes} bytes takes ${found.bytes} bytes`);
  }
  const stored = source.read(superblock.base + found.address, found.bytes, `a chunk of ${path}`);
  const decodedBytes = decodeChunk(dataset, stored, { size: bytes, mask: isPlain ? -1 : found.mask });
  const words = convertToWords(dataset.type, decodedBytes);
  if (isVolume) keepLastChunk(found.address, words);
  return words;
}

/** The elements of a region, one after the other, as little-endian words. @throws {DecodeFailed | Stopped} */
export function readElements(blocks: Hdf5Blocks, dataset: Dataset, region: ElementRegion): Uint8Array {
  const isNumber = dataset.sampleType !== null;
  const width = isNumber && !isWholeWord(dataset.type) ? countWordBytes(dataset) : dataset.width;
  const target = new Uint8Array(multiplyLengths(region.count) * width);
  const outer = computeStrides(region.count);
  for (const { from, count, bytes, isFill } of readBlocks(blocks, dataset, region)) {
    const inner = computeStrides(count);
    const axes = from.map((first, axis) => {
      const [wanted, length] = [region.from[axis]!, region.count[axis]!];
      const [start, end] = [Math.max(wanted, first), Math.min(wanted + length, first + count[axis]!)];
      return { first, wanted, start, end, inner: inner[axis]!, outer: outer[axis]! };
    });
    const copy = (axis: number, at: number, to: number) => {
      const own = axes[axis];
      if (own === undefined) {
        target.set(isFill ? bytes : bytes.subarray(at * width, (at + 1) * width), to * width);
        return;
      }
      const { first, wanted, start, end, inner, outer } = own;
      const isRun = axis === count.length - 1 && !isFill;
      if (isRun) {
        const place = at + start - first;
        target.set(
          bytes.subarray(place * width, (place + end - start) * width),
          (to + start - wanted) * width,
        );
        return;
      }
      for (let i = start; i < end; i += 1) {
        copy(axis + 1, at + (i - first) * inner, to + (i - wanted) * outer);
      }
    };
    copy(0, 0, 0);
  }
  return target;
}

const countWordBytes = ({ type }: Dataset): number => convertToWords(type, new Uint8Array(type.size)).length;
