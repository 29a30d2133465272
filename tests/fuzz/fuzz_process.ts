/** Fuzzes one format in processes of their own and watches them: a crash, a hang and a swollen heap are findings too. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { linesOf } from "./peer.ts";
import type { CaseLine, Outcome } from "./case_process.ts";
import type { FuzzedFormat } from "./seeds.ts";
import { residentOf, spawn } from "../child_process.ts";
import { ROOT } from "../binary/server_process.ts";
import { copy, temporaryFolder } from "../temporary_files.ts";

/** A case that takes longer is a finding; a slow machine under load takes a tenth of it. */
const MAX_CASE_MS = 20_000;

/** Resident mebibytes of the process: planes of 64 MiB, what a decoder holds beside them, and the program. */
const MAX_RESIDENT = 1024;

export interface FuzzOrder {
  readonly format: FuzzedFormat;
  readonly seed: number;
  readonly first?: number;
  readonly cases?: number;
  readonly seconds?: number;
  /** Folder of seeds beside the fixtures. */
  readonly corpus?: string | null;
  /** Where the inputs of findings are kept; without it they are not. */
  readonly keep?: string | null;
  /** Python program whose `peer_FORMAT.py` reads each case as well. */
  readonly python?: string | null;
}

export interface Finding {
  readonly case: number;
  readonly what: string;
}

export interface FuzzTotals {
  readonly cases: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly findings: readonly Finding[];
  /** With a peer: cases by both outcomes. */
  readonly compared: Readonly<Record<string, number>>;
  /** With a peer: cases that both readers serve, each with other samples. */
  readonly differences: readonly Finding[];
  /** With a peer: seeds whose cases are not compared, and why. */
  readonly unjudged: readonly string[];
  readonly seconds: number;
}

/** Runs cases until their number or the time is reached. */
export async function fuzz(order: FuzzOrder): Promise<FuzzTotals> {
  const start = performance.now();
  const deadline = start + (order.seconds ?? Infinity) * 1000;
  const begin = order.first ?? 0;
  const end = begin + (order.cases ?? 1e9);
  const outcomes = { planes: 0, refused: 0, large: 0 };
  const findings: Finding[] = [];
  const compared: Record<string, number> = {};
  const differences: Finding[] = [];
  const unjudged = new Set<string>();
  let cases = 0;
  using temporary = temporaryFolder();
  const work = temporary.path;
  const save = (finding: Finding, among = findings) => {
    among.push(finding);
    if (!order.keep) return;
    const to = join(order.keep, `${order.format}_${order.seed}_${finding.case}`);
    const kept = join(work, `finding_${finding.case}`);
    copy(existsSync(kept) ? kept : work, to);
    Deno.writeTextFileSync(join(to, "finding.txt"), finding.what + "\n");
  };
  for (let first = begin; first < end && performance.now() < deadline;) {
    const args = [
      ...[order.format, order.seed, first, end, work].map(String),
      ...(order.corpus ? ["--corpus", order.corpus] : []),
      ...(order.python ? ["--python", order.python] : []),
    ];
    const child = spawn(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "--no-prompt",
        "--allow-read",
        `--allow-write=${work}`,
        ...(order.python ? [`--allow-run=${order.python}`] : []),
        `${ROOT}tests/fuzz/case_process.ts`,
        ...args,
      ],
      cwd: ROOT,
      stdout: "piped",
      stderr: "piped",
    });
    const complaint = new Response(child.stderr).text();
    let running = first;
    let since = performance.now();
    let verdict: string | null = null;
    const watch = setInterval(() => {
      const memory = residentOf(child.pid);
      if (performance.now() - since > MAX_CASE_MS) verdict ??= `no answer within ${MAX_CASE_MS / 1000} s`;
      if (memory > MAX_RESIDENT) verdict ??= `${memory.toFixed()} MiB of resident memory`;
      if (verdict === null && performance.now() < deadline) return;
      clearInterval(watch);
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    }, 50);
    let done = first - 1;
    let begun = false;
    try {
      for await (const text of linesOf(child.stdout)) {
        const line: CaseLine = JSON.parse(text);
        begun = true;
        running = line.case;
        since = performance.now();
        if (line.unjudged !== undefined) unjudged.add(line.unjudged);
        if (line.outcome === undefined) continue;
        done = line.case;
        cases += 1;
        outcomes[line.outcome] += 1;
        if (line.compared !== undefined) compared[line.compared] = (compared[line.compared] ?? 0) + 1;
        if (line.finding !== undefined) save({ case: line.case, what: line.finding });
        if (line.difference !== undefined) save({ case: line.case, what: line.difference }, differences);
      }
    } finally {
      clearInterval(watch);
    }
    const { success } = await child.status;
    const words = await complaint;
    if (success) break;
    if (verdict === null && performance.now() > deadline) break;
    if (!begun && verdict === null) throw new Error(`No case begins: ${words}`);
    // Memory and time of one process add up over its cases: only a case that fails first in its process counts.
    if (running === first) {
      save({ case: running, what: verdict ?? `the process ended: ${words.slice(0, 2000)}` });
      first = running + 1;
    } else first = Math.max(running, done + 1);
  }
  const seconds = (performance.now() - start) / 1000;
  return { cases, outcomes, findings, compared, differences, unjudged: [...unjudged], seconds };
}
