import assert from "node:assert/strict";
import { HandClock } from "../tests/contract/harness.ts";
import type { DecodeJob } from "./load_acquisition.ts";
import { DecodePool } from "./decode_pool.ts";
import { ShuttingDown } from "./errors.ts";
import { MemoryBudget } from "./memory_budget.ts";

/** Workers that behave as the path of the load says; they speak the protocol of `readers/worker_protocol.ts`. */
const SCRIPT = `
const wait = new Int32Array(new SharedArrayBuffer(4));
self.id = Math.random();
let working = { bytes: 0, endsWithWorker: false };
self.onmessage = ({ data }) => {
  if (data.type === "load") {
    self.job = data;
    const stop = new Int32Array(data.stop);
    switch (data.request.path) {
      case "wasm":
      case "wasm and hang": working = { bytes: 500, endsWithWorker: true };
      case "plan": return self.postMessage({ type: "planned", bytes: 400, planeBytes: 400, apart: null, working, files: new Map() });
      case "spin": while (Atomics.load(stop, 0) === 0) Atomics.wait(wait, 0, 0, 5);
        return self.postMessage({ type: "failed", error: { tag: "Stopped", message: "stopped", stack: "" } });
      case "deaf": Atomics.wait(wait, 0, 0, 300);
        return self.postMessage({ type: "failed", error: { tag: "Stopped", message: "stopped", stack: "" } });
      case "never": return;
      case "late": Atomics.wait(wait, 0, 0, 600);
        return self.postMessage({ type: "failed", error: { tag: "Stopped", message: "stopped", stack: "" } });
      case "throw": throw new Error("broken");
      case "divide":
      case "divide changed":
      case "divide and throw":
      case "divide and fail":
      case "divide unequal":
      case "divide and hang": {
        const part = data.request.planesOnly === true;
        const mark = part && data.request.path === "divide changed" ? "2" : "1";
        const files = new Map([["/a", mark], [part ? "/part" : "/first", mark]]);
        return self.postMessage({ type: "planned", bytes: 16 << 20, planeBytes: 1 << 20, apart: [4, 0, 2], working, files });
      }
      case "plan and throw":
      case "plan and hang": return self.postMessage({ type: "planned", bytes: 400, planeBytes: 400, apart: null, working, files: new Map() });
    }
  } else if (data.type === "abandon") {
    self.postMessage({ type: "failed", error: { tag: "Stopped", message: "stopped", stack: "" } });
  } else {
    if (self.job.request.path === "plan and throw") throw new Error("broken");
    if (self.job.request.path.endsWith("and hang")) Atomics.wait(wait, 0, 0, 400);
    const { path, channelIndices, planesOnly } = self.job.request;
    if (planesOnly && path === "divide and throw") throw new Error("broken");
    if (planesOnly && path === "divide and fail") {
      return self.postMessage({ type: "failed", error: { tag: "DecodeFailed", message: "bad strip", stack: "" } });
    }
    const length = planesOnly && path === "divide unequal" ? 50 : 100;
    const channels = path.startsWith("divide") ? (channelIndices ?? [4, 0, 2]).slice(0, data.share.planes) : [1];
    const planes = channels.map((channel) => new Float32Array(length).fill(channel));
    const summary = { planesOnly, worker: self.id };
    self.postMessage({ type: "loaded", summary, planes, referencePlanes: [] }, planes.map((p) => p.buffer));
  }
};`;

const start = () => new Worker(`data:text/javascript,${encodeURIComponent(SCRIPT)}`, { type: "module" });

function job(path: string, budget: MemoryBudget, signal = new AbortController().signal): DecodeJob {
  return {
    request: { path, channelIndices: null, allowedExtensions: [] },
    roots: null,
    reserve: (bytes, what) => budget.reserve(bytes, what),
    buffers: () => [],
    signal,
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

Deno.test("memory is reserved before the planes are made and belongs to who gets them", async () => {
  const budget = new MemoryBudget(1000);
  const pool = new DecodePool(new HandClock(), start, 1);
  const first = await pool.run(job("plan", budget));
  assert.equal(first.planes[0]!.length, 100);
  assert.equal(budget.used, 400);
  const second = await pool.run(job("plan", budget));
  await assert.rejects(pool.run(job("plan", budget)), { tag: "SessionMemoryExceeded" });
  assert.equal(budget.used, 800);
  first.reservation.release();
  second.reservation.release();
  assert.equal(budget.used, 0);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  pool.close();
});

Deno.test("a spinning load is stopped by its flag and its worker is used again", async () => {
  const pool = new DecodePool(new HandClock(), start, 1);
  const budget = new MemoryBudget(1000);
  const stop = new AbortController();
  const spinning = pool.run(job("spin", budget, stop.signal));
  await settled();
  stop.abort(new Error("timed out"));
  await assert.rejects(spinning, /timed out/);
  await until(() => pool.counts.idle === 1);
  assert.equal((await pool.run(job("plan", budget))).planes.length, 1);
  pool.close();
});

Deno.test("a worker that does not answer its stop within 2 s is lost and replaced; the next open goes on", async () => {
  const clock = new HandClock();
  const pool = new DecodePool(clock, start, 1);
  const budget = new MemoryBudget(1000);
  const stop = new AbortController();
  const deaf = pool.run(job("deaf", budget, stop.signal));
  await settled();
  const next = pool.run(job("plan", budget));
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

Deno.test("a worker that throws is replaced, and a stop that comes too early never starts one", async () => {
  const pool = new DecodePool(new HandClock(), start, 1);
  const budget = new MemoryBudget(1000);
  await assert.rejects(pool.run(job("throw", budget)), /broken/);
  assert.deepEqual(pool.counts, { idle: 0, busy: 0, lost: 0, waiting: 0 });
  assert.equal((await pool.run(job("plan", budget))).planes.length, 1);
  await assert.rejects(pool.run(job("plan", budget, AbortSignal.abort(new Error("gone")))), /gone/);
  pool.close();
});

Deno.test("waiting opens go in order, leave when stopped, and end with the pool", async () => {
  const pool = new DecodePool(new HandClock(), start, 1);
  const budget = new MemoryBudget(1000);
  const stop = new AbortController();
  const running = pool.run(job("spin", budget, stop.signal));
  const leaving = new AbortController();
  const left = pool.run(job("plan", budget, leaving.signal));
  const last = pool.run(job("plan", budget));
  assert.equal(pool.counts.waiting, 2);
  leaving.abort(new Error("left"));
  await assert.rejects(left, /left/);
  stop.abort(new Error("stopped"));
  await assert.rejects(running, /stopped/);
  assert.equal((await last).planes.length, 1);
  pool.close();
  await assert.rejects(pool.run(job("plan", budget)), ShuttingDown);
});

Deno.test("when too many workers are lost, opens are refused at once, those that wait too, until one comes back", async () => {
  const clock = new HandClock();
  const pool = new DecodePool(clock, start, 1);
  const budget = new MemoryBudget(1000);
  const lose = async (path: string) => {
    const stop = new AbortController();
    const lost = pool.run(job(path, budget, stop.signal));
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
  const waiting = assert.rejects(pool.run(job("plan", budget)), {
    tag: "TooManyOpens",
    message: /8 loads .* do not end/,
  });
  await deaf;
  assert.equal(pool.counts.waiting, 1);
  clock.move(2000);
  await waiting;
  assert.deepEqual(pool.counts, { idle: 0, busy: 0, lost: 8, waiting: 0 });
  await assert.rejects(pool.run(job("plan", budget)), { tag: "TooManyOpens", retryAfter: 2 });
  await until(() => pool.counts.lost === 7);
  assert.equal((await pool.run(job("plan", budget))).planes.length, 1);
  pool.close();
});

Deno.test("the memory of a lost load stays reserved until its worker answers", async () => {
  const clock = new HandClock();
  const pool = new DecodePool(clock, start, 1);
  const budget = new MemoryBudget(1000);
  const stop = new AbortController();
  const slow = pool.run(job("plan and hang", budget, stop.signal));
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

Deno.test("a worker that fails to answer in the protocol's words is replaced, others go on", async () => {
  const pool = new DecodePool(new HandClock(), start, 2);
  const budget = new MemoryBudget(1000);
  const faults = ["throw", "plan and throw"].map((path) =>
    assert.rejects(pool.run(job(path, budget)), /broken/)
  );
  const good = await pool.run(job("plan", budget));
  await Promise.all(faults);
  good.reservation.release();
  assert.equal(budget.used, 0);
  assert.deepEqual({ ...pool.counts, idle: 0 }, { idle: 0, busy: 0, lost: 0, waiting: 0 });
  pool.close();
});

Deno.test("a load whose planes are compressed apart is divided among the workers but one", async () => {
  for (const [workers, used] of [[1, 1], [2, 1], [3, 2], [5, 3]] as const) {
    const pool = new DecodePool(new HandClock(), start, workers);
    const budget = new MemoryBudget(32 << 20);
    const running = pool.run(job("divide", budget));
    const { planes, summary, reservation } = await running;
    assert.equal(pool.counts.idle + pool.counts.busy, used);
    // In the order of the request, and the summary is that of the whole load.
    assert.deepEqual(planes.map((plane) => [plane.length, plane[99]]), [[100, 4], [100, 0], [100, 2]]);
    assert.equal((summary as { planesOnly?: boolean }).planesOnly, undefined);
    assert.equal(reservation.bytes, 16 << 20);
    await until(() => pool.counts.idle === used);
    pool.close();
  }
});

Deno.test("a load is not divided while another open waits", async () => {
  const pool = new DecodePool(new HandClock(), start, 3);
  const budget = new MemoryBudget(64 << 20);
  const stop = new AbortController();
  const spinning = [1, 2].map(() => pool.run(job("spin", budget, stop.signal)));
  const divisible = pool.run(job("divide", budget));
  const waiting = pool.run(job("plan", budget));
  assert.equal(pool.counts.waiting, 1);
  assert.equal((await divisible).planes.length, 3);
  assert.equal((await waiting).planes.length, 1);
  stop.abort(new Error("stopped"));
  await Promise.all(spinning.map((load) => assert.rejects(load, /stopped/)));
  pool.close();
});

Deno.test("a fault in one part of a divided load is that of the load; nothing stays reserved", async () => {
  const faults = {
    "divide and fail": /bad strip/,
    "divide and throw": /broken/,
    "divide changed": /Cannot read "divide changed": it was changed while it was read/,
    "divide unequal": /Cannot read "divide unequal": it was changed while it was read/,
  };
  const pool = new DecodePool(new HandClock(), start, 3);
  const budget = new MemoryBudget(32 << 20);
  for (const [path, message] of Object.entries(faults)) {
    await assert.rejects(pool.run(job(path, budget)), message);
    await until(() => pool.counts.busy === 0);
    assert.equal(budget.used, 0, path);
    (await pool.run(job("plan", budget))).reservation.release();
  }
  pool.close();
});

Deno.test("a divided load that is stopped keeps its memory until its last worker answers", async () => {
  const clock = new HandClock();
  const pool = new DecodePool(clock, start, 3);
  const budget = new MemoryBudget(32 << 20);
  const stop = new AbortController();
  const slow = pool.run(job("divide and hang", budget, stop.signal));
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
  assert.equal((await pool.run(job("plan", budget))).planes.length, 1);
  pool.close();
});

const workerOf = ({ summary }: { summary: unknown }) => (summary as { worker: number }).worker;

Deno.test("a worker that has decoded and rested for 5 s is ended; the last one is replaced by a fresh one", async () => {
  const clock = new HandClock();
  const pool = new DecodePool(clock, start, 2);
  const budget = new MemoryBudget(10_000);
  const pair = await Promise.all([pool.run(job("plan", budget)), pool.run(job("plan", budget))]);
  assert.notEqual(workerOf(pair[0]), workerOf(pair[1]));
  clock.move(4_999);
  const again = await pool.run(job("plan", budget));
  assert.ok(pair.some((one) => workerOf(one) === workerOf(again)), "a worker at rest is used again");
  // The other one has rested long enough, this one has not.
  clock.move(4_998);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  clock.move(2);
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  assert.equal(clock.waiting, 0, "a fresh worker has no memory to give back");
  const fresh = await pool.run(job("plan", budget));
  assert.ok(pair.every((one) => workerOf(one) !== workerOf(fresh)));
  pool.close();
  assert.equal(clock.waiting, 0);
});

Deno.test("a decoder's memory is reserved beside the planes, and its worker ends with the load", async () => {
  const pool = new DecodePool(new HandClock(), start, 1);
  const budget = new MemoryBudget(1000);
  const first = await pool.run(job("wasm", budget));
  assert.equal(budget.used, 400);
  await assert.rejects(pool.run(job("wasm", budget)), {
    tag: "SessionMemoryExceeded",
    message: /^The decoders, beside the planes, need 0\.0 MiB, but only/,
  });
  assert.equal(budget.used, 400);
  first.reservation.release();
  const second = await pool.run(job("wasm", budget));
  assert.notEqual(workerOf(first), workerOf(second));
  assert.deepEqual(pool.counts, { idle: 1, busy: 0, lost: 0, waiting: 0 });
  second.reservation.release();
  assert.equal(budget.used, 0);
  pool.close();
});

Deno.test("a decoder that nothing stops keeps its reservation until it ends", async () => {
  const clock = new HandClock();
  const pool = new DecodePool(clock, start, 1);
  const budget = new MemoryBudget(1000);
  const stop = new AbortController();
  const hanging = pool.run(job("wasm and hang", budget, stop.signal));
  await until(() => budget.used === 900);
  stop.abort(new Error("timed out"));
  await assert.rejects(hanging, /timed out/);
  clock.move(2000);
  assert.equal(pool.counts.lost, 1);
  assert.equal(budget.used, 900);
  await until(() => pool.counts.lost === 0);
  assert.equal(budget.used, 0);
  pool.close();
});

Deno.test("where the system has no room for a worker, opens are refused and not kept waiting", async () => {
  const budget = new MemoryBudget(1000);
  let room = 0;
  const pool = new DecodePool(new HandClock(), () => room-- > 0 ? start() : null, 2);
  pool.warm();
  await assert.rejects(pool.run(job("plan", budget)), {
    tag: "TooManyOpens",
    message: /^Too few file descriptors/,
  });
  room = 1;
  // The second one waits for the worker of the first.
  const [first, second] = await Promise.all([pool.run(job("plan", budget)), pool.run(job("plan", budget))]);
  assert.equal(workerOf(first), workerOf(second));
  const [third, fourth] = [pool.run(job("throw", budget)), pool.run(job("plan", budget))];
  await assert.rejects(third, /broken/);
  await assert.rejects(fourth, { tag: "TooManyOpens" });
  pool.close();
});
