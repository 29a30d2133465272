import assert from "node:assert/strict";
import { deflateSync, zstdCompressSync } from "node:zlib";
import {
  checkGrowth,
  collectGarbage,
  copyFrames,
  decodeFrames,
  exposedCollector,
  inflatesTo,
  reportCompiled,
  zlibDecoder,
  zstdDecoder,
} from "./runtime_internals.ts";

Deno.test("the pinned runtime has each internal", () => {
  assert.equal(typeof exposedCollector(), "function");
  assert.notEqual(zstdDecoder(), null);
  assert.notEqual(zlibDecoder(), null);
});

Deno.test("garbage collection frees unreachable memory", async () => {
  const left = (() => new WeakRef(new Uint8Array(1 << 20)))();
  const kept = new Uint8Array(1 << 20);
  const held = new WeakRef(kept);
  // A weak reference holds its target until the end of the current job.
  await new Promise((resolve) => setTimeout(resolve));
  collectGarbage();
  assert.equal(left.deref(), undefined);
  assert.equal(held.deref(), kept);
});

Deno.test("decodes zstd frames to the same bytes with and without the internal decoder, and rejects damaged ones", () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i * i >> 7);
  const frame = zstdCompressSync(bytes);
  // A frame to skip (RFC 8878, section 3.1.2) with three bytes.
  const skipped = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);
  const empty = zstdCompressSync(new Uint8Array());
  const cases: [Uint8Array[], Uint8Array[]][] = [
    [[frame], [bytes]],
    [[skipped, frame, empty, frame, skipped], [bytes, bytes]],
    [[empty], []],
    [[], []],
  ];
  const join = (parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));
  for (const [stored, decoded] of cases) {
    const [frames, expected] = [join(stored), join(decoded)];
    for (const room of [expected.length, expected.length + 5]) {
      const [own, copied] = [new Uint8Array(room), new Uint8Array(room)];
      assert.equal(decodeFrames(frames, own, true), expected.length);
      assert.equal(copyFrames(frames, copied), expected.length);
      assert.deepEqual(own.subarray(0, expected.length), expected);
      assert.deepEqual(copied, own);
    }
    if (expected.length === 0) continue;
    const short = new Uint8Array(expected.length - 1);
    assert.equal(decodeFrames(frames, short, false), expected.length);
    assert.equal(copyFrames(frames, short), expected.length);
  }
  const damaged = frame.map((byte, i) => i === 0 ? byte ^ 1 : byte);
  assert.throws(() => decodeFrames(damaged, new Uint8Array(bytes.length), true));
  assert.throws(() => copyFrames(damaged, new Uint8Array(bytes.length)));
});

Deno.test("a memory grows as without a check, unless the check throws", () => {
  const { grow } = WebAssembly.Memory.prototype;
  try {
    checkGrowth((bytes) => {
      if (bytes > 3 * 65_536) throw new RangeError("too much");
    });
    const memory = new WebAssembly.Memory({ initial: 1 });
    assert.equal(memory.grow(2), 1);
    assert.throws(() => memory.grow(1), /too much/);
    assert.equal(memory.buffer.byteLength, 3 * 65_536);
  } finally {
    WebAssembly.Memory.prototype.grow = grow;
  }
});

Deno.test("reports each compiled module with the length of its bytes", async () => {
  // Magic number and version: a module without content (WebAssembly core specification, section 5.5.16).
  const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  const { instantiate } = WebAssembly;
  const reported: [WebAssembly.Module, number][] = [];
  try {
    reportCompiled((code, bytes) => reported.push([code, bytes]));
    const { module } = await WebAssembly.instantiate(empty);
    assert.ok(await WebAssembly.instantiate(module) instanceof WebAssembly.Instance);
    assert.deepEqual(reported, [[module, 8]]);
    await assert.rejects(WebAssembly.instantiate(empty.subarray(0, 7)), WebAssembly.CompileError);
    assert.equal(reported.length, 1);
  } finally {
    WebAssembly.instantiate = instantiate;
  }
});

Deno.test("measures zlib streams", () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i * i >> 7);
  const stream = deflateSync(bytes);
  const followed = new Uint8Array([...stream, 1, 2, 3]);
  const damaged = stream.with(100, stream[100]! ^ 0xff);
  for (let round = 0; round < 2; round += 1) {
    assert(inflatesTo(stream, 300_000));
    assert(inflatesTo(followed, 300_000));
    assert(!inflatesTo(stream, 299_999));
    assert(!inflatesTo(stream, 300_001));
    assert(!inflatesTo(stream.subarray(0, 1000), 300_000));
    assert(!inflatesTo(damaged, 299_000));
    assert(!inflatesTo(new Uint8Array(), 1));
  }
});
