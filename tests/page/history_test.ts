import assert from "node:assert/strict";
import { History, MOST_STEPS } from "../../static/demo/v2/measuring/history.ts";

Deno.test("undoes and redoes steps, and drops redo after a change", () => {
  const history = new History("a");
  for (const state of ["b", "c", "c"]) history.record(state);
  assert.deepEqual([history.undo(), history.undo(), history.undo()], ["b", "a", null]);
  assert.deepEqual([history.redo(), history.canRedo], ["b", true]);
  assert.equal(history.record("d"), true);
  assert.deepEqual([history.canRedo, history.redo()], [false, null]);
  assert.deepEqual([history.undo(), history.undo(), history.canUndo], ["b", "a", false]);
});

Deno.test("merges letters typed in one field into one step", () => {
  const [field, other] = [{}, {}];
  const history = new History("");
  for (const [state, of] of [["w", field], ["wh", field], ["whx", other], ["whxy", other]] as const) {
    history.record(state, of);
  }
  history.endTyping();
  history.record("whxyz", other);
  assert.deepEqual([history.undo(), history.undo(), history.undo()], ["whxy", "wh", ""]);
});

Deno.test("adds no step for an amended state, and keeps NaN", () => {
  const history = new History({ velocity: NaN, line: 0 });
  history.record({ velocity: 1, line: 1 });
  assert.equal(history.amend({ velocity: 1, line: 1 }), false);
  assert.equal(history.amend({ velocity: 1, line: 2 }), true);
  assert.deepEqual(history.undo(), { velocity: NaN, line: 0 });
  assert.deepEqual(history.redo(), { velocity: 1, line: 2 });
});

Deno.test("undoes up to 200 steps", () => {
  const history = new History(0);
  for (let i = 1; i <= MOST_STEPS + 5; i += 1) history.record(i);
  let last = null;
  for (let i = 0; i < MOST_STEPS; i += 1) last = history.undo();
  assert.deepEqual([MOST_STEPS, last, history.undo()], [200, 5, null]);
});
