/** Tests of `static/measure/measure_workers.ts` with workers that the test answers. */
import assert from "node:assert/strict";
import { VELOCITY } from "../../static/measure/flow/mod.ts";
import { PLAIN_TRACE } from "../../static/measure/light/band_trace.ts";
import { MeasureWorkers } from "../../static/measure/measure_workers.ts";

const plane = { samples: new Float32Array(1), shape: [1, 1] as const };
const band = {
  columns: [0, 1] as const,
  axes: [{ step: 0.001, unit: "seconds" }, { step: 0.5, unit: "um" }] as const,
  lines: 1,
  pixelTime: 4e-6,
  isTyped: false,
  trace: PLAIN_TRACE,
};

/** A worker that records what it is asked. */
class AskedWorker {
  orders = 0;
  isTerminated = false;
  onmessage: (event: { data: unknown }) => void = () => {};
  onerror: (event: { message: string; preventDefault: () => void }) => void = () => {};
  postMessage = (): void => void (this.orders += 1);
  terminate = (): void => void (this.isTerminated = true);
  answer = (data: unknown): void => this.onmessage({ data });
  lose = (): void => this.onerror({ message: "out of memory", preventDefault: () => {} });
}

/** Workers of which two run at the same time, and those that were started. */
function startTwo() {
  const started: AskedWorker[] = [];
  const workers = new MeasureWorkers(2, () => {
    const worker = new AskedWorker();
    started.push(worker);
    return worker as unknown as Worker;
  });
  return { workers, started, measure: () => workers.measure(VELOCITY, plane, band, {}) };
}

Deno.test("starts a worker only if none is free, and hands waiting orders on", async () => {
  const { workers, started, measure } = startTwo();
  const first = measure();
  started[0]!.answer({ found: "first" });
  assert.equal(await first, "first");
  const [second, third, fourth] = [measure(), measure(), measure()];
  assert.deepEqual(started.map(({ orders }) => orders), [2, 1]);
  started[1]!.answer({ fault: "too wide" });
  started[0]!.answer({ found: "second" });
  await assert.rejects(third, { name: "RangeError", message: "too wide" });
  assert.equal(await second, "second");
  assert.deepEqual(started.map(({ orders }) => orders).toSorted(), [2, 2]);
  for (const worker of started) worker.answer({ found: "fourth" });
  assert.equal(await fourth, "fourth");
  workers[Symbol.dispose]();
  assert(started.every(({ isTerminated }) => isTerminated));
});

Deno.test("a lost worker ends the orders that wait and those that come later", async () => {
  const { started, measure } = startTwo();
  const [first, second, waiting] = [measure(), measure(), measure()];
  const lost = { message: "A worker was lost: out of memory" };
  const ends = [assert.rejects(first, lost), assert.rejects(waiting, lost)];
  started[0]!.lose();
  await Promise.all(ends);
  started[1]!.answer({ found: "second" });
  assert.equal(await second, "second");
  await assert.rejects(measure(), lost);
});
