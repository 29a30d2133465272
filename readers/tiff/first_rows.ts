/** A line scan that was interrupted: its planes may have more rows in one file than in another. */
import type { Acquisition } from "../reader.ts";

/** The same acquisition, of whose planes only the first rows are read. */
export function withFirstRows(acquisition: Acquisition, rows: number): Acquisition {
  return {
    ...acquisition,
    plan: (channels, position, wanted) =>
      acquisition.plan(channels, position, wanted ?? { start: 0, end: rows }),
  };
}
