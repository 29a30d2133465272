/**
 * The central directory of a ZIP file (PKWARE APPNOTE 6.3.10, sections 4.3.7 to 4.3.16): end record, optional 64-bit record,
 * entries.
 */
import { DecodeFailed, quoted } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { isDeepName, MAX_NAME_FOLDERS } from "../io/limits.ts";

/** An entry of the archive. */
export interface ZipEntry {
  /** Compression method: 0 stored, 8 deflated. */
  readonly method: number;
  readonly encrypted: boolean;
  /** CRC-32 of the whole file. */
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Offset of the local header. */
  readonly offset: number;
}

/** Largest number of entries, about 300 bytes of heap each; a zipped stack has some ten thousand chunks. */
const MAX_ZIP_ENTRIES = 250_000;

/** Largest central directory in bytes, which has 46 bytes and a name per entry. */
const MAX_ZIP_DIRECTORY_BYTES = 64 << 20;

const END_BYTES = 22;
const END64_LOCATOR_BYTES = 20;
const END64_BYTES = 56;
const MAX_COMMENT_BYTES = 0xffff;
const ENTRY_BYTES = 46;

/**
 * Reads the entries by name. If a name repeats, its last entry counts, as programs that append to archives intend.
 *
 * @param repeats called with each name that an earlier entry also has, and that entry
 * @throws {DecodeFailed} the ZIP file is damaged, incomplete or above a limit
 */
export function readZipDirectory(
  file: ByteSource,
  repeats: (name: string, earlier: ZipEntry) => void = () => {},
): Map<string, ZipEntry> {
  const { offset, size, count } = locateDirectory(file);
  if (size > MAX_ZIP_DIRECTORY_BYTES) {
    throw new DecodeFailed(`the ZIP directory has ${size} bytes, more than ${MAX_ZIP_DIRECTORY_BYTES}`);
  }
  if (count > MAX_ZIP_ENTRIES) {
    throw new DecodeFailed(`the ZIP directory declares ${count} entries, more than ${MAX_ZIP_ENTRIES}`);
  }
  const bytes = file.read(offset, size, "the ZIP directory");
  const view = new DataView(bytes.buffer);
  const decoder = new TextDecoder();
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let n = 0; n < count; n += 1) {
    if (at + ENTRY_BYTES > size || view.getUint32(at, true) !== 0x02014b50) {
      throw new DecodeFailed(`ZIP entry ${n} of ${count} at ${offset + at} is damaged`);
    }
    const flags = view.getUint16(at + 8, true);
    const nameEnd = at + ENTRY_BYTES + view.getUint16(at + 28, true);
    const extraEnd = nameEnd + view.getUint16(at + 30, true);
    const end = extraEnd + view.getUint16(at + 32, true);
    if (end > size) throw new DecodeFailed(`ZIP entry ${n} at ${offset + at} ends after its directory`);
    const name = decoder.decode(bytes.subarray(at + ENTRY_BYTES, nameEnd));
    const wide = makeWideReader(view, nameEnd, extraEnd);
    const number = (place: number) => wide(view.getUint32(at + place, true));
    const earlier = entries.get(name);
    if (earlier !== undefined) repeats(name, earlier);
    entries.set(name, {
      method: view.getUint16(at + 10, true),
      encrypted: (flags & 0x41) !== 0,
      crc: view.getUint32(at + 16, true),
      // Evaluated in the order of the ZIP64 extra field.
      size: number(24),
      compressedSize: number(20),
      offset: number(42),
    });
    at = end;
  }
  // A count that is too small would hide chunks, which would be served as fill values.
  if (at !== size) {
    throw new DecodeFailed(`the ZIP directory has ${size} bytes, but its ${count} entries take ${at}`);
  }
  return entries;
}

function locateDirectory(file: ByteSource): { offset: number; size: number; count: number } {
  if (file.size === 0) throw new DecodeFailed("the file is empty");
  const tailBytes = Math.min(file.size, END_BYTES + MAX_COMMENT_BYTES);
  const tailStart = file.size - tailBytes;
  const tail = file.read(tailStart, tailBytes, "the end of the ZIP file");
  const view = new DataView(tail.buffer);
  for (let at = tailBytes - END_BYTES; at >= 0; at -= 1) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) !== tailBytes) continue;
    const count = view.getUint16(at + 10, true);
    const size = view.getUint32(at + 12, true);
    const offset = view.getUint32(at + 16, true);
    if (count === 0xffff || size === 0xffffffff || offset === 0xffffffff) {
      return locateWideDirectory(file, tailStart + at) ?? { offset, size, count };
    }
    return { offset, size, count };
  }
  throw new DecodeFailed(
    `the ZIP file of ${file.size} bytes has no end record; it is truncated or not a ZIP file`,
  );
}

function locateWideDirectory(file: ByteSource, end: number) {
  if (end < END64_LOCATOR_BYTES) return null;
  const viewAt = (at: number, bytes: number, what: string) => new DataView(file.read(at, bytes, what).buffer);
  const locator = viewAt(end - END64_LOCATOR_BYTES, END64_LOCATOR_BYTES, "the ZIP64 locator");
  if (locator.getUint32(0, true) !== 0x07064b50) return null;
  const at = Number(locator.getBigUint64(8, true));
  const record = viewAt(at, END64_BYTES, "the ZIP64 end record");
  if (record.getUint32(0, true) !== 0x06064b50) {
    throw new DecodeFailed(`the ZIP64 end record at ${at} is damaged`);
  }
  return {
    count: Number(record.getBigUint64(32, true)),
    size: Number(record.getBigUint64(40, true)),
    offset: Number(record.getBigUint64(48, true)),
  };
}

/** Returns a function that replaces each 0xffffffff in turn by a number of the ZIP64 extra field (id 1). */
function makeWideReader(view: DataView, from: number, to: number): (narrow: number) => number {
  let next = from;
  while (next + 4 <= to && view.getUint16(next, true) !== 1) next += 4 + view.getUint16(next + 2, true);
  next += 4;
  return (narrow) => {
    if (narrow !== 0xffffffff || next + 8 > to) return narrow;
    next += 8;
    return Number(view.getBigUint64(next - 8, true));
  };
}

/** Matches a name with `\`, a part `.` or `..`, or an empty part before the last. */
const CROOKED = /\\|(?:^|\/)\.{1,2}(?:\/|$)|\/\/|^\//;

/**
 * Checks that every entry can be found by its key. Fill values would be served for a chunk whose name no key matches.
 *
 * @throws {DecodeFailed} with the first name that no key matches, or that has too many folders
 */
export function requireStraightNames(names: Iterable<string>): void {
  for (const name of names) {
    if (isDeepName(name)) {
      throw new DecodeFailed(`ZIP entry ${quoted(name)} lies in more than ${MAX_NAME_FOLDERS} folders`);
    }
    if (!CROOKED.test(name)) continue;
    const problem = `has "\\", "./", "..", "//" or a leading "/" in its name; zip the store again`;
    throw new DecodeFailed(`ZIP entry ${quoted(name)} ${problem}`);
  }
}

const MARKER = /^(?:([^/]+)\/)?(zarr\.json|\.zgroup|\.zattrs)$/;

/**
 * The folder of the outermost Zarr group: `""` for the root, or the only top-level folder; `null` if neither is a group.
 */
export function findZarrFolder(names: Iterable<string>): string | null {
  const folders = new Set<string>();
  for (const name of names) {
    const match = MARKER.exec(name);
    if (match) folders.add(match[1] ?? "");
  }
  if (folders.has("")) return "";
  const [folder] = folders;
  return folders.size === 1 && folder !== undefined ? folder : null;
}

/** Matches a collection document at the root, in a folder, or in a folder of the only folder. */
const COLLECTION_DOCUMENT = /^(?:[^/]+\/){0,2}collection\.json$/;

/** True for a ZIP file with a Zarr group or a collection, even under names that the reader then refuses with a reason. */
export function holdsZarr(file: ByteSource): boolean {
  try {
    const names = [...readZipDirectory(file).keys()]
      .map((name) => name.replace(/[\\/]+/g, "/").replace(/^\.?\//, ""));
    return findZarrFolder(names) !== null || names.some((name) => COLLECTION_DOCUMENT.test(name));
  } catch (error) {
    if (error instanceof DecodeFailed) return false;
    throw error;
  }
}
