/** Steps, previews and selection of the store of drawings. */
import assert from "node:assert/strict";
import { DrawingStore, MOST_STEPS } from "../../static/demo/v2/drawing/store.ts";

type Document = { regions: []; value: unknown };

const document = (value: unknown): Document => ({ regions: [], value });

function storeOf(value: unknown) {
  const store = new DrawingStore<Document>(document(value));
  const record = (next: unknown, field: unknown = null) => store.record(document(next), field);
  const undone = () => store.undo() ? store.document.value : null;
  const redone = () => store.redo() ? store.document.value : null;
  return { store, record, undone, redone };
}

Deno.test("undoes and redoes steps, and drops redo after a change", () => {
  const { store, record, undone, redone } = storeOf("a");
  for (const value of ["b", "c", "c"]) record(value);
  assert.deepEqual([undone(), undone(), undone()], ["b", "a", null]);
  assert.deepEqual([redone(), store.canRedo], ["b", true]);
  assert.equal(record("d"), true);
  assert.deepEqual([store.canRedo, redone()], [false, null]);
  assert.deepEqual([undone(), undone(), store.canUndo], ["b", "a", false]);
});

Deno.test("merges letters typed in one field into one step", () => {
  const [field, other] = [{}, {}];
  const { store, record, undone } = storeOf("");
  for (const [value, of] of [["w", field], ["wh", field], ["whx", other], ["whxy", other]] as const) {
    record(value, of);
  }
  store.endTyping();
  record("whxyz", other);
  assert.deepEqual([undone(), undone(), undone()], ["whxy", "wh", ""]);
});

Deno.test("adds no step for an amended document, and keeps NaN", () => {
  const { store, record, undone, redone } = storeOf({ velocity: NaN, line: 0 });
  record({ velocity: 1, line: 1 });
  const { document: recorded } = store;
  assert.equal(store.amend(document({ velocity: 1, line: 1 })), false);
  assert.equal(store.document, recorded, "an equal document is the same one");
  assert.equal(store.amend(document({ velocity: 1, line: 2 })), true);
  assert.deepEqual(undone(), { velocity: NaN, line: 0 });
  assert.deepEqual(redone(), { velocity: 1, line: 2 });
});

Deno.test("undoes up to 200 steps", () => {
  const { record, undone } = storeOf(0);
  for (let i = 1; i <= MOST_STEPS + 5; i += 1) record(i);
  let last = null;
  for (let i = 0; i < MOST_STEPS; i += 1) last = undone();
  assert.deepEqual([MOST_STEPS, last, undone()], [200, 5, null]);
});

Deno.test("a drag is one step, and none if it is cancelled or ends where it began", () => {
  const { store, record, undone } = storeOf(0);
  const events: string[] = [];
  for (const type of ["change", "preview", "select"] as const) store.on(type, () => events.push(type));
  for (const value of [1, 2, 3]) store.preview(document(value));
  assert.deepEqual([store.document.value, store.shown.value, store.isPreviewing], [0, 3, true]);
  record(3);
  assert.deepEqual([store.shown.value, store.isPreviewing], [3, false]);
  store.preview(document(4));
  store.preview(null);
  store.preview(document(5));
  assert.equal(record(3), false);
  assert.deepEqual([store.shown.value, events.at(-1)], [3, "preview"], "what was shown goes");
  assert.deepEqual([undone(), store.canUndo], [0, false]);
  store.select("band-1");
  store.select("band-1");
  assert.deepEqual(events.filter((type) => type !== "preview"), ["change", "change", "select"]);
});

Deno.test("another picture begins without steps, the same one with them", () => {
  const { store, record, undone } = storeOf(0);
  record(1);
  store.begin(document(2), true);
  assert.deepEqual([undone(), store.canUndo], [0, false]);
  store.begin(document(3));
  assert.deepEqual([store.canUndo, store.canRedo, store.document.value], [false, false, 3]);
});

Deno.test("another picture has its own document, also if both are equal", () => {
  const { store } = storeOf({ results: [1] });
  const other = document({ results: [1] });
  store.begin(other);
  assert.equal(store.document, other);
});

Deno.test("compares documents as JSON, and does not look into parts that both share", () => {
  const looked: string[] = [];
  const means = new Proxy([1, 2], {
    get(target, key) {
      looked.push(String(key));
      return Reflect.get(target, key);
    },
  });
  const { store } = storeOf({ means, mean: NaN, unit: undefined, name: "a" });
  looked.length = 0;
  const same = [{ means, mean: null, name: "a" }, { means, mean: NaN, name: "a", note: undefined }];
  for (const value of same) assert.equal(store.amend(document(value)), false);
  assert.equal(store.amend(document({ means, mean: NaN, name: "b" })), true);
  assert.deepEqual(looked, []);
  assert.equal(store.amend(document({ means: [1, 3], mean: NaN, name: "b" })), true);
  for (const other of [{}, [1], null, "1"]) {
    store.amend(document([]));
    assert.equal(store.amend(document(other)), true, JSON.stringify(other));
  }
});

/** A store of two pieces, and what they tell. */
function pieces() {
  const store = new DrawingStore<Document & { flow?: unknown; light?: { dark?: number } }>(document(0));
  const restore = (stored: unknown) => typeof stored === "number" ? stored : null;
  const flow = store.register({ path: ["flow"], words: "flow", initial: 1, restore });
  const dark = store.register({ path: ["light", "dark"], words: "dark level", initial: 10, restore });
  const told: string[] = [];
  store.on("change", () => told.push("document"));
  flow.on("change", () => told.push(`flow ${flow.value}`));
  dark.on("change", () => told.push(`dark ${dark.value}`));
  return { store, flow, dark, told };
}

Deno.test("a piece is a part of the document, which undo, redo and another document change", () => {
  const { store, flow, dark, told } = pieces();
  assert.deepEqual([flow.value, dark.value], [1, 10], "nothing is stored yet");
  dark.write(20);
  assert.deepEqual(store.document, { regions: [], value: 0, light: { dark: 20 } });
  assert.deepEqual(told, ["document"], "what a panel writes itself is not told to it");
  store.undo();
  assert.deepEqual([dark.value, told], [10, ["document", "document", "dark 10"]]);
  store.redo();
  told.length = 0;
  store.begin({ ...document(1), flow: 2, light: { dark: 20 } });
  assert.deepEqual(told, ["document", "flow 2"]);
});

Deno.test("what several pieces write in turn is one step, and later writing another", async () => {
  const { store, flow, dark } = pieces();
  flow.write(2);
  dark.write(20);
  flow.write(3);
  await Promise.resolve();
  dark.write(30);
  assert.deepEqual([flow.value, dark.value], [3, 30]);
  store.undo();
  assert.deepEqual([flow.value, dark.value], [3, 20]);
  store.undo();
  assert.deepEqual([flow.value, dark.value, store.canUndo], [1, 10, false]);
  store.redo();
  assert.deepEqual([flow.value, dark.value], [3, 20]);
});

Deno.test("letters that are typed into a piece are one step, and dropped results none", async () => {
  const { store, flow } = pieces();
  const field = {};
  for (const value of [2, 3, 4]) {
    flow.write(value, field);
    await Promise.resolve();
  }
  flow.amend(5);
  assert.equal(flow.value, 5);
  store.undo();
  assert.deepEqual([flow.value, store.canUndo], [1, false]);
});

Deno.test("what panels write while a step is told belongs to that step", () => {
  const { store, flow, dark, told } = pieces();
  store.on("change", () => dark.write(10 * flow.value));
  flow.write(2);
  assert.deepEqual([dark.value, told], [20, ["document"]]);
  store.undo();
  assert.deepEqual([flow.value, store.canUndo], [1, false]);
});

Deno.test("a measurement that ends during a drag is a step of its own, and the drag goes on", async () => {
  const { store, flow } = pieces();
  store.preview({ ...store.document, value: 5 });
  flow.write(2);
  assert.deepEqual([store.isPreviewing, store.shown.value], [true, 5]);
  await Promise.resolve();
  store.record({ ...store.document, value: 6 });
  store.undo();
  assert.deepEqual([store.document.value, flow.value], [0, 2], "the measurement outlives the drag");
  store.undo();
  assert.deepEqual([flow.value, store.canUndo], [1, false]);
});
