/** B-trees of version 1 (section III.A.1), which list symbol tables of groups or chunks of datasets. */
import type { Hdf5Blocks } from "./blocks.ts";
import type { Fields } from "./fields.ts";

/** Types of nodes. */
export const NODE = { group: 0, chunks: 1 } as const;

/** A node: `keys` has one more entry than `children`. */
export interface TreeNode<Key> {
  readonly level: number;
  readonly keys: readonly Key[];
  readonly children: readonly number[];
}

/** How the nodes of a tree are stored. */
export interface TreeKind<Key> {
  readonly type: number;
  readonly keyBytes: number;
  readonly key: (fields: Fields) => Key;
  /** What owns the tree, for messages. */
  readonly owner: string;
}

/** Where a node is: what leads to it, its level, and the nodes beside it. */
export interface NodePlace {
  /** Node and child that lead to it; `""` for the root. */
  readonly parent: string;
  /** `null` for the root, which may have any. */
  readonly level: number | null;
  /** Addresses of its neighbours, `null` for none; absent where another node leads to them. */
  readonly left?: number | null;
  readonly right?: number | null;
}

/** The place of the root, which has no neighbours. */
export const ROOT: NodePlace = { parent: "", level: null, left: null, right: null };

/** The place of a child of a node at an address. */
export const placeChild = (
  { level, children }: Pick<TreeNode<unknown>, "level" | "children">,
  at: number,
  address: number,
): NodePlace => ({
  parent: ` below ${address}, child ${at}`,
  level: level - 1,
  ...at > 0 && { left: children[at - 1]! },
  ...at + 1 < children.length && { right: children[at + 1]! },
});

/** Reads a node. @throws {DamagedStructure} */
export function readNodeV1<Key>(
  blocks: Hdf5Blocks,
  address: number,
  kind: TreeKind<Key>,
  { parent, level, ...beside }: NodePlace,
): TreeNode<Key> {
  const what = "a node of a B-tree";
  blocks.claim(address, `${kind.owner}${parent}`, what);
  const { address: width } = blocks.superblock.sizes;
  const head = blocks.read(address, 8 + 2 * width, what);
  head.signature("TREE");
  const [type, own, count] = [head.u8(), head.u8(), head.u16()];
  if (type !== kind.type) head.fail(`it has type ${type}`);
  if (level !== null && own !== level) head.fail(`it has level ${own} below level ${level + 1}`);
  if (level !== null && count === 0) head.fail("it is empty");
  const [left, right] = [head.address(), head.address()];
  const isBeside = (beside.left === undefined || left === beside.left) &&
    (beside.right === undefined || right === beside.right);
  if (!isBeside) head.fail("it has other neighbours");
  const fields = blocks.read(
    address + head.bytes.length,
    count * (kind.keyBytes + width) + kind.keyBytes,
    what,
  );
  const keys = [kind.key(fields)];
  const children: number[] = [];
  for (let i = 0; i < count; i += 1) {
    children.push(fields.definedAddress());
    keys.push(kind.key(fields));
  }
  return { level: own, keys, children };
}
