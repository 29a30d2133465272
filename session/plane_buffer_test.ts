import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { PlaneBuffer } from "./plane_buffer.ts";

/** A plane of so many samples, with the buffers that it gave back. */
function planeOf(samples: number, ...cuts: number[]) {
  const freed: ArrayBuffer[] = [];
  const values = Float32Array.from({ length: samples }, (_, i) => i);
  const bytes = new Uint8Array(values.slice().buffer);
  const parts = [...cuts, samples].map((end, i) => values.slice(cuts[i - 1] ?? 0, end));
  return { plane: new PlaneBuffer(parts, (buffer) => freed.push(buffer)), freed, bytes };
}

Deno.test("frees the memory of a plane once, after its last lease", () => {
  const { plane, freed } = planeOf(4);
  const [first, second] = [plane.lease(), plane.lease()];
  equal(plane.leases, 2);
  first();
  first();
  equal(plane.leases, 1);
  plane.release();
  equal(freed.length, 0);
  // What is still held may be held by one more.
  plane.lease()();
  equal(freed.length, 0);
  second();
  second();
  plane.release();
  throws(() => plane.lease(), /was released/);
  deepEqual([plane.leases, plane.byteLength], [0, 16]);
  deepEqual(freed.map(({ byteLength }) => byteLength), [16]);
});

Deno.test("sends a plane in chunks of 4 MiB on demand", async () => {
  // 5.5 MiB and one sample, except the first and the last two bytes.
  const { plane, bytes } = planeOf(11 * 131_072 + 1);
  const [start, end] = [1, bytes.length - 2];
  let moved = 0;
  const { body, cut } = plane.stream(start, end, () => moved += 1);
  const lengths: number[] = [];
  const sent: number[] = [];
  for await (const chunk of body) {
    lengths.push(chunk.length);
    sent.push(chunk[0]!, chunk.at(-1)!);
  }
  deepEqual(lengths, [4 << 20, (3 << 19) + 4 - 3]);
  deepEqual(sent, [1, 4 << 20, (4 << 20) + 1, end - 1].map((at) => bytes[at]));
  equal(moved, 2);
  // A stream that has ended cannot be cut.
  cut("late");
});

Deno.test("sends a plane in several buffers as one, for any range of bytes", async () => {
  const { plane, freed, bytes } = planeOf(10, 3, 4, 8);
  equal(plane.byteLength, 40);
  for (
    const [start, end] of [[0, 40], [0, 12], [11, 13], [12, 16], [13, 15], [15, 33], [39, 40], [
      16,
      16,
    ]] as const
  ) {
    const sent: number[] = [];
    for await (const chunk of plane.stream(start, end, () => {}).body) sent.push(...chunk);
    deepEqual(sent, [...bytes.subarray(start, end)], `${start} to ${end}`);
  }
  plane.release();
  deepEqual(freed.map(({ byteLength }) => byteLength), [12, 4, 16, 8]);
});

Deno.test("a cut stream fails once, and a cancelled one does not fail", async () => {
  const { plane } = planeOf(4);
  const { body, cut } = plane.stream(0, 16, () => {});
  cut("stopped");
  cut("again");
  await rejects(body.getReader().read(), (reason) => reason === "stopped");
  const other = plane.stream(0, 16, () => {});
  await other.body.cancel();
  other.cut("late");
  // No bytes are a stream that ends.
  const { done } = await plane.stream(8, 8, () => {}).body.getReader().read();
  equal(done, true);
});
