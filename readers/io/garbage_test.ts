import assert from "node:assert/strict";
import { collectGarbage } from "./garbage.ts";

Deno.test("what nothing refers to is gone after a collection", async () => {
  const left = (() => new WeakRef(new Uint8Array(1 << 20)))();
  const kept = new Uint8Array(1 << 20);
  const held = new WeakRef(kept);
  // A weak reference holds its target until the end of the current job.
  await new Promise((resolve) => setTimeout(resolve));
  collectGarbage();
  assert.equal(left.deref(), undefined);
  assert.equal(held.deref(), kept);
});
