import { deepEqual, equal, throws } from "node:assert/strict";
import type { AcquisitionSummary } from "./acquisition_summary.ts";
import type { Clock } from "./clock.ts";
import { SessionNotFound, ShuttingDown } from "./errors.ts";
import { MemoryBudget } from "./memory_budget.ts";
import { PlaneMemory } from "./plane_memory.ts";
import { type LoadedAcquisition, makeSessionId, SessionStore } from "./store.ts";

const PLANE_BYTES = 1 << 20;

/** A store of sessions of 10 s whose timers never fire, with a plane and a reference image for a session. */
function storeOf() {
  const clock: Clock & { time: number } = { time: 0, now: () => clock.time, after: () => () => {} };
  const budget = new MemoryBudget(2 * PLANE_BYTES);
  const memory = new PlaneMemory(clock);
  const store = new SessionStore(clock, 10, memory);
  const [plane, image] = [1, 2].map((value) => new Float32Array(PLANE_BYTES / 4).fill(value));
  const create = () =>
    store.create(makeSessionId(), {
      summary: {
        loaded: [{ index: 0 }],
        reference: { channels: [{ index: 0 }] },
      } as unknown as AcquisitionSummary,
      planes: [[plane!]],
      referencePlanes: [image!],
      reservation: budget.reserve(2 * PLANE_BYTES),
      summaryBytes: 0,
    } as unknown as LoadedAcquisition);
  return { store, clock, budget, memory, image: image!, create };
}

Deno.test("a session ends on time, even if its timer is late", () => {
  const { store, clock, create } = storeOf();
  const session = create();
  clock.time = 9_999;
  equal(store.get(session.id), session);
  equal(store.secondsRemaining(session), 0.001);
  clock.time = 10_000;
  throws(() => store.get(session.id), SessionNotFound);
  clock.time = 10_001;
  equal(store.secondsRemaining(session), 0);
});

Deno.test("reuses the memory of the planes of an ended session, but not of its reference image", () => {
  const { store, memory, image, create } = storeOf();
  store.delete(create().id);
  deepEqual(memory.take(PLANE_BYTES, 2).map((buffer) => new Float32Array(buffer)[0]), [1]);
  equal(image.buffer.detached, true);
});

Deno.test("a closed store ends its sessions and rejects new ones", () => {
  const { store, budget, create } = storeOf();
  create();
  store.close();
  deepEqual([budget.used, store.size], [0, 0]);
  throws(() => create(), ShuttingDown);
  equal(budget.used, 0);
});

Deno.test("a budget grants exactly what it has", () => {
  const budget = new MemoryBudget(100);
  const whole = budget.reserve(100);
  throws(() => budget.reserve(1), /need 0.0 MiB, but only 0.0 MiB of 0.0 MiB/);
  budget.reserve(0);
  throws(() => budget.reserve(NaN));
  whole.release(40);
  deepEqual([whole.bytes, budget.used], [60, 60]);
  whole.release(1000);
  whole.release();
  deepEqual([whole.bytes, budget.used], [0, 0]);
  // From 10 MiB on without decimals.
  throws(() => budget.reserve((10 << 20) - 1), /need 10.0 MiB/);
  throws(() => budget.reserve(10 << 20), /need 10 MiB/);
});
