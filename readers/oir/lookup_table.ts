/** Lookup tables, which say in which colour a channel is shown. */
import { BLACK, NAMED_COLORS } from "../metadata/channels.ts";
import type { StoredDocument } from "./documents.ts";

/** The last entry of a table, of eight hexadecimal digits, RRGGBB00, before its end tag. */
const LAST_ENTRY = /([0-9a-f]{6})[0-9a-f]{2}\s*<\/(?:[\w.-]+:)?data\s*>/i;

/** Name of a table. */
const NAME = /<(?:[\w.-]+:)?name>\s*([a-z]+)\s*</i;

/** Bytes at the start and at the end of a table that are searched; all its entries have half a megabyte. */
const SEARCHED_BYTES = 4096;

/**
 * `#rrggbb` of the channels by id: what their tables give the largest samples, or else the colour that they are named by. Of
 * several tables of a channel the first that tells counts.
 */
export function tableColors(tables: readonly StoredDocument[]): ReadonlyMap<string, string> {
  const colors = new Map<string, string>();
  for (const table of tables) {
    const { channel = null } = table;
    const color = channel === null || colors.has(channel) ? null : colorOf(table);
    if (channel !== null && color !== null) colors.set(channel, color);
  }
  return colors;
}

function colorOf({ bytes }: StoredDocument): string | null {
  const latin1 = new TextDecoder("latin1");
  const tail = latin1.decode(bytes.subarray(-SEARCHED_BYTES));
  const digits = LAST_ENTRY.exec(tail)?.[1];
  if (digits !== undefined) {
    const color = `#${digits.toLowerCase()}`;
    return color === BLACK ? null : color;
  }
  const head = latin1.decode(bytes.subarray(0, SEARCHED_BYTES));
  return NAMED_COLORS.get(NAME.exec(head)?.[1]?.toLowerCase() ?? "") ?? null;
}
