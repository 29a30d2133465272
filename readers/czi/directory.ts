/** The directory of subblocks, or what stands in for one that is missing or damaged. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { type Warning, warning } from "../warning.ts";
import { MAX_DIMENSIONS, MAX_SUBBLOCKS } from "./bounds.ts";
import type { FileHeader } from "./file_header.ts";
import { ID, requireSegment, SEGMENT_HEAD, walkSegments } from "./segment.ts";
import { DIMENSION_BYTES, ENTRY_BYTES, type EntryFacts, entryIn, SubblockTable } from "./subblock_table.ts";

/** Data before the entries: their number, and what is reserved. */
const DIRECTORY_HEAD = 128;

/** Sizes before the entry that a subblock holds of itself. */
const SUBBLOCK_HEAD = 16;

const LARGEST_ENTRY = ENTRY_BYTES + MAX_DIMENSIONS * DIMENSION_BYTES;

/** The subblocks that a document lists. */
export interface Directory {
  /** All of them. */
  readonly table: SubblockTable;
  /** False where subblocks may be lost, which only a directory would tell. */
  readonly complete: boolean;
  /** How the directory was damaged, where it was not used. */
  readonly warnings: readonly Warning[];
}

/**
 * Reads the directory; where there is none, or it is damaged, the entry that each subblock holds of itself.
 *
 * @throws {DecodeFailed} there are too many
 * @throws {Stopped}
 */
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

/** A directory that is sound and too long, in whose place none is searched for. */
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
    if (taken === 0) throw new DecodeFailed(`the directory ends within entry ${table.length} of ${count}`);
    at += taken;
  }
  return table;
}

/** Adds the entries that lie whole in some bytes. @returns how many bytes they take */
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

/** Every subblock that can be reached from one segment to the next. */
function walked(file: ByteSource, header: FileHeader, why: string): Directory {
  const table = new SubblockTable();
  let [damaged, used, allocated] = [0, header.end, header.end];
  for (const segment of walkSegments(file, header.end)) {
    used = segment.data + segment.used;
    allocated = segment.data + segment.allocated;
    if (segment.id !== ID.subblock) continue;
    const start = segment.data + SUBBLOCK_HEAD;
    const length = Math.min(LARGEST_ENTRY, file.size - start);
    if (length <= 0) break;
    const view = new DataView(file.read(start, length, "subblock").buffer);
    try {
      const entry = entryIn(view, () => `subblock at ${segment.offset}`);
      if (entry === null) break;
      table.add({ ...entry, position: segment.offset, part: header.part });
    } catch (error) {
      if (!(error instanceof DecodeFailed) || table.length === MAX_SUBBLOCKS) throw error;
      damaged += 1;
    }
  }
  const left = damaged > 0 ? `; ${damaged} damaged ones are left out` : "";
  return {
    table,
    // The way leads to the end of a file that is as long as its header says.
    complete: damaged === 0 && used <= file.size && allocated > file.size - SEGMENT_HEAD &&
      Math.max(header.directory, header.metadata, header.attachments) < file.size,
    warnings: [
      warning(
        "file_damaged",
        `The subblock directory is unusable (${why}); a search found ${table.length} subblocks${left}`,
      ),
    ],
  };
}

/** The file part and place of an entry, for messages. */
export const placeOf = ({ position, part }: EntryFacts): string =>
  part === 0 ? `subblock at ${position}` : `subblock at ${position} of part ${part}`;
