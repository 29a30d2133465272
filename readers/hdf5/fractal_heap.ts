/** Fractal heaps (section III.G), which keep links and attributes outside of an object header. */
import type { Hdf5Blocks } from "./blocks.ts";
import { readTree, RecordNodes } from "./btree_v2.ts";
import { computeLookup3, DamagedStructure, Fields } from "./fields.ts";

/** Kinds of objects, as bits 4 and 5 of their identifiers tell. */
const [MANAGED, HUGE, TINY] = [0, 1, 2];

/** Types of trees of huge objects, not compressed: found by a number, or by their place. */
const [INDIRECT_HUGE, DIRECT_HUGE] = [1, 3];

interface HeapLayout {
  readonly idBytes: number;
  readonly hasChecksums: boolean;
  readonly width: number;
  readonly firstBytes: number;
  readonly mostDirect: number;
  /** Bytes of an offset in the heap, and of the length of an object. */
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly root: number | null;
  /** Rows of the root; 0 if it is a direct block. */
  readonly rows: number;
  readonly hugeTree: number | null;
  /** Number of objects of all kinds. */
  readonly objects: number;
}

/** The heap of an object. */
export class FractalHeap {
  readonly #blocks: Hdf5Blocks;
  readonly #address: number;
  readonly #owner: string;
  readonly #layout: HeapLayout;
  readonly #direct = new Map<number, Fields>();
  readonly #indirect = new Map<number, Fields>();
  #huge: RecordNodes | null = null;

  /** Reads the header. @throws {DamagedStructure} */
  constructor(blocks: Hdf5Blocks, address: number, owner: string) {
    this.#blocks = blocks;
    this.#address = address;
    this.#owner = owner;
    blocks.claim(address, owner, "a fractal heap");
    this.#layout = readLayout(blocks, address);
  }

  /** Number of objects that the heap states. */
  get size(): number {
    return this.#layout.objects;
  }

  /** The object behind an identifier. @throws {DamagedStructure} */
  object(id: Uint8Array): Uint8Array {
    const fields = new Fields(id, `an object of the heap at ${this.#address}`, this.#blocks.superblock.sizes);
    const flags = fields.u8();
    if (flags >> 6 !== 0) fields.fail("its identifier has another version");
    const kind = flags >> 4 & 3;
    const { offsetBytes, lengthBytes, idBytes } = this.#layout;
    if (kind === MANAGED) return this.#managed(fields.uint(offsetBytes), fields.uint(lengthBytes));
    if (kind === HUGE) return this.#hugeObject(fields, id);
    if (kind !== TINY) fields.fail("it is of an unknown kind");
    const isLong = idBytes > 17;
    const length = (isLong ? (flags & 15) << 8 | fields.u8() : flags & 15) + 1;
    return fields.take(length);
  }

  #hugeObject(fields: Fields, id: Uint8Array): Uint8Array {
    const { hugeTree, idBytes } = this.#layout;
    const { sizes } = this.#blocks.superblock;
    const place = (own: Fields) => {
      const [address, length] = [own.definedAddress(), own.length()];
      return this.#blocks.read(address, length, "a large object of a heap").bytes;
    };
    // The place itself, where an identifier has room for it.
    if (idBytes - 1 >= sizes.address + sizes.length) return place(fields);
    if (hugeTree === null) fields.fail("the heap has no tree of large objects");
    const tree = readTree(this.#blocks, hugeTree, [INDIRECT_HUGE, DIRECT_HUGE], this.#owner);
    if (tree.type !== INDIRECT_HUGE) fields.fail("the heap has a tree of another type");
    const number = fields.uint(Math.min(idBytes - 1, sizes.length));
    this.#huge ??= new RecordNodes(this.#blocks, tree);
    const record = this.#huge.find((record) => {
      const own = new Fields(record, fields.what, sizes);
      own.skip(sizes.address + sizes.length);
      return own.length() - number;
    });
    if (record === null) fields.fail(`there is no large object ${id.join(" ")}`);
    return place(new Fields(record, fields.what, sizes));
  }

  /** Rows of blocks: two of the first size, then each twice as large as the one before. */
  #rowBytes(row: number): number {
    return this.#layout.firstBytes * 2 ** Math.max(0, row - 1);
  }

  #managed(offset: number, length: number): Uint8Array {
    const { root, rows, width, firstBytes, mostDirect } = this.#layout;
    if (root === null) this.#fail("it has objects and no block");
    let [address, size, start, left] = [root, firstBytes, 0, rows];
    while (left > 0) {
      const block = this.#indirectBlock(address, left, start);
      // The row and column of the block that has the offset.
      let [row, at] = [0, start];
      while (row < left && offset >= at + width * this.#rowBytes(row)) {
        at += width * this.#rowBytes(row);
        row += 1;
      }
      if (row >= left) this.#fail(`it has no object at ${offset}`);
      size = this.#rowBytes(row);
      const column = Math.floor((offset - at) / size);
      const child = block.child(row * width + column);
      if (child === null) this.#fail(`the block of ${offset} is missing`);
      this.#blocks.claim(
        child,
        `${this.#owner} below ${address}, child ${row * width + column}`,
        "a block of a heap",
      );
      start = at + column * size;
      address = child;
      // Rows of an indirect block that is as large as a block of its row.
      left = size <= mostDirect ? 0 : Math.log2(size) - Math.log2(firstBytes * width) + 1;
      if (left < 0 || !Number.isInteger(left)) this.#fail("its blocks have impossible sizes");
    }
    const block = this.#directBlock(address, size, start);
    const from = offset - start;
    if (from < 0 || from + length > block.bytes.length) {
      this.#fail(`an object at ${offset} ends after its block`);
    }
    return block.bytes.subarray(from, from + length);
  }

  /** Checks letters, version, heap and offset at the start of a block. */
  #begin(fields: Fields, letters: string, start: number): void {
    fields.signature(letters);
    fields.version(0);
    if (fields.definedAddress() !== this.#address) fields.fail("it is of another heap");
    if (fields.uint(this.#layout.offsetBytes) !== start) fields.fail(`it does not start at ${start}`);
  }

  #directBlock(address: number, size: number, start: number): Fields {
    const known = this.#direct.get(address);
    if (known !== undefined) return known;
    const { hasChecksums, offsetBytes } = this.#layout;
    const block = this.#blocks.read(address, size, "a block of a heap");
    this.#begin(block, "FHDB", start);
    if (hasChecksums) {
      const at = 5 + this.#blocks.superblock.sizes.address + offsetBytes;
      const bytes = block.bytes.slice();
      const stated = new DataView(bytes.buffer).getUint32(at, true);
      bytes.fill(0, at, at + 4);
      if (stated !== computeLookup3(bytes)) block.fail("its checksum is wrong");
    }
    this.#direct.set(address, block);
    return block;
  }

  #indirectBlock(address: number, rows: number, start: number): { child(index: number): number | null } {
    const { width, mostDirect, firstBytes, offsetBytes } = this.#layout;
    const { address: bytes } = this.#blocks.superblock.sizes;
    let block = this.#indirect.get(address);
    const children = rows * width;
    const length = 5 + bytes + offsetBytes + children * bytes + 4;
    if (block === undefined) {
      block = this.#blocks.readChecked(address, length, "a block of a heap");
      this.#begin(block, "FHIB", start);
      this.#indirect.set(address, block);
    }
    if (firstBytes > mostDirect) block.fail("its blocks have impossible sizes");
    const own = block;
    return {
      child: (index) => {
        own.at = 5 + bytes + offsetBytes + index * bytes;
        return own.address();
      },
    };
  }

  #fail(why: string): never {
    throw new DamagedStructure(`the heap at ${this.#address} is damaged: ${why}`);
  }
}

/** Reads the header of a heap (section III.G). @throws {DamagedStructure} */
function readLayout(blocks: Hdf5Blocks, address: number): HeapLayout {
  const what = "a fractal heap";
  const { sizes } = blocks.superblock;
  const fields = blocks.readChecked(address, 26 + 12 * sizes.length + 3 * sizes.address, what);
  fields.signature("FRHP");
  fields.version(0);
  const [idBytes, filterBytes, flags, mostManaged] = [fields.u16(), fields.u16(), fields.u8(), fields.u32()];
  if (filterBytes > 0) fields.fail("its objects are compressed, which is not read");
  fields.skip(sizes.length);
  const hugeTree = fields.address();
  fields.skip(sizes.length + sizes.address + 3 * sizes.length);
  const managed = fields.length();
  fields.skip(sizes.length);
  const huge = fields.length();
  fields.skip(sizes.length);
  const objects = managed + huge + fields.length();
  const [width, firstBytes, mostDirect] = [fields.u16(), fields.length(), fields.length()];
  const bits = fields.u16();
  fields.skip(2);
  const [root, rows] = [fields.address(), fields.u16()];
  const isPower = (value: number) => value > 0 && Number.isInteger(Math.log2(value));
  if (![width, firstBytes, mostDirect].every(isPower) || bits > 64 || rows > 64) {
    fields.fail("its blocks have impossible sizes");
  }
  return {
    idBytes,
    hasChecksums: (flags & 2) !== 0,
    width,
    firstBytes,
    mostDirect,
    offsetBytes: Math.ceil(bits / 8),
    lengthBytes: Math.min(Math.ceil(Math.log2(mostDirect) / 8), Math.floor(Math.log2(mostManaged) / 8) + 1),
    root,
    rows,
    hugeTree,
    objects,
  };
}
