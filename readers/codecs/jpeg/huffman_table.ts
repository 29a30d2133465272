/** Huffman tables of JPEG streams (ITU-T T.81, annex C). */

/** The number of codes of each length from 1 to 16, and behind it their values in the order of the codes. */
export type HuffmanTable = Uint8Array;

/** Takes a table. @throws {Error} its counts do not form a code */
export function huffmanTable(coded: Uint8Array): HuffmanTable {
  let code = 0;
  for (let length = 1; length <= 16; length += 1) {
    code += coded[length - 1]!;
    if (code > 1 << length) throw new Error("a Huffman table has too many codes");
    code <<= 1;
  }
  return coded;
}
