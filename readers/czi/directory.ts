/** The directory of subblocks; a walk over the segments replaces a missing or damaged one. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { type Warning, warning } from "../warning.ts";
import { type FileHeader, ID, requireSegment, SEGMENT_HEAD, walkSegments } from "./segment.ts";
import {
  DIMENSION_BYTES,
  ENTRY_BYTES,
  entryIn,
  MAX_DIMENSIONS,
  MAX_SUBBLOCKS,
  SubblockTable,
} from "./subblock_table.ts";

/** Bytes of data before the entries. */
const DIRECTORY_HEAD = 128;

/** Bytes of a subblock before its copy of its entry. */
const SUBBLOCK_HEAD = 16;

const LARGEST_ENTRY = ENTRY_BYTES + MAX_DIMENSIONS * DIMENSION_BYTES;

/** The subblocks of a document. */
export interface Directory {
  /** All of them. */
  readonly table: SubblockTable;
  /** False if subblocks may be lost: the directory is, and the file is truncated. */
  readonly complete: boolean;
  /** Why the directory was not used. */
  readonly warnings: readonly Warning[];
}

/** Reads the directory, or walks over the subblocks. @throws {DecodeFailed} there are too many @throws {Stopped} */
export function readDirectory(file: ByteSource, header: FileHeader): Directory {
  if (header.directory === 0) return walked(file, header, "the file has none");
  try {
    return { table: listed(file, header.directory), complete: true, warnings: [] };
  } catch (error) {
    if (error instanceof DecodeFailed && !(error instanceof TooManySubblocks)) {
      return walked(file, header, error.message);
    }
    throw error;
  }
}

/** A sound directory that is too long, which no walk replaces. */
class TooManySubblocks extends DecodeFailed {}

function listed(file: ByteSource, position: number): SubblockTable {
  const { data, used } = requireSegment(file, position, ID.directory, "the directory");
  const head = new DataView(file.read(data, DIRECTORY_HEAD, "the directory").buffer);
  const count = head.getInt32(0, true);
  file.require(data, used, "the directory");
  const bytes = used - DIRECTORY_HEAD;
  if (count < 0 || count * (ENTRY_BYTES + DIMENSION_BYTES) > bytes) {
    throw new DecodeFailed(`the directory at ${position} states ${count} entries in ${bytes} bytes`);
  }
  if (count > MAX_SUBBLOCKS) {
    throw new TooManySubblocks(`the directory has ${count} entries, more than ${MAX_SUBBLOCKS}`);
  }
  const table = new SubblockTable(count);
  let at = data + DIRECTORY_HEAD;
  const end = at + bytes;
  while (table.length < count) {
    const window = file.read(at, Math.min(MAX_READ_STEP, end - at), "the directory");
    const taken = takeEntries(window, table, count);
    if (taken === 0) throw new DecodeFailed(`the directory ends inside entry ${table.length} of ${count}`);
    at += taken;
  }
  return table;
}

/** Adds the complete entries of a window. @returns their bytes */
function takeEntries(window: Uint8Array<ArrayBuffer>, table: SubblockTable, count: number): number {
  let at = 0;
  while (table.length < count) {
    const view = new DataView(window.buffer, at, Math.min(window.length - at, LARGEST_ENTRY));
    const entry = entryIn(view, () => `entry ${table.length} of the directory`);
    if (entry === null) break;
    table.add(entry);
    at += entry.length;
  }
  return at;
}

/** Reads the copy of its entry that each subblock holds. @throws {DecodeFailed} one is damaged */
function walked(file: ByteSource, header: FileHeader, why: string): Directory {
  const table = new SubblockTable();
  let [used, allocated] = [header.end, header.end];
  for (const segment of walkSegments(file, header.end)) {
    used = segment.data + segment.used;
    allocated = segment.data + segment.allocated;
    if (segment.id !== ID.subblock) continue;
    const start = segment.data + SUBBLOCK_HEAD;
    const length = Math.min(LARGEST_ENTRY, file.size - start);
    if (length <= 0) break;
    const view = new DataView(file.read(start, length, "subblock").buffer);
    const entry = entryIn(view, () => `subblock at ${segment.offset}`);
    if (entry === null) break;
    table.add({ ...entry, position: segment.offset, part: header.part });
  }
  return {
    table,
    // The last segment reaches the end of the file, which is as long as its header states.
    complete: used <= file.size && allocated > file.size - SEGMENT_HEAD &&
      Math.max(header.directory, header.metadata, header.attachments) < file.size,
    warnings: [
      warning(
        "file_damaged",
        `The subblock directory cannot be used (${why}); a search found ${table.length} subblocks`,
      ),
    ],
  };
}
