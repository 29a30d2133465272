import assert from "node:assert/strict";
import { PlaneSteps } from "../../static/demo/v2/panels/plane_steps.ts";

const place = (t: number) => ({ t, z: 0, l: 0 });

/** A server that answers when the test says so. */
class Answers {
  readonly asked: number[] = [];
  readonly aborted: number[] = [];
  readonly #waiting = new Map<number, PromiseWithResolvers<Float32Array[]>>();

  readonly fetch = ({ t }: { t: number }, signal: AbortSignal): Promise<Float32Array[]> => {
    const waiting = Promise.withResolvers<Float32Array[]>();
    this.asked.push(t);
    this.#waiting.set(t, waiting);
    signal.addEventListener("abort", () => {
      this.aborted.push(t);
      waiting.reject(signal.reason);
    });
    return waiting.promise;
  };

  /** Answers a time point with its number. */
  async answer(t: number): Promise<void> {
    this.#waiting.get(t)!.resolve([Float32Array.of(t)]);
    await new Promise((done) => setTimeout(done));
  }

  async fail(t: number): Promise<void> {
    this.#waiting.get(t)!.reject(new Error(`no ${t}`));
    await new Promise((done) => setTimeout(done));
  }
}

Deno.test("a step waits for its plane, then fetches the next ones ahead in sequence", async () => {
  const server = new Answers();
  const steps = new PlaneSteps(server.fetch);
  const first = steps.at(place(1), [place(2), place(3)]);
  assert.deepEqual(server.asked, [1]);
  await server.answer(1);
  assert.deepEqual(await first, [Float32Array.of(1)]);
  assert.deepEqual(server.asked, [1, 2]);
  await server.answer(2);
  assert.deepEqual(server.asked, [1, 2, 3]);
  assert.deepEqual([1, 2, 3].map((t) => steps.has(place(t))), [true, true, false]);
  // A plane on its way is not requested twice.
  const third = steps.at(place(3), []);
  await server.answer(3);
  assert.deepEqual(await third, [Float32Array.of(3)]);
  // Seen planes are cached.
  assert.deepEqual(await steps.at(place(1), []), [Float32Array.of(1)]);
  assert.deepEqual(server.asked, [1, 2, 3]);
  assert.deepEqual(server.aborted, []);
});

Deno.test("cancels an overtaken step and returns null", async () => {
  const server = new Answers();
  const steps = new PlaneSteps(server.fetch);
  const [first, second] = [steps.at(place(1), [place(2)]), steps.at(place(9), [place(10)])];
  assert.equal(await first, null);
  assert.deepEqual(server.aborted, [1]);
  await server.answer(9);
  assert.deepEqual(await second, [Float32Array.of(9)]);
  // 10, ahead of 9, is not wanted from 1.
  const third = steps.at(place(1), [place(2)]);
  assert.deepEqual(server.aborted, [1, 10]);
  await server.answer(1);
  assert.deepEqual(await third, [Float32Array.of(1)]);
  steps.clear();
  assert.deepEqual([steps.has(place(1)), server.aborted], [false, [1, 10, 2]]);
});

Deno.test("fails only the step of a missing plane, and requests that plane again", async () => {
  const server = new Answers();
  const steps = new PlaneSteps(server.fetch);
  const first = steps.at(place(1), [place(2), place(3)]);
  await server.answer(1);
  await first;
  await server.fail(2);
  assert.deepEqual(server.asked, [1, 2, 3], "the following plane is still fetched");
  const second = steps.at(place(2), []);
  await Promise.all([assert.rejects(second, /no 2/), server.fail(2)]);
});

Deno.test("bounds the cache and evicts the least recently used planes", () => {
  const steps = new PlaneSteps(() => Promise.reject(new Error("none")), 40);
  // 16 bytes each: two fit.
  const plane = () => [new Float32Array(2), new Float32Array(2)];
  for (const t of [1, 2, 1, 3]) steps.keep(place(t), plane());
  assert.deepEqual([1, 2, 3].map((t) => steps.has(place(t))), [true, false, true]);
  steps.keep(place(4), [new Float32Array(100)]);
  assert.deepEqual(
    [1, 3, 4].map((t) => steps.has(place(t))),
    [false, false, true],
    "the one that is shown stays",
  );
});
