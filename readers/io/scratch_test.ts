import { deepEqual, equal, notEqual } from "node:assert/strict";
import { HELD_MEMORY, scratchBytes } from "./scratch.ts";

const MIB = 1 << 20;

Deno.test("scratch memory is as long as asked for and fits every sample, wherever a read begins", () => {
  for (const length of [0, 1, 4096, MIB - 1, MIB, MIB + 1, MIB + 4095, MIB + 4096, MIB + 4097, 3 * MIB]) {
    for (const offset of [0, 1, 8, 63, 64, 2047, 2048, 4095, 4096, 2 ** 40 + 1]) {
      const bytes = scratchBytes(length, offset);
      deepEqual([bytes.length, bytes.byteOffset % 64], [length, 0]);
    }
  }
  equal(HELD_MEMORY.byteOffset % 4096, 0);
});

Deno.test("a read of 1 MiB goes where vectors find it, a longer one into memory that is kept for such reads", () => {
  for (const offset of [0, 2047, 4095]) equal(scratchBytes(MIB, offset).buffer, HELD_MEMORY.buffer);
  const long = scratchBytes(MIB + 1, 2047).buffer;
  notEqual(long, HELD_MEMORY.buffer);
  equal(scratchBytes(MIB + 1, 0).buffer, long);
  // It is given back as soon as a usual read follows.
  scratchBytes(1, 0);
  notEqual(scratchBytes(MIB + 1, 0).buffer, long);
});
