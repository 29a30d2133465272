/** Uncompressed strips and tiles. */
import { MAX_READ_STEP } from "../io/limits.ts";
import { scratchBytes } from "../io/scratch.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { Wanted } from "./samples.ts";
import { placeRows, reverseBits, withoutPredictor } from "./segment_rows.ts";
import type { SegmentTable } from "./segment_table.ts";

/**
 * Reads a few rows at a time through one buffer, so that no plane is held twice.
 *
 * @throws {DecodeFailed} the predictor is unknown
 * @throws {Stopped}
 */
export function readRaw(table: SegmentTable, wanted: readonly Wanted[], stop: StopFlag): void {
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

/** Strips that follow each other in the file and in the plane are read as one: line scans have thousands of small ones. */
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
