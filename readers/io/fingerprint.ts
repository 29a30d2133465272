/** The fingerprint of an acquisition: 32 hexadecimal digits, from the sizes of its files and samples of their bytes. */
import { createHash } from "node:crypto";
import { unlessMissing } from "./paths.ts";
import type { FileAccess } from "./file_access.ts";

/** Number of files whose bytes are sampled: the first and the last eight by path. Number and size of all files also count. */
const MAX_FILES = 16;

/** Bytes sampled at the start, in the middle and at the end of a file. */
const SAMPLE_BYTES = 16 << 10;

/**
 * The fingerprint of some files, of this `size` together. It does not depend on names and folders, so a copy has the same.
 *
 * @throws {Unreadable | DecodeFailed | Stopped} a sampled file cannot be read, or became shorter
 */
export function computeFingerprint(
  paths: readonly string[],
  size: number | null,
  files: FileAccess,
): string {
  const sorted = [...new Set(paths)].sort();
  const counted = sorted.length <= MAX_FILES
    ? sorted
    : [...sorted.slice(0, MAX_FILES / 2), ...sorted.slice(-MAX_FILES / 2)];
  const digests = counted.map((path) => hashSamples(path, files)).sort();
  const hash = createHash("sha256").update(`${size} ${sorted.length} ${digests.join(" ")}`);
  return hash.digest("hex").slice(0, 32);
}

function hashSamples(path: string, files: FileAccess): string {
  using file = unlessMissing(() => files.open(path));
  // Folders, dangling links and links out of the roots are not part of the acquisition.
  if (file === null) return "";
  const hash = createHash("sha256").update(`${file.size} `);
  for (const [start, end] of chooseSampledRanges(file.size)) {
    hash.update(file.read(start, end - start, "a sample"));
  }
  return hash.digest("hex");
}

/** Ranges to sample: the whole of a small file, else its start, middle and end. */
function chooseSampledRanges(size: number): readonly (readonly [start: number, end: number])[] {
  if (size <= 3 * SAMPLE_BYTES) return [[0, size]];
  const middle = Math.floor((size - SAMPLE_BYTES) / 2);
  return [0, middle, size - SAMPLE_BYTES].map((start) => [start, start + SAMPLE_BYTES] as const);
}
