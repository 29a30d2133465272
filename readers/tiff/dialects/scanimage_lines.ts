/**
 * Line scans of ScanImage. Along arbitrary lines the samples are in NAME.pmt.dat, described by NAME.meta.txt, with the
 * positions of the mirrors in NAME.scnnr.dat; a TIFF of the same recording holds no picture of the sample.
 */
import { basename, dirname, join } from "node:path";
import type { Opened } from "../opened.ts";

/** Keys without their prefix that say with `line` or `true` that lines were scanned and no frames. */
const LINE_KEYS =
  /^(?:hRoiManager\.(?:scanType|scanMode|isLineScan)|hScan[^.]*\.(?:\w+\.)*(?:isL|l)ineScan\w*)$/;

/**
 * Why a file of ScanImage is none of frames, in one clause, or `null`.
 *
 * @param fields values by their keys without the prefix
 */
export function lineScanReason(opened: Opened, fields: ReadonlyMap<string, string>): string | null {
  for (const [key, value] of fields) {
    if (LINE_KEYS.test(key) && /^(?:'line'|true|1)$/i.test(value)) return `${key} is ${value.slice(0, 20)}`;
  }
  const stem = basename(opened.path).replace(/\.[^.]*$/, "");
  const beside = (extension: string) =>
    opened.files.kind(join(dirname(opened.path), stem + extension)) === "file";
  return beside(".pmt.dat") && beside(".meta.txt")
    ? `"${stem}.pmt.dat" and "${stem}.meta.txt" are beside it`
    : null;
}
