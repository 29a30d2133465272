/** A document: a file, or one that is embedded in the attachment of another. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import { MAX_SCENES } from "./bounds.ts";
import { readDirectory } from "./directory.ts";
import { type FileHeader, readFileHeader } from "./file_header.ts";
import { fullResolution } from "./full_resolution.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import { NO_INDEX, type SubblockTable } from "./subblock_table.ts";

/** What is known of a document before one of its scenes is laid out. */
export interface CziDocument {
  /** Its bytes. */
  readonly file: ByteSource;
  /** The first segment. */
  readonly header: FileHeader;
  /** All subblocks. */
  readonly table: SubblockTable;
  /** Those at full resolution by scene, which are in ascending order of their index along `S`. */
  readonly scenes: readonly SceneEntries[];
  /** False where subblocks may be lost, so that nothing tells whether a mosaic has all its tiles. */
  readonly complete: boolean;
  /** What the XML says. */
  readonly metadata: Metadata;
  /** How directory and metadata are damaged. */
  readonly warnings: readonly Warning[];
}

/** The subblocks of a scene. */
export interface SceneEntries {
  /** Index along `S`, {@linkcode NO_INDEX} where the document has no scenes. */
  readonly s: number;
  /** Indices of the table, in its order. */
  readonly entries: Int32Array;
}

/**
 * Reads header, directory and metadata.
 *
 * @throws {DecodeFailed} it is damaged, or holds no image
 * @throws {Stopped}
 */
export function readDocument(file: ByteSource, stop: StopFlag): CziDocument {
  const header = readFileHeader(file);
  const { table, complete, warnings } = readDirectory(file, header);
  if (table.length === 0) {
    throw new DecodeFailed(
      ["it holds no subblocks, and so no image", ...warnings.map(({ text }) => text)].join(": "),
    );
  }
  const kept = fullResolution(table, stop);
  if (!complete && kept.some((i) => table.pyramid(i) !== 0 || table.scaled(i))) {
    throw new DecodeFailed(
      ["subblocks are lost, and it may hold no more than overviews", ...warnings.map(({ text }) => text)]
        .join(": "),
    );
  }
  const scenes = scenesOf(table, kept, stop);
  const metadata = readMetadata(file, header);
  const unfinished = [
    ...header.pending ? [warning("file_damaged", "The program that wrote the file did not finish it")] : [],
    ...header.damaged
      ? [warning("file_damaged", "The id of the first segment is damaged, as other parts of the file may be")]
      : [],
  ];
  return {
    file,
    header,
    table,
    scenes,
    complete,
    metadata: metadata.metadata,
    warnings: [...unfinished, ...warnings, ...metadata.warnings],
  };
}

/** Divides subblocks by scene; those without a scene belong to all. */
function scenesOf(table: SubblockTable, kept: Int32Array, stop: StopFlag): SceneEntries[] {
  const counts = new Map<number, number>();
  for (const i of kept) {
    const s = table.start("S", i);
    counts.set(s, (counts.get(s) ?? 0) + 1);
    if (counts.size > MAX_SCENES) throw new DecodeFailed(`it has more than ${MAX_SCENES} scenes`);
  }
  if (counts.size === 1) return [{ s: [...counts.keys()][0]!, entries: kept }];
  const shared = kept.filter((i) => table.start("S", i) === NO_INDEX);
  counts.delete(NO_INDEX);
  if (shared.length * counts.size > MAX_SHARED) {
    throw new DecodeFailed(`${shared.length} subblocks belong to each of ${counts.size} scenes`);
  }
  stop.check();
  const groups = new Map<number, { entries: Int32Array; filled: number }>();
  for (const [s, count] of counts) {
    groups.set(s, { entries: new Int32Array(count + shared.length), filled: 0 });
  }
  const put = (group: { entries: Int32Array; filled: number }, i: number) => {
    group.entries[group.filled++] = i;
  };
  for (const i of kept) {
    const s = table.start("S", i);
    if (s === NO_INDEX) { for (const group of groups.values()) put(group, i); }
    else put(groups.get(s)!, i);
  }
  return [...groups].map(([s, { entries }]) => ({ s, entries })).sort((a, b) => a.s - b.s);
}

/** Places of subblocks that belong to all scenes. */
const MAX_SHARED = 1 << 22;
