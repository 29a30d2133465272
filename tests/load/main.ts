/**
 * Loads a server for a while and checks that nothing is left over.
 *
 * usage: deno task stress soak [--seconds N] [--seed N] [--clients N]
 */
import { parseArgs } from "node:util";
import { soak } from "./soak.ts";
import { stopUnderLoad } from "./stop_under_load.ts";

/** Soaks as the arguments say, and ends the process. */
export async function soakFromShell(args: readonly string[]): Promise<never> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "180" },
      seed: { type: "string", default: "1" },
      clients: { type: "string", default: "12" },
    },
  });
  const [seconds, seed, clients] = [values.seconds, values.seed, values.clients].map(Number);
  const started = performance.now();
  const counts = await soak({ seed: seed!, clients: clients!, seconds: seconds! });
  console.log(
    `${clients} clients for ${((performance.now() - started) / 1000).toFixed(0)} s from seed ${seed}:`,
  );
  for (const [what, count] of Object.entries(counts).sort(([a], [b]) => a < b ? -1 : 1)) {
    console.log(`  ${what.padEnd(32)} ${String(count).padStart(8)}`);
  }
  console.log("No byte was wrong; no session, lease, worker, timer or reserved byte is left.");
  const { whole, short } = await stopUnderLoad();
  console.log(`SIGTERM under load: ${whole} whole planes, ${short} short ones`);
  Deno.exit(short === 0 ? 0 : 1);
}
