import assert from "node:assert/strict";
import { HandClock } from "../tests/contract/harness.ts";
import { until } from "../tests/deadline.ts";
import { load, reportOf, startFake } from "../tests/fake_decode_workers.ts";
import { DecodePool } from "./decode_pool.ts";
import { MemoryBudget } from "./memory_budget.ts";

Deno.test("memory is reserved before the planes exist and belongs to the caller", async () => {
  const budget = new MemoryBudget(1000);
  const pool = new DecodePool(new HandClock(), budget, startFake, 1);
  const first = await load(pool, "plan", budget);
  assert.equal(first.planes[0]![0]!.length, 100);
  assert.equal(budget.used, 400);
  const second = await load(pool, "plan", budget);
  await assert.rejects(load(pool, "plan", budget), { tag: "session_memory_exceeded" });
  assert.equal(budget.used, 800);
  first.reservation.release();
  second.reservation.release();
  assert.equal(budget.used, 0);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  pool.close();
});

Deno.test("the memory of a lost load stays reserved until its worker answers", async () => {
  const clock = new HandClock();
  const budget = new MemoryBudget(1000);
  const pool = new DecodePool(clock, budget, startFake, 1);
  const stop = new AbortController();
  const slow = load(pool, "plan and hang", budget, stop.signal);
  await until(() => budget.used === 400);
  stop.abort(new Error("timed out"));
  await assert.rejects(slow, /timed out/);
  clock.move(2000);
  assert.equal(pool.counts.lost, 1);
  assert.equal(budget.used, 400);
  await until(() => pool.counts.lost === 0);
  assert.equal(budget.used, 0);
  pool.close();
});

Deno.test("a load of separately compressed planes is divided among all workers but one", async () => {
  for (const [workers, used] of [[1, 1], [2, 1], [3, 2], [5, 3]] as const) {
    const budget = new MemoryBudget(32 << 20);
    const pool = new DecodePool(new HandClock(), budget, startFake, workers);
    const running = load(pool, "divide", budget);
    const loaded = await running;
    const { planes, reservation } = loaded;
    assert.equal(pool.counts.idle + pool.counts.busy, used);
    // In the order of the request, and the summary is that of the whole load.
    assert.deepEqual(planes.map(([plane]) => plane!.at(-1)), [4099, 99, 2099]);
    assert.equal(reservation.bytes, 16 << 20);
    await until(() => pool.counts.idle === used);
    pool.close();
  }
});

Deno.test("the rows of one channel are divided among all workers but one, and stay in order", async () => {
  for (const [workers, used] of [[1, 1], [2, 1], [3, 2], [4, 3], [5, 4]] as const) {
    const budget = new MemoryBudget(32 << 20);
    const pool = new DecodePool(new HandClock(), budget, startFake, workers);
    const { planes } = await load(pool, "divide rows", budget);
    assert.equal(pool.counts.idle + pool.counts.busy, used);
    assert.equal(planes.length, 1);
    const columns = 42_000;
    const firsts = planes[0]!.flatMap((part) =>
      Array.from({ length: part.length / columns }, (_, i) => part[i * columns])
    );
    assert.deepEqual(firsts, Array.from({ length: 100 }, (_, i) => 4000 + i));
    await until(() => pool.counts.idle === used);
    pool.close();
  }
});

Deno.test("a load is not divided while another open waits", async () => {
  const budget = new MemoryBudget(64 << 20);
  const pool = new DecodePool(new HandClock(), budget, startFake, 3);
  const stop = new AbortController();
  const spinning = [1, 2].map(() => load(pool, "spin", budget, stop.signal));
  const divisible = load(pool, "divide", budget);
  const waiting = load(pool, "plan", budget);
  assert.equal(pool.counts.waiting, 1);
  assert.equal((await divisible).planes.length, 3);
  assert.equal((await waiting).planes.length, 1);
  stop.abort(new Error("stopped"));
  await Promise.all(spinning.map((load) => assert.rejects(load, /stopped/)));
  pool.close();
});

Deno.test("an open that comes while a load is divided gets the worker that was left", async () => {
  const budget = new MemoryBudget(32 << 20);
  const pool = new DecodePool(new HandClock(), budget, startFake, 3);
  let done = false;
  const divided = load(pool, "divide and hang", budget).finally(() => done = true);
  await until(() => pool.counts.busy === 2);
  await load(pool, "plan", budget);
  assert.equal(done, false);
  assert.equal((await divided).planes.length, 3);
  pool.close();
});

Deno.test("a fault in one piece fails a divided load, and nothing stays reserved", async () => {
  const faults = {
    "divide and fail": /bad strip/,
    "divide and throw": /broken/,
    "divide changed and hang": /Cannot read "divide changed and hang": it was changed while it was read/,
    "divide unequal": /Cannot read "divide unequal": it was changed while it was read/,
  };
  const budget = new MemoryBudget(32 << 20);
  const pool = new DecodePool(new HandClock(), budget, startFake, 3);
  for (const [path, message] of Object.entries(faults)) {
    await assert.rejects(load(pool, path, budget), message);
    await until(() => pool.counts.busy === 0);
    assert.equal(budget.used, 0, path);
    (await load(pool, "plan", budget)).reservation.release();
  }
  pool.close();
});

for (const path of ["divide and join late", "divide and join late and fail to"]) {
  Deno.test(`a load does not wait for a helper that is to ${path}, which is used again`, async () => {
    const budget = new MemoryBudget(32 << 20);
    const pool = new DecodePool(new HandClock(), budget, startFake, 3);
    const { planes, reservation } = await load(pool, path, budget);
    assert.deepEqual(planes.map(([plane]) => plane!.at(-1)), [4099, 99, 2099]);
    assert.deepEqual(pool.counts, { idle: 1, busy: 1, lost: 0, waiting: 0 });
    assert.equal(budget.used, 16 << 20);
    await until(() => pool.counts.idle === 2);
    assert.equal(budget.used, 16 << 20);
    reservation.release();
    assert.equal(budget.used, 0);
    pool.close();
  });
}

Deno.test("a worker that never joins a divided load is lost", async () => {
  const clock = new HandClock();
  const budget = new MemoryBudget(32 << 20);
  const pool = new DecodePool(clock, budget, startFake, 3);
  const { planes } = await load(pool, "divide and never join", budget);
  assert.equal(planes.length, 3);
  assert.deepEqual(pool.counts, { idle: 1, busy: 1, lost: 0, waiting: 0 });
  clock.move(2000);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 1, waiting: 0 });
  pool.close();
});

Deno.test("a closed pool does not wait for stopped workers", async () => {
  const clock = new HandClock();
  const budget = new MemoryBudget(32 << 20);
  const pool = new DecodePool(clock, budget, startFake, 3);
  await load(pool, "divide and never join", budget);
  assert.equal(pool.counts.busy, 1);
  pool.close();
  assert.equal(clock.waiting, 0);
});

Deno.test("a fault is reported at once, and the memory is reserved until the last worker is done", async () => {
  const budget = new MemoryBudget(32 << 20);
  const pool = new DecodePool(new HandClock(), budget, startFake, 3);
  await assert.rejects(load(pool, "divide and fail and hang", budget), /bad strip/);
  assert.deepEqual(pool.counts, { idle: 1, busy: 1, lost: 0, waiting: 0 });
  assert.equal(budget.used, 16 << 20);
  await until(() => pool.counts.busy === 0);
  assert.equal(budget.used, 0);
  pool.close();
});

Deno.test("a divided load that is stopped keeps its memory until its last worker answers", async () => {
  const clock = new HandClock();
  const budget = new MemoryBudget(32 << 20);
  const pool = new DecodePool(clock, budget, startFake, 3);
  const stop = new AbortController();
  const slow = load(pool, "divide and hang", budget, stop.signal);
  await until(() => budget.used > 0);
  assert.equal(pool.counts.busy, 2);
  stop.abort(new Error("timed out"));
  await assert.rejects(slow, /timed out/);
  clock.move(2000);
  // The helper had planned nothing yet or hangs as well; the first worker does in any case.
  assert.ok(pool.counts.lost >= 1);
  assert.equal(budget.used, 16 << 20);
  await until(() => pool.counts.lost === 0 && pool.counts.busy === 0);
  assert.equal(budget.used, 0);
  assert.equal((await load(pool, "plan", budget)).planes.length, 1);
  pool.close();
});

Deno.test("a decoder's memory is reserved beside the planes, and its worker ends after 15 s without work", async () => {
  const clock = new HandClock();
  const budget = new MemoryBudget(1000);
  const pool = new DecodePool(clock, budget, startFake, 1);
  const first = await load(pool, "wasm", budget);
  assert.equal(budget.used, 400);
  await assert.rejects(load(pool, "wasm", budget), {
    tag: "session_memory_exceeded",
    message: /^The decoders, beside the planes, need 0\.0 MiB, but only/,
  });
  assert.equal(budget.used, 400);
  first.reservation.release();
  clock.move(15_000);
  const second = await load(pool, "wasm", budget);
  assert.notEqual(reportOf(first).worker, reportOf(second).worker);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  second.reservation.release();
  assert.equal(budget.used, 0);
  pool.close();
});

Deno.test("a worker closes a failed load before the next one", async () => {
  const budget = new MemoryBudget(700);
  const pool = new DecodePool(new HandClock(), budget, startFake, 1);
  const first = await load(pool, "plan", budget);
  await assert.rejects(load(pool, "plan", budget), { tag: "session_memory_exceeded" });
  first.reservation.release();
  const third = await load(pool, "plan", budget);
  assert.equal(reportOf(third).worker, reportOf(first).worker);
  assert.equal(reportOf(third).open, 1);
  pool.close();
});

Deno.test("a worker that finds no further piece is free while others decode", async () => {
  const budget = new MemoryBudget(32 << 20);
  const pool = new DecodePool(new HandClock(), budget, startFake, 3);
  let done = false;
  const divided = load(pool, "divide and end late", budget).finally(() => done = true);
  await until(() => pool.counts.busy === 2);
  await until(() => pool.counts.idle === 1);
  assert.equal(done, false, "the last piece takes 3 s");
  assert.deepEqual((await divided).planes.map(([plane]) => plane![0]), [4000, 0, 2000]);
  await until(() => pool.counts.idle === 2);
  pool.close();
});

Deno.test("a load is divided among as many workers as there is memory for their decoders", async () => {
  const budget = new MemoryBudget(16 + 4 + 4 << 20);
  const pool = new DecodePool(new HandClock(), budget, startFake, 5);
  const { planes, reservation } = await load(pool, "divide heavy", budget);
  assert.deepEqual(planes.map(([plane]) => plane![0]), [4000, 0, 2000]);
  assert.equal(pool.counts.idle + pool.counts.busy, 2);
  // A helper that joins late is not waited for.
  await until(() => budget.used === 16 << 20);
  reservation.release();
  assert.equal(budget.used, 0);
  pool.close();
});
