import assert from "node:assert/strict";
import { HandClock } from "../tests/contract/harness.ts";
import { until } from "../tests/deadline.ts";
import { load, reportOf, settled, startFake } from "../tests/fake_decode_workers.ts";
import { DecodePool } from "./decode_pool.ts";
import { ShuttingDown } from "./errors.ts";
import { MemoryBudget } from "./memory_budget.ts";
import type { LoadedAcquisition } from "./store.ts";

const idOf = (loaded: LoadedAcquisition) => reportOf(loaded).worker;

Deno.test("a spinning load is stopped by its flag and its worker is used again", async () => {
  const budget = new MemoryBudget(1000);
  const pool = new DecodePool(new HandClock(), budget, startFake, 1);
  const stop = new AbortController();
  const spinning = load(pool, "spin", budget, stop.signal);
  await settled();
  stop.abort(new Error("timed out"));
  await assert.rejects(spinning, /timed out/);
  await until(() => pool.counts.idle === 1);
  assert.equal((await load(pool, "plan", budget)).planes.length, 1);
  pool.close();
});

Deno.test("a worker that ignores its stop for 2 s is lost and replaced, and the next open goes on", async () => {
  const clock = new HandClock();
  const budget = new MemoryBudget(1000);
  const pool = new DecodePool(clock, budget, startFake, 1);
  const stop = new AbortController();
  const deaf = load(pool, "deaf", budget, stop.signal);
  await settled();
  const next = load(pool, "plan", budget);
  assert.deepEqual(pool.counts, { idle: 0, busy: 1, lost: 0, waiting: 1 });
  stop.abort(new Error("timed out"));
  await assert.rejects(deaf, /timed out/);
  clock.move(1_999);
  assert.equal(pool.counts.lost, 0);
  clock.move(1);
  assert.deepEqual(pool.counts, { idle: 0, busy: 1, lost: 1, waiting: 0 });
  assert.equal((await next).planes.length, 1);
  // It answers after all and is ended then.
  await until(() => pool.counts.lost === 0);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  pool.close();
});

Deno.test("waiting opens go in order, leave when stopped, and end with the pool", async () => {
  const budget = new MemoryBudget(1000);
  const pool = new DecodePool(new HandClock(), budget, startFake, 1);
  const stop = new AbortController();
  const running = load(pool, "spin", budget, stop.signal);
  const leaving = new AbortController();
  const left = load(pool, "plan", budget, leaving.signal);
  const last = load(pool, "plan", budget);
  assert.equal(pool.counts.waiting, 2);
  leaving.abort(new Error("left"));
  await assert.rejects(left, /left/);
  stop.abort(new Error("stopped"));
  await assert.rejects(running, /stopped/);
  assert.equal((await last).planes.length, 1);
  pool.close();
  await assert.rejects(load(pool, "plan", budget), ShuttingDown);
});

Deno.test("while too many workers are lost, opens are refused, also those that wait", async () => {
  const clock = new HandClock();
  const budget = new MemoryBudget(1000);
  const pool = new DecodePool(clock, budget, startFake, 1);
  const lose = async (path: string) => {
    const stop = new AbortController();
    const lost = load(pool, path, budget, stop.signal);
    await settled();
    stop.abort(new Error("timed out"));
    await assert.rejects(lost, /timed out/);
  };
  for (let i = 0; i < 7; i += 1) {
    await lose("never");
    clock.move(2000);
  }
  // Still one to lose: an open waits for it.
  const deaf = lose("late");
  await settled();
  const waiting = assert.rejects(load(pool, "plan", budget), {
    tag: "too_many_opens",
    message: /8 stopped loads do not end/,
  });
  await deaf;
  assert.equal(pool.counts.waiting, 1);
  clock.move(2000);
  await waiting;
  assert.deepEqual(pool.counts, { idle: 0, busy: 0, lost: 8, waiting: 0 });
  await assert.rejects(load(pool, "plan", budget), { tag: "too_many_opens", retryAfter: 2 });
  await until(() => pool.counts.lost === 7);
  assert.equal((await load(pool, "plan", budget)).planes.length, 1);
  pool.close();
});

Deno.test("a worker that throws is replaced, and others go on", async () => {
  const budget = new MemoryBudget(1000);
  const pool = new DecodePool(new HandClock(), budget, startFake, 2);
  const faults = ["throw", "plan and throw"].map((path) =>
    assert.rejects(load(pool, path, budget), /broken/)
  );
  const good = await load(pool, "plan", budget);
  await Promise.all(faults);
  good.reservation.release();
  assert.equal(budget.used, 0);
  assert.deepEqual({ ...pool.counts, idle: 0 }, { idle: 0, busy: 0, lost: 0, waiting: 0 });
  pool.close();
});

Deno.test("a worker that rested for 15 s and keeps nothing open is replaced by a fresh one", async () => {
  const clock = new HandClock();
  const budget = new MemoryBudget(10_000);
  const pool = new DecodePool(clock, budget, startFake, 2);
  const pair = await Promise.all([load(pool, "decoder", budget), load(pool, "decoder", budget)]);
  assert.notEqual(idOf(pair[0]), idOf(pair[1]));
  clock.move(14_999);
  const again = await load(pool, "plan", budget);
  assert.ok(pair.some((one) => idOf(one) === idOf(again)), "a worker at rest is used again");
  // The other one has rested long enough, this one has not.
  clock.move(14_998);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  clock.move(2);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  assert.equal(clock.waiting, 0, "a fresh worker has no memory to give back");
  const fresh = await load(pool, "plan", budget);
  assert.ok(pair.every((one) => idOf(one) !== idOf(fresh)));
  pool.close();
  assert.equal(clock.waiting, 0);
});

Deno.test("the pool is at rest when its last worker is", async () => {
  const clock = new HandClock();
  const budget = new MemoryBudget(10_000);
  const pool = new DecodePool(clock, budget, startFake, 2);
  let rests = 0;
  pool.rested = () => rests += 1;
  await Promise.all([load(pool, "decoder", budget), load(pool, "decoder", budget)]);
  clock.move(14_000);
  await load(pool, "plan", budget);
  clock.move(1_000);
  assert.deepEqual([pool.counts.idle, rests], [1, 0], "one worker rested, and the other worked a second ago");
  clock.move(14_000);
  assert.equal(rests, 1);
  pool.close();
});

Deno.test("an idle worker that breaks is taken out of the pool", async () => {
  const budget = new MemoryBudget(1000);
  const pool = new DecodePool(new HandClock(), budget, startFake, 1);
  const first = await load(pool, "plan and throw when closed", budget);
  assert.equal(pool.counts.idle, 1);
  await until(() => pool.counts.idle === 0);
  assert.notEqual(idOf(await load(pool, "plan", budget)), idOf(first));
  pool.close();
});

Deno.test("a closed pool refuses waiting opens", async () => {
  const pool = new DecodePool(new HandClock(), new MemoryBudget(1000), startFake, 1);
  const { signal } = new AbortController();
  await pool.takeForOpen("a", signal);
  const waiting = assert.rejects(pool.takeForOpen("b", signal), ShuttingDown);
  assert.equal(pool.counts.waiting, 1);
  pool.close();
  await waiting;
});
