/** Keeping work, with a store in memory. */
import assert from "node:assert/strict";
import type { Drawn } from "../../static/demo/v2/drawing/drawn.ts";
import { KeptWork, type ShownState } from "../../static/demo/v2/opening/kept_work.ts";
import { identifyWork } from "../../static/demo/v2/opening/work_store.ts";
import { until } from "../deadline.ts";

type Work = NonNullable<Awaited<ReturnType<KeptWork["recall"]>>>["work"];

const SCAN = { path: "/a.oir", scene: 0, name: "a.oir", fingerprint: "f1" };
const POSITION = { t: 0, z: 0, l: 0 };
const shown = (bands: number): ShownState => {
  const regions = Array.from({ length: bands }, (_, id) => ({ id: `band-${id}`, kind: "band" }));
  const drawn = { regions } as unknown as Drawn;
  return { look: { drawn }, position: POSITION };
};

/** What a browser stores; `fault` fails all writing, and `letGo` those that wait. */
function storage() {
  const works = new Map<string, Work>();
  const state = { fault: "", waiting: null as Promise<void> | null, persisted: 0 };
  const all = () => [...works.values()].sort((a, b) => b.savedAt - a.savedAt);
  return {
    works,
    state,
    get: (key: string) => Promise.resolve(works.get(key)),
    at: (location: string) => Promise.resolve(all().find((work) => work.location === location)),
    all: () => Promise.resolve(all()),
    hasEarlier: () => Promise.resolve(false),
    put: async (work: Work) => {
      await state.waiting;
      if (state.fault !== "") throw new DOMException("", state.fault);
      works.set(work.key, work);
    },
    remove: (key: string) => Promise.resolve(works.delete(key)),
    persist: () => state.persisted += 1,
    onLost: () => {},
  };
}

type Store = ReturnType<typeof storage>;

/** A tab. */
function tab(store: Store) {
  const work = new KeptWork(store);
  const states: string[] = [];
  work.on("state", ({ state }) => states.push(state));
  return {
    work,
    states,
    async [Symbol.asyncDispose]() {
      await work.begin(null, null);
    },
  };
}

Deno.test("keeps written work, and finds it by content, then by path", async () => {
  const store = storage();
  await using here = tab(store);
  const { work, states } = here;
  assert.equal(await work.recall(SCAN), null);
  await work.begin(SCAN, null);
  await work.save(shown(0));
  assert.deepEqual([store.state.persisted, work.state], [0, "kept"]);
  const writing = Promise.withResolvers<void>();
  store.state.waiting = writing.promise;
  const saving = work.changed(shown(2));
  assert.deepEqual([work.state, work.isUnsaved], ["pending", true]);
  writing.resolve();
  await saving;
  assert.deepEqual([work.state, work.isUnsaved], ["kept", false]);
  assert.deepEqual(states, ["pending", "pending", "kept", "pending", "kept"]);
  assert.equal(store.state.persisted, 1);
  const [kept] = await work.list();
  assert.deepEqual([kept!.key, kept!.words, kept!.look], ["f1#0", "2 bands", shown(2).look]);
  const moved = await work.recall({ ...SCAN, path: "/b.oir" });
  assert.deepEqual([moved!.work.path, moved!.isOther], ["/a.oir", false]);
  const changed = await work.recall({ ...SCAN, fingerprint: "f2" });
  assert.deepEqual([changed!.work.key, changed!.isOther], ["f1#0", true]);
  assert.equal(await work.recall({ ...SCAN, path: "/b.oir", fingerprint: "f2" }), null);
  assert.equal(identifyWork({ ...SCAN, fingerprint: null }), "/a.oir#0");
});

Deno.test("saves changes made during a save after it, even if another recording begins", async () => {
  const store = storage();
  await using here = tab(store);
  const { work } = here;
  await work.begin(SCAN, null);
  const writing = Promise.withResolvers<void>();
  store.state.waiting = writing.promise;
  work.changed(shown(1));
  work.changed(shown(2));
  await work.begin({ ...SCAN, path: "/b.oir", fingerprint: "f2" }, null);
  writing.resolve();
  await until(() => store.works.get("f1#0")?.words === "2 bands", "the last change");
});

Deno.test("reports full and blocked storage, counts nothing as saved, and saves later", async () => {
  const store = storage();
  await using here = tab(store);
  const { work } = here;
  await work.begin(SCAN, null);
  for (const [fault, state] of [["QuotaExceededError", "full"], ["InvalidStateError", "blocked"]] as const) {
    store.state.fault = fault;
    await work.changed(shown(1));
    assert.deepEqual([work.state, work.isUnsaved, work.isAtRisk], [state, true, true]);
  }
  assert.equal(store.works.size, 0);
  store.state.fault = "";
  // Removing other work makes room and saves what waits.
  assert.equal(await work.forget("other#0"), true);
  await until(() => work.state === "kept", "the save");
  assert.deepEqual([work.isUnsaved, store.works.get("f1#0")!.words], [false, "1 band"]);
});

Deno.test("does not overwrite work that could not be read", async () => {
  const store = storage();
  await using here = tab(store);
  const { work } = here;
  await work.begin(SCAN, null);
  await work.changed(shown(3));
  await work.begin(null, null);
  const { get } = store;
  store.get = () => Promise.reject(new DOMException("", "TimeoutError"));
  const recalled = await work.recall(SCAN);
  assert.equal(recalled, null);
  await work.begin(SCAN, recalled);
  await work.changed(shown(1));
  assert.deepEqual([work.state, store.works.get("f1#0")!.words], ["blocked", "3 bands"]);
  store.get = get;
  const newer: string[] = [];
  work.on("newer", ({ work }) => newer.push(work.words));
  await work.changed(shown(1));
  assert.deepEqual([newer, work.state], [["3 bands"], "kept"]);
});

Deno.test("hands the work to another tab when the page is left, and back", async () => {
  const store = storage();
  await using first = tab(store);
  await using second = tab(store);
  await first.work.begin(SCAN, null);
  first.work.changed(shown(1));
  await first.work.leave();
  assert.equal(store.works.get("f1#0")!.words, "1 band");
  await second.work.begin(SCAN, await second.work.recall(SCAN));
  await second.work.changed(shown(2));
  assert.equal(second.work.state, "kept");
  await first.work.resume();
  assert.equal(first.work.state, "elsewhere");
  assert.equal(await first.work.forget("f1#0"), false, "the other tab has it open");
  const newer: string[] = [];
  first.work.on("newer", ({ work }) => newer.push(work.words));
  await second.work.leave();
  await until(() => newer.length > 0, "the work of the other tab");
  assert.deepEqual(newer, ["2 bands"]);
});
