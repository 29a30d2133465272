/** Files beside TIFF files that are not read: what they are. */

/** Files of a recording of ScanImage along arbitrary lines. */
export const SCANIMAGE_LINE_FILES: readonly string[] = [".pmt.dat", ".meta.txt", ".scnnr.dat"];

/** What a file of such a recording is, or `null` for other names. */
export function explainTiffRelative(_head: Uint8Array, name: string): string | null {
  const lower = name.toLowerCase();
  return SCANIMAGE_LINE_FILES.some((extension) => lower.endsWith(extension))
    ? "it is named like a part of a recording of ScanImage along arbitrary lines, whose samples are no TIFF and are not " +
      "read: convert the line scan with ScanImage"
    : null;
}
