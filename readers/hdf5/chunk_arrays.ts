/** Fixed arrays and extensible arrays (section III.I of version 3.0 and appendix), which index chunks by a number. */
import type { Hdf5Blocks } from "./blocks.ts";
import { Fields } from "./fields.ts";

/** An element of an array, with what it tells about its chunk. */
export interface FoundElement {
  readonly fields: Fields;
  /** Bytes of the size of a chunk; 0 for chunks without filters. */
  readonly sizeBytes: number;
}

/** What an element tells; `null` for a chunk that was never written. The size is `null` without filters. */
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

/** Checks to which header a block belongs. */
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
  blocks.claim(at, owner, "a block of an array");
  const kept = new KeptBlocks(blocks);
  const perPage = 2 ** pageBits;
  const isPaged = count > perPage;
  const start = PREFIX + sizes.address;
  const pages = Math.ceil(count / perPage);
  const ownBytes = isPaged ? start + Math.ceil(pages / 8) + 4 : start + count * bytes + 4;
  return (index) => {
    if (index >= count) header.fail(`it has no element ${index}`);
    const block = kept.read(at, ownBytes, "a block of an array");
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

/** Data blocks, and elements in each, of a super block, with those before it. */
function describeSuperBlock(index: number, least: number) {
  const [blocks, elements] = [2 ** (index >> 1), 2 ** (index + 1 >> 1) * least];
  return { blocks, elements };
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
  blocks.claim(at, owner, "a block of an array");
  const layout: ExtensibleLayout = {
    bytes,
    offsetBytes: indexBits + 7 >> 3,
    inIndex,
    least,
    pointers,
    perPage: 2 ** pageBits,
    superBlocks: 1 + indexBits - Math.log2(least),
  };
  const find = readExtensibleArray(blocks, { header: address, index: at, owner }, layout);
  return (index) => {
    const fields = find(index);
    return fields && { fields, sizeBytes };
  };
}

function readExtensibleArray(
  blocks: Hdf5Blocks,
  { header, index: indexAt, owner }: {
    readonly header: number;
    readonly index: number;
    readonly owner: string;
  },
  { bytes, offsetBytes, inIndex, least, pointers, perPage, superBlocks }: ExtensibleLayout,
): (index: number) => Fields | null {
  const { address: width } = blocks.superblock.sizes;
  const kept = new KeptBlocks(blocks);
  const start = PREFIX + width;
  /** Super blocks whose data blocks the index block points to, and the number of these. */
  const [inside, dataBlocks] = [2 * Math.log2(pointers), 2 * (pointers - 1)];
  const indexBytes = start + inIndex * bytes + (dataBlocks + Math.max(0, superBlocks - inside)) * width + 4;
  const what = "a block of an array";
  const block = (at: number, length: number, letters: string, parent: string): Fields => {
    blocks.claim(at, owner + parent, what);
    const fields = kept.read(at, length, what);
    begin(fields, letters);
    requireHeader(fields, header);
    return fields;
  };
  const pointer = (fields: Fields, at: number) => readElementAt(fields, at, width).address();
  const dataElement = (at: number, elements: number, first: number, index: number, parent: string) => {
    const isPaged = elements > perPage;
    const ownBytes = start + offsetBytes + (isPaged ? 0 : elements * bytes) + 4;
    const fields = block(at, ownBytes, "EADB", parent);
    if (fields.uint(offsetBytes) !== first) fields.fail(`it does not start at ${first}`);
    if (!isPaged) return readElementAt(fields, start + offsetBytes + index * bytes, bytes);
    const page = Math.floor(index / perPage);
    const own = kept.read(
      at + ownBytes + page * (perPage * bytes + 4),
      perPage * bytes + 4,
      "a page of an array",
    );
    return readElementAt(own, index % perPage * bytes, bytes);
  };
  return (index) => {
    const root = block(indexAt, indexBytes, "EAIB", "");
    if (index < inIndex) return readElementAt(root, start + index * bytes, bytes);
    // Super blocks are as many as needed; the elements before each are those of all before it.
    let [at, first, firstBlock] = [0, 0, 0];
    const wanted = index - inIndex;
    for (;; at += 1) {
      const own = describeSuperBlock(at, least);
      if (wanted < first + own.blocks * own.elements) break;
      first += own.blocks * own.elements;
      firstBlock += own.blocks;
    }
    if (at >= superBlocks) root.fail(`it has no element ${index}`);
    const own = describeSuperBlock(at, least);
    const number = Math.floor((wanted - first) / own.elements);
    const within = (wanted - first) % own.elements;
    const pointersAt = start + inIndex * bytes;
    if (at < inside) {
      const data = pointer(root, pointersAt + (firstBlock + number) * width);
      return data === null
        ? null
        // The library counts all data blocks before it in place of those of its super block.
        : dataElement(
          data,
          own.elements,
          first + (firstBlock + number) * own.elements,
          within,
          ` in the index, block ${firstBlock + number}`,
        );
    }
    const superAt = pointer(root, pointersAt + (dataBlocks + at - inside) * width);
    if (superAt === null) return null;
    const pages = own.elements > perPage ? own.elements / perPage : 0;
    const marks = Math.ceil(pages / 8);
    // Marks of all data blocks follow each other without gaps.
    const mark = number * pages + Math.floor(within / perPage);
    const superBytes = start + offsetBytes + own.blocks * (marks + width) + 4;
    const upper = block(superAt, superBytes, "EASB", ` in the index, super block ${at}`);
    if (upper.uint(offsetBytes) !== first) upper.fail(`it does not start at ${first}`);
    const isWritten = pages === 0 ||
      (upper.bytes[start + offsetBytes + (mark >> 3)]! & 0x80 >> (mark & 7)) !== 0;
    if (!isWritten) return null;
    const data = pointer(upper, start + offsetBytes + own.blocks * marks + number * width);
    return data === null ? null : dataElement(
      data,
      own.elements,
      first + number * own.elements,
      within,
      ` below ${superAt}, block ${number}`,
    );
  };
}
