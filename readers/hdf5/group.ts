/** Groups: symbol tables (sections III.A to III.D), or links in the header or in a heap (section IV.A.2.g). */
import type { Hdf5Blocks } from "./blocks.ts";
import { NODE, type NodePlace, placeChild, readNodeV1, ROOT, type TreeKind } from "./btree_v1.ts";
import { readTree, RecordNodes } from "./btree_v2.ts";
import { computeLookup3, DamagedStructure, decodeFixedText, Fields } from "./fields.ts";
import { FractalHeap } from "./fractal_heap.ts";
import { alignTo8 } from "./global_heap.ts";
import { MESSAGE, type Message, type ObjectHeader } from "./object_header.ts";

/** Where a name in a group leads. */
export type GroupLink =
  | {
    readonly kind: "hard";
    readonly address: number;
    /** Addresses of tree and heap of a group, where the link repeats them. */
    readonly table?: readonly [tree: number | null, heap: number | null];
  }
  | { readonly kind: "soft"; readonly path: string }
  | { readonly kind: "external"; readonly file: string }
  | { readonly kind: "unknown" };

/** Most names in a group. */
const MAX_NAMES = 1_000_000;

/** Type of a tree of links by their names. */
const LINKS_BY_NAME = 5;

/** Bytes of the checksum before the identifier in a record of a link. */
const HASH_BYTES = 4;

/** Whether a header is that of a group. */
export const isGroupHeader = ({ messages }: ObjectHeader): boolean =>
  messages.some(({ type }) =>
    type === MESSAGE.symbolTable || type === MESSAGE.linkInfo || type === MESSAGE.link ||
    type === MESSAGE.groupInfo
  );

/** The links of a group. @throws {DamagedStructure} */
export function readLinks(blocks: Hdf5Blocks, { address, messages }: ObjectHeader): Map<string, GroupLink> {
  const links = new Map<string, GroupLink>();
  const owner = `the group at ${address}`;
  const add = (name: string, link: GroupLink) => {
    if (links.has(name) || name === "" || links.size >= MAX_NAMES) {
      throw new DamagedStructure(
        `${owner} is damaged: it has ${links.has(name) ? "a name twice" : "no names"}`,
      );
    }
    links.set(name, link);
  };
  for (const { type, bytes } of messages) {
    const fields = new Fields(bytes, owner, blocks.superblock.sizes);
    if (type === MESSAGE.symbolTable) {
      const own = new Fields(bytes, owner, fields.sizes);
      for (const at of [own.definedAddress(), own.definedAddress()]) blocks.claimData(at, address, owner);
      readSymbolTable(blocks, fields, { owner, address }, add);
    }
    if (type === MESSAGE.link) {
      const { name, link } = readLink(fields);
      add(name, link);
    }
    if (type === MESSAGE.linkInfo) readLinksInHeap(blocks, fields, owner, add);
  }
  return links;
}

type Add = (name: string, link: GroupLink) => void;

interface NamedLink {
  readonly name: string;
  /** The name in bytes. */
  readonly named: Uint8Array;
  readonly link: GroupLink;
}

/** Reads a link (section IV.A.2.g). */
function readLink(fields: Fields): NamedLink {
  fields.version(1);
  const flags = fields.u8();
  const type = flags & 8 ? fields.u8() : 0;
  fields.skip((flags & 4 ? 8 : 0) + (flags & 0x10 ? 1 : 0));
  const named = fields.take(fields.uint(1 << (flags & 3)));
  if (named.includes(0)) fields.fail("a name in it ends too early");
  const name = decodeFixedText(named);
  if (type === 0) return { name, named, link: { kind: "hard", address: fields.definedAddress() } };
  const value = fields.part(fields.u16());
  if (type === 1 && (value.left === 0 || value.bytes.includes(0))) fields.fail("a path in it ends too early");
  if (type === 1) return { name, named, link: { kind: "soft", path: decodeFixedText(value.bytes) } };
  if (type !== 64) return { name, named, link: { kind: "unknown" } };
  value.skip(1);
  return { name, named, link: { kind: "external", file: value.text() } };
}

function readLinksInHeap(blocks: Hdf5Blocks, fields: Fields, owner: string, add: Add): void {
  fields.version(0);
  const flags = fields.u8();
  fields.skip(flags & 1 ? 8 : 0);
  const [heapAt, treeAt] = [fields.address(), fields.address()];
  if (heapAt === null || treeAt === null) {
    if (heapAt !== treeAt) fields.fail("it has a heap of links without a tree");
    return;
  }
  const heap = new FractalHeap(blocks, heapAt, owner);
  const tree = readTree(blocks, treeAt, [LINKS_BY_NAME], owner);
  const records = new RecordNodes(blocks, tree).all();
  requireCount(records.length, heap.size, owner);
  for (const record of records) {
    const own = new Fields(heap.object(record.subarray(HASH_BYTES)), `a link of ${owner}`, fields.sizes);
    const { name, named, link } = readLink(own);
    requireHash(own, named, record, 0);
    add(name, link);
  }
}

/** Checks that a tree lists all objects of its heap. @throws {DamagedStructure} */
export function requireCount(listed: number, held: number, owner: string): void {
  if (listed === held) return;
  throw new DamagedStructure(
    `${owner} is damaged: its tree lists ${listed} of the ${held} names of its heap`,
  );
}

/** Checks that a record, which holds the hash of a name at a place, is that of a name. @throws {DamagedStructure} */
export function requireHash(fields: Fields, name: Uint8Array, record: Uint8Array, at: number): void {
  const stated = new DataView(record.buffer, record.byteOffset, record.length).getUint32(at, true);
  if (stated !== computeLookup3(name)) fields.fail("its tree lists another name");
}

/** Order of names as in C, whose characters are bytes. */
const comesAfter = (a: Uint8Array, b: Uint8Array): boolean => {
  for (let i = 0; i < a.length; i += 1) {
    if (i >= b.length) return true;
    if (a[i] !== b[i]) return a[i]! > b[i]!;
  }
  return false;
};

/** Texts of a local heap (section III.D). */
class LocalHeap {
  readonly #data: Fields;
  /** Places without names: start and end. */
  readonly #free: [number, number][] = [];
  /** Ends of the texts of symbols, by their places. */
  readonly #held = new Map<number, number>();

  constructor(blocks: Hdf5Blocks, address: number, owner: string) {
    const what = "a heap of names";
    blocks.claim(address, owner, what);
    const { address: width, length } = blocks.superblock.sizes;
    const fields = blocks.read(address, 8 + 2 * length + width, what);
    fields.signature("HEAP");
    fields.version(0);
    fields.skip(3);
    const size = fields.length();
    const free = fields.limit(length);
    const at = fields.definedAddress();
    blocks.claim(at, owner, what);
    blocks.claimData(at, address, what);
    const named = "the names in a heap";
    blocks.requireOwnBytes(at, size, named);
    this.#data = blocks.read(at, size, named);
    this.#listFree(free, size, blocks.superblock.sizes);
  }

  /** Follows the list of free places, each of which begins with the next one and its size. Place 1 ends it. */
  #listFree(first: number, size: number, sizes: Hdf5Blocks["superblock"]["sizes"]): void {
    const least = 2 * sizes.length;
    for (let at = first; at !== 1 && at !== Infinity;) {
      if (at + least > size || this.#free.length > size / least) {
        this.#data.fail(`it has no free place at ${at}`);
      }
      const fields = new Fields(this.#data.bytes.subarray(at), this.#data.what, sizes);
      const [next, bytes] = [fields.limit(sizes.length), fields.length()];
      if (bytes < least || at + bytes > size) {
        this.#data.fail(`it has no free place of ${bytes} bytes at ${at}`);
      }
      this.#free.push([at, at + bytes]);
      at = next;
    }
  }

  text(at: number): Uint8Array {
    const { bytes } = this.#data;
    const end = bytes.indexOf(0, at);
    // Texts begin at multiples of 8 bytes.
    const isFree = this.#free.some(([start, after]) => at >= start && at < after);
    if (at % 8 !== 0 || at >= bytes.length || end < 0 || isFree) this.#data.fail(`it has no text at ${at}`);
    return bytes.subarray(at, end);
  }

  /** The name of a symbol or the path of its link, which no other symbol has. */
  take(at: number): Uint8Array {
    const text = this.text(at);
    if (this.#held.has(at)) this.#data.fail(`two symbols have the text at ${at}`);
    this.#held.set(at, at + text.length);
    return text;
  }

  /**
   * Checks that no text of a symbol begins inside a text. What a former, longer text left may precede one only behind another
   * text, or a free place.
   */
  requireApart(): void {
    const { bytes } = this.#data;
    const afterFree = new Set(this.#free.map(([, end]) => end));
    let last = -1;
    for (const [at, end] of [...this.#held].sort(([a], [b]) => a - b)) {
      const isNext = at === alignTo8(last + 1) || afterFree.has(at);
      if (at <= last || at > 0 && bytes[at - 1] !== 0 && !isNext) {
        this.#data.fail(`the text at ${at} is in another one`);
      }
      last = end;
    }
  }
}

function readSymbolTable(
  blocks: Hdf5Blocks,
  fields: Fields,
  { owner, address: header }: { readonly owner: string; readonly address: number },
  add: Add,
): void {
  const [root, heapAt] = [fields.definedAddress(), fields.definedAddress()];
  const heap = new LocalHeap(blocks, heapAt, owner);
  const kind: TreeKind<number> = {
    type: NODE.group,
    keyBytes: fields.sizes.length,
    key: (own) => own.length(),
    owner,
  };
  let last: Uint8Array = new Uint8Array(0);
  const walk = (address: number, place: NodePlace) => {
    const node = readNodeV1(blocks, address, kind, place);
    for (const [i, child] of node.children.entries()) {
      const own = placeChild(node, i, address);
      const after = heap.text(node.keys[i]!);
      if (comesAfter(last, after)) fields.fail("its names are not in order");
      if (node.level === 0) blocks.claimData(child, header, owner);
      if (node.level > 0) walk(child, own);
      else last = readSymbols(blocks, child, heap, { owner, below: own.parent, last }, add);
      // The key after a node is its last name.
      if (comesAfter(last, heap.text(node.keys[i + 1]!)) || comesAfter(heap.text(node.keys[i + 1]!), last)) {
        fields.fail("a node has other names than its keys say");
      }
    }
  };
  walk(root, ROOT);
  heap.requireApart();
}

/** Reads a node of symbols (section III.B and III.C); returns its last name. */
function readSymbols(
  blocks: Hdf5Blocks,
  address: number,
  heap: LocalHeap,
  { owner, below, last }: { readonly owner: string; readonly below: string; readonly last: Uint8Array },
  add: Add,
): Uint8Array {
  const what = "a node of symbols";
  blocks.claim(address, `${owner}${below}`, what);
  const { sizes } = blocks.superblock;
  const head = blocks.read(address, 8, what);
  head.signature("SNOD");
  head.version(1);
  head.skip(1);
  const count = head.u16();
  if (count === 0) head.fail("it is empty");
  const fields = blocks.read(address + 8, count * (2 * sizes.address + 24), what);
  let before = last;
  for (let i = 0; i < count; i += 1) {
    const [nameAt, header, cached] = [fields.uint(sizes.address), fields.address(), fields.u32()];
    fields.skip(4);
    const scratch = fields.part(16);
    const name = heap.take(nameAt);
    if (!comesAfter(name, before)) fields.fail("its names are not in order");
    before = name;
    if (cached === 2) {
      const path = decodeFixedText(heap.take(scratch.u32()));
      if (path === "") fields.fail(`${decodeFixedText(name)} is a link without a path`);
      add(decodeFixedText(name), { kind: "soft", path });
    } else if (header === null || cached > 1) fields.fail(`${decodeFixedText(name)} leads nowhere`);
    else {
      const table = cached === 1 ? { table: [scratch.address(), scratch.address()] as const } : {};
      add(decodeFixedText(name), { kind: "hard", address: header, ...table });
    }
  }
  return before;
}

/** Checks that a link repeats what the header of its group states. @throws {DamagedStructure} */
export function requireTable(
  { sizes }: Hdf5Blocks["superblock"],
  link: GroupLink,
  header: ObjectHeader,
): void {
  if (link.kind !== "hard" || link.table === undefined) return;
  const message = findMessage(header, MESSAGE.symbolTable);
  const what = `the object at ${header.address}`;
  // A group that got an external link has no table any more, and the link to it still repeats the former one.
  if (message === null && isGroupHeader(header)) return;
  const fields = message && new Fields(message.bytes, what, sizes);
  const [tree, heap] = link.table;
  if (fields?.address() === tree && fields.address() === heap) return;
  throw new DamagedStructure(`${what} is damaged: it is not the group that its name leads to`);
}

/** The message of a type, or `null`. */
export const findMessage = (header: ObjectHeader, type: number): Message | null =>
  header.messages.find((message) => message.type === type) ?? null;
