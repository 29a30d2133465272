/**
 * Judges how a server did on sample files:
 * `deno run --allow-read .ci/judge_samples.ts RESULT CHECKS EXPECTED_FAILURES`. RESULT is the JSON of a comparison: `bad` lists each
 * shortfall as `[file, kind, text]`, `rows` counts per folder under `KIND ok` and `KIND bad`. CHECKS has a line
 * `ok   FAULT FILE` or `FAIL FAULT FILE TEXT` for each further check. EXPECTED_FAILURES has a line `FILE KIND` or `FILE FAULT` for
 * each shortfall that is known; one that no longer occurs is a failure too. The last line is `N passed, N failed`.
 */

/** What is read of a comparison. */
export interface Comparison {
  readonly bad: readonly (readonly [file: string, kind: string, text: string])[];
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Counts and the lines that explain them; known shortfalls count neither way. */
export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  readonly lines: readonly string[];
}

/** Compares shortfalls with the known ones; in their text, a line that starts with `#` is a comment. */
export function judge({ bad, rows }: Comparison, known: string): Verdict {
  const entries = known.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const expected = new Set(entries);
  const found = new Set(bad.map(([file, kind]) => `${file} ${kind}`));
  const unexpected = bad.filter(([file, kind]) => !expected.has(`${file} ${kind}`));
  const passing = entries.filter((entry) => !found.has(entry));
  const counts = Object.values(rows).flatMap((row) => Object.entries(row));
  const passed = counts.filter(([name]) => name.endsWith(" ok")).reduce((sum, [, count]) => sum + count, 0);
  return {
    // A comparison of nothing is not a success.
    passed,
    failed: unexpected.length + passing.length + (passed === 0 ? 1 : 0),
    lines: [
      ...unexpected.map(([file, kind, text]) => `FAIL ${file} [${kind}] ${text}`),
      ...passing.map((entry) => `FAIL ${entry} passes: remove it from the expected failures`),
      ...(passed === 0 ? ["FAIL nothing was compared"] : []),
      `${bad.length - unexpected.length} expected failures`,
    ],
  };
}

/** Adds the lines of the further checks to a comparison, each as a shortfall or a success of its fault. */
export function withChecks({ bad, rows }: Comparison, checks: string): Comparison {
  const results = [...checks.matchAll(/^(ok {2}|FAIL) (\S+) (\S+) ?(.*)$/gm)];
  const failures = results.filter(([, verdict]) => verdict === "FAIL");
  return {
    bad: [...bad, ...failures.map(([, , fault, file, text]) => [file!, fault!, text!] as const)],
    rows: { ...rows, checks: { "check ok": results.length - failures.length, "check bad": failures.length } },
  };
}

if (import.meta.main) {
  const [result, checks, known] = Deno.args.map((path) => Deno.readTextFileSync(path)) as [
    string,
    string,
    string,
  ];
  const { passed, failed, lines } = judge(withChecks(JSON.parse(result), checks), known);
  for (const line of lines) console.log(line);
  console.log(`${passed} passed, ${failed} failed`);
  Deno.exit(failed === 0 ? 0 : 1);
}
