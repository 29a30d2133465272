/** Lookup tables, which say in which colour a channel is shown. */
import type { StoredDocument } from "./documents.ts";

/** The last entry of a table, of eight hexadecimal digits, RRGGBB00, before its end tag. */
const LAST_ENTRY = /([0-9a-f]{6})[0-9a-f]{2}\s*<\/(?:[\w.-]+:)?data\s*>/i;

/** Bytes at the end of a table in which its last entry is looked for; all entries have half a megabyte. */
const TAIL_BYTES = 1000;

/** Shown where samples are largest, black tells of no colour. */
const BLACK = "000000";

/**
 * `#rrggbb` of the channels by id, which is what their tables give the largest samples. Of several tables of a channel the
 * first counts.
 */
export function tableColors(tables: readonly StoredDocument[]): ReadonlyMap<string, string> {
  const colors = new Map<string, string>();
  for (const { channel = null, bytes } of tables) {
    const tail = new TextDecoder("latin1").decode(bytes.subarray(-TAIL_BYTES));
    const digits = LAST_ENTRY.exec(tail)?.[1]?.toLowerCase() ?? BLACK;
    if (channel !== null && digits !== BLACK && !colors.has(channel)) colors.set(channel, `#${digits}`);
  }
  return colors;
}
