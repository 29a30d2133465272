/** Objects of an HDF5 file by their addresses: headers, links and attributes, each read once. */
import type { ByteSource } from "../io/byte_source.ts";
import { Hdf5Blocks } from "./blocks.ts";
import { readTree, RecordNodes } from "./btree_v2.ts";
import { type Dataspace, type Datatype, readDataspace, readDatatype } from "./datatype.ts";
import { DamagedStructure, decodeFixedText, Fields } from "./fields.ts";
import { FractalHeap } from "./fractal_heap.ts";
import { GlobalHeaps } from "./global_heap.ts";
import { type GroupLink, isGroupHeader, readLinks, requireCount, requireHash } from "./group.ts";
import { MESSAGE, type Message, type ObjectHeader, readObjectHeader } from "./object_header.ts";

/** An attribute, or anything else with a value. */
export interface HeldValue {
  readonly type: Datatype;
  readonly shape: Dataspace["shape"];
  readonly bytes: Uint8Array;
}

/** Type of a tree of attributes by their names. */
const ATTRIBUTES_BY_NAME = 8;

/** Bytes of an identifier in a heap of attributes or messages. */
const ID_BYTES = 8;

/** Where the hash of a name is in a record, behind the identifier, flags and number of the attribute. */
const HASH_AT = ID_BYTES + 5;

/** Most attributes of an object. */
const MAX_ATTRIBUTES = 100_000;

/** Most objects that are kept in memory. */
const MAX_KEPT = 2000;

/** Longest chain of messages that are kept elsewhere. */
const MAX_SHARED = 8;

/** The objects of a file. */
export class Objects {
  readonly blocks: Hdf5Blocks;
  readonly heaps: GlobalHeaps;
  readonly #headers = new Map<number, ObjectHeader>();
  readonly #links = new Map<number, ReadonlyMap<string, GroupLink>>();
  readonly #attributes = new Map<number, ReadonlyMap<string, () => HeldValue>>();
  /** Names that lead to an object, by its address. */
  readonly #names = new Map<number, Set<string>>();

  /** Reads the superblock and the header of the root. @throws {DecodeFailed} */
  constructor(source: ByteSource) {
    this.blocks = new Hdf5Blocks(source);
    this.heaps = new GlobalHeaps(this.blocks);
    this.#names.set(this.root, new Set(["the superblock"]));
    this.header(this.root);
  }

  get root(): number {
    return this.blocks.superblock.root;
  }

  /** Forgets all objects. */
  clear(): void {
    for (const kept of [this.#headers, this.#links, this.#attributes, this.#names]) kept.clear();
    this.blocks.clear();
  }

  /** @throws {DamagedStructure} */
  header(address: number): ObjectHeader {
    const known = this.#headers.get(address);
    const header = known ?? readObjectHeader(this.blocks, address);
    const names = this.#names.get(address);
    if (names !== undefined && names.size > header.links) this.blocks.contest(address);
    this.blocks.requireUncontested(address, `the object at ${address}, which states ${header.links} links,`);
    if (known === undefined) {
      if (this.#headers.size >= MAX_KEPT) this.#headers.clear();
      this.#headers.set(address, header);
    }
    return header;
  }

  /** Contests an object with more names than it states. */
  #requireStated(address: number): void {
    try {
      this.header(address);
    } catch (error) {
      // Whoever uses the object gets the error.
      if (!(error instanceof DamagedStructure)) throw error;
    }
  }

  /** Links of a group by their names. @throws {DamagedStructure} it is not a group, or damaged */
  links(address: number): ReadonlyMap<string, GroupLink> {
    const known = this.#links.get(address);
    if (known !== undefined) return known;
    const header = this.header(address);
    const links = isGroupHeader(header) ? readLinks(this.blocks, header) : new Map<string, GroupLink>();
    for (const [name, link] of links) {
      if (link.kind !== "hard") continue;
      const names = this.#names.get(link.address) ?? new Set();
      this.#names.set(link.address, names.add(`${address}/${name}`));
      if (names.size > 1) this.#requireStated(link.address);
    }
    if (this.#links.size >= MAX_KEPT) this.#links.clear();
    this.#links.set(address, links);
    return links;
  }

  /** The fields of a message, wherever it is kept. @throws {DamagedStructure} */
  fields(message: Message, what: string, depth = 0): Fields {
    const fields = new Fields(message.bytes, what, this.blocks.superblock.sizes);
    if (!message.isShared) return fields;
    if (depth > MAX_SHARED) fields.fail("its messages lead to each other");
    const version = fields.version(1, 2, 3);
    const kind = fields.u8();
    if (version === 3 && kind === 1) return this.#fromTable(message.type, fields.take(ID_BYTES), what);
    if (version === 1) fields.skip(6 + fields.sizes.length);
    const address = fields.definedAddress();
    const found = this.header(address).messages.find(({ type }) => type === message.type);
    if (found === undefined) {
      return fields.fail(`the object at ${address} has no message of type ${message.type}`);
    }
    return this.fields(found, what, depth + 1);
  }

  /** A message from the heap of messages that objects share (section IV.A.2.p and III.H). */
  #fromTable(type: number, id: Uint8Array, what: string): Fields {
    const { superblock: { extension, sizes } } = this.blocks;
    const stated = extension === null
      ? undefined
      : this.header(extension).messages.find(({ type }) => type === MESSAGE.sharedTable);
    if (stated === undefined) throw new DamagedStructure(`${what} is in a table that the file lacks`);
    const place = new Fields(stated.bytes, what, sizes);
    place.version(0);
    const [address, count] = [place.definedAddress(), place.u8()];
    const table = this.blocks.readChecked(
      address,
      8 + count * (10 + 2 * sizes.address),
      "a table of messages",
    );
    table.signature("SMTB");
    for (let i = 0; i < count; i += 1) {
      table.version(0);
      table.skip(1);
      const types = table.u16();
      table.skip(8 + sizes.address);
      const heapAt = table.address();
      if ((types & 1 << type) === 0 || heapAt === null) continue;
      const heap = new FractalHeap(this.blocks, heapAt, "the messages that objects share");
      return new Fields(heap.object(id), what, sizes);
    }
    return table.fail(`it has no heap for messages of type ${type}`);
  }

  /** Attributes of an object by their names. @throws {DamagedStructure} */
  attributes(address: number): ReadonlyMap<string, () => HeldValue> {
    const known = this.#attributes.get(address);
    if (known !== undefined) return known;
    const what = `an attribute of the object at ${address}`;
    const found = new Map<string, () => HeldValue>();
    const header = this.header(address);
    const add = (fields: Fields, alignment: number) => {
      const { name, named, value } = this.#attributeIn(fields, alignment);
      if (found.has(name) || found.size >= MAX_ATTRIBUTES) {
        fields.fail(`there are two ${JSON.stringify(name)}`);
      }
      found.set(name, value);
      return named;
    };
    for (const message of header.messages) {
      if (message.type === MESSAGE.attribute) add(this.fields(message, what), header.alignment);
      if (message.type === MESSAGE.attributeInfo) {
        this.#attributesInHeap(address, this.fields(message, what), (fields) => add(fields, 1));
      }
    }
    if (this.#attributes.size >= MAX_KEPT) this.#attributes.clear();
    this.#attributes.set(address, found);
    return found;
  }

  #attributesInHeap(address: number, fields: Fields, add: (fields: Fields) => Uint8Array): void {
    fields.version(0);
    const flags = fields.u8();
    fields.skip(flags & 1 ? 2 : 0);
    const [heapAt, treeAt] = [fields.address(), fields.address()];
    if (heapAt === null || treeAt === null) {
      if (heapAt !== treeAt) fields.fail("there is a heap of attributes without a tree");
      return;
    }
    const owner = `the attributes of the object at ${address}`;
    const heap = new FractalHeap(this.blocks, heapAt, owner);
    const tree = readTree(this.blocks, treeAt, [ATTRIBUTES_BY_NAME], owner);
    const records = new RecordNodes(this.blocks, tree).all();
    const isShared = (record: Uint8Array) => (record[ID_BYTES]! & 2) !== 0;
    requireCount(records.filter((record) => !isShared(record)).length, heap.size, owner);
    for (const record of records) {
      const id = record.subarray(0, ID_BYTES);
      const own = isShared(record)
        ? this.#fromTable(MESSAGE.attribute, id, fields.what)
        : new Fields(heap.object(id), fields.what, fields.sizes);
      requireHash(own, add(own), record, HASH_AT);
    }
  }

  /**
   * Reads the name of an attribute, also in bytes, and its value on demand (section IV.A.2.m).
   *
   * @param alignment of what its length is a multiple
   */
  #attributeIn(
    fields: Fields,
    alignment: number,
  ): { readonly name: string; readonly named: Uint8Array; readonly value: () => HeldValue } {
    const version = fields.version(1, 2, 3);
    const flags = fields.u8();
    const [nameBytes, typeBytes, spaceBytes] = [fields.u16(), fields.u16(), fields.u16()];
    fields.skip(version === 3 ? 1 : 0);
    const padded = (bytes: number) => version === 1 ? bytes + 7 & ~7 : bytes;
    const named = fields.take(padded(nameBytes)).subarray(0, nameBytes);
    // The size of a name counts its NUL.
    const end = named.indexOf(0);
    if (end === 0 || end >= 0 && end < nameBytes - 1) fields.fail("its name ends too early");
    const name = decodeFixedText(named);
    const what = `${fields.what}, ${JSON.stringify(name)},`;
    const [type, space] = [fields.take(padded(typeBytes)), fields.take(padded(spaceBytes))];
    const valueAt = fields.at;
    const bytes = fields.take(fields.left);
    const part = (type: number, bytes: Uint8Array, isShared: boolean) =>
      this.fields({ type, bytes, isShared: version > 1 && isShared }, what);
    return {
      name,
      named: end < 0 ? named : named.subarray(0, end),
      value: () => {
        const own = readDatatype(part(MESSAGE.datatype, type, (flags & 1) !== 0));
        const { shape } = readDataspace(part(MESSAGE.dataspace, space, (flags & 2) !== 0));
        const needed = shape === null ? 0 : shape.reduce((product, length) => product * length, own.size);
        const whole = Math.ceil((valueAt + needed) / alignment) * alignment;
        if (whole !== valueAt + bytes.length) {
          throw new DamagedStructure(
            `${what} is damaged: its value needs ${needed} bytes and has ${bytes.length}`,
          );
        }
        return { type: own, shape, bytes: bytes.subarray(0, needed) };
      },
    };
  }
}
