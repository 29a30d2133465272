/** Divides a load among workers, by channels and by rows that are compressed separately. */
import type { Division, RowRange } from "../readers/reader.ts";

/** A smaller load is done before another worker has read the metadata. */
const MIN_DIVIDED_BYTES = 16 << 20;

/** Some rows of some channels. */
export interface Piece {
  /** Channel indices. */
  readonly channels: readonly number[];
  /** All rows, or those between two cuts. */
  readonly rows: RowRange;
}

/** Whole planes that may be divided. */
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

/** The largest useful number of workers, at least 1. */
export function mostShares(planes: DividedPlanes): number {
  if (planes.division === null || planes.bytes < MIN_DIVIDED_BYTES) return 1;
  return groupsOf(planes).length * bandsOf(planes);
}

/**
 * Equal shares of a load, as far as the compression allows. They go through the rows of the first channels, then through those of
 * the next ones, so that workers read the file in its order.
 *
 * @param count of shares, at most {@linkcode mostShares}
 */
export function divideLoad(planes: DividedPlanes, count: number): Piece[][] {
  const { channels, rows, division } = planes;
  if (division === null || count === 1) return [[{ channels, rows: { start: 0, end: rows } }]];
  const [groups, bands] = [groupsOf(planes), bandsOf(planes)];
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

/** Channels that are compressed together, in their order. */
function groupsOf({ channels, division }: DividedPlanes): number[][] {
  return [
    ...Map.groupBy(channels, (channel) => Math.floor(channel / (division?.channels ?? Infinity))).values(),
  ];
}

const bandsOf = ({ rows, division }: DividedPlanes) => Math.ceil(rows / (division?.rows ?? rows));
