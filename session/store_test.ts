import { deepEqual, equal, match, throws } from "node:assert/strict";
import type { AcquisitionSummary } from "../readers/opened/orders.ts";
import type { Clock } from "./clock.ts";
import { ChannelNotFound, ReferenceChannelNotFound, SessionNotFound, ShuttingDown } from "./errors.ts";
import { MemoryBudget } from "./memory_budget.ts";
import { PlaneMemory } from "./plane_memory.ts";
import { type LoadedAcquisition, newSessionId, SessionStore } from "./store.ts";

/** A clock whose timers only fire by hand. */
function lateClock() {
  const timers = new Set<() => void>();
  const clock: Clock & { time: number } = {
    time: 0,
    now: () => clock.time,
    after(_, work) {
      timers.add(work);
      return () => timers.delete(work);
    },
  };
  return { clock, timers };
}

/** A store of sessions of 10 s, with a budget of 100 bytes. */
function storeOf() {
  const { clock, timers } = lateClock();
  const budget = new MemoryBudget(100);
  let ended = 0;
  const store = new SessionStore(clock, 10, new PlaneMemory(clock), () => ended += 1);
  /** Planes of 8 bytes for channels 2 and 0, and of 4 bytes for a reference channel. */
  const create = (reference = true) =>
    store.create(newSessionId(), {
      summary: {
        loaded: [{ index: 2 }, { index: 0 }],
        reference: reference ? { channels: [{ index: 1 }] } : null,
      } as unknown as AcquisitionSummary,
      planes: [[new Float32Array(2)], [new Float32Array(1), new Float32Array(1)]],
      referencePlanes: reference ? [new Float32Array(1)] : [],
      reservation: budget.reserve(30),
      summaryBytes: 0,
    } as unknown as LoadedAcquisition);
  return { store, clock, timers, budget, create, ended: () => ended };
}

Deno.test("a session ends on time, even if its timer is late", () => {
  const { store, clock, create } = storeOf();
  const session = create();
  match(session.id, /^[0-9a-f]{32}$/);
  clock.time = 9_999;
  equal(store.get(session.id), session);
  equal(store.secondsRemaining(session), 0.001);
  clock.time = 10_000;
  throws(() => store.get(session.id), SessionNotFound);
  clock.time = 10_001;
  equal(store.secondsRemaining(session), 0);
});

Deno.test("a session holds its planes by channel and their memory reservation", () => {
  const { store, budget, create, ended, timers } = storeOf();
  const { id, totalBytes } = create();
  deepEqual([totalBytes, budget.used, store.size], [20, 20, 1]);
  deepEqual([store.channel(id, 2).byteLength, store.referenceChannel(id, 1).byteLength], [8, 4]);
  throws(() => store.channel(id, 1), {
    constructor: ChannelNotFound,
    message: "The session has no channel 1, only 0, 2",
  });
  throws(() => store.referenceChannel(id, 0), {
    constructor: ReferenceChannelNotFound,
    message: /no reference channel 0, only 1$/,
  });
  throws(() => store.referenceChannel(create(false).id, 0), /has no reference image/);
  store.delete(id);
  throws(() => store.delete(id), SessionNotFound);
  deepEqual([budget.used, store.size, ended(), timers.size], [16, 1, 1, 1]);
});

Deno.test("reuses the memory of the planes of an ended session, but not of its reference image", () => {
  const { clock } = lateClock();
  const [bytes, memory] = [1 << 20, new PlaneMemory(clock)];
  const store = new SessionStore(clock, 10, memory);
  const [plane, image] = [new Float32Array(bytes / 4).fill(1), new Float32Array(bytes / 4).fill(2)];
  const { id } = store.create(newSessionId(), {
    summary: {
      loaded: [{ index: 0 }],
      reference: { channels: [{ index: 0 }] },
    } as unknown as AcquisitionSummary,
    planes: [[plane]],
    referencePlanes: [image],
    reservation: new MemoryBudget(2 * bytes).reserve(2 * bytes),
  } as unknown as LoadedAcquisition);
  store.delete(id);
  deepEqual(memory.take(bytes, 2).map((buffer) => new Float32Array(buffer)[0]), [1]);
  equal(image.buffer.detached, true);
});

Deno.test("a closed store ends its sessions and rejects new ones", () => {
  const { store, budget, create, ended } = storeOf();
  create();
  store.close();
  deepEqual([budget.used, store.size, ended()], [0, 0, 1]);
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
