/**
 * The index map of a Micro-Manager stack, its summary, and the metadata of its pages.
 *
 *   byte  8   54773648, offset of the index map: 3453623, number of entries, then per plane five LONG: channel,
 *             slice, frame, position, offset of its directory
 *   byte 32   2355492, length of the summary, summary as JSON at byte 40
 */
import { numberOf } from "../../../metadata/text.ts";
import { DecodeFailed, unlessDamaged } from "../../../errors.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../../../metadata/json.ts";
import { cutAtNul, decodeText, type Directory } from "../../directory.ts";
import { INDEX_MAP_MARK, readNumberAt, SUMMARY_MARK } from "../../marks.ts";
import { MAX_VENDOR_BYTES, TAG } from "../../tags.ts";
import { MAX_DIRECTORIES, type TiffFile } from "../../tiff_file.ts";

const INDEX_MAP = 3_453_623;

const ENTRY_BYTES = 20;

/** Indices of one plane, each from 0, and the offset of its directory. */
export type IndexEntry = Readonly<Record<"channel" | "slice" | "frame" | "position" | "offset", number>>;

/** Offsets of the summary's mark: in an `_MMStack`, in NDTiff version 2, in NDTiff version 3. */
const SUMMARY_PLACES = [32, 16, 20];

/** The summary as stored. @throws {DecodeFailed} it is missing, or longer than `most` bytes */
export function readSummaryText(tiff: TiffFile, most: number): string {
  const at = SUMMARY_PLACES.find((place) => readNumberAt(tiff, place) === SUMMARY_MARK);
  if (at === undefined) throw new DecodeFailed("the header does not announce it");
  const length = readNumberAt(tiff, at + 4) ?? 0;
  if (length > most) throw new DecodeFailed(`it has ${length} bytes, more than ${most}`);
  return decodeText(tiff.file.read(at + 8, length, "the summary"));
}

/** The summary. @throws {DecodeFailed} it is damaged */
export function readSummary(tiff: TiffFile): JsonObject {
  const summary = parseJsonText(readSummaryText(tiff, MAX_VENDOR_BYTES), "the summary");
  if (!isJsonObject(summary)) throw new DecodeFailed("it is not a JSON object");
  return summary;
}

/** The index map. @throws {DecodeFailed} it is damaged, or the acquisition ended before it was written */
export function readIndexMap(tiff: TiffFile): IndexEntry[] {
  const offset = readNumberAt(tiff, 12) ?? 0;
  if (readNumberAt(tiff, 8) !== INDEX_MAP_MARK || offset === 0) {
    throw new DecodeFailed("the header at 8 does not say where it is");
  }
  const little = tiff.encoding.littleEndian;
  const start = tiff.window.view(offset, 8, "the index map");
  const count = start.getUint32(4, little);
  if (start.getUint32(0, little) !== INDEX_MAP) throw new DecodeFailed(`it is not at ${offset}`);
  if (count > MAX_DIRECTORIES) {
    throw new DecodeFailed(`it has ${count} entries at ${offset}, more than ${MAX_DIRECTORIES}`);
  }
  const view = new DataView(tiff.file.read(offset + 8, count * ENTRY_BYTES, "the index map").buffer);
  const entries = Array.from({ length: count }, (_, i): IndexEntry => {
    const word = (n: number) => view.getUint32(i * ENTRY_BYTES + 4 * n, little);
    return { channel: word(0), slice: word(1), frame: word(2), position: word(3), offset: word(4) };
  });
  // Unused entries at the end are zero, and no directory lies at 0.
  const used = entries.slice(0, entries.findLastIndex(({ offset }) => offset !== 0) + 1);
  if (used.length === 0) throw new DecodeFailed(`it is empty at ${offset}`);
  return used;
}

/** The planes according to the metadata of the pages; `null` if a page does not state its indices. */
export function readPageIndices(tiff: TiffFile): IndexEntry[] | null {
  const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
  const entries: IndexEntry[] = [];
  let isStated = true;
  tiff.walk((directory) => {
    const page = readPageMetadata(directory);
    const { ChannelIndex: channel, SliceIndex: slice, FrameIndex: frame } = page;
    const position = page.PositionIndex ?? 0;
    if (isIndex(channel) && isIndex(slice) && isIndex(frame) && isIndex(position)) {
      entries.push({ channel, slice, frame, position, offset: directory.offset });
    } else isStated = false;
  });
  return isStated ? entries : null;
}

/** The metadata of a page (tag 51123); empty if they are damaged. */
export const readPageMetadata = (directory: Directory): JsonObject =>
  unlessDamaged(() => readPlaneMetadata(directory), {});

/** The metadata of a page, empty if it has none. @throws {DecodeFailed} they are damaged */
export function readPlaneMetadata(directory: Directory): JsonObject {
  if (!directory.has(TAG.MicroManagerMetadata)) return {};
  const text = cutAtNul(directory.texts(TAG.MicroManagerMetadata, MAX_VENDOR_BYTES)[0] ?? "");
  const parsed = parseJsonText(text, "the metadata of the plane");
  if (!isJsonObject(parsed)) throw new DecodeFailed("the metadata of the plane are not a JSON object");
  return parsed;
}

/** A finite number of a JSON document, also as a text; `null` for another value. */
export const findJsonNumber = (value: unknown): number | null =>
  typeof value === "string" ? numberOf(value) : Number.isFinite(value) ? Number(value) : null;

/** A text of a JSON document; `""` for another value. */
export const findJsonText = (value: unknown): string => typeof value === "string" ? value : "";
