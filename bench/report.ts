/** Rows of a benchmark and how they are printed. Numbers are compared within one run, as ratios. */

/** One measured thing: a time, or memory. */
export interface BenchRow {
  /** Group, such as `tiff codecs`. */
  readonly group: string;
  /** What was measured. */
  readonly name: string;
  /** Best of several rounds, where the name says nothing else. */
  readonly milliseconds?: number;
  /** Resident memory. */
  readonly mebibytes?: number;
  /** Ratios to other work in the same run: `{ "to copy": 1.4 }`. */
  readonly ratios: Readonly<Record<string, number>>;
}

/** Runs `work` once to warm up and then `rounds` times; the best time in milliseconds. */
export async function best(rounds: number, work: () => unknown): Promise<number> {
  await work();
  let shortest = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await work();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}

/** Prints rows as an aligned table, a heading per group. */
export function printRows(rows: readonly BenchRow[]): void {
  let group = "";
  for (const row of rows) {
    if (row.group !== group) console.log(`\n${(group = row.group)}`);
    const value = row.milliseconds === undefined
      ? `${row.mebibytes!.toFixed(0)} MiB`
      : `${row.milliseconds.toFixed(row.milliseconds < 10 ? 2 : 1)} ms`;
    const ratios = Object.entries(row.ratios).map(([name, ratio]) => `${ratio.toFixed(2)} ${name}`).join(
      ", ",
    );
    console.log(`  ${row.name.padEnd(56)} ${value.padStart(12)}   ${ratios}`);
  }
}
