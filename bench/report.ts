/** Rows of a benchmark and how they are printed. Numbers are compared within one run, as ratios. */

/** A measured time or amount of memory. */
export interface BenchRow {
  /** Heading, such as `codecs, one thread`. */
  readonly group: string;
  /** What was measured. */
  readonly name: string;
  /** The least of several rounds, unless the name says otherwise. */
  readonly milliseconds?: number;
  /** Resident memory. */
  readonly mebibytes?: number;
  /** Source files in which a function ran, all their lines, and the lines that ran. */
  readonly reach?: { readonly files: number; readonly lines: number; readonly ran: number };
  /** Ratios to other work in the same run, such as `{ "to tifffile": 1.4 }`; NaN where the other work could not run. */
  readonly ratios?: Readonly<Record<string, number>>;
}

function valueOf({ milliseconds, mebibytes = NaN, reach }: BenchRow): string {
  if (reach) return `${reach.files} files, ${reach.lines} lines, ${reach.ran} ran`;
  if (milliseconds === undefined) return `${mebibytes.toFixed(0)} MiB`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : 1)} ms`;
}

/** Prints rows as an aligned table, with a heading for each group. */
export function printRows(rows: readonly BenchRow[]): void {
  let group = "";
  for (const row of rows) {
    if (row.group !== group) console.log(`\n${(group = row.group)}`);
    const ratios = Object.entries(row.ratios ?? {})
      .filter(([, ratio]) => !Number.isNaN(ratio))
      .map(([name, ratio]) => `${ratio.toFixed(2)} ${name}`);
    console.log(`  ${row.name.padEnd(68)} ${valueOf(row).padStart(10)}   ${ratios.join(", ")}`.trimEnd());
  }
}
