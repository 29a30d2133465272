/**
 * Slice labels of ImageJ. Tag 50838 holds byte counts: of the header, then of each item. Tag 50839 holds the header, `IJIJ` and
 * pairs of a type and how many items it has, all LONG in the byte order of the file, then the items; those of type
 * `labl` are labels in UTF-16, one a plane.
 */
import { DecodeFailed } from "../../errors.ts";
import { MAX_VENDOR_BYTES } from "../bounds.ts";
import type { Directory } from "../directory.ts";
import type { StackSizes } from "../stack.ts";
import { TAG } from "../tags.ts";

/** The letters `IJIJ` and `labl` as numbers. */
const MAGIC = 0x494a494a;
const LABEL = 0x6c61626c;

/** Items of one file; ImageJ itself keeps that many slices at most. */
const MAX_ITEMS = 1 << 20;

/** First lines of the labels, in plane order; empty where there are none or they are damaged. */
export function sliceLabels(directory: Directory): string[] {
  try {
    return labelsOf(directory);
  } catch (error) {
    if (error instanceof DecodeFailed) return [];
    throw error;
  }
}

function labelsOf(directory: Directory): string[] {
  const counts = directory.numbers(TAG.ImageJByteCounts, MAX_ITEMS);
  const bytes = directory.bytes(TAG.ImageJMetadata, MAX_VENDOR_BYTES);
  const headerBytes = counts[0] ?? 0;
  if (!bytes || headerBytes < 12 || headerBytes > bytes.length) return [];
  const little = directory.encoding.littleEndian;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, little) !== MAGIC) return [];
  const decoder = new TextDecoder(little ? "utf-16le" : "utf-16be");
  const labels: string[] = [];
  let at = headerBytes;
  let item = 1;
  for (let pair = 4; pair + 8 <= headerBytes; pair += 8) {
    const label = view.getUint32(pair, little) === LABEL;
    const last = item + view.getUint32(pair + 4, little);
    for (; item < last; item += 1) {
      const length = counts[item];
      if (length === undefined || at + length > bytes.length) return [];
      if (label) labels.push(decoder.decode(bytes.subarray(at, at + length)).split("\n", 1).join().trim());
      at += length;
    }
  }
  return labels;
}

/** Names of the channels where all planes of a channel have one label and no two channels the same; else none. */
export function channelLabels(labels: readonly string[], { C }: StackSizes): string[] {
  if (C < 2 || labels.length < C) return [];
  const names = labels.slice(0, C);
  const agree = labels.every((label, i) => label !== "" && label === names[i % C]);
  return agree && new Set(names).size === C ? names : [];
}
