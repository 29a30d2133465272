import { deepEqual, equal } from "node:assert/strict";
import { PlaneBuffer } from "./plane_buffer.ts";
import { PlaneCache } from "./plane_cache.ts";

/** A cache of so many bytes, and what of its planes was given back. */
function cacheOf(capacity: number) {
  const freed: string[] = [];
  const cache = new PlaneCache(8 * capacity);
  const add = (key: string, samples: number) => {
    const plane = new PlaneBuffer([new Float32Array(samples)], () => freed.push(key));
    return { plane, kept: cache.add(key, { plane, files: new Map() }) };
  };
  return { cache, freed, add };
}

Deno.test("sizes the cache to an eighth of the session memory, at most 224 MiB", () => {
  equal(new PlaneCache(800).capacity, 100);
  equal(new PlaneCache(64 * 2 ** 30).capacity, 224 * 2 ** 20);
});

Deno.test("evicts the least recently used plane first", () => {
  const { cache, freed, add } = cacheOf(40);
  for (const key of ["a", "b"]) add(key, 4);
  equal(cache.bytes, 32);
  cache.get("a");
  add("c", 4);
  deepEqual(freed, ["b"]);
  deepEqual(["a", "b", "c"].map((key) => cache.has(key)), [true, false, true]);
  equal(cache.get("b"), undefined);
  add("d", 10);
  deepEqual([freed, cache.bytes], [["b", "a", "c"], 40]);
});

Deno.test("neither keeps a plane larger than the cache nor evicts others for it", () => {
  const { cache, freed, add } = cacheOf(40);
  add("a", 4);
  equal(add("b", 11).kept, false);
  deepEqual([freed, cache.bytes], [[], 16]);
});

Deno.test("evicts planes as needed, or all of a session", () => {
  const { cache, freed, add } = cacheOf(100);
  for (const key of ["s a", "s b", "t a", "t b"]) add(key, 5);
  cache.giveUp(21);
  deepEqual([freed, cache.bytes], [["s a", "s b"], 40]);
  cache.drop((key) => key.startsWith("t b"));
  deepEqual([freed, cache.bytes], [["s a", "s b", "t b"], 20]);
  cache.giveUp(1000);
  deepEqual([cache.bytes, cache.has("t a")], [0, false]);
});
