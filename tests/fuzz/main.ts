/**
 * Fuzzes the readers and the routes.
 *
 * usage: deno task fuzz FORMAT [--seconds N] [--cases N] [--first N] [--seed N] [--corpus DIR]
 *
 * FORMAT is tiff, oir, zarr, zip, http or all. The inputs of findings are kept under the folder for temporary files.
 */
import { join } from "node:path";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { fuzz } from "./fuzz_process.ts";
import { fuzzHttp } from "./http_requests.ts";
import { FUZZED_FORMATS, type FuzzedFormat } from "./seeds.ts";

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "60" },
    cases: { type: "string", default: "1000000000" },
    first: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    corpus: { type: "string" },
  },
});
const [seconds, cases, first, seed] = [values.seconds, values.cases, values.first, values.seed].map(Number);
const named = positionals[0] ?? "all";
const wanted = named === "all" ? [...FUZZED_FORMATS, "http"] : [named];
if (!wanted.every((name) => name === "http" || FUZZED_FORMATS.includes(name as FuzzedFormat))) {
  console.error(`There is no format "${named}"; there are ${FUZZED_FORMATS.join(", ")}, http and all`);
  Deno.exit(2);
}
let found = 0;
for (const format of wanted) {
  const keep = join(tmpdir(), "acq_fuzz_findings");
  const totals = format === "http"
    ? await fuzzHttp({ seed: seed!, seconds: seconds!, cases: cases! })
    : await fuzz({
      format: format as FuzzedFormat,
      seed: seed!,
      first: first!,
      cases: cases!,
      seconds: seconds!,
      corpus: values.corpus ?? null,
      keep,
    });
  for (const { case: n, what } of totals.findings) console.log(`${format} case ${n}: ${what}`);
  const outcomes = Object.entries(totals.outcomes).map(([name, count]) => `${count} ${name}`).join(", ");
  console.log(
    `${format}: ${totals.cases} cases (${outcomes}) in ${
      totals.seconds.toFixed(0)
    } s from seed ${seed}, ${totals.findings.length} findings`,
  );
  if (totals.findings.length > 0) console.log(`  inputs in ${keep}`);
  found += totals.findings.length;
}
Deno.exit(found > 0 ? 1 : 0);
