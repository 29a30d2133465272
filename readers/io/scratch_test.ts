import { equal, notEqual } from "node:assert/strict";
import { scratchBytes } from "./scratch.ts";

const MIB = 1 << 20;

Deno.test("reads of up to 1 MiB share the memory of the converter; longer ones keep a buffer of their own", () => {
  const shared = scratchBytes(1).buffer;
  for (const length of [0, 1, 4096, MIB]) {
    const bytes = scratchBytes(length);
    equal(bytes.length, length);
    equal(bytes.buffer, shared);
    equal(bytes.byteOffset % 16, 0);
  }
  const long = scratchBytes(3 * MIB);
  equal(long.length, 3 * MIB);
  notEqual(long.buffer, shared);
  equal(scratchBytes(MIB + 1).buffer, long.buffer);
  scratchBytes(1);
  notEqual(scratchBytes(MIB + 1).buffer, long.buffer, "a usual read frees the long buffer");
});
