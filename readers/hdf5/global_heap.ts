/** Global heaps (section III.E), which keep texts of variable length. */
import type { Hdf5Blocks } from "./blocks.ts";
import type { Fields } from "./fields.ts";

/** Bytes of a collection that are kept in memory, at most. */
const MAX_KEPT_BYTES = 8 << 20;

/** What is stored in heaps of texts begins at multiples of 8 bytes. */
export const alignTo8 = (bytes: number): number => bytes + 7 & ~7;

/** The texts of a file that lie in its global heaps. */
export class GlobalHeaps {
  readonly #blocks: Hdf5Blocks;
  readonly #collections = new Map<number, ReadonlyMap<number, Uint8Array>>();
  #kept = 0;

  constructor(blocks: Hdf5Blocks) {
    this.#blocks = blocks;
  }

  /** The object that a pointer (address and index) leads to; empty for the pointer to nothing. @throws {DamagedStructure} */
  object(pointer: Fields): Uint8Array {
    const [address, index] = [pointer.address(), pointer.u32()];
    if (address === null || address === 0 && index === 0) return new Uint8Array(0);
    const found = this.#collection(address).get(index);
    if (found === undefined) pointer.fail(`the heap at ${address} has no object ${index}`);
    return found;
  }

  #collection(address: number): ReadonlyMap<number, Uint8Array> {
    const known = this.#collections.get(address);
    if (known !== undefined) return known;
    const what = "a heap of texts";
    this.#blocks.claim(address, "the global heaps", what);
    const { length: width } = this.#blocks.superblock.sizes;
    const head = this.#blocks.read(address, 8 + width, what);
    head.signature("GCOL");
    head.version(1);
    head.skip(3);
    const fields = this.#blocks.read(address, head.length(), what);
    fields.skip(alignTo8(8 + width));
    const objects = walkObjects(fields, width);
    if (this.#kept > MAX_KEPT_BYTES) {
      this.#collections.clear();
      this.#kept = 0;
    }
    this.#kept += fields.bytes.length;
    this.#collections.set(address, objects);
    return objects;
  }
}

/** Walks from object to object by their sizes. Index 0 is free space, which reaches to the end. @throws {DamagedStructure} */
function walkObjects(fields: Fields, width: number): Map<number, Uint8Array> {
  const objects = new Map<number, Uint8Array>();
  const header = alignTo8(8 + width);
  while (fields.left >= header) {
    const index = fields.u16();
    fields.skip(6);
    const size = fields.length();
    fields.skip(header - 8 - width);
    if (index === 0) {
      // Free space counts its header.
      if (size !== fields.left + header) fields.fail(`free space of ${size} bytes does not reach to its end`);
      break;
    }
    if (objects.has(index)) fields.fail(`it has two objects ${index}`);
    objects.set(index, fields.take(size));
    fields.skip(Math.min(fields.left, -size & 7));
  }
  return objects;
}
