/** Finds the stored chunks of a dataset, with as few reads as its index allows. */
import type { Hdf5Blocks } from "./blocks.ts";
import {
  NODE,
  type NodePlace,
  placeChild,
  readNodeV1,
  ROOT,
  type TreeKind,
  type TreeNode,
} from "./btree_v1.ts";
import { readTree, RecordNodes } from "./btree_v2.ts";
import { type FoundElement, openExtensibleArray, openFixedArray, readFoundElement } from "./chunk_arrays.ts";
import { DamagedStructure, Fields } from "./fields.ts";
import type { ChunkIndex } from "./layout.ts";

/** A chunk as it is stored. */
export interface StoredChunk {
  readonly address: number;
  readonly bytes: number;
  /** Bit i is set if filter i was left out. */
  readonly mask: number;
}

/** A dataset with the index of its chunks. */
export interface ChunkedData {
  readonly path: string;
  /** Address of its header. */
  readonly address: number;
  readonly index: ChunkIndex;
  /** Sizes of a chunk in elements, and its bytes. */
  readonly chunk: readonly number[];
  readonly bytes: number;
  readonly shape: readonly number[];
  /** Sizes up to which the dataset may grow. */
  readonly limits: readonly number[];
  readonly isFiltered: boolean;
}

/** Finds the chunk by its place among the chunks; `null` if it was never written. @throws {DamagedStructure} */
export type FindChunk = (place: readonly number[]) => StoredChunk | null;

/** Most chunks whose places are compared. */
const MAX_PLACES = 100_000;

/** Types of trees of chunks: without and with filters. */
const [PLAIN_CHUNKS, FILTERED_CHUNKS] = [10, 11];

/** Opens the index of a dataset. @throws {DamagedStructure} */
export function openIndex(blocks: Hdf5Blocks, data: ChunkedData): FindChunk {
  const find = openChunkIndex(blocks, data);
  const { end } = blocks.superblock;
  const places = new Map<number, string>();
  return (place) => {
    const found = find(place);
    if (found === null) return null;
    const [named, before] = [place.join(), places.get(found.address)];
    if (found.address === 0 || before !== undefined && before !== named) {
      throw new DamagedStructure(
        `the index of the chunks of ${data.path} is damaged: two chunks are at ${found.address}`,
      );
    }
    if (places.size < MAX_PLACES) places.set(found.address, named);
    if (found.address + found.bytes > end || !data.isFiltered && found.bytes !== data.bytes) {
      throw new DamagedStructure(
        `a chunk of ${data.path} at ${found.address} has ${found.bytes} of ${data.bytes} bytes in a file of ${end}`,
      );
    }
    blocks.requireOwnBytes(found.address, found.bytes, `a chunk of ${data.path}`);
    return found;
  };
}

function openChunkIndex(blocks: Hdf5Blocks, data: ChunkedData): FindChunk {
  const { index, bytes, chunk, limits } = data;
  const { address } = index;
  if (address === null) return () => null;
  const owner = `the chunks of the dataset at ${data.address}`;
  const most = limits.map((limit, axis) => Math.ceil(limit / chunk[axis]!));
  switch (index.kind) {
    case "tree":
      return openChunkTree(blocks, address, data, owner);
    case "single":
      blocks.claim(address, owner, "a chunk");
      return () => ({ address, bytes: index.bytes ?? bytes, mask: index.mask });
    case "implicit":
      return (place) => ({ address: address + bytes * computeLinearIndex(place, most), bytes, mask: 0 });
    case "records":
      return findChunkRecords(blocks, address, data, owner);
    case "fixed": {
      const find = openFixedArray(blocks, address, owner);
      return (place) => locateStored(find(computeLinearIndex(place, most)), data);
    }
    case "extensible": {
      const find = openExtensibleArray(blocks, address, owner);
      const growing = limits.indexOf(Infinity);
      if (growing < 0) {
        throw new DamagedStructure(`${owner} have an index for an axis that grows, and none does`);
      }
      const first = <T>(
        list: readonly T[],
      ) => [list[growing]!, ...list.filter((_, axis) => axis !== growing)];
      return (place) => locateStored(find(computeLinearIndex(first(place), first(most))), data);
    }
  }
}

/** Index of a place, the last axis fastest. */
const computeLinearIndex = (place: readonly number[], most: readonly number[]): number =>
  place.reduce((index, at, axis) => index === 0 ? at : index * most[axis]! + at, 0);

function locateStored(
  element: FoundElement | null,
  { bytes, isFiltered, path }: ChunkedData,
): StoredChunk | null {
  const found = element && readFoundElement(element);
  if (!found) return null;
  if (isFiltered !== (found.bytes !== null)) {
    throw new DamagedStructure(`the index of the chunks of ${path} is damaged: it is one of other chunks`);
  }
  return { ...found, bytes: found.bytes ?? bytes };
}

function findChunkRecords(
  blocks: Hdf5Blocks,
  address: number,
  { address: object, path, chunk, shape, bytes, isFiltered }: ChunkedData,
  owner: string,
): FindChunk {
  const tree = readTree(blocks, address, [isFiltered ? FILTERED_CHUNKS : PLAIN_CHUNKS], owner);
  // No node tells whose it is.
  if (tree.root !== null) blocks.claimData(tree.root, object, path);
  const { sizes } = blocks.superblock;
  const places = 8 * chunk.length;
  const placeIn = (record: Uint8Array) => {
    const own = new Fields(record, owner, sizes);
    own.skip(record.length - places);
    return chunk.map(() => own.uint(8));
  };
  const nodes = new RecordNodes(blocks, tree, {
    order: (a, b) => comparePlaces(placeIn(a), placeIn(b)),
    check: (record) => {
      const place = placeIn(record);
      if (isInside(place, chunk, shape)) return;
      throw new DamagedStructure(
        `the index of the chunks of ${path} is damaged: a chunk is at ${place.join(", ")}`,
      );
    },
  });
  const sizeBytes = tree.recordBytes - sizes.address - places - 4;
  const expected = isFiltered
    ? sizeBytes >= 1 && sizeBytes <= 8
    : tree.recordBytes === sizes.address + places;
  if (!expected) throw new DamagedStructure(`the index of ${owner} has records of ${tree.recordBytes} bytes`);
  return (place) => {
    const record = nodes.find((record) => comparePlaces(placeIn(record), place));
    if (record === null) return null;
    const own = new Fields(record, owner, sizes);
    const at = own.definedAddress();
    return isFiltered
      ? { address: at, bytes: own.uint(sizeBytes), mask: own.u32() }
      : { address: at, bytes, mask: 0 };
  };
}

/** Whether the chunk at a place has samples of the dataset. The library removes chunks outside when a dataset shrinks. */
const isInside = (place: readonly number[], chunk: readonly number[], shape: readonly number[]): boolean =>
  place.every((at, axis) => at * chunk[axis]! < shape[axis]!);

/** Order of places, the first axis slowest. */
function comparePlaces(a: readonly number[], b: readonly number[]): number {
  for (const [axis, at] of a.entries()) if (at !== b[axis]) return at - b[axis]!;
  return 0;
}

/** Key of a tree of version 1: a chunk and its place. */
interface ChunkKey {
  readonly bytes: number;
  readonly mask: number;
  readonly place: readonly number[];
}

/** Nodes of a small index. All its chunks are compared before one is used, since nodes have no checksums. */
const MAX_COMPARED_NODES = 64;

/** Nodes that are kept in memory. */
const MAX_KEPT_NODES = 1024;

function openChunkTree(blocks: Hdf5Blocks, root: number, data: ChunkedData, owner: string): FindChunk {
  const tree = new ChunkTree(blocks, root, data, owner);
  let isCompared = false;
  return (place) => {
    if (!isCompared) tree.requireChunksApart();
    isCompared = true;
    return tree.find(place);
  };
}

/** A tree of version 1 whose keys are the places of chunks. Nodes are checked when they are read. */
class ChunkTree {
  readonly #blocks: Hdf5Blocks;
  readonly #root: number;
  readonly #data: ChunkedData;
  readonly #kind: TreeKind<ChunkKey>;
  readonly #kept = new Map<number, TreeNode<ChunkKey>>();

  constructor(blocks: Hdf5Blocks, root: number, data: ChunkedData, owner: string) {
    this.#blocks = blocks;
    this.#root = root;
    this.#data = data;
    const { chunk } = data;
    this.#kind = {
      type: NODE.chunks,
      keyBytes: 8 + 8 * (chunk.length + 1),
      owner,
      key: (fields) => ({
        bytes: fields.u32(),
        mask: fields.u32(),
        // The last key of a node may be anything.
        place: [...chunk, 1].map((length) => fields.limit(8) / length).slice(0, -1),
      }),
    };
  }

  find(place: readonly number[]): StoredChunk | null {
    let node = this.#read(this.#root, ROOT);
    for (let address = this.#root;;) {
      const at = findLastKey(node, place);
      const [key, child] = [node.keys[at], node.children[at]];
      if (key === undefined || child === undefined) return null;
      if (node.level === 0) {
        const { bytes, mask, place: own } = key;
        return comparePlaces(own, place) === 0 ? { address: child, bytes, mask } : null;
      }
      node = this.#readChild(node, at, address);
      address = child;
    }
  }

  /** Checks that chunks of a small index do not share their bytes. @throws {DamagedStructure} */
  requireChunksApart(): void {
    const leaves: TreeNode<ChunkKey>[] = [];
    const walk = (node: TreeNode<ChunkKey>, address: number): boolean => {
      if (node.level === 0) return leaves.push(node) <= MAX_COMPARED_NODES;
      return node.children.length <= MAX_COMPARED_NODES &&
        node.children.every((own, at) => walk(this.#readChild(node, at, address), own));
    };
    if (!walk(this.#read(this.#root, ROOT), this.#root)) return;
    requireApart({
      keys: leaves.flatMap(({ keys, children }) => keys.slice(0, children.length)),
      children: leaves.flatMap(({ children }) => children),
    }, this.#fail);
  }

  readonly #fail = (why: string): never => {
    throw new DamagedStructure(`the index of the chunks of ${this.#data.path} is damaged: ${why}`);
  };

  #read(address: number, at: NodePlace): TreeNode<ChunkKey> {
    const known = this.#kept.get(address);
    if (known !== undefined) {
      this.#blocks.claim(address, this.#kind.owner + at.parent, "a node of a B-tree");
      return known;
    }
    const node = readNodeV1(this.#blocks, address, this.#kind, at);
    this.#requireOrder(node);
    if (node.level === 0) {
      requireApart(node, this.#fail);
      this.#requireInside(node);
    }
    if (this.#kept.size >= MAX_KEPT_NODES) this.#kept.clear();
    this.#kept.set(address, node);
    return node;
  }

  #requireOrder({ keys, children }: TreeNode<ChunkKey>): void {
    let before: ChunkKey | null = null;
    for (const key of keys.slice(0, children.length)) {
      if (!key.place.every(Number.isInteger)) this.#fail(`a chunk is at ${key.place.join(", ")}`);
      if (before && comparePlaces(before.place, key.place) >= 0) this.#fail("its chunks are not in order");
      before = key;
    }
  }

  /** Checks that chunks lie inside the dataset: when it shrinks, the library removes the others. */
  #requireInside({ keys, children }: TreeNode<ChunkKey>): void {
    const { chunk, shape } = this.#data;
    for (const { place } of keys.slice(0, children.length)) {
      if (!isInside(place, chunk, shape)) this.#fail(`a chunk is at ${place.join(", ")}`);
    }
  }

  /** A child, whose keys must lie between those beside it. */
  #readChild(node: TreeNode<ChunkKey>, at: number, address: number): TreeNode<ChunkKey> {
    const own = this.#read(node.children[at]!, placeChild(node, at, address));
    const [from, next] = [node.keys[at]!.place, node.keys[at + 1]!.place];
    const isAfter = comparePlaces(own.keys[0]!.place, from) < 0;
    const isBefore = at + 1 < node.children.length &&
      comparePlaces(own.keys[own.children.length - 1]!.place, next) >= 0;
    if (isAfter || isBefore) this.#fail("a node is at another place");
    return own;
  }
}

/** Index of the last key that is not after a place; -1 if all are. */
function findLastKey({ keys, children }: TreeNode<ChunkKey>, place: readonly number[]): number {
  let [from, to] = [0, children.length];
  while (from < to) {
    const middle = from + to >> 1;
    if (comparePlaces(keys[middle]!.place, place) <= 0) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** Checks that stored chunks do not overlap. */
function requireApart(
  { keys, children }: Pick<TreeNode<ChunkKey>, "keys" | "children">,
  fail: (why: string) => never,
): void {
  const chunks = children.map((address, i) => ({ address, end: address + Math.max(1, keys[i]!.bytes) }))
    .sort((a, b) => a.address - b.address);
  let end = 0;
  for (const chunk of chunks) {
    if (chunk.address < end) fail(`two chunks share the bytes at ${chunk.address}`);
    end = chunk.end;
  }
}
