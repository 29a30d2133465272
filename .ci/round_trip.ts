/**
 * Compares each sample file with its archive: `deno run -A .ci/round_trip.ts SAMPLES [NAME...]`. SAMPLES holds `expected.json`; NAMEs
 * select files by a part of their path. Prints a line `ok   round-trip FILE` or `FAIL round-trip FILE TEXT` for each file that opens,
 * as `judge_samples.ts` reads them. Files of one recording are measured once.
 */
import { join, resolve } from "node:path";
import { makeOpenOrder, openShellSessions } from "../cli/shell.ts";
import { roundTrip } from "../tests/round_trip.ts";

const [samples, ...names] = Deno.args as [string, ...string[]];
const entries: { file: string; expect_error?: unknown }[] = JSON.parse(
  Deno.readTextFileSync(join(samples, "expected.json")),
);
const sessions = openShellSessions();
const folder = Deno.makeTempDirSync();
/** Fingerprints of the recordings that were measured. */
const measured = new Set<string | null>();
let failed = 0;
for (const { file, expect_error: refused } of entries) {
  if (refused !== undefined || names.length > 0 && !names.some((name) => file.includes(name))) continue;
  const path = resolve(samples, file);
  const fingerprint = await sessions.opener.describe(
    makeOpenOrder({ path, scene: null, channelIndices: null }),
  )
    .then(({ summary }) => summary.fingerprint, () => undefined);
  // The comparison of planes says why a file does not open.
  if (fingerprint === undefined) continue;
  const measures = !measured.has(fingerprint);
  measured.add(fingerprint);
  const found = await roundTrip(sessions, path, folder, measures).catch((error) => [String(error)]);
  failed += found.length > 0 ? 1 : 0;
  console.log(found.length === 0 ? `ok   round-trip ${file}` : `FAIL round-trip ${file} ${found.join("; ")}`);
}
Deno.removeSync(folder, { recursive: true });
Deno.exit(failed > 0 ? 1 : 0);
