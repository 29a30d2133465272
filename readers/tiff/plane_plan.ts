/** The plan for some channels of a stack: checks strips and tiles against the file, and decodes them. */
import { DecodeFailed } from "../errors.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { scratchBytes } from "../samples/to_float32.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import {
  largerMemory,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type Position,
  type RowRange,
  servedLines,
  type WorkingMemory,
} from "../reader.ts";
import { UNCOMPRESSED } from "./page.ts";
import { placeRows, reverseBits, type Wanted, withoutPredictor } from "./samples.ts";
import { SegmentTable } from "./segment_table.ts";
import type { PlaneSource, Stack } from "./stack.ts";
import { TAG, tagName } from "./tags.ts";
import { namedError } from "./tiff_file.ts";

interface WantedSample {
  readonly sample: number;
  readonly target: number;
}

interface SourcePlan {
  readonly compressed: boolean;
  readonly working: WorkingMemory;
  decode(planes: readonly Float32Array[]): Promise<void>;
}

/**
 * Plans planes by channel index.
 *
 * @throws {DecodeFailed} a strip or tile lies outside the file, or is too short for its declared size
 * @throws {PlaneNotFound} a plane is not stored
 */
export async function planPlanes(
  stack: Stack,
  wanted: readonly number[],
  { position, rows }: { readonly position: Position; readonly rows: RowRange | undefined },
  stop: StopFlag,
): Promise<PlanePlan> {
  const { layout: { samples, width, height, planar, segmentHeight }, plannedLines } = stack;
  const samplesWanted = wanted.map((index, target): WantedSample => ({ sample: index % samples, target }));
  const byChannel = Map.groupBy(samplesWanted, ({ target }) => Math.floor(wanted[target]! / samples));
  const sources = [...byChannel].map(([channel, list]) => ({
    source: stack.plane({ ...position, channel }),
    list,
  }));
  const lines = plannedLines === undefined
    ? null
    : servedLines(sources.map(({ source }) => source.page.height), plannedLines, rows);
  const filled = lines?.filled ?? rows;
  const plans: SourcePlan[] = [];
  for (const { source, list } of sources) {
    const fail = (error: unknown) => {
      throw source.name === undefined ? error : namedError(source.name, error);
    };
    const plan = await planSource(source, list, stop, filled).catch(fail);
    plans.push({ ...plan, decode: (planes) => plan.decode(planes).catch(fail) });
  }
  return {
    rows: lines?.rows ?? height,
    columns: width,
    ...filled && { filled },
    warnings: lines?.warnings ?? [],
    working: plans.map(({ working }) => working).reduce(largerMemory),
    overwrites: plans.every(({ compressed }) => !compressed),
    division: plans.some(({ compressed }) => compressed) && (lines?.rows ?? height) === height
      ? { channels: planar ? 1 : samples, rows: segmentHeight }
      : undefined,
    decode: async (planes) => {
      for (const plan of plans) await plan.decode(planes);
    },
  };
}

/** Checks every strip or tile with wanted samples and rows. @throws {DecodeFailed} as `planPlanes` */
async function planSource(
  source: PlaneSource,
  wanted: readonly WantedSample[],
  stop: StopFlag,
  rows?: RowRange,
): Promise<SourcePlan> {
  const { page } = source;
  const targets = (planes: readonly Float32Array[]): Wanted[] =>
    wanted.map(({ sample, target }) => ({ sample, plane: planes[target]! }));
  if (page.compression === UNCOMPRESSED) {
    const table = new SegmentTable(source, null, rows);
    table.check(wanted, null);
    return {
      compressed: false,
      working: NO_WORKING_MEMORY,
      decode: (planes) => Promise.try(() => readRaw(table, targets(planes), stop)),
    };
  }
  const { codecOf, CompressedSegments } = await import("./compressed_segments.ts");
  const codec = source.strips?.codec ?? await codecOf(page.compression);
  const { bits } = page;
  if (codec.image && bits.some((width) => width !== bits[0] || width === 1)) {
    throw new DecodeFailed(
      `${tagName(TAG.BitsPerSample)} is ${bits.join(", ")}; samples of ${codec.title} have one width above 1`,
    );
  }
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

/** Joins strips that are adjacent in the file and in the plane: line scans have thousands of small strips. */
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
