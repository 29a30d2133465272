/** Documents: files, or attachments in other documents. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import { NO_INDEX, readDirectory, type SubblockTable } from "./directory.ts";
import { type CziMetadata, readCziMetadata } from "./metadata.ts";
import { type FileHeader, readFileHeader } from "./segment.ts";

/** Largest number of scenes in a document; a plate of 1536 wells with 36 positions each has 55,296. */
export const MAX_SCENES = 100_000;

/** Largest number of subblocks without `S`, counted once per scene that they belong to. */
const MAX_SHARED = 1 << 22;

/** A document before any of its scenes is laid out. */
export interface CziDocument {
  readonly file: ByteSource;
  readonly header: FileHeader;
  readonly table: SubblockTable;
  /** The scenes with their subblocks at full resolution, by ascending `S`. */
  readonly scenes: readonly SceneEntries[];
  /** False if subblocks may be lost, such as tiles of a mosaic. */
  readonly complete: boolean;
  readonly metadata: CziMetadata;
  readonly warnings: readonly Warning[];
}

/** The subblocks of a scene. */
export interface SceneEntries {
  /** Index along `S`, or {@linkcode NO_INDEX}. */
  readonly s: number;
  /** Indices in the table, ascending. */
  readonly entries: Int32Array;
}

/** Reads header, directory and metadata. @throws {DecodeFailed} damaged, or without an image @throws {Stopped} */
export function openCziDocument(file: ByteSource, stop: StopFlag): CziDocument {
  const header = readFileHeader(file);
  const warnings: Warning[] = [];
  if (header.pending) {
    warnings.push(warning("file_damaged", "The program that wrote the file did not finish it"));
  }
  const { table, complete, lost } = readDirectory(file, header);
  if (lost !== null) warnings.push(warning("file_damaged", lost));
  const refuse = (reason: string) => {
    throw new DecodeFailed(lost === null ? reason : `${reason}: ${lost}`);
  };
  if (table.subblocks.length === 0) refuse("it holds no subblocks, and so no image");
  const kept = selectFullResolution(table, stop);
  if (!complete && kept.some((i) => table.subblocks[i]!.pyramid !== 0 || table.subblocks[i]!.scaled)) {
    refuse("subblocks are lost, and it may hold only overviews");
  }
  const scenes = divideScenes(table, kept, stop);
  const metadata = readCziMetadata(file, header, warnings);
  return { file, header, table, scenes, complete, metadata, warnings };
}

/** Divides subblocks by scene. A subblock without `S` belongs to all scenes. */
function divideScenes(table: SubblockTable, kept: Int32Array, stop: StopFlag): SceneEntries[] {
  const groups = new Map<number, number[]>();
  for (const i of kept) {
    groups.getOrInsertComputed(table.start("S", i), () => []).push(i);
    if (groups.size > MAX_SCENES) throw new DecodeFailed(`it has more than ${MAX_SCENES} scenes`);
  }
  const shared = groups.size > 1 ? groups.get(NO_INDEX) ?? [] : [];
  if (groups.size > 1) groups.delete(NO_INDEX);
  if (shared.length * groups.size > MAX_SHARED) {
    throw new DecodeFailed(`${shared.length} subblocks belong to each of ${groups.size} scenes`);
  }
  stop.check();
  return [...groups].sort(([a], [b]) => a - b)
    .map(([s, own]) => ({ s, entries: Int32Array.from([...own, ...shared]).sort() }));
}

/**
 * Indices of the subblocks that are not overviews. Pyramid type and sizes decide together: some writers leave the type of
 * overviews at 0, and Airyscan images are stored with fewer samples.
 */
function selectFullResolution(table: SubblockTable, stop: StopFlag): Int32Array {
  const all = Int32Array.from({ length: table.subblocks.length }, (_, i) => i);
  const flat = all.filter((i) => table.subblocks[i]!.pyramid === 0);
  const kept = flat.length > 0 ? flat : all;
  const whole = kept.filter((i) => !table.subblocks[i]!.scaled);
  if (whole.length === 0 || whole.length === kept.length) return kept;
  const letters = table.letters.filter((letter) => !"XYMS".includes(letter));
  const key = (i: number) => letters.map((letter) => table.start(letter, i)).join(" ");
  const keys = new Set<string>();
  for (const i of whole) keys.add(key(i));
  stop.check();
  // A scaled subblock without an unscaled one at the same indices belongs to the image; it is not an overview.
  return kept.some((i) => table.subblocks[i]!.scaled && !keys.has(key(i))) ? kept : whole;
}
