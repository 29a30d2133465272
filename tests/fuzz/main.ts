/**
 * Fuzzes the readers and the routes.
 *
 * usage: deno task stress fuzz FORMAT [--seconds N] [--cases N] [--first N] [--seed N] [--corpus DIR] [--peer] [--python PROGRAM]
 *
 * FORMAT is tiff, lsm, oir, czi, nd2, lif, oif, prairie, hdf5, zarr, zip, http or all. The inputs of findings are kept under the folder for temporary files.
 *
 * With --peer an independent reader, `peer_FORMAT.py`, reads each case too. It is a finding when ours serves other samples
 * than those of the undamaged file, without a warning, while the peer serves the original ones or refuses; where both
 * serve other samples and they differ, the case is listed as a difference. --python names a Python that has the packages.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { fuzz, type FuzzTotals } from "./fuzz_process.ts";
import { fuzzHttp, type HttpTotals } from "./http_requests.ts";
import { peerScript } from "./peer.ts";
import { FUZZED_FORMATS, type FuzzedFormat } from "./seeds.ts";

function say(format: string, seed: number, totals: FuzzTotals | HttpTotals): void {
  for (const { case: n, what } of totals.findings) console.log(`${format} case ${n}: ${what}`);
  const outcomes = Object.entries(totals.outcomes).map(([name, count]) => `${count} ${name}`).join(", ");
  const took = `${totals.seconds.toFixed(0)} s from seed ${seed}`;
  console.log(
    `${format}: ${totals.cases} cases (${outcomes}) in ${took}, ${totals.findings.length} findings`,
  );
}

function sayCompared(format: string, { compared, differences, unjudged }: FuzzTotals): void {
  for (const reason of unjudged) console.log(`${format} not judged: ${reason}`);
  for (const { case: n, what } of differences) console.log(`${format} case ${n} differs: ${what}`);
  console.log(`${format}: ours / the peer; ${differences.length} differences`);
  const rows = Object.entries(compared).sort(([, a], [, b]) => b - a);
  for (const [outcome, count] of rows) console.log(`  ${String(count).padStart(7)} ${outcome}`);
}

/** Fuzzes as the arguments say, and ends the process. */
export async function fuzzFromShell(args: readonly string[]): Promise<never> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seconds: { type: "string", default: "60" },
      cases: { type: "string", default: "1000000000" },
      first: { type: "string", default: "0" },
      seed: { type: "string", default: "1" },
      corpus: { type: "string" },
      peer: { type: "boolean", default: false },
      python: { type: "string", default: "python3" },
    },
  });
  const [seconds, cases, first, seed] = [values.seconds, values.cases, values.first, values.seed].map(Number);
  const named = positionals[0] ?? "all";
  const wanted = named === "all" ? [...FUZZED_FORMATS, "http"] : [named];
  if (!wanted.every((name) => name === "http" || FUZZED_FORMATS.includes(name as FuzzedFormat))) {
    console.error(`There is no format "${named}"; there are ${FUZZED_FORMATS.join(", ")}, http and all`);
    Deno.exit(2);
  }
  for (const name of values.peer ? wanted : []) {
    const script = name === "http" ? null : peerScript(name as FuzzedFormat);
    if (script === null || !existsSync(script)) {
      console.error(`There is no peer for "${name}"`);
      Deno.exit(2);
    }
    // With nothing to read it ends at once, if its packages are installed.
    const { success, stderr } = await new Deno.Command(values.python, { args: [script], stdin: "null" })
      .output();
    if (success) continue;
    console.error(`The peer for "${name}" does not start:\n${new TextDecoder().decode(stderr)}`);
    Deno.exit(2);
  }

  let found = 0;
  for (const format of wanted) {
    const keep = join(tmpdir(), "acq_fuzz_findings");
    if (format === "http") {
      const totals = await fuzzHttp({ seed: seed!, seconds: seconds!, cases: cases! });
      say(format, seed!, totals);
      found += totals.findings.length;
      continue;
    }
    const python = values.peer ? values.python : null;
    const order = { seed: seed!, first: first!, cases: cases!, seconds: seconds!, keep, python };
    const totals = await fuzz({ format: format as FuzzedFormat, ...order, corpus: values.corpus ?? null });
    say(format, seed!, totals);
    if (values.peer) sayCompared(format, totals);
    if (totals.findings.length + totals.differences.length > 0) console.log(`  inputs in ${keep}`);
    found += totals.findings.length;
  }
  Deno.exit(found > 0 ? 1 : 0);
}
