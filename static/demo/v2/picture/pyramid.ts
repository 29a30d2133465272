/**
 * Smaller copies of a plane, in which each entry stands for a block of samples: with them, reducing a view of millions
 * of samples to the screen takes the time of thousands. The last block of an axis may hold fewer samples and counts
 * like the others. Rows and columns shrink separately, since a line scan of 30,000 lines may have 24 columns.
 */
import { askWorker } from "../controls/worker.ts";
import { type Blocks, type PixelStatistic, reduceBlocks } from "./reduction.ts";

/** A plane or a smaller copy; an entry stands for `rowBlock` times `columnBlock` samples. */
export type Level = Blocks & { rowBlock: number; columnBlock: number };

/** Each copy has a quarter of the entries along an axis; all copies together are smaller than the plane. */
const STEP = 4;

/** Fewest entries of a copy along an axis: a pixel must hold several entries, and a picture has more than half as many pixels. */
const SHORTEST = 128;

/** The plane itself. */
export const makeWholeLevel = (samples: Float32Array, rows: number, columns: number): Level => ({
  samples,
  rows,
  columns,
  rowBlock: 1,
  columnBlock: 1,
});

/** Builds all copies of a plane. NaN and infinities do not count. */
export function buildPyramid(plane: Level, statistic: PixelStatistic): Level[] {
  const levels: Level[] = [];
  for (let base = plane as Level | null; base; base = reduceLevel(base, "rows", statistic)) {
    for (let next = base as Level | null; next; next = reduceLevel(next, "columns", statistic)) {
      levels.push(next);
    }
  }
  return levels.slice(1);
}

/** Largest block that leaves enough entries per pixel. */
export function chooseBlock(samplesAPixel: number, entriesAPixel: number): number {
  let block = 1;
  while (block * STEP * entriesAPixel <= samplesAPixel) block *= STEP;
  return block;
}

/**
 * Chooses the smallest level that is fine enough.
 *
 * @param levels with the plane itself
 * @param perPixel samples
 * @param entriesAPixel least number along each axis
 */
export function chooseLevel(
  levels: readonly Level[],
  perPixel: { rows: number; columns: number },
  entriesAPixel: number,
): Level {
  const most = chooseBlock(perPixel.rows, entriesAPixel);
  const widest = chooseBlock(perPixel.columns, entriesAPixel);
  const fine = levels.filter(({ rowBlock, columnBlock }) => rowBlock <= most && columnBlock <= widest);
  return fine.reduce((best, level) => level.samples.length < best.samples.length ? level : best);
}

function reduceLevel(level: Level, axis: "rows" | "columns", statistic: PixelStatistic): Level | null {
  if (Math.ceil(level[axis] / STEP) < SHORTEST) return null;
  const every = (length: number, step: number) =>
    Uint32Array.from({ length: Math.ceil(length / step) + 1 }, (_, i) => Math.min(length, i * step));
  const [rowStep, columnStep] = axis === "rows" ? [STEP, 1] : [1, STEP];
  const [rows, columns] = [every(level.rows, rowStep), every(level.columns, columnStep)];
  return {
    samples: reduceBlocks(level, rows, columns, statistic),
    rows: rows.length - 1,
    columns: columns.length - 1,
    rowBlock: level.rowBlock * rowStep,
    columnBlock: level.columnBlock * columnStep,
    isFinite: level.isFinite === true,
  };
}

let worker: Worker | null = null;
let last: Promise<Level[]> = Promise.resolve([]);

/**
 * Builds pyramids in a worker, one after the other, from copies of the samples; empty if workers are unavailable. A plane
 * without a pyramid is reduced sample by sample, which shows the same and takes longer.
 */
export function requestPyramid(plane: Level, statistic: PixelStatistic): Promise<Level[]> {
  last = last.then(() => {
    worker ??= new Worker(new URL("pyramid_worker.ts", import.meta.url), { type: "module" });
    return askWorker<Level[]>(worker, { plane, statistic });
  }).catch(() => {
    worker?.terminate();
    worker = null;
    return [];
  });
  return last;
}
