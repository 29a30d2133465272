/**
 * Compares each sample file with its archive: `deno run -A .ci/round_trip.ts SAMPLES [NAME...]`. SAMPLES holds `expected.json`; NAMEs
 * select files by a part of their path. Prints a line `ok   round-trip FILE` or `FAIL round-trip FILE TEXT` for each file, as
 * `judge_samples.ts` reads them.
 */
import { join } from "node:path";
import { sessionsOfShell } from "../cli/shell.ts";
import { roundTrip } from "../tests/round_trip.ts";

const [samples, ...names] = Deno.args as [string, ...string[]];
const entries: { file: string; expect_error?: unknown }[] = JSON.parse(
  Deno.readTextFileSync(join(samples, "expected.json")),
);
const sessions = sessionsOfShell();
const folder = Deno.makeTempDirSync();
let failed = 0;
for (const { file, expect_error: refused } of entries) {
  if (refused !== undefined || names.length > 0 && !names.some((name) => file.includes(name))) continue;
  const found = await roundTrip(sessions, join(samples, file), folder).catch((error) => [String(error)]);
  failed += found.length > 0 ? 1 : 0;
  console.log(found.length === 0 ? `ok   round-trip ${file}` : `FAIL round-trip ${file} ${found.join("; ")}`);
}
Deno.removeSync(folder, { recursive: true });
Deno.exit(failed > 0 ? 1 : 0);
