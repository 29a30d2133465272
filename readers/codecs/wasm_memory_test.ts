import assert from "node:assert/strict";
import { allowMemory, memoryRefused } from "./wasm_memory.ts";

const PAGE = 65_536;

Deno.test("a module gets the memory that was allowed, and not a page more", () => {
  allowMemory(1000 * PAGE);
  const memory = new WebAssembly.Memory({ initial: 990 });
  assert.equal(memory.grow(10), 990);
  assert.equal(memoryRefused(), null);
  assert.throws(() => memory.grow(1), RangeError);
  assert.equal(memory.buffer.byteLength, 1000 * PAGE);
  assert.match(memoryRefused()!, /needs more than the 65536000 bytes/);
  // What is allowed to one strip stays allowed: the memory of a module never shrinks.
  allowMemory(PAGE);
  assert.equal(memoryRefused(), null);
  const other = new WebAssembly.Memory({ initial: 999 });
  assert.throws(() => other.grow(2), RangeError);
  assert.equal(other.grow(1), 999);
  assert.equal(memoryRefused(), null);
});
