/** The header of a file of NDTiff: its mark, and the summary of the acquisition. */
import { DecodeFailed } from "../../errors.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../../json.ts";
import { MAX_VENDOR_BYTES } from "../bounds.ts";
import { decodeText } from "../text.ts";
import type { TiffFile } from "../tiff_file.ts";

const HEADER = 483_729;
const SUMMARY_HEADER = 2_355_492;

/** True for a file of NDTiff, whose header has a mark. */
export function isNDTiff({ file, window, encoding: { littleEndian } }: TiffFile): boolean {
  return file.size >= 28 && window.view(8, 4, "the mark of NDTiff").getUint32(0, littleEndian) === HEADER;
}

/** Where the summary of the acquisition begins, 4 bytes earlier in version 2, and its length. */
function summaryPlace({ window, encoding: { littleEndian } }: TiffFile) {
  for (const at of [20, 16]) {
    const head = window.view(at, 8, "the header of NDTiff");
    const length = head.getUint32(4, littleEndian);
    if (head.getUint32(0, littleEndian) === SUMMARY_HEADER) return { offset: at + 8, length };
  }
  throw new DecodeFailed("the header at 8 does not announce it");
}

/** The summary as it stands in the file. @throws {DecodeFailed} there is none, or it has more bytes than `most` */
export function summaryText(tiff: TiffFile, most: number): string {
  const { offset, length } = summaryPlace(tiff);
  if (length > most) throw new DecodeFailed(`it has ${length} bytes, more than ${most}`);
  return decodeText(tiff.file.read(offset, length, "the summary of NDTiff"));
}

/** The summary. @throws {DecodeFailed} it is damaged */
export function readSummary(tiff: TiffFile): JsonObject {
  const { offset, length } = summaryPlace(tiff);
  const summary = parseJsonText(summaryText(tiff, MAX_VENDOR_BYTES), `the document at ${offset}`);
  tiff.structures.claim(8, offset + length, "the header of NDTiff");
  if (!isJsonObject(summary)) throw new DecodeFailed(`the document at ${offset} is no object`);
  return summary;
}
