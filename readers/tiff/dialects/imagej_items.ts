/**
 * What ImageJ writes beside its description. Tag 50838 holds byte counts: of the header, then of each item. Tag 50839 holds
 * the header, `IJIJ` and pairs of a type and how many items it has, all LONG in the byte order of the file, then the items:
 * `labl` are labels in UTF-16, one a plane; `luts` are lookup tables of the channels, 256 bytes each of red, green and blue;
 * `info` is a text in UTF-16.
 */
import { DecodeFailed } from "../../errors.ts";
import { MAX_VENDOR_BYTES } from "../bounds.ts";
import type { Directory } from "../directory.ts";
import type { StackSizes } from "../stack.ts";
import { TAG } from "../tags.ts";

/** The letters `IJIJ`, `labl`, `luts` and `info` as numbers. */
const MAGIC = 0x494a494a;
const LABEL = 0x6c61626c;
const TABLE = 0x6c757473;
const INFO = 0x696e666f;

/** Bytes of a lookup table. */
const TABLE_BYTES = 768;

/** Items of one file; ImageJ itself keeps that many slices at most. */
const MAX_ITEMS = 1 << 20;

/** What tag 50839 holds. */
export interface ImageJItems {
  /** First lines of the labels, in plane order. */
  readonly labels: readonly string[];
  /** `#rrggbb` of the last entry of each lookup table; `null` of one that is none. */
  readonly colors: readonly (string | null)[];
  /** The text of the image. */
  readonly info: string | null;
}

const NO_ITEMS: ImageJItems = { labels: [], colors: [], info: null };

/** The items of a file; none where there are none or they are damaged. */
export function readItems(directory: Directory): ImageJItems {
  try {
    return itemsOf(directory, MAX_VENDOR_BYTES);
  } catch (error) {
    if (error instanceof DecodeFailed) return NO_ITEMS;
    throw error;
  }
}

/**
 * The text of an image, or `null`.
 *
 * @param most bytes of all items that are read
 * @throws {DecodeFailed} they have more
 */
export function readInfo(directory: Directory, most: number): string | null {
  return itemsOf(directory, most).info;
}

function itemsOf(directory: Directory, most: number): ImageJItems {
  const counts = directory.numbers(TAG.ImageJByteCounts, MAX_ITEMS);
  const bytes = directory.bytes(TAG.ImageJMetadata, most);
  const headerBytes = counts[0] ?? 0;
  if (!bytes || headerBytes < 12 || headerBytes > bytes.length) return NO_ITEMS;
  const little = directory.encoding.littleEndian;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, little) !== MAGIC) return NO_ITEMS;
  const decoder = new TextDecoder(little ? "utf-16le" : "utf-16be");
  const labels: string[] = [];
  const colors: (string | null)[] = [];
  let info: string | null = null;
  let at = headerBytes;
  let item = 1;
  for (let pair = 4; pair + 8 <= headerBytes; pair += 8) {
    const type = view.getUint32(pair, little);
    const last = item + view.getUint32(pair + 4, little);
    for (; item < last; item += 1) {
      const length = counts[item];
      if (length === undefined || at + length > bytes.length) return NO_ITEMS;
      const value = bytes.subarray(at, at + length);
      if (type === LABEL) labels.push(decoder.decode(value).split("\n", 1).join().trim());
      else if (type === TABLE) colors.push(lastColor(value));
      else if (type === INFO) info ??= decoder.decode(value);
      at += length;
    }
  }
  return { labels, colors, info };
}

function lastColor(table: Uint8Array): string | null {
  if (table.length !== TABLE_BYTES) return null;
  return `#${[255, 511, 767].map((at) => table[at]!.toString(16).padStart(2, "0")).join("")}`;
}

/** Names of the channels where all planes of a channel have one label and no two channels the same; else none. */
export function channelLabels(labels: readonly string[], { C }: StackSizes): string[] {
  if (C < 2 || labels.length < C) return [];
  const names = labels.slice(0, C);
  const agree = labels.every((label, i) => label !== "" && label === names[i % C]);
  return agree && new Set(names).size === C ? names : [];
}
