import assert from "node:assert/strict";
import { HandClock } from "../tests/contract/harness.ts";
import { PlaneMemory } from "./plane_memory.ts";

const MIB = 1 << 20;

Deno.test("reuses the memory of a plane for the next plane of the same size within 5 s", () => {
  const clock = new HandClock();
  const memory = new PlaneMemory(clock);
  const buffer = new ArrayBuffer(33 * MIB);
  memory.give(buffer, 16 * MIB);
  assert.deepEqual(memory.take(8 * MIB, 1), []);
  assert.deepEqual(memory.take(16 * MIB, 2), [buffer]);
  assert.equal(clock.waiting, 0);
  memory.give(buffer, 16 * MIB);
  clock.move(4_999);
  assert.equal(buffer.byteLength, 33 * MIB);
  clock.move(1);
  assert.ok(buffer.detached, "given back to the system");
  assert.deepEqual(memory.take(16 * MIB, 1), []);
});

Deno.test("frees small planes, and planes beyond 128 MiB, at once", () => {
  const memory = new PlaneMemory(new HandClock());
  const small = new ArrayBuffer(MIB / 4 - 4);
  memory.give(small, small.byteLength);
  assert.ok(small.detached);
  const large = Array.from({ length: 5 }, () => new ArrayBuffer(32 * MIB));
  for (const buffer of large) memory.give(buffer, 32 * MIB);
  assert.deepEqual(large.map(({ detached }) => detached), [false, false, false, false, true]);
  assert.deepEqual(memory.take(32 * MIB, 3), large.slice(0, 3));
  memory.give(large[0]!, 32 * MIB);
  assert.deepEqual(memory.take(32 * MIB, 9), [large[3], large[0]]);
});
