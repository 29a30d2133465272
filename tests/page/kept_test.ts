import assert from "node:assert/strict";
import { KeptView, RecentFiles } from "../../static/demo/v2/opening/kept.js";

/** A storage in memory, with something in it. */
function storage(start: Record<string, string> = {}) {
  const items = new Map(Object.entries(start));
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

Deno.test("the last ten files are kept, the last one first and each once", () => {
  const place = storage();
  const recent = new RecentFiles(() => place);
  for (let i = 0; i < 12; i += 1) recent.add(`/data/${i}.oir`);
  recent.add("/data/5.oir");
  assert.deepEqual(
    new RecentFiles(() => place).paths,
    [5, 11, 10, 9, 8, 7, 6, 4, 3, 2].map((i) => `/data/${i}.oir`),
  );
  recent.clear();
  assert.deepEqual(recent.paths, []);
  assert.equal(place.items.size, 0, "nothing is left over");
});

Deno.test("a storage that is closed, full or holds something else is as good as an empty one", () => {
  const closed = () => {
    throw new Error("denied");
  };
  const [recent, kept] = [new RecentFiles(closed), new KeptView(closed)];
  recent.add("/a");
  recent.clear();
  kept.view = { path: "/a", scene: 0, position: { t: 0, z: 0, l: 0 }, look: null };
  assert.deepEqual([recent.paths, kept.view], [[], null]);
  for (const text of ["", "{", "3", "null", '{"path":1}', '[1,null,"/a"]', '{"path":"/a","scene":"1"}']) {
    const place = storage({ "acq-server recent files": text, "acq-server view": text });
    assert.deepEqual(new RecentFiles(() => place).paths, text.startsWith("[") ? ["/a"] : []);
    assert.equal(new KeptView(() => place).view, null);
  }
});

Deno.test("a view comes back with its look", () => {
  const kept = new KeptView(storage);
  assert.equal(kept.view, null);
  const place = storage();
  const view = { path: "/a", scene: 2, position: { t: 3, z: 1, l: 0 }, look: { source: { shape: [1, 2] } } };
  new KeptView(() => place).view = view;
  assert.deepEqual(new KeptView(() => place).view, view);
});
