/** B-trees of version 2 (section III.A.2): records of links, attributes, chunks or objects of a heap. */
import type { Hdf5Blocks } from "./blocks.ts";
import { DamagedStructure, type Fields } from "./fields.ts";

/** A tree whose nodes have not been read. */
export interface RecordTree {
  readonly type: number;
  readonly recordBytes: number;
  readonly nodeBytes: number;
  readonly depth: number;
  /** `null` for an empty tree. */
  readonly root: number | null;
  readonly rootRecords: number;
  /** Number of all records. */
  readonly records: number;
  readonly owner: string;
}

/** Most records of a tree that is read as a whole. */
const MAX_RECORDS = 1_000_000;

/** Bytes of a node beside its records and pointers: letters, version, type and checksum. */
const NODE_BYTES = 10;

/** Reads the header of a tree of one of some types. @throws {DamagedStructure} */
export function readTree(
  blocks: Hdf5Blocks,
  address: number,
  types: readonly number[],
  owner: string,
): RecordTree {
  const what = "a B-tree";
  const { sizes } = blocks.superblock;
  blocks.claim(address, owner, what);
  const fields = blocks.readChecked(address, 22 + sizes.address + sizes.length, what);
  fields.signature("BTHD");
  fields.version(0);
  const type = fields.u8();
  if (!types.includes(type)) fields.fail(`it has type ${type}`);
  const [nodeBytes, recordBytes, depth] = [fields.u32(), fields.u16(), fields.u16()];
  fields.skip(2);
  const [root, rootRecords, records] = [fields.address(), fields.u16(), fields.length()];
  if (recordBytes === 0 || nodeBytes < NODE_BYTES + recordBytes || depth > 32) {
    fields.fail(`its nodes of ${nodeBytes} bytes have records of ${recordBytes} and depth ${depth}`);
  }
  if (root === null && records > 0) fields.fail(`${records} records have no node`);
  if (depth === 0 && root !== null && records !== rootRecords) {
    fields.fail(`its only node has ${rootRecords} of ${records} records`);
  }
  return { type, recordBytes, nodeBytes, depth, root, rootRecords, records, owner };
}

/** Bytes that hold any number up to this one. */
const countBytesFor = (most: number) => Math.floor(Math.floor(Math.log2(most)) / 8) + 1;

/** Widths of the fields of a pointer to a node, by the level of that node: its records, and those below it. */
function computePointerWidths({ recordBytes, nodeBytes, depth }: RecordTree, address: number) {
  let most = Math.floor((nodeBytes - NODE_BYTES) / recordBytes);
  let all = most;
  const own = countBytesFor(most);
  const widths = [{ own, below: 0 }];
  for (let level = 1; level < depth; level += 1) {
    const pointer = address + own + widths[level - 1]!.below;
    most = Math.max(0, Math.floor((nodeBytes - NODE_BYTES - pointer) / (recordBytes + pointer)));
    all = (most + 1) * all + most;
    widths.push({ own, below: countBytesFor(all) });
  }
  return widths;
}

interface Pointer {
  readonly address: number;
  readonly records: number;
  /** Records of the node and of all below it. */
  readonly all: number;
  /** Records between which all of them are; `null` at an end. */
  readonly after: Uint8Array | null;
  readonly before: Uint8Array | null;
}

/** What is known of records beside their bytes. */
export interface RecordRules {
  /** Negative for a record before another one, where their order is known. */
  readonly order?: (a: Uint8Array, b: Uint8Array) => number;
  /** @throws {DamagedStructure} it cannot be a record of this tree */
  readonly check?: (record: Uint8Array) => void;
}

interface Node {
  readonly records: readonly Uint8Array[];
  readonly children: readonly Pointer[];
}

/** Reads the nodes of a tree. */
export class RecordNodes {
  readonly #blocks: Hdf5Blocks;
  readonly #tree: RecordTree;
  readonly #rules: RecordRules;
  readonly #widths: ReturnType<typeof computePointerWidths>;
  readonly #read = new Map<number, Node>();

  constructor(blocks: Hdf5Blocks, tree: RecordTree, rules: RecordRules = {}) {
    this.#blocks = blocks;
    this.#rules = rules;
    this.#tree = tree;
    this.#widths = computePointerWidths(tree, blocks.superblock.sizes.address);
  }

  #node(place: Pointer, level: number, parent: string): Node {
    const { address, records: count } = place;
    const { type, recordBytes, nodeBytes, owner } = this.#tree;
    const what = "a node of a B-tree";
    this.#blocks.claim(address, `${owner}${parent}`, what);
    const known = this.#read.get(address);
    if (known !== undefined) return known;
    const { own, below } = this.#widths[level - 1] ?? { own: 0, below: 0 };
    const pointer = this.#blocks.superblock.sizes.address + own + below;
    const length = NODE_BYTES + count * recordBytes + (level > 0 ? (count + 1) * pointer : 0);
    if (length > nodeBytes) this.#fail(`a node of ${count}`);
    const fields = this.#blocks.readChecked(address, length, what);
    fields.signature(level > 0 ? "BTIN" : "BTLF");
    fields.version(0);
    if (fields.u8() !== type) fields.fail("it is of another tree");
    const records = Array.from({ length: count }, () => fields.take(recordBytes));
    const children = level === 0 ? [] : Array.from({ length: count + 1 }, (_, i) => {
      const [address, held] = [fields.definedAddress(), fields.uint(own)];
      return {
        address,
        records: held,
        // Leaves have no records below them.
        all: below === 0 ? held : fields.uint(below),
        after: records[i - 1] ?? place.after,
        before: records[i] ?? place.before,
      };
    });
    const found = children.reduce((sum, { all }) => sum + all, count);
    if (found !== place.all) fields.fail(`it leads to ${found} of ${place.all} records`);
    this.#requireRules(records, place, fields);
    const node = { records, children };
    this.#read.set(address, node);
    return node;
  }

  /** Checks the records of a node, and that they are in order between those above it. */
  #requireRules(records: readonly Uint8Array[], { after, before }: Pointer, fields: Fields): void {
    const { order, check } = this.#rules;
    const all = [after, ...records, before].filter((record) => record !== null);
    if (order !== undefined && all.some((record, i) => i > 0 && order(all[i - 1]!, record) >= 0)) {
      fields.fail("its records are not in order");
    }
    if (check !== undefined) records.forEach(check);
  }

  #root(): Pointer | null {
    const { root, rootRecords, records } = this.#tree;
    return root === null
      ? null
      : { address: root, records: rootRecords, all: records, after: null, before: null };
  }

  /** All records, in their order. @throws {DamagedStructure} */
  all(): Uint8Array[] {
    const { depth, records: stated } = this.#tree;
    const found: Uint8Array[] = [];
    const walk = (pointer: Pointer, level: number, parent: string) => {
      const { records, children } = this.#node(pointer, level, parent);
      for (let i = 0; i <= records.length; i += 1) {
        if (level > 0) walk(children[i]!, level - 1, ` below ${pointer.address}, child ${i}`);
        if (i < records.length) found.push(records[i]!);
      }
      if (found.length > Math.min(stated, MAX_RECORDS)) this.#fail(`more than ${stated}`);
    };
    const root = this.#root();
    if (root !== null) walk(root, depth, "");
    if (found.length !== stated) this.#fail(`${found.length} of ${stated}`);
    return found;
  }

  #fail(why: string): never {
    throw new DamagedStructure(`the B-tree of ${this.#tree.owner} is damaged: it has ${why} records`);
  }

  /** Finds the record for which `order` is 0; `order` is negative for records before it. Returns `null` without a match. */
  find(order: (record: Uint8Array) => number): Uint8Array | null {
    let pointer = this.#root();
    let parent = "";
    for (let level = this.#tree.depth; pointer !== null; level -= 1) {
      const node: Node = this.#node(pointer, level, parent);
      let [from, to] = [0, node.records.length];
      while (from < to) {
        const middle = from + to >> 1;
        const side = order(node.records[middle]!);
        if (side === 0) return node.records[middle]!;
        if (side < 0) from = middle + 1;
        else to = middle;
      }
      parent = ` below ${pointer.address}, child ${from}`;
      pointer = level > 0 ? node.children[from]! : null;
    }
    return null;
  }
}
