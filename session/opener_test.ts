import assert from "node:assert/strict";
import { until } from "../tests/deadline.ts";
import { fakePool, reportOf } from "../tests/fake_decode_workers.ts";

Deno.test("reserves memory before the planes exist, and hands it to the caller", async () => {
  using fake = fakePool(1);
  const { budget, pool, load } = fake;
  const first = await load("plan");
  assert.equal(first.planes[0]![0]!.length, 100);
  assert.equal(budget.used, 400);
  const second = await load("plan");
  await assert.rejects(load("plan"), { tag: "session_memory_exceeded" });
  assert.equal(budget.used, 800);
  first.reservation.release();
  second.reservation.release();
  assert.equal(budget.used, 0);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
});

Deno.test("keeps the memory of a lost load reserved until its worker answers", async () => {
  using fake = fakePool(1);
  const { clock, budget, pool, load } = fake;
  const stop = new AbortController();
  const slow = load("plan and hang", stop.signal);
  await until(() => budget.used === 400);
  stop.abort(new Error("timed out"));
  await assert.rejects(slow, /timed out/);
  clock.move(2000);
  assert.equal(pool.counts.lost, 1);
  assert.equal(budget.used, 400);
  // The next load waits until the lost one is noted.
  (await load("plan")).reservation.release();
  await until(() => pool.counts.lost === 0);
  assert.equal(budget.used, 0);
});

Deno.test("divides a load of separately compressed planes among all workers but one", async () => {
  for (const [workers, used] of [[1, 1], [2, 1], [3, 2], [5, 3]] as const) {
    using fake = fakePool(workers, 32 << 20);
    const { pool, load } = fake;
    const running = load("divide");
    const loaded = await running;
    const { planes, reservation } = loaded;
    assert.equal(pool.counts.idle + pool.counts.busy, used);
    // In the order of the request, and the summary is that of the whole load.
    assert.deepEqual(planes.map(([plane]) => plane!.at(-1)), [4099, 99, 2099]);
    assert.equal(reservation.bytes, 16 << 20);
    await until(() => pool.counts.idle === used);
  }
});

Deno.test("divides the rows of one channel among all workers but one, in order", async () => {
  for (const [workers, used] of [[1, 1], [2, 1], [3, 2], [4, 3], [5, 4]] as const) {
    using fake = fakePool(workers, 32 << 20);
    const { pool, load } = fake;
    const { planes } = await load("divide rows");
    assert.equal(pool.counts.idle + pool.counts.busy, used);
    assert.equal(planes.length, 1);
    const columns = 42_000;
    const firsts = planes[0]!.flatMap((part) =>
      Array.from({ length: part.length / columns }, (_, i) => part[i * columns])
    );
    assert.deepEqual(firsts, Array.from({ length: 100 }, (_, i) => 4000 + i));
    await until(() => pool.counts.idle === used);
  }
});

Deno.test("does not divide a load while another open waits", async () => {
  using fake = fakePool(3, 64 << 20);
  const { pool, load } = fake;
  const stop = new AbortController();
  const spinning = [1, 2].map(() => load("spin", stop.signal));
  const divisible = load("divide");
  const waiting = load("plan");
  assert.equal(pool.counts.waiting, 1);
  assert.equal((await divisible).planes.length, 3);
  assert.equal((await waiting).planes.length, 1);
  stop.abort(new Error("stopped"));
  await Promise.all(spinning.map((load) => assert.rejects(load, /stopped/)));
});

Deno.test("gives the spare worker to an open that arrives during a divided load", async () => {
  using fake = fakePool(3, 32 << 20);
  const { pool, load } = fake;
  let done = false;
  const divided = load("divide and hang").finally(() => done = true);
  await until(() => pool.counts.busy === 2);
  await load("plan");
  assert.equal(done, false);
  assert.equal((await divided).planes.length, 3);
});

Deno.test("fails a divided load on a fault in one piece, and frees all memory", async () => {
  const faults = {
    "divide and fail": /bad strip/,
    "divide and throw": /broken/,
    "divide changed and hang": /Cannot read "divide changed and hang": it was changed while it was read/,
    "divide unequal": /Cannot read "divide unequal": it was changed while it was read/,
  };
  using fake = fakePool(3, 32 << 20);
  const { budget, pool, load } = fake;
  for (const [path, message] of Object.entries(faults)) {
    await assert.rejects(load(path), message);
    await until(() => pool.counts.busy === 0);
    assert.equal(budget.used, 0, path);
    (await load("plan")).reservation.release();
  }
});

for (const path of ["divide and join late", "divide and join late and fail to"]) {
  Deno.test(`does not wait for a helper that is to ${path}, and reuses it`, async () => {
    using fake = fakePool(3, 32 << 20);
    const { budget, pool, load } = fake;
    const { planes, reservation } = await load(path);
    assert.deepEqual(planes.map(([plane]) => plane!.at(-1)), [4099, 99, 2099]);
    assert.deepEqual(pool.counts, { idle: 1, busy: 1, lost: 0, waiting: 0 });
    assert.equal(budget.used, 16 << 20);
    await until(() => pool.counts.idle === 2);
    assert.equal(budget.used, 16 << 20);
    reservation.release();
    assert.equal(budget.used, 0);
  });
}

Deno.test("counts a worker that never joins a divided load as lost", async () => {
  using fake = fakePool(3, 32 << 20);
  const { clock, pool, load } = fake;
  const { planes } = await load("divide and never join");
  assert.equal(planes.length, 3);
  assert.deepEqual(pool.counts, { idle: 1, busy: 1, lost: 0, waiting: 0 });
  clock.move(2000);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 1, waiting: 0 });
  // The next load waits until the lost one is noted.
  assert.equal((await load("plan")).planes.length, 1);
});

Deno.test("a closed pool does not wait for stopped workers", async () => {
  using fake = fakePool(3, 32 << 20);
  const { clock, pool, load } = fake;
  await load("divide and never join");
  assert.equal(pool.counts.busy, 1);
  pool.close();
  assert.equal(clock.waiting, 0);
});

Deno.test("reports a fault at once, and keeps memory reserved until the last worker is done", async () => {
  using fake = fakePool(3, 32 << 20);
  const { budget, pool, load } = fake;
  await assert.rejects(load("divide and fail and hang"), /bad strip/);
  assert.deepEqual(pool.counts, { idle: 1, busy: 1, lost: 0, waiting: 0 });
  assert.equal(budget.used, 16 << 20);
  await until(() => pool.counts.busy === 0);
  assert.equal(budget.used, 0);
});

Deno.test("keeps the memory of a stopped divided load until its last worker answers", async () => {
  using fake = fakePool(3, 32 << 20);
  const { clock, budget, pool, load } = fake;
  const stop = new AbortController();
  const slow = load("divide and hang", stop.signal);
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
  assert.equal((await load("plan")).planes.length, 1);
});

Deno.test("reserves the memory of a decoder beside the planes, and ends its worker after 15 s without work", async () => {
  using fake = fakePool(1);
  const { clock, budget, pool, load } = fake;
  const first = await load("wasm");
  assert.equal(budget.used, 400);
  await assert.rejects(load("wasm"), {
    tag: "session_memory_exceeded",
    message: /^The decoders, beside the planes, need 0\.0 MiB, but only/,
  });
  assert.equal(budget.used, 400);
  first.reservation.release();
  clock.move(15_000);
  const second = await load("wasm");
  assert.notEqual(reportOf(first).worker, reportOf(second).worker);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  second.reservation.release();
  assert.equal(budget.used, 0);
});

Deno.test("a worker closes a failed load before the next one", async () => {
  using fake = fakePool(1, 700);
  const { load } = fake;
  const first = await load("plan");
  await assert.rejects(load("plan"), { tag: "session_memory_exceeded" });
  first.reservation.release();
  const third = await load("plan");
  assert.equal(reportOf(third).worker, reportOf(first).worker);
  assert.equal(reportOf(third).open, 1);
});

Deno.test("frees a worker that finds no further piece while others decode", async () => {
  using fake = fakePool(3, 32 << 20);
  const { pool, load } = fake;
  let done = false;
  const divided = load("divide and end late").finally(() => done = true);
  await until(() => pool.counts.busy === 2);
  await until(() => pool.counts.idle === 1);
  assert.equal(done, false, "the last piece takes 3 s");
  assert.deepEqual((await divided).planes.map(([plane]) => plane![0]), [4000, 0, 2000]);
  await until(() => pool.counts.idle === 2);
});

Deno.test("divides a load among as many workers as memory allows decoders", async () => {
  using fake = fakePool(5, 16 + 4 + 4 << 20);
  const { budget, pool, load } = fake;
  const { planes, reservation } = await load("divide heavy");
  assert.deepEqual(planes.map(([plane]) => plane![0]), [4000, 0, 2000]);
  assert.equal(pool.counts.idle + pool.counts.busy, 2);
  // A helper that joins late is not waited for.
  await until(() => budget.used === 16 << 20);
  reservation.release();
  assert.equal(budget.used, 0);
});
