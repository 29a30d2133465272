/** Rows of planes that are decoded alone, against those of the whole plane. */
import { deepEqual, equal } from "node:assert/strict";
import { type Acquisition, FIRST_POSITION, type Position, type RowRange } from "../readers/reader.ts";

/** Decodes all channels at a position, or some rows of them. */
async function decode(acquisition: Acquisition, position: Position, rows?: RowRange) {
  const wanted = acquisition.channels.map(({ index }) => index);
  const plan = await acquisition.plan(wanted, position, rows);
  const filled = plan.filled ?? { start: 0, end: plan.rows };
  const planes = wanted.map(() => new Float32Array((filled.end - filled.start) * plan.columns));
  await plan.decode(planes);
  return { planes, filled, plan };
}

/** Checks that each of these ranges, which the reader fills exactly, has the samples of the whole plane. */
export async function checkRows(
  acquisition: Acquisition,
  ranges: readonly RowRange[],
  position: Position = FIRST_POSITION,
): Promise<void> {
  const whole = await decode(acquisition, position);
  const { rows, columns } = whole.plan;
  for (const range of ranges) {
    const part = await decode(acquisition, position, range);
    deepEqual(part.filled, range);
    deepEqual([part.plan.rows, part.plan.columns], [rows, columns]);
    for (const [i, plane] of part.planes.entries()) {
      const expected = whole.planes[i]!.subarray(range.start * columns, range.end * columns);
      equal(plane.length, expected.length);
      // Two typed arrays with a NaN count as different.
      equal(plane.findIndex((sample, at) => !Object.is(sample, expected[at])), -1, JSON.stringify(range));
    }
  }
}

/** Ranges of a plane of so many rows: one row at each end, halves, all but the ends, all. */
export function someRanges(rows: number): RowRange[] {
  const half = Math.floor(rows / 2);
  return [[0, 1], [rows - 1, rows], [0, half], [half, rows], [1, rows - 1], [half, half + 1], [0, rows]]
    .map(([start, end]) => ({ start: start!, end: end! }))
    .filter(({ start, end }) => start >= 0 && start < end);
}
