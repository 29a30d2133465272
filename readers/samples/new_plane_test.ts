import assert from "node:assert/strict";
import { newPlane } from "./new_plane.ts";

Deno.test("a plane in used memory is cleared, and takes no buffer that is too small", () => {
  const [small, large] = [new Float32Array(3).fill(7), new Float32Array(9).fill(7)];
  const buffers = [small.buffer, large.buffer];
  const plane = newPlane(4, buffers);
  assert.equal(plane.buffer, large.buffer);
  assert.deepEqual([...plane], [0, 0, 0, 0]);
  assert.deepEqual(buffers, [small.buffer]);
  assert.deepEqual([...newPlane(2, [])], [0, 0]);
});

Deno.test("a plane of any size has its samples and no more", () => {
  for (const samples of [1, (1 << 20) - 1, 1 << 20, (8 << 20) + 16_384, (8 << 20) + 16_385]) {
    assert.equal(newPlane(samples, []).length, samples);
  }
});

Deno.test("planes of 4 to 32 MiB lie in blocks that the allocator maps by themselves, where it is that of glibc", () => {
  const linux = Deno.build.os === "linux";
  for (const [mebibytes, mapped] of [[3, false], [4, linux], [31, linux], [33, false]] as const) {
    const { byteLength } = newPlane(mebibytes << 18, []).buffer;
    assert.equal(mapped ? byteLength > 32 << 20 : byteLength === mebibytes << 20, true, `${mebibytes}`);
  }
});
