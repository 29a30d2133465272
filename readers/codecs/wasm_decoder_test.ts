import assert from "node:assert/strict";
import { allowMemory, dropDecoders, memoryRefused, WasmDecoder } from "./wasm_decoder.ts";

const PAGE = 65_536;

Deno.test("gives a module the allowed memory and not a page more", () => {
  allowMemory(1000 * PAGE);
  const memory = new WebAssembly.Memory({ initial: 990 });
  assert.equal(memory.grow(10), 990);
  assert.equal(memoryRefused(), null);
  assert.throws(() => memory.grow(1), RangeError);
  assert.equal(memory.buffer.byteLength, 1000 * PAGE);
  assert.match(memoryRefused()!, /needs more than the 65536000 bytes/);
  // What is allowed to one strip of a load stays allowed: the memory of a module never shrinks.
  allowMemory(PAGE);
  assert.equal(memoryRefused(), null);
  const other = new WebAssembly.Memory({ initial: 999 });
  assert.throws(() => other.grow(2), RangeError);
  assert.equal(other.grow(1), 999);
  assert.equal(memoryRefused(), null);
});

Deno.test("keeps an instance for one load or until it aborts, with the memory allowed for that load", async () => {
  dropDecoders();
  let made = 0;
  const decoder = new WasmDecoder(() => Promise.resolve({ number: made += 1 }));
  assert.equal(dropDecoders(), false);
  const first = await decoder.instance(2 * PAGE);
  assert.equal(await decoder.instance(PAGE), first);
  decoder.drop();
  assert.equal((await decoder.instance(PAGE)).number, 2);
  const memory = new WebAssembly.Memory({ initial: 1 });
  assert.equal(memory.grow(1), 1);
  assert.equal(dropDecoders(), true);
  assert.equal(dropDecoders(), false);
  assert.equal((await decoder.instance(PAGE)).number, 3);
  assert.throws(() => memory.grow(1), RangeError);
  dropDecoders();
});
