import { ok } from "node:assert/strict";
import { soak } from "./soak.ts";

Deno.test("clients that open, fetch, leave, stall and delete at once leave nothing behind", async () => {
  const counts = await soak({ seed: 1, clients: 8, steps: 400 });
  for (
    const what of [
      "opened",
      "planes",
      "ranges",
      "left mid-plane",
      "planes of deleted sessions",
      "decode_failed",
    ]
  ) {
    ok(counts[what], `never: ${what} in ${JSON.stringify(counts)}`);
  }
});
