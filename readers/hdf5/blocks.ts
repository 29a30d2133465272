/**
 * Where an HDF5 file starts, and its metadata blocks. Every block is read through {@linkcode Hdf5Blocks}, which checks its place, its
 * checksum, and that no two structures share it.
 */
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { computeLookup3, DamagedStructure, Fields, type FieldSizes } from "./fields.ts";
import { ReadExtents } from "./read_extents.ts";

/** Start of a file (HDF5 File Format Specification, section II.A), at 0 or after a user block. */
const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

/** Whether bytes start an HDF5 file without a user block. */
export const startsHdf5 = (head: Uint8Array): boolean => SIGNATURE.every((byte, i) => head[i] === byte);

/** The smallest user block; a larger one is twice as long, or four times, and so on. */
const USER_BLOCK_BYTES = 512;

/** Where the superblock is; `null` if this is not an HDF5 file. */
export function findSuperblock(source: ByteSource): number | null {
  for (let at = 0; at + SIGNATURE.length <= source.size; at = at === 0 ? USER_BLOCK_BYTES : 2 * at) {
    if (startsHdf5(source.read(at, SIGNATURE.length, "the signature"))) return at;
  }
  return null;
}

/** Largest metadata block: a heap's block or the part of a header. */
const MAX_BLOCK_BYTES = 32 << 20;

/** Most metadata blocks that one question reads, and most of their bytes, so that no file keeps a reader busy. */
const [MAX_BLOCKS, MAX_METADATA_BYTES] = [2_000_000, 2 ** 30];

/** Facts of the superblock. */
export interface Superblock {
  readonly sizes: FieldSizes;
  /** Where address 0 is in the source. */
  readonly base: number;
  /** End of the data, counted from the base. */
  readonly end: number;
  /** Address of the header of the root group. */
  readonly root: number;
  /** Address of the header with more about the file, or `null`. */
  readonly extension: number | null;
  /** Bytes that it takes. */
  readonly bytes: number;
}

/** Bytes behind the address of the root: what its entry repeats, or the checksum. */
const [ENTRY_BYTES, CHECKSUM_BYTES] = [24, 4];

/** Facts about a source that outlast each opening: the owners of data, and what two owners claim. */
interface KnownOwners {
  /** Address of the owner, by the address of its data. */
  readonly data: Map<number, number>;
  /** Addresses of blocks and objects that two owners claim. */
  readonly contested: Set<number>;
  /** Places of the blocks that were read. */
  readonly extents: ReadExtents;
  /** Whether the names of a small file have been compared. */
  isSurveyed: boolean;
}

const KNOWN = new WeakMap<ByteSource, KnownOwners>();

/** Most data whose owners are kept. */
const MAX_KNOWN = 20_000;

/** The metadata blocks of a file. */
export class Hdf5Blocks {
  readonly source: ByteSource;
  readonly superblock: Superblock;
  /** Owners of the blocks that were read, by their addresses. */
  readonly #owners = new Map<number, string>();
  readonly #known: KnownOwners;
  #count = 0;
  #bytes = 0;

  /** Reads the superblock. @throws {DecodeFailed} it is not an HDF5 file, or shorter than it says */
  constructor(source: ByteSource) {
    this.source = source;
    const at = findSuperblock(source);
    if (at === null) throw new DecodeFailed("the file has no signature of HDF5");
    this.superblock = readSuperblock(source, at);
    this.#known = KNOWN.get(source) ?? {
      data: new Map(),
      contested: new Set(),
      extents: new ReadExtents(),
      isSurveyed: false,
    };
    KNOWN.set(source, this.#known);
    const { base, end, bytes } = this.superblock;
    this.#known.extents.add(0, bytes, "the superblock");
    if (base + end > source.size) {
      throw new DecodeFailed(`the file has ${source.size} of the ${base + end} bytes that it states`);
    }
  }

  /**
   * Reads a block.
   *
   * @param isWhole false if the block may end before `length` bytes
   * @throws {DamagedStructure} it does not lie inside the file
   */
  read(address: number, length: number, what: string, isWhole = true): Fields {
    const { base, end, sizes } = this.superblock;
    if (!(address >= 0 && length >= 0 && address + length <= end)) {
      throw new DamagedStructure(
        `${what} at ${address} + ${length} ends after the data of the file (${end})`,
      );
    }
    if (length > MAX_BLOCK_BYTES) {
      throw new DamagedStructure(`${what} has ${length} bytes, more than ${MAX_BLOCK_BYTES}`);
    }
    this.#count += 1;
    this.#bytes += length;
    if (this.#count > MAX_BLOCKS || this.#bytes > MAX_METADATA_BYTES) {
      throw new DamagedStructure(
        `the file has more than ${MAX_BLOCKS} blocks or ${MAX_METADATA_BYTES} bytes of metadata`,
      );
    }
    if (isWhole) this.#known.extents.add(address, length, what);
    return new Fields(this.source.read(base + address, length, what), `${what} at ${address}`, sizes);
  }

  /** Reads a block that ends with a checksum, and returns the fields before it. @throws {DamagedStructure} */
  readChecked(address: number, length: number, what: string): Fields {
    const { bytes, what: named, sizes } = this.read(address, length, what);
    return verifyChecksum(new Fields(bytes, named, sizes));
  }

  /**
   * Notes the owner of a block. A block with two owners is damaged, and so is one that leads to itself.
   *
   * @throws {DamagedStructure} it has another owner
   */
  claim(address: number, owner: string, what: string): void {
    const before = this.#owners.get(address);
    if (before === undefined) this.#owners.set(address, owner);
    else if (before !== owner) {
      throw new DamagedStructure(`${what} at ${address} belongs to ${owner} and to ${before}`);
    }
  }

  /**
   * Notes which object owns the data at an address. If two objects claim the same data, either may be wrong, so both are damaged,
   * also when the file is opened again.
   *
   * @throws {DamagedStructure} another object claims them, too
   */
  claimData(address: number, object: number, what: string): void {
    const { data } = this.#known;
    const before = data.get(address);
    if (before === undefined && data.size < MAX_KNOWN) data.set(address, object);
    if (before !== undefined && before !== object) this.contest(address);
    this.requireUncontested(address, what);
  }

  /** Checks that samples or names do not lie in another block that was read. @throws {DamagedStructure} */
  requireOwnBytes(address: number, length: number, what: string): void {
    const shared = length === 0 ? null : this.#known.extents.sharedWith(address, length, what);
    if (shared === null) return;
    throw new DamagedStructure(
      `${what} at ${address} + ${length} shares bytes with the metadata at ${shared}`,
    );
  }

  /** True at the first call for a source, however often it is opened. */
  beginSurvey(): boolean {
    const isFirst = !this.#known.isSurveyed;
    this.#known.isSurveyed = true;
    return isFirst;
  }

  /** Notes that two owners claim a block or object. */
  contest(address: number): void {
    if (this.#known.contested.size < MAX_KNOWN) this.#known.contested.add(address);
  }

  /** @throws {DamagedStructure} two objects claim it */
  requireUncontested(address: number, what: string): void {
    if (!this.#known.contested.has(address)) return;
    throw new DamagedStructure(`${what} is damaged: what is at ${address} has another owner, too`);
  }

  /** Forgets the owners of blocks. */
  clear(): void {
    this.#owners.clear();
  }
}

/** The fields before a checksum. @throws {DamagedStructure} the checksum differs */
export function verifyChecksum(block: Fields): Fields {
  const { bytes, what, sizes } = block;
  if (bytes.length < 4) block.fail("it is too short");
  const own = bytes.subarray(0, -4);
  const view = new DataView(bytes.buffer, bytes.byteOffset + own.length, 4);
  if (view.getUint32(0, true) !== computeLookup3(own)) block.fail("its checksum is wrong");
  return new Fields(own, what, sizes);
}

const isFieldSize = (size: number) => [2, 4, 8].includes(size);

/** Reads the superblock (section II.A). @throws {DecodeFailed} */
function readSuperblock(source: ByteSource, at: number): Superblock {
  const length = Math.min(128, source.size - at);
  const fields = new Fields(source.read(at, length, "the superblock"), "the superblock", {
    address: 8,
    length: 8,
  });
  fields.skip(SIGNATURE.length);
  const version = fields.version(0, 1, 2, 3);
  fields.skip(version < 2 ? 4 : 0);
  const sizes = { address: fields.u8(), length: fields.u8() };
  if (!isFieldSize(sizes.address) || !isFieldSize(sizes.length)) {
    fields.fail(`its addresses have ${sizes.address} bytes and its lengths ${sizes.length}`);
  }
  if (version >= 2) {
    const size = 12 + 4 * sizes.address;
    verifyChecksum(new Fields(fields.bytes.subarray(0, size + 4), fields.what, sizes));
  }
  fields.skip(version === 0 ? 9 : version === 1 ? 13 : 1);
  const own = new Fields(fields.bytes.subarray(fields.at), fields.what, sizes);
  const stated = own.definedAddress();
  const extension = own.address();
  const end = own.definedAddress();
  if (version < 2) own.skip(2 * sizes.address);
  const root = own.definedAddress();
  // A file that was moved behind another user block still states the former base; the ends differ by as much.
  return {
    sizes,
    base: at,
    end: end - stated,
    root,
    extension: version < 2 ? null : extension,
    bytes: fields.at + own.at + (version < 2 ? ENTRY_BYTES : CHECKSUM_BYTES),
  };
}
