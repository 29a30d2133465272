/** How a load is divided into pieces for workers: by channels and by rows that are compressed apart from one another. */
import type { LoadPart, LoadPlan } from "../readers/load.ts";

/** Smaller loads are done before another worker has read the metadata once more. */
const MIN_DIVIDED_BYTES = 16 << 20;

/** The plan of a load, as far as it tells how it can be divided. */
export type DividedPlan = Pick<LoadPlan, "channels" | "rows" | "bytes" | "division">;

/** How many pieces there can be, 1 at least. */
export function mostPieces(plan: DividedPlan): number {
  if (plan.division === null || plan.bytes < MIN_DIVIDED_BYTES) return 1;
  return groupsOf(plan).length * bandsOf(plan);
}

/**
 * Pieces of a load, each of one part or several. Of all rows of the first channels, then of the next ones, and so on, each piece
 * has as many as another, but for what is compressed together; so pieces that are taken in turn read the files in their order.
 *
 * @param count of pieces, at most {@linkcode mostPieces}
 */
export function divideLoad(plan: DividedPlan, count: number): LoadPart[][] {
  const { channels, rows, division } = plan;
  if (division === null || count === 1) return [[{ channels, rows: { start: 0, end: rows } }]];
  const [groups, bands] = [groupsOf(plan), bandsOf(plan)];
  const cut = (share: number) => Math.floor(share * groups.length * bands / count);
  return Array.from({ length: count }, (_, share) =>
    groups.flatMap((channels, group): LoadPart[] => {
      const first = Math.max(cut(share) - group * bands, 0);
      const end = Math.min(cut(share + 1) - group * bands, bands);
      if (first >= end) return [];
      return [{
        channels,
        rows: { start: first * division.rows, end: Math.min(end * division.rows, rows) },
      }];
    }));
}

/** Channels that are compressed together, in the order in which they were asked for. */
function groupsOf({ channels, division }: DividedPlan): number[][] {
  const groups = new Map<number, number[]>();
  for (const channel of channels) {
    const together = Math.floor(channel / (division?.channels ?? Infinity));
    groups.getOrInsertComputed(together, () => []).push(channel);
  }
  return [...groups.values()];
}

const bandsOf = ({ rows, division }: DividedPlan) => Math.ceil(rows / (division?.rows ?? rows));
