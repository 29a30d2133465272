import assert from "node:assert/strict";
import { until } from "../tests/deadline.ts";
import { fakePool, reportOf, settled } from "../tests/fake_decode_workers.ts";
import { PlaneQueue } from "./decode_pool.ts";
import { ShuttingDown, TooManyOpens } from "./errors.ts";
import type { LoadedAcquisition } from "./store.ts";

const idOf = (loaded: LoadedAcquisition) => reportOf(loaded).worker;

Deno.test("stops a spinning load by its flag and reuses its worker", async () => {
  using fake = fakePool(1);
  const { pool, load } = fake;
  await fake.stopped("spin");
  await until(() => pool.counts.idle === 1);
  assert.equal((await load("plan")).planes.length, 1);
});

Deno.test("replaces a worker that ignores a stop for 2 s, and continues with the next open", async () => {
  using fake = fakePool(1);
  const { clock, pool, load } = fake;
  const stop = new AbortController();
  const deaf = load("deaf", stop.signal);
  await settled();
  const next = load("plan");
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
});

Deno.test("serves waiting opens in order, and ends them when stopped and with the pool", async () => {
  using fake = fakePool(1);
  const { pool, load } = fake;
  const stop = new AbortController();
  const running = load("spin", stop.signal);
  const leaving = new AbortController();
  const left = load("plan", leaving.signal);
  const last = load("plan");
  assert.equal(pool.counts.waiting, 2);
  leaving.abort(new Error("left"));
  await assert.rejects(left, /left/);
  stop.abort(new Error("stopped"));
  await assert.rejects(running, /stopped/);
  assert.equal((await last).planes.length, 1);
  pool.close();
  await assert.rejects(load("plan"), ShuttingDown);
});

Deno.test("rejects opens, including waiting ones, while too many workers are lost", async () => {
  using fake = fakePool(1);
  const { clock, pool, load } = fake;
  for (let i = 0; i < 7; i += 1) {
    await fake.stopped("never");
    clock.move(2000);
  }
  // Still one to lose: an open waits for it.
  const deaf = fake.stopped("late");
  await until(() => pool.counts.busy === 1);
  const waiting = assert.rejects(load("plan"), {
    tag: "too_many_opens",
    message: /8 stopped loads do not end/,
  });
  await deaf;
  await until(() => pool.counts.waiting === 1);
  clock.move(2000);
  await waiting;
  assert.deepEqual(pool.counts, { idle: 0, busy: 0, lost: 8, waiting: 0 });
  await assert.rejects(load("plan"), { tag: "too_many_opens", retryAfter: 2 });
  await until(() => pool.counts.lost === 7);
  assert.equal((await load("plan")).planes.length, 1);
});

Deno.test("replaces a worker that throws, while others continue", async () => {
  using fake = fakePool(2);
  const { budget, pool, load } = fake;
  const faults = ["throw", "plan and throw"].map((path) => assert.rejects(load(path), /broken/));
  const good = await load("plan");
  await Promise.all(faults);
  good.reservation.release();
  assert.equal(budget.used, 0);
  assert.deepEqual({ ...pool.counts, idle: 0 }, { idle: 0, busy: 0, lost: 0, waiting: 0 });
});

Deno.test("replaces a worker after 15 s without work or open files", async () => {
  using fake = fakePool(2, 10_000);
  const { clock, pool, load } = fake;
  const pair = await Promise.all([load("decoder"), load("decoder")]);
  assert.notEqual(idOf(pair[0]), idOf(pair[1]));
  clock.move(14_999);
  const again = await load("plan");
  assert.ok(pair.some((one) => idOf(one) === idOf(again)), "a worker at rest is used again");
  // The other one has rested long enough, this one has not.
  clock.move(14_998);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  clock.move(2);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  assert.equal(clock.waiting, 0, "a fresh worker has no memory to give back");
  const fresh = await load("plan");
  assert.ok(pair.every((one) => idOf(one) !== idOf(fresh)));
  pool.close();
  assert.equal(clock.waiting, 0);
});

Deno.test("the pool rests when its last worker rests", async () => {
  using fake = fakePool(2, 10_000);
  const { clock, pool, load } = fake;
  let rests = 0;
  pool.rested = () => rests += 1;
  await Promise.all([load("decoder"), load("decoder")]);
  clock.move(14_000);
  await load("plan");
  clock.move(1_000);
  assert.deepEqual([pool.counts.idle, rests], [1, 0], "one worker rested, and the other worked a second ago");
  clock.move(14_000);
  assert.equal(rests, 1);
});

Deno.test("removes an idle worker that fails from the pool", async () => {
  using fake = fakePool(1);
  const { pool, load } = fake;
  const first = await load("plan and throw when closed");
  assert.equal(pool.counts.idle, 1);
  await until(() => pool.counts.idle === 0);
  assert.notEqual(idOf(await load("plan")), idOf(first));
});

Deno.test("a closed pool rejects waiting opens", async () => {
  using fake = fakePool(1);
  const { pool } = fake;
  const { signal } = new AbortController();
  await pool.takeForOpen("a", "/a", signal);
  const waiting = assert.rejects(pool.takeForOpen("b", "/b", signal), ShuttingDown);
  assert.equal(pool.counts.waiting, 1);
  pool.close();
  await waiting;
});

Deno.test("queues up to 16 planes per session and 256 in all, and lets sessions take turns", () => {
  const queue = new PlaneQueue<string>();
  for (let session = 0; session < 16; session += 1) {
    for (let i = 0; i < 16; i += 1) queue.add(`${session}`, `${session}.${i}`);
    if (session < 15) assert.throws(() => queue.add(`${session}`, "x"), /16 planes of this session/);
  }
  assert.throws(() => queue.add("16", "x"), TooManyOpens);
  assert.throws(() => queue.add("16", "x"), /256 planes are waiting/);
  queue.remove("1", "1.0");
  queue.remove("1", "1.0");
  assert.deepEqual([queue.size, queue.turn, queue.next(), queue.next()], [255, "0", "0.0", "1.1"]);
  queue.add("16", "x");
  assert.equal(queue.clear().length, 254);
  assert.deepEqual([queue.size, queue.turn, queue.next()], [0, null, null]);
});
