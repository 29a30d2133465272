/**
 * Loads files at the bounds of the parsers, one after the other, in a real decode worker. A heap that overflows in a
 * worker ends the whole process, so this runs in one of its own; it writes a line of JSON per file.
 */
import { join } from "node:path";
import { systemClock } from "../../session/clock.ts";
import { DecodePool } from "../../session/decode_pool.ts";
import { loadAcquisition } from "../../session/opener.ts";
import { MemoryBudget } from "../../session/memory_budget.ts";
import { PlaneMemory } from "../../session/plane_memory.ts";
import { requestOf } from "../load_here.ts";
import { temporaryFolder } from "../temporary_files.ts";
import { filesAtBounds } from "./files_at_bounds.ts";

export interface BoundOutcome {
  readonly file: string;
  /** Tag of the error, `null` for planes. */
  readonly tag: string | null;
  readonly message: string;
}

/** Loads every file, or those whose name holds the argument. */
async function main([only = ""]: readonly string[]): Promise<void> {
  using temporary = temporaryFolder();
  const budget = new MemoryBudget(4 * 2 ** 30);
  const pool = new DecodePool(systemClock, budget, undefined, 1);
  try {
    for (const [file, write] of Object.entries(filesAtBounds())) {
      if (!file.includes(only)) continue;
      const path = join(temporary.path, file);
      await write(path);
      let outcome: BoundOutcome;
      try {
        const { planes, reservation, summary } = await loadAcquisition(
          path,
          { request: requestOf(path), marks: new Map() },
          { pool, budget, memory: new PlaneMemory(systemClock) },
          AbortSignal.timeout(300_000),
        );
        reservation.release();
        pool.forget(path);
        const served = `${planes.length} planes of ${planes[0]![0]!.length}`;
        outcome = {
          file,
          tag: null,
          message: [served, ...summary.warnings.map(({ text }) => text)].join("; "),
        };
      } catch (error) {
        const { tag, message, stack } = error as { tag?: string; message: string; stack: string };
        outcome = { file, tag: tag ?? "fault", message: tag ? message : stack };
      }
      console.log(JSON.stringify(outcome));
      await Deno.remove(path, { recursive: true });
    }
  } finally {
    pool.close();
  }
}

if (import.meta.main) await main(Deno.args);
