/** The plan for some samples of one plane: strips and tiles checked against the file, and how to decode them. */
import type { Codec } from "../codecs/segment.ts";
import { DecodeFailed } from "../errors.ts";
import { NO_WORKING_MEMORY, type RowRange, type WorkingMemory } from "../reader.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { scratchBytes } from "../io/scratch.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type PageLayout, UNCOMPRESSED } from "./page.ts";
import type { Wanted } from "./samples.ts";
import { placeRows, reverseBits, withoutPredictor } from "./segment_rows.ts";
import { SegmentTable } from "./segment_table.ts";
import type { PlaneSource } from "./stack.ts";
import { TAG, tagName } from "./tags.ts";

/** A wanted sample of a plane and the float32 plane that it fills. */
export interface WantedSample {
  /** Index among the samples of a pixel. */
  readonly sample: number;
  /** Index of the float32 plane. */
  readonly target: number;
}

/** How the wanted samples of one source are decoded. */
export interface SourcePlan {
  /** Whether strips or tiles are compressed. */
  readonly compressed: boolean;
  /** Memory of the codec. */
  readonly working: WorkingMemory;
  /** Fills the wanted planes. @throws {DecodeFailed | Stopped} */
  decode(planes: readonly Float32Array[]): Promise<void>;
}

/**
 * Checks every strip or tile of the wanted samples and rows.
 *
 * @param rows that fill the planes; all by default
 * @throws {DecodeFailed} one lies outside the file, or is too short for what it declares
 */
export async function planSource(
  source: PlaneSource,
  wanted: readonly WantedSample[],
  stop: StopFlag,
  rows?: RowRange,
): Promise<SourcePlan> {
  const { page, run } = source;
  const targets = (planes: readonly Float32Array[]): Wanted[] =>
    wanted.map(({ sample, target }) => ({ sample, plane: planes[target]! }));
  if (page.compression === UNCOMPRESSED) {
    const table = new SegmentTable(source, null, rows);
    table.check(wanted, null);
    return {
      compressed: false,
      working: NO_WORKING_MEMORY,
      decode: (planes) => Promise.resolve(readRaw(table, targets(planes), stop)),
    };
  }
  if (run !== null) {
    throw new DecodeFailed(
      `${tagName(TAG.Compression)} is ${page.compression} in a run of planes with one directory`,
    );
  }
  const { codecOf, CompressedSegments } = await import("./compressed_segments.ts");
  const codec = source.strips?.codec ?? await codecOf(page.compression);
  requireWidths(page, codec);
  const table = new SegmentTable(source, codec, rows);
  table.check(wanted, codec);
  const segments = new CompressedSegments(table, codec);
  const bytes = codec.workingBytes(segments.largest(wanted));
  return {
    compressed: true,
    working: { bytes, endsWithWorker: codec.endsWithWorker ?? false },
    decode: (planes) => segments.decode(targets(planes), stop),
  };
}

/** @throws {DecodeFailed} the codec gives samples of one width, and those of the page differ */
function requireWidths({ bits }: PageLayout, codec: Codec): void {
  if (!codec.image || bits.every((width) => width === bits[0] && width !== 1)) return;
  throw new DecodeFailed(
    `${tagName(TAG.BitsPerSample)} is ${bits.join(", ")}; samples of ${codec.title} have one width above 1`,
  );
}

/**
 * Reads uncompressed strips and tiles a few rows at a time through one buffer, so that no plane is held twice.
 *
 * @throws {DecodeFailed} the predictor is unknown
 * @throws {Stopped}
 */
function readRaw(table: SegmentTable, wanted: readonly Wanted[], stop: StopFlag): void {
  const { tiff, page } = table;
  for (const { index, rows } of adjoining(table, table.holding(wanted))) {
    const row = table.rowBytes(index);
    const bits = table.bits(index);
    const { start, end } = table.wantedRows(index, rows);
    const atOnce = Math.max(1, Math.min(end - start, Math.floor(MAX_READ_STEP / row)));
    for (let first = start; first < end; first += atOnce) {
      stop.check();
      const count = Math.min(atOnce, end - first);
      const offset = table.offset(index) + first * row;
      const bytes = scratchBytes(count * row);
      tiff.file.readInto(offset, bytes, table.name(index));
      if (page.reversedBits) reverseBits(bytes);
      const { littleEndian } = tiff.encoding;
      placeRows(table, withoutPredictor(table, { index, first, count, bytes, bits, littleEndian }), wanted);
    }
  }
}

/** Joins strips that follow each other in the file and in the plane: line scans have thousands of small ones. */
function* adjoining(
  table: SegmentTable,
  segments: Iterable<number>,
): Generator<{ readonly index: number; readonly rows: number }> {
  const { page } = table;
  let run: { index: number; rows: number; last: number } | null = null;
  for (const index of segments) {
    const rows = table.rows(index);
    const end = run && table.offset(run.index) + run.rows * table.rowBytes(run.index);
    const goesOn = run && !page.tiled && index === run.last + 1 && index % page.down !== 0 &&
      table.offset(index) === end;
    if (run && goesOn) run = { index: run.index, rows: run.rows + rows, last: index };
    else {
      if (run) yield run;
      run = { index, rows, last: index };
    }
  }
  if (run) yield run;
}
