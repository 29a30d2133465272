/** B-trees of version 1 (section III.A.1), which list symbol tables of groups or chunks of datasets. */
import type { Blocks } from "./blocks.ts";
import type { Fields } from "./fields.ts";

/** Types of nodes. */
export const NODE = { group: 0, chunks: 1 } as const;

/** A node: `keys` has one more entry than `children`. */
export interface TreeNode<Key> {
  readonly level: number;
  readonly keys: readonly Key[];
  readonly children: readonly number[];
}

/** What a tree is made of. */
export interface TreeKind<Key> {
  readonly type: number;
  readonly keyBytes: number;
  readonly key: (fields: Fields) => Key;
  /** Whose tree it is. */
  readonly owner: string;
}

/**
 * Reads a node.
 *
 * @param parent node and place that lead to it; the root has none
 * @param level that it must have; any for the root
 * @throws {DamagedStructure}
 */
export function readNode<Key>(
  blocks: Blocks,
  address: number,
  kind: TreeKind<Key>,
  parent = "",
  level: number | null = null,
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
