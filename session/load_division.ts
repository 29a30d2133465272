/** How a load is divided into pieces for workers: by channels and by rows that are compressed apart from one another. */
import type { Division, RowRange } from "../readers/reader.ts";

/** Smaller loads are done before another worker has read the metadata once more. */
const MIN_DIVIDED_BYTES = 16 << 20;

/** Some rows of some channels. */
export interface Piece {
  /** Channel indices. */
  readonly channels: readonly number[];
  /** All rows, or those between two cuts. */
  readonly rows: RowRange;
}

/** Whole planes, as far as it matters for their division. */
export interface DividedPlanes {
  /** Channel indices. */
  readonly channels: readonly number[];
  /** Rows of each plane. */
  readonly rows: number;
  /** Bytes of all planes. */
  readonly bytes: number;
  /** How they can be divided; `null` where it does not pay. */
  readonly division: Division | null;
}

/** How many pieces there can be, 1 at least. */
export function mostPieces(plan: DividedPlanes): number {
  if (plan.division === null || plan.bytes < MIN_DIVIDED_BYTES) return 1;
  return groupsOf(plan).length * bandsOf(plan);
}

/**
 * Pieces of a load, each of one part or several. Of all rows of the first channels, then of the next ones, and so on, each piece
 * has as many as another, but for what is compressed together; so pieces that are taken in turn read the files in their order.
 *
 * @param count of pieces, at most {@linkcode mostPieces}
 */
export function divideLoad(plan: DividedPlanes, count: number): Piece[][] {
  const { channels, rows, division } = plan;
  if (division === null || count === 1) return [[{ channels, rows: { start: 0, end: rows } }]];
  const [groups, bands] = [groupsOf(plan), bandsOf(plan)];
  const cut = (share: number) => Math.floor(share * groups.length * bands / count);
  return Array.from({ length: count }, (_, share) =>
    groups.flatMap((channels, group): Piece[] => {
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
function groupsOf({ channels, division }: DividedPlanes): number[][] {
  const groups = new Map<number, number[]>();
  for (const channel of channels) {
    const together = Math.floor(channel / (division?.channels ?? Infinity));
    groups.getOrInsertComputed(together, () => []).push(channel);
  }
  return [...groups.values()];
}

const bandsOf = ({ rows, division }: DividedPlanes) => Math.ceil(rows / (division?.rows ?? rows));
