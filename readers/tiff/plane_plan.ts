/** The plan for some channels of a stack: checks strips and tiles against the file, and decodes them. */
import { MAX_READ_STEP } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { largerMemory, NO_WORKING_MEMORY, servedLines } from "../reader.ts";
import type { PlanePlan, Position, RowRange } from "../reader.ts";
import { scratchBytes } from "../samples/to_float32.ts";
import { UNCOMPRESSED } from "./page.ts";
import { placeRows, reverseBits, withoutPredictor } from "./samples.ts";
import { SegmentTable, type WantedSample } from "./segment_table.ts";
import type { PlaneSource, Stack } from "./stack.ts";
import { namedError } from "./tiff_file.ts";

/** Plans planes by channel index. @throws {PlaneNotFound | DecodeFailed} a plane is not stored; its strips do not fit the file */
export async function planPlanes(
  stack: Stack,
  wanted: readonly number[],
  position: Position,
  rows: RowRange | undefined,
  stop: StopFlag,
): Promise<PlanePlan> {
  const { layout: { samples, width, height, planar, segmentHeight }, plannedLines } = stack;
  const all = wanted.map((index, target): WantedSample => ({ sample: index % samples, target }));
  const byChannel = Map.groupBy(all, ({ target }) => Math.floor(wanted[target]! / samples));
  const sources = [...byChannel].map(([channel, list]) => ({
    source: stack.plane({ ...position, channel }),
    list,
  }));
  const lines = plannedLines === undefined
    ? null
    : servedLines(sources.map(({ source }) => source.page.height), plannedLines, rows);
  const filled = lines?.filled ?? rows;
  const plans: Awaited<ReturnType<typeof planSource>>[] = [];
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
): Promise<Required<Pick<PlanePlan, "working" | "decode">> & { readonly compressed: boolean }> {
  const { compression } = source.page;
  if (compression === UNCOMPRESSED) {
    const table = new SegmentTable(source, wanted, null, rows);
    return {
      compressed: false,
      working: NO_WORKING_MEMORY,
      decode: (planes) => Promise.try(() => readRaw(table, planes, stop)),
    };
  }
  const { codecOf, compressedPlan } = await import("./compressed_segments.ts");
  const codec = source.strips?.codec ?? await codecOf(compression);
  const table = new SegmentTable(source, wanted, codec, rows);
  return { compressed: true, ...compressedPlan(table, codec, stop) };
}

/** Reads uncompressed strips and tiles a few rows at a time through one buffer, so that no plane is held twice. */
function readRaw(table: SegmentTable, planes: readonly Float32Array[], stop: StopFlag): void {
  const { tiff, page } = table;
  const { littleEndian } = tiff.encoding;
  for (const { index, rows } of adjoining(table)) {
    const row = table.rowBytes(index);
    const bits = table.bits(index);
    const { start, end } = table.wantedRows(index, rows);
    const atOnce = Math.max(1, Math.min(end - start, Math.floor(MAX_READ_STEP / row)));
    for (let first = start; first < end; first += atOnce) {
      stop.check();
      const count = Math.min(atOnce, end - first);
      const bytes = scratchBytes(count * row);
      tiff.file.readInto(table.offset(index) + first * row, bytes, table.name(index));
      if (page.reversedBits) reverseBits(bytes);
      placeRows(table, withoutPredictor(page, { index, first, count, bytes, bits, littleEndian }), planes);
    }
  }
}

/** Joins strips that are adjacent in the file and in the plane: line scans have thousands of small strips. */
function* adjoining(table: SegmentTable): Generator<{ readonly index: number; readonly rows: number }> {
  const { tiled, down } = table.page;
  let run: { index: number; rows: number; last: number } | null = null;
  for (const index of table.holding()) {
    const rows = table.rows(index);
    const end = run && table.offset(run.index) + run.rows * table.rowBytes(run.index);
    const follows = !tiled && index % down !== 0 && table.offset(index) === end;
    if (run && index === run.last + 1 && follows) {
      run = { index: run.index, rows: run.rows + rows, last: index };
    } else {
      if (run) yield run;
      run = { index, rows, last: index };
    }
  }
  if (run) yield run;
}
