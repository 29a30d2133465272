/** Fixed arrays and extensible arrays (section III.I of version 3.0 and appendix), which index chunks by a number. */
import type { Hdf5Blocks } from "./blocks.ts";
import { Fields } from "./fields.ts";

/** An element of an array, which describes a chunk. */
export interface FoundElement {
  readonly fields: Fields;
  /** Bytes of the size of a chunk; 0 for chunks without filters. */
  readonly sizeBytes: number;
}

/** The chunk that an element describes; `null` for a chunk that was never written. The size is `null` without filters. */
export function readFoundElement(
  { fields, sizeBytes }: FoundElement,
): { readonly address: number; readonly bytes: number | null; readonly mask: number } | null {
  const address = fields.address();
  if (address === null) return null;
  return sizeBytes === 0
    ? { address, bytes: null, mask: 0 }
    : { address, bytes: fields.uint(sizeBytes), mask: fields.u32() };
}

/** Finds the element with a number; `null` where the array has no block for it. @throws {DamagedStructure} */
export type FindElement = (index: number) => FoundElement | null;

/** Blocks that were read, by their address. */
class KeptBlocks {
  readonly #blocks: Hdf5Blocks;
  readonly #kept = new Map<number, Fields>();

  constructor(blocks: Hdf5Blocks) {
    this.#blocks = blocks;
  }

  /** The fields of a block before its checksum. */
  read(address: number, length: number, what: string): Fields {
    const known = this.#kept.get(address);
    if (known !== undefined) return known;
    const fields = this.#blocks.readChecked(address, length, what);
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(address, fields);
    return fields;
  }
}

/** Most blocks in memory. */
const MAX_KEPT = 256;

const ARRAY_BLOCK = "a block of an array";

/** Bytes of the letters, the version and the client at the start of blocks. */
const PREFIX = 6;

/** Client of chunks with filters. */
const FILTERED = 1;

function begin(fields: Fields, letters: string): number {
  fields.at = 0;
  fields.signature(letters);
  fields.version(0);
  const client = fields.u8();
  if (client > FILTERED) fields.fail(`it is for another use (${client})`);
  return client;
}

/** Checks that a block belongs to a header. */
function requireHeader(fields: Fields, header: number): void {
  if (fields.definedAddress() !== header) fields.fail("it is of another array");
}

function readSizeBytes(fields: Fields, client: number, elementBytes: number): number {
  const rest = elementBytes - fields.sizes.address - (client === FILTERED ? 4 : 0);
  if (client === FILTERED ? rest < 1 || rest > 8 : rest !== 0) {
    fields.fail(`its elements have ${elementBytes} bytes`);
  }
  return rest;
}

const readElementAt = (fields: Fields, at: number, bytes: number): Fields => {
  if (at + bytes > fields.bytes.length) fields.fail(`it has no element at ${at}`);
  return new Fields(fields.bytes.subarray(at, at + bytes), fields.what, fields.sizes);
};

/** Opens a fixed array. @throws {DamagedStructure} */
export function openFixedArray(blocks: Hdf5Blocks, address: number, owner: string): FindElement {
  const { sizes } = blocks.superblock;
  blocks.claim(address, owner, "an array of chunks");
  const header = blocks.readChecked(
    address,
    PREFIX + 2 + sizes.length + sizes.address + 4,
    "an array of chunks",
  );
  const client = begin(header, "FAHD");
  const [bytes, pageBits, count, at] = [header.u8(), header.u8(), header.length(), header.address()];
  const sizeBytes = readSizeBytes(header, client, bytes);
  if (at === null) return () => null;
  blocks.claim(at, owner, ARRAY_BLOCK);
  const kept = new KeptBlocks(blocks);
  const perPage = 2 ** pageBits;
  const isPaged = count > perPage;
  const start = PREFIX + sizes.address;
  const pages = Math.ceil(count / perPage);
  const ownBytes = isPaged ? start + Math.ceil(pages / 8) + 4 : start + count * bytes + 4;
  return (index) => {
    if (index >= count) header.fail(`it has no element ${index}`);
    const block = kept.read(at, ownBytes, ARRAY_BLOCK);
    begin(block, "FADB");
    requireHeader(block, address);
    if (!isPaged) return { fields: readElementAt(block, start + index * bytes, bytes), sizeBytes };
    const page = Math.floor(index / perPage);
    if ((block.bytes[start + (page >> 3)]! & 0x80 >> (page & 7)) === 0) return null;
    const length = Math.min(perPage, count - page * perPage) * bytes + 4;
    const fields = kept.read(at + ownBytes + page * (perPage * bytes + 4), length, "a page of an array");
    return { fields: readElementAt(fields, index % perPage * bytes, bytes), sizeBytes };
  };
}

/** The sizes that an extensible array states, and what follows from them. */
interface ExtensibleLayout {
  readonly bytes: number;
  /** Bytes of an offset in the array. */
  readonly offsetBytes: number;
  /** Elements in the index block. */
  readonly inIndex: number;
  /** Elements of the smallest data block. */
  readonly least: number;
  /** Pointers to data blocks in the smallest super block. */
  readonly pointers: number;
  readonly perPage: number;
  readonly superBlocks: number;
}

/** Data blocks, and elements in each, of a super block. */
function describeSuperBlock(index: number, least: number) {
  const [blocks, elements] = [2 ** (index >> 1), 2 ** (index + 1 >> 1) * least];
  return { blocks, elements };
}

/** Where an element is: in a data block of a super block, and what lies before it. */
interface PlaceInBlocks {
  /** The number of its super block. */
  readonly superBlock: number;
  /** Data blocks of this super block, and elements in each. */
  readonly blocks: number;
  readonly elements: number;
  /** Elements and data blocks of all super blocks before it. */
  readonly first: number;
  readonly firstBlock: number;
  /** The number of its data block in the super block, and its own number in the data block. */
  readonly block: number;
  readonly within: number;
}

/** Finds the place of an element after those in the index block: the first super block that reaches it. */
function placeInBlocks(wanted: number, least: number): PlaceInBlocks {
  let [first, firstBlock] = [0, 0];
  for (let superBlock = 0;; superBlock += 1) {
    const { blocks, elements } = describeSuperBlock(superBlock, least);
    const rest = wanted - first;
    if (rest < blocks * elements) {
      const [block, within] = [Math.floor(rest / elements), rest % elements];
      return { superBlock, blocks, elements, first, firstBlock, block, within };
    }
    first += blocks * elements;
    firstBlock += blocks;
  }
}

/** Opens an extensible array. @throws {DamagedStructure} */
export function openExtensibleArray(blocks: Hdf5Blocks, address: number, owner: string): FindElement {
  const { sizes } = blocks.superblock;
  blocks.claim(address, owner, "an array of chunks");
  const header = blocks.readChecked(
    address,
    PREFIX + 6 + 6 * sizes.length + sizes.address + 4,
    "an array of chunks",
  );
  const client = begin(header, "EAHD");
  const [bytes, indexBits, inIndex, least, pointers, pageBits] = Array.from(
    { length: 6 },
    () => header.u8(),
  ) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  header.skip(6 * sizes.length);
  const at = header.address();
  const sizeBytes = readSizeBytes(header, client, bytes);
  const isPower = (value: number) => value > 0 && Number.isInteger(Math.log2(value));
  if (!isPower(least) || !isPower(pointers) || indexBits > 64 || Math.log2(least) > indexBits) {
    header.fail("its blocks have impossible sizes");
  }
  if (at === null) return () => null;
  blocks.claim(at, owner, ARRAY_BLOCK);
  const layout: ExtensibleLayout = {
    bytes,
    offsetBytes: indexBits + 7 >> 3,
    inIndex,
    least,
    pointers,
    perPage: 2 ** pageBits,
    superBlocks: 1 + indexBits - Math.log2(least),
  };
  const array = new ExtensibleArray(blocks, { header: address, index: at, owner }, layout);
  return (index) => {
    const fields = array.find(index);
    return fields && { fields, sizeBytes };
  };
}

/** Addresses of an extensible array, and what its blocks belong to. */
interface ExtensibleAddresses {
  readonly header: number;
  /** Address of the index block. */
  readonly index: number;
  readonly owner: string;
}

/**
 * The elements of an extensible array: some in the index block, some in data blocks to which it points, and the rest in data blocks
 * of super blocks.
 */
class ExtensibleArray {
  readonly #blocks: Hdf5Blocks;
  readonly #addresses: ExtensibleAddresses;
  readonly #layout: ExtensibleLayout;
  readonly #kept: KeptBlocks;
  /** Bytes of an address. */
  readonly #width: number;
  /** Bytes before the elements of the index block. */
  readonly #start: number;
  /** Super blocks whose data blocks the index block points to, and the number of these. */
  readonly #inside: number;
  readonly #dataBlocks: number;

  constructor(blocks: Hdf5Blocks, addresses: ExtensibleAddresses, layout: ExtensibleLayout) {
    this.#blocks = blocks;
    this.#addresses = addresses;
    this.#layout = layout;
    this.#kept = new KeptBlocks(blocks);
    this.#width = blocks.superblock.sizes.address;
    this.#start = PREFIX + this.#width;
    this.#inside = 2 * Math.log2(layout.pointers);
    this.#dataBlocks = 2 * (layout.pointers - 1);
  }

  /** The fields of an element; `null` where the array has no block for it. @throws {DamagedStructure} */
  find(index: number): Fields | null {
    const { inIndex, bytes, least, superBlocks } = this.#layout;
    const root = this.#readIndexBlock();
    if (index < inIndex) return readElementAt(root, this.#start + index * bytes, bytes);
    const place = placeInBlocks(index - inIndex, least);
    if (place.superBlock >= superBlocks) root.fail(`it has no element ${index}`);
    return place.superBlock < this.#inside
      ? this.#findBelowIndex(root, place)
      : this.#findBelowSuper(root, place);
  }

  #readIndexBlock(): Fields {
    const { inIndex, bytes, superBlocks } = this.#layout;
    const pointers = this.#dataBlocks + Math.max(0, superBlocks - this.#inside);
    const length = this.#start + inIndex * bytes + pointers * this.#width + 4;
    return this.#readBlock(this.#addresses.index, length, "EAIB", "");
  }

  /** The address at one of the pointers of the index block. */
  #readIndexPointer(root: Fields, number: number): number | null {
    const { inIndex, bytes } = this.#layout;
    return this.#readPointer(root, this.#start + inIndex * bytes + number * this.#width);
  }

  #findBelowIndex(
    root: Fields,
    { elements, first, firstBlock, block, within }: PlaceInBlocks,
  ): Fields | null {
    const number = firstBlock + block;
    const data = this.#readIndexPointer(root, number);
    if (data === null) return null;
    const parent = ` in the index, block ${number}`;
    // The library counts all data blocks before it in place of those of its super block.
    return this.#readDataElement({ at: data, elements, first: first + number * elements, parent }, within);
  }

  #findBelowSuper(root: Fields, place: PlaceInBlocks): Fields | null {
    const { superBlock, blocks, elements, first, block, within } = place;
    const { offsetBytes, perPage } = this.#layout;
    const at = this.#readIndexPointer(root, this.#dataBlocks + superBlock - this.#inside);
    if (at === null) return null;
    const pages = elements > perPage ? elements / perPage : 0;
    const marks = Math.ceil(pages / 8);
    const marksAt = this.#start + offsetBytes;
    const length = marksAt + blocks * (marks + this.#width) + 4;
    const upper = this.#readBlock(at, length, "EASB", ` in the index, super block ${superBlock}`);
    if (upper.uint(offsetBytes) !== first) upper.fail(`it does not start at ${first}`);
    // Marks of all data blocks follow each other without gaps.
    const mark = block * pages + Math.floor(within / perPage);
    const isWritten = pages === 0 || (upper.bytes[marksAt + (mark >> 3)]! & 0x80 >> (mark & 7)) !== 0;
    if (!isWritten) return null;
    const data = this.#readPointer(upper, marksAt + blocks * marks + block * this.#width);
    if (data === null) return null;
    const parent = ` below ${at}, block ${block}`;
    return this.#readDataElement({ at: data, elements, first: first + block * elements, parent }, within);
  }

  /** An element of a data block, by its number in it. */
  #readDataElement(
    { at, elements, first, parent }: Readonly<Record<"at" | "elements" | "first", number>> & {
      readonly parent: string;
    },
    within: number,
  ): Fields {
    const { bytes, offsetBytes, perPage } = this.#layout;
    const isPaged = elements > perPage;
    const elementsAt = this.#start + offsetBytes;
    const ownBytes = elementsAt + (isPaged ? 0 : elements * bytes) + 4;
    const fields = this.#readBlock(at, ownBytes, "EADB", parent);
    if (fields.uint(offsetBytes) !== first) fields.fail(`it does not start at ${first}`);
    if (!isPaged) return readElementAt(fields, elementsAt + within * bytes, bytes);
    const pageBytes = perPage * bytes + 4;
    const pageAt = at + ownBytes + Math.floor(within / perPage) * pageBytes;
    const page = this.#kept.read(pageAt, pageBytes, "a page of an array");
    return readElementAt(page, within % perPage * bytes, bytes);
  }

  #readBlock(at: number, length: number, letters: string, parent: string): Fields {
    const { header, owner } = this.#addresses;
    this.#blocks.claim(at, owner + parent, ARRAY_BLOCK);
    const fields = this.#kept.read(at, length, ARRAY_BLOCK);
    begin(fields, letters);
    requireHeader(fields, header);
    return fields;
  }

  #readPointer(fields: Fields, at: number): number | null {
    return readElementAt(fields, at, this.#width).address();
  }
}
